//! Who asks, and whether they may: cookies, the token, origins, and the headers that every reply carries.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::app::App;
use crate::error::{ApiError, Outcome};
use crate::random;

/// A browser, known by its cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// Its name, which is a secret: who knows it owns the matches.
    pub id: String,
    /// Whom limits count for: the browser where all are on this machine, the address otherwise.
    pub account: String,
}

const VISITOR: &str = "fluxion_visitor";
const TOKEN: &str = "fluxion_token";
const ID_LENGTH: usize = 24;

/// What a browser may load and do on our pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'";

/// What browsers are shown where a token is missing, and what that page may do. It has its style in itself, since nothing
/// else is given out; the hash is that of the style.
const DOOR: &str = include_str!("door.html");
const DOOR_POLICY: &str = "default-src 'none'; style-src 'sha256-arWHjXIprnGiZoRyo4000QyKRKghn2Cw7lOK/FrNWYU='; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'";

/// The reply to a visitor without the token: a page for people, JSON for programs.
fn at_the_door(error: ApiError, wants_page: bool) -> Response {
    if !wants_page {
        return error.into_response();
    }
    let policy = [("content-security-policy", DOOR_POLICY)];
    (StatusCode::UNAUTHORIZED, policy, Html(DOOR)).into_response()
}

/// Whether a request is a browser going to an address.
fn wants_page(request: &Request) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let of_api = request.uri().path().starts_with("/api/");
    !of_api && accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let visitor = parts.extensions.get::<Self>().cloned();
        visitor.ok_or_else(|| ApiError::internal("a request without a visitor"))
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|line| line.split(';'))
        .filter_map(|part| part.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// Compares in a time that does not depend on where texts differ.
fn same(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}

fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    }
}

/// A server on loopback answers to names of loopback only; otherwise another site could give its own name to
/// this machine and read what the server says.
fn check_host(app: &App, headers: &HeaderMap) -> Outcome<()> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host_name(host);
    let local = name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if app.config.is_loopback() && !local {
        return Err(ApiError::forbidden("this server answers to localhost only"));
    }
    Ok(())
}

/// What changes something must come from our own page, or from no page at all.
fn check_origin(method: &Method, headers: &HeaderMap) -> Outcome<()> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    let foreign = || ApiError::forbidden("the request comes from another site");
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().map_err(|_| foreign())?;
        let place = origin.split_once("://").map_or("", |(_, place)| place);
        if place.is_empty() || !place.eq_ignore_ascii_case(host) {
            return Err(foreign());
        }
    }
    match text(HeaderName::from_static("sec-fetch-site")) {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(foreign()),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// The token in an address, as in `/?token=abc`.
fn token_of(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|part| part.strip_prefix("token="))
}

/// Whether the visitor may come in; a reply where the address brought the token.
fn check_token(app: &App, request: &Request) -> Outcome<Option<Response>> {
    let Some(wanted) = &app.token else { return Ok(None) };
    let headers = request.headers();
    let brought = cookie(headers, TOKEN);
    let known = brought.as_deref().or_else(|| bearer(headers));
    if known.is_some_and(|known| same(known, wanted)) {
        return Ok(None);
    }
    let given = token_of(request.uri().query()).is_some_and(|given| same(given, wanted));
    if !given || request.method() != Method::GET {
        return Err(ApiError::token());
    }
    let mut response = Redirect::to(request.uri().path()).into_response();
    set_cookie(&mut response, TOKEN, wanted);
    Ok(Some(response))
}

