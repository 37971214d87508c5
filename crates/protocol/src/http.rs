//! The envelope of messages: as much of HTTP/1.0 and 1.1 as managers and players use, over bytes.
//!
//! General HTTP libraries are too strict for this protocol: managers leave out `Content-Length`, or count
//! characters instead of bytes, and keep the connection open while they wait. The end of such a message is
//! told by its parentheses ([`Balance`]). Nothing here reads from anywhere: the caller brings the bytes, and
//! is told how much more is needed.

use std::fmt;

/// Bounds on what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest head (request line and headers) in bytes.
    pub max_head: usize,
    /// The largest body in bytes.
    pub max_body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_head: 64 << 10, max_body: 16 << 20 }
    }
}

/// Why bytes are not HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpError {
    /// The first line is not a request or status line.
    FirstLine,
    /// The head is larger than the limit.
    HeadTooLarge,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// A chunk of a chunked body has no readable size.
    Chunk,
    /// The body is not UTF-8.
    NotText,
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstLine => "the first line is not HTTP",
            Self::HeadTooLarge => "the head of the message is too large",
            Self::BodyTooLarge => "the body of the message is too large",
            Self::Chunk => "a chunk has no readable size",
            Self::NotText => "the body is not UTF-8 text",
        })
    }
}

impl std::error::Error for HttpError {}

/// The first line and the headers that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The three words of the first line: method, target, version; or version, status, reason.
    pub first: [String; 3],
    /// `Content-Length`, if it is there and a number.
    pub length: Option<usize>,
    /// Whether the body comes in chunks.
    pub chunked: bool,
    /// Whether the sender waits for `100 Continue`.
    pub expects_continue: bool,
    /// Where the body begins.
    pub end: usize,
}

/// Reads a head from the beginning of `bytes`; none if it is not complete yet.
pub fn head(bytes: &[u8], limits: &Limits) -> Result<Option<Head>, HttpError> {
    let Some(end) = head_end(bytes) else {
        return if bytes.len() > limits.max_head { Err(HttpError::HeadTooLarge) } else { Ok(None) };
    };
    if end > limits.max_head {
        return Err(HttpError::HeadTooLarge);
    }
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = text.lines();
    let first = first_line(lines.next().unwrap_or_default());
    let mut head = Head { first, end, ..Head::default() };
    if !head.first.iter().any(|word| word.starts_with("HTTP/")) {
        return Err(HttpError::FirstLine);
    }
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "content-length" => head.length = value.parse().ok(),
            "transfer-encoding" => head.chunked = value.to_ascii_lowercase().contains("chunked"),
            "expect" => head.expects_continue = value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
    }
    Ok(Some(head))
}

/// The words of a first line. The target of a request may contain blanks: some clients do not encode them.
fn first_line(line: &str) -> [String; 3] {
    let line = line.trim_end();
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let parted =
        if first.starts_with("HTTP/") { rest.split_once(' ') } else { rest.rsplit_once(' ') };
    let (second, third) = parted.unwrap_or((rest, ""));
    [first, second, third].map(str::to_owned)
}

/// The place after the empty line; lines may end with or without a carriage return.
fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let line = &bytes[at..at + length];
        at += length + 1;
        if line.is_empty() || line == b"\r" {
            return Some(at);
        }
    }
    None
}

/// Whether a body is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All of it is there.
    Complete,
    /// The message is complete, but the sender announced more: wait a little for it.
    Likely,
    /// More must come.
    Partial,
}

/// Puts a body together from pieces.
#[derive(Debug)]
pub struct Body {
    length: Option<usize>,
    chunks: Option<Chunks>,
    max: usize,
    balance: Balance,
    bytes: Vec<u8>,
}

impl Body {
    /// The body that follows a head.
    pub fn new(head: &Head, limits: &Limits) -> Self {
        Self {
            length: head.length.filter(|_| !head.chunked),
            chunks: head.chunked.then(Chunks::default),
            max: limits.max_body,
            balance: Balance::default(),
            bytes: Vec::new(),
        }
    }

