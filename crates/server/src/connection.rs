//! One connection: a message is read within limits on size and time, answered, and the connection closed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use protocol::Request;
use protocol::http::{self, Body, Head, HttpError, Progress};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::SemaphorePermit;
use tokio::time::{timeout, timeout_at};
use tracing::{debug, warn};

use crate::desk::Desk;

/// How long to wait for the rest of a body that looks complete but was announced as longer.
const AFTERTHOUGHT: Duration = Duration::from_millis(200);
/// The clock is taken to have begun at most this long before the first byte.
const LATE_FIRST_BYTE: Duration = Duration::from_millis(500);
/// How long, and how much, is read after the answer, so that closing does not destroy it on its way.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 32 << 20;
/// Larger messages are read in a thread of their own, so that others are not kept waiting.
const LARGE: usize = 64 << 10;

/// Why no message came out of a connection.
enum Problem {
    /// It ended, or took too long.
    Silent,
    /// It was not HTTP, or too large.
    Http(HttpError),
}

impl From<HttpError> for Problem {
    fn from(error: HttpError) -> Self {
        Self::Http(error)
    }
}

impl From<io::Error> for Problem {
    fn from(_: io::Error) -> Self {
        Self::Silent
    }
}

/// A message as it came.
struct Message<'d> {
    head: Head,
    body: String,
    arrival: Instant,
    /// Held by large messages until they are understood.
    _permit: Option<SemaphorePermit<'d>>,
}

/// Serves a connection that was made at an instant. `whole` is set once its message is complete.
pub(crate) async fn serve(
    mut stream: TcpStream,
    desk: Arc<Desk>,
    made: Instant,
    whole: Arc<AtomicBool>,
) {
    let _ = stream.set_nodelay(true);
    let patience = desk.config().patience;
    let read = timeout_at((made + patience).into(), read(&mut stream, &desk, made)).await;
    whole.store(true, Ordering::Relaxed);
    let response = match read {
        Ok(Ok(message)) => respond(message, &desk).await,
        Ok(Err(Problem::Http(error))) => {
            warn!(%error, "a message was not understood");
            http::response(status_of(error), &error.to_string(), "HTTP/1.0")
        }
        Err(_) => http::response("408 Request Timeout", "the message took too long", "HTTP/1.0"),
        Ok(Err(Problem::Silent)) => return,
    };
    if stream.write_all(response.as_bytes()).await.is_err() || stream.shutdown().await.is_err() {
        debug!("the answer could not be sent");
        return;
    }
    linger(&mut stream).await;
}

/// Reads and forgets what still comes, until the other side closes or it takes too long.
async fn linger(stream: &mut TcpStream) {
    let drain = async {
        let mut rest = LINGER_BYTES;
        let mut buffer = vec![0; 8 << 10];
        while let Ok(count) = stream.read(&mut buffer).await {
            rest = rest.saturating_sub(count);
            if count == 0 || rest == 0 {
                break;
            }
        }
    };
    let _ = timeout(LINGER, drain).await;
}

fn status_of(error: HttpError) -> &'static str {
    match error {
        HttpError::HeadTooLarge => "431 Request Header Fields Too Large",
        HttpError::BodyTooLarge => "413 Content Too Large",
        _ => "400 Bad Request",
    }
}

async fn read<'d>(
    stream: &mut TcpStream,
    desk: &'d Desk,
    made: Instant,
) -> Result<Message<'d>, Problem> {
    let limits = desk.config().envelope();
    let pause = desk.config().pause;
    let mut buffer = vec![0; 16 << 10];
    let mut bytes = Vec::new();
    let mut arrival = made;
    let head = loop {
        let count = more(stream, &mut buffer, pause).await?;
        if count == 0 {
            return Err(Problem::Silent);
        }
        if bytes.is_empty() {
            let late = Instant::now().checked_sub(LATE_FIRST_BYTE).unwrap_or(made);
            arrival = made.max(late);
        }
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(head) = http::head(&bytes, &limits)? {
            break head;
        }
    };
    if head.expects_continue {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let mut body = Body::new(&head, &limits);
    let mut permit = None;
    let bodiless = !head.first[0].eq_ignore_ascii_case("POST") && head.length.is_none();
    if !bodiless {
        if head.length.is_some_and(|length| length > limits.max_body) {
            return Err(HttpError::BodyTooLarge.into());
        }
        body.push(&bytes[head.end..])?;
        permit = read_body(stream, &mut body, &mut buffer, desk).await?;
    }
    Ok(Message { head, body: body.text()?, arrival, _permit: permit })
}

/// Reads a body to its end. Only a few large ones are read at a time, so that many cannot fill the memory.
async fn read_body<'d>(
    stream: &mut TcpStream,
    body: &mut Body,
    buffer: &mut [u8],
    desk: &'d Desk,
) -> Result<Option<SemaphorePermit<'d>>, Problem> {
    let mut permit = None;
    loop {
        if permit.is_none() && body.size() > LARGE {
            permit = desk.large().acquire().await.ok();
        }
        let wait = match body.progress() {
            Progress::Complete => return Ok(permit),
            Progress::Likely => AFTERTHOUGHT,
            Progress::Partial => desk.config().pause,
        };
        match timeout(wait, stream.read(buffer)).await {
            // The end of the connection, or of the patience with it, is the end of the message: whether
            // it can be understood, its reader will tell.
            Err(_) | Ok(Ok(0)) => return Ok(permit),
            Ok(count) => body.push(&buffer[..count?])?,
        }
    }
}

async fn more(
    stream: &mut TcpStream,
    buffer: &mut [u8],
    pause: Duration,
) -> Result<usize, Problem> {
    match timeout(pause, stream.read(buffer)).await {
        Ok(count) => Ok(count?),
        Err(_) => Err(Problem::Silent),
    }
}

async fn respond(message: Message<'_>, desk: &Desk) -> String {
    let Message { head, body, arrival, _permit: permit } = message;
    let [method, target, version] = &head.first;
    let text = match method.to_ascii_uppercase().as_str() {
        "OPTIONS" => return http::response("200 OK", "", version),
        "POST" => body,
        "GET" => match http::message_in_target(target) {
            Some(text) => text,
            None => return http::response("200 OK", &greeting(desk), version),
        },
        _ => return http::response("405 Method Not Allowed", "POST, GET or OPTIONS", version),
    };
    let parsed = parse(text, desk).await;
    drop(permit);
    match parsed {
        Ok(request) => {
            let reply = desk.answer(request, arrival).await;
            http::response("200 OK", &reply.to_string(), version)
        }
        Err(error) => {
            warn!(%error, "a message was not understood");
            http::response("400 Bad Request", &error.to_string(), version)
        }
    }
}

async fn parse(text: String, desk: &Desk) -> Result<Request, protocol::RequestError> {
    let limits = desk.config().reading();
    if text.len() <= LARGE {
        return Request::parse(&text, &limits);
    }
    let read = tokio::task::spawn_blocking(move || Request::parse(&text, &limits)).await;
    let message = || "the message could not be read".to_owned();
    read.unwrap_or_else(|_| Err(protocol::RequestError { message: message() }))
}

fn greeting(desk: &Desk) -> String {
    let name = &desk.config().name;
    format!("{name} is a general game player. Game managers send their messages here by POST.\n")
}