fn set_cookie(response: &mut Response, name: &str, value: &str) {
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

fn visitor(app: &App, request: &Request) -> (Visitor, bool) {
    let known = cookie(request.headers(), VISITOR)
        .filter(|id| id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let is_new = known.is_none();
    let id = known.unwrap_or_else(|| random::name(ID_LENGTH));
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let account = match address {
        Some(ConnectInfo(address)) if !app.config.is_loopback() => address.ip().to_string(),
        // Programs without cookies share an account.
        _ if is_new => "new".to_owned(),
        _ => id.clone(),
    };
    (Visitor { id, account }, is_new)
}

/// Stands before everything else.
pub async fn guard(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let checked = check_host(&app, request.headers())
        .and_then(|()| check_origin(request.method(), request.headers()))
        .and_then(|()| check_token(&app, &request));
    let mut response = match checked {
        Err(error) if error.is_token() => at_the_door(error, wants_page(&request)),
        Err(error) => error.into_response(),
        Ok(Some(response)) => response,
        Ok(None) => {
            let (visitor, is_new) = visitor(&app, &request);
            request.extensions_mut().insert(visitor.clone());
            let mut response = next.run(request).await;
            if is_new {
                set_cookie(&mut response, VISITOR, &visitor.id);
            }
            response
        }
    };
    let fixed = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in fixed {
        let (name, value) = (HeaderName::from_static(name), HeaderValue::from_static(value));
        response.headers_mut().entry(name).or_insert(value);
    }
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(no_store);
    response
}

/// Counts what accounts have under way.
#[derive(Default)]
pub struct Counts {
    counts: Mutex<BTreeMap<(&'static str, String), usize>>,
}

/// Something that is counted until it is dropped.
pub struct Counted {
    counts: Arc<Counts>,
    key: (&'static str, String),
}

impl Counts {
    /// Counts one more, if the account has less than `most` of its kind.
    pub fn add(
        self: &Arc<Self>,
        kind: &'static str,
        account: &str,
        most: usize,
    ) -> Outcome<Counted> {
        let key = (kind, account.to_owned());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= most {
            return Err(ApiError::too_many(format!("you have {count} {kind} already")));
        }
        *count += 1;
        Ok(Counted { counts: self.clone(), key })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.counts.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes, given as hexadecimal digits, in base64.
    fn base64(hex: &str) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let four = |digit: char| {
            let value = digit.to_digit(16).expect("a digit");
            [8, 4, 2, 1].map(|bit| if value & bit == 0 { '0' } else { '1' })
        };
        let bits: String = hex.chars().flat_map(four).collect();
        let six = |part: &[u8]| {
            let text = String::from_utf8_lossy(part);
            let value = u8::from_str_radix(&format!("{text:0<6}"), 2).expect("bits");
            char::from(digits[usize::from(value)])
        };
        let text: String = bits.as_bytes().chunks(6).map(six).collect();
        format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4))
    }

    #[test]
    fn the_page_at_the_door_may_use_its_own_style_only() {
        let (_, rest) = DOOR.split_once("<style>").expect("a style");
        let (style, _) = rest.split_once("</style>").expect("its end");
        let hash = base64(&protocol::trace::sha256(style.as_bytes()));
        assert!(DOOR_POLICY.contains(&format!("'sha256-{hash}'")), "{hash}");
        assert!(!DOOR.contains("<script"));
    }

    #[test]
    fn hosts_are_read_with_and_without_ports() {
        assert_eq!(host_name("localhost:80"), "localhost");
        assert_eq!(host_name("[::1]:80"), "::1");
        assert_eq!(host_name("example.org"), "example.org");
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        let check = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("localhost:8147"));
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            check_origin(&Method::POST, &headers).is_ok()
        };
        assert!(check(&[]));
        assert!(check(&[("origin", "http://localhost:8147")]));
        assert!(!check(&[("origin", "http://localhost:9999")]));
        assert!(!check(&[("origin", "http://evil.example")]));
        assert!(!check(&[("origin", "null")]));
        assert!(!check(&[("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn what_is_dropped_is_not_counted() {
        let counts = Arc::new(Counts::default());
        let first = counts.add("matches", "a", 1).expect("the first");
        assert!(counts.add("matches", "a", 1).is_err());
        assert!(counts.add("matches", "b", 1).is_ok());
        drop(first);
        assert!(counts.add("matches", "a", 1).is_ok());
    }
}