    /// Takes bytes as they come.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), HttpError> {
        let before = self.bytes.len();
        match &mut self.chunks {
            Some(chunks) => chunks.decode(bytes, &mut self.bytes)?,
            None => self.bytes.extend_from_slice(bytes),
        }
        if self.bytes.len() > self.max {
            return Err(HttpError::BodyTooLarge);
        }
        self.balance.feed(&self.bytes[before..]);
        Ok(())
    }

    /// How many bytes there are so far.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// How far a request is. The parentheses decide where the length is missing or too small.
    pub fn progress(&self) -> Progress {
        if self.chunks.as_ref().is_some_and(|chunks| chunks.done) {
            return Progress::Complete;
        }
        let whole = self.balance.is_whole();
        match self.length {
            Some(length) if self.bytes.len() >= length && (whole || !self.balance.is_open()) => {
                Progress::Complete
            }
            None if whole && self.chunks.is_none() => Progress::Complete,
            _ if whole => Progress::Likely,
            _ => Progress::Partial,
        }
    }

    /// How far a response is: by its length or chunks, or to the end of the connection.
    pub fn response_is_complete(&self) -> bool {
        match (&self.chunks, self.length) {
            (Some(chunks), _) => chunks.done,
            (None, Some(length)) => self.bytes.len() >= length,
            (None, None) => false,
        }
    }

    /// The text.
    pub fn text(self) -> Result<String, HttpError> {
        String::from_utf8(self.bytes).map_err(|_| HttpError::NotText)
    }
}

/// Counts parentheses, to tell where an s-expression ends; comments are left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Balance {
    depth: usize,
    comment: bool,
    opened: bool,
}

impl Balance {
    /// Looks at further bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => self.comment = false,
                _ if self.comment => {}
                b';' => self.comment = true,
                b'(' => {
                    self.depth += 1;
                    self.opened = true;
                }
                b')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether something was opened and everything is closed.
    pub fn is_whole(&self) -> bool {
        self.opened && self.depth == 0
    }

    /// Whether a parenthesis is open.
    pub fn is_open(&self) -> bool {
        self.depth > 0
    }
}

/// Undoes chunked transfer encoding.
#[derive(Debug, Default)]
struct Chunks {
    /// Bytes of a size line that is not complete.
    line: Vec<u8>,
    /// Bytes that the current chunk still has.
    left: usize,
    /// The line end after a chunk is due.
    after: bool,
    done: bool,
}

/// The longest line with the size of a chunk.
const LONGEST_SIZE: usize = 256;

impl Chunks {
    fn decode(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), HttpError> {
        while !bytes.is_empty() && !self.done {
            if self.left > 0 {
                let taken = self.left.min(bytes.len());
                out.extend_from_slice(&bytes[..taken]);
                bytes = &bytes[taken..];
                self.left -= taken;
                self.after = self.left == 0;
                continue;
            }
            let (byte, rest) = (bytes[0], &bytes[1..]);
            bytes = rest;
            match byte {
                b'\n' => self.size()?,
                b'\r' => {}
                _ if self.line.len() >= LONGEST_SIZE => return Err(HttpError::Chunk),
                byte => self.line.push(byte),
            }
        }
        Ok(())
    }

    fn size(&mut self) -> Result<(), HttpError> {
        if std::mem::take(&mut self.after) && self.line.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let digits = text.split(';').next().unwrap_or_default().trim();
        self.left = usize::from_str_radix(digits, 16).map_err(|_| HttpError::Chunk)?;
        self.done = self.left == 0;
        Ok(())
    }
}

/// The message in the target of a GET: `/%28INFO%29`, `/?(INFO)`. None if there is none.
pub fn message_in_target(target: &str) -> Option<String> {
    let path = target.trim_start_matches('/').trim_start_matches('?');
    let text = percent_decode(path)?;
    text.contains('(').then_some(text)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(out).ok()
}

