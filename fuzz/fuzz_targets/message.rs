//! Any bytes are read as an HTTP request and as a message without a panic, in one piece and byte by byte with
//! the same result; a message that is understood is written and read again as the same; records and states
//! are read or refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::http::{self, Body, Limits};
use protocol::message::{Request, compact, spaced};

const LIMITS: Limits = Limits { max_head: 512, max_body: 4096 };

fuzz_target!(|data: &[u8]| {
    let whole = envelope(data, data.len().max(1));
    assert_eq!(whole, envelope(data, 1), "pieces do not matter");
    message(&String::from_utf8_lossy(data));
    if let Some(text) = whole {
        message(&text);
    }
});

fn envelope(data: &[u8], piece: usize) -> Option<String> {
    let head = http::head(data, &LIMITS).ok()??;
    let _ = http::message_in_target(&head.first[1]);
    let mut body = Body::new(&head, &LIMITS);
    for part in data[head.end..].chunks(piece) {
        body.push(part).ok()?;
        let _ = (body.progress(), body.response_is_complete());
    }
    body.text().ok()
}

fn message(text: &str) {
    let limits = gdl::Limits { max_text: 8192, max_nesting: 64, max_symbol: 256 };
    if let Ok(request) = Request::parse(text, &limits) {
        // Percepts are recognised, not kept.
        if !matches!(request, Request::Percepts { .. }) {
            let written = request.to_string();
            let again = Request::parse(&written, &gdl::Limits::default());
            let clock_cut = |request: &Request| request.to_string();
            assert_eq!(again.as_ref().map(clock_cut), Ok(written.clone()), "{text}");
        }
    }
    let spaced_once = spaced(text);
    assert_eq!(spaced(&spaced_once), spaced_once);
    assert_eq!(spaced(&compact(text)), spaced_once);
    let _ = protocol::MatchRecord::parse(text);
}
