//! The files of the page, embedded in the program by the build script.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// A file of the page.
struct Asset {
    name: &'static str,
    /// Changes with the contents.
    tag: &'static str,
    plain: &'static [u8],
    packed: &'static [u8],
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The media type by the name of the file.
fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" | "webmanifest" => "application/json",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The file at a path; paths without a file name are addresses inside the page, which is given instead.
pub fn serve(path: &str, headers: &HeaderMap) -> Response {
    let name = path.trim_start_matches('/');
    let named = |wanted: &str| ASSETS.iter().find(|asset| asset.name == wanted);
    let found = named(name).or_else(|| {
        let last = name.rsplit('/').next().unwrap_or_default();
        if last.contains('.') { None } else { named("index.html") }
    });
    let Some(asset) = found else { return StatusCode::NOT_FOUND.into_response() };
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let mut response = if text(header::IF_NONE_MATCH) == Some(asset.tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if text(header::ACCEPT_ENCODING).is_some_and(|accepted| accepted.contains("gzip")) {
        let mut response = Response::new(Body::from(asset.packed));
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        response
    } else {
        Response::new(Body::from(asset.plain))
    };
    let kept = [
        (header::CONTENT_TYPE, media_type(asset.name)),
        (header::ETAG, asset.tag),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
    ];
    for (name, value) in kept {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The bytes of all files as they are sent to browsers.
pub fn total_size() -> usize {
    ASSETS.iter().map(|asset| asset.packed.len()).sum()
}