/// A whole response: answered in the version of the request, connection closed afterwards. Header names are
/// spelled as the field's own servers spell them; pages of other origins may read the answer.
pub fn response(status: &str, body: &str, version: &str) -> String {
    let version = if version == "HTTP/1.1" { version } else { "HTTP/1.0" };
    format!(
        "{version} {status}\r\nContent-type: text/acl\r\nContent-length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A whole request of a manager.
pub fn request(message: &str, target: &str, host: &str, receiver: &str) -> String {
    format!(
        "POST {target} HTTP/1.0\r\nAccept: text/delim\r\nHost: {host}\r\nSender: GAMESERVER\r\n\
         Receiver: {receiver}\r\nContent-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], piece: usize) -> Result<(Progress, String), HttpError> {
        let limits = Limits { max_head: 1000, max_body: 100 };
        let head = head(bytes, &limits)?.expect("a whole head");
        let mut body = Body::new(&head, &limits);
        for part in bytes[head.end..].chunks(piece) {
            body.push(part)?;
        }
        Ok((body.progress(), body.text()?))
    }

    #[track_caller]
    fn check(bytes: &str, progress: Progress, text: &str) {
        for piece in [1, 2, 7, 1000] {
            assert_eq!(read(bytes.as_bytes(), piece), Ok((progress, text.to_owned())), "{bytes}");
        }
    }

    #[test]
    fn the_end_of_a_body_is_found_however_it_is_announced() {
        use Progress::{Complete, Likely, Partial};
        check("POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)", Complete, "(INFO)");
        check("POST / HTTP/1.0\ncontent-length: 6\n\n(INFO)", Complete, "(INFO)");
        check("POST / HTTP/1.1\r\n\r\n(INFO)", Complete, "(INFO)");
        check("POST / HTTP/1.1\r\n\r\n(INFO", Partial, "(INFO");
        check("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n(INFO", Partial, "(INFO");
        check("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n(INFO)", Complete, "(INFO)");
        check("POST / HTTP/1.1\r\nContent-Length: 30\r\n\r\n(INFO)", Likely, "(INFO)");
        check("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n(INFO)", Complete, "(INFO)");
        check("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nINFO", Complete, "INFO");
        check("POST / HTTP/1.1\r\n\r\n(a ; )\n", Partial, "(a ; )\n");
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n";
        check(&format!("{chunked}2\r\n(I\r\n4;x=y\r\nNFO)\r\n0\r\n\r\n"), Complete, "(INFO)");
        check(&format!("{chunked}6\r\n(INFO)\r\n"), Likely, "(INFO)");
    }

    #[test]
    fn what_is_too_large_or_broken_is_refused() {
        let long = format!("POST / HTTP/1.0\r\n\r\n({}", "x".repeat(101));
        assert_eq!(read(long.as_bytes(), 9), Err(HttpError::BodyTooLarge));
        let limits = Limits { max_head: 100, max_body: 1 };
        assert_eq!(head(&[b'x'; 101], &limits), Err(HttpError::HeadTooLarge));
        assert_eq!(head(b"POST / HTTP/1.0\r\nA: b", &limits), Ok(None));
        assert_eq!(head(b"\x16\x03\x01\n\n", &limits), Err(HttpError::FirstLine));
        let chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
        assert_eq!(read(chunked, 3), Err(HttpError::Chunk));
    }

    #[test]
    fn messages_may_stand_in_the_target() {
        let message = |target| message_in_target(target);
        assert_eq!(message("/%28PLAY+x%20NIL%29").as_deref(), Some("(PLAY x NIL)"));
        assert_eq!(message("/?(INFO)").as_deref(), Some("(INFO)"));
        let head = head(b"GET /( PLAY x NIL ) HTTP/1.1\r\n\r\n", &Limits::default());
        let head = head.expect("HTTP").expect("a head");
        assert_eq!(head.first, ["GET", "/( PLAY x NIL )", "HTTP/1.1"]);
        assert_eq!(message("/"), None);
        assert_eq!(message("/%2"), None);
        assert_eq!(message("/favicon.ico"), None);
    }

    #[test]
    fn requests_and_responses_are_byte_for_byte_as_documented() {
        let expect = "HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\
            Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
            Access-Control-Allow-Headers: Content-Type\r\nAccess-Control-Allow-Age: 86400\r\n\
            Connection: close\r\n\r\nready";
        assert_eq!(response("200 OK", "ready", "HTTP/1.0"), expect);
        let request = request("( INFO )", "/", "localhost", "X");
        let expect = "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n\
            Receiver: X\r\nContent-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )";
        assert_eq!(request, expect);
    }
}
