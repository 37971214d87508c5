//! Properties of messages and their envelope, for any text.

use proptest::prelude::*;
use protocol::Request;
use protocol::http::{self, Body, Limits, Progress};
use protocol::message::{Start, compact, spaced};
use std::time::Duration;

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_.+-]{1,12}"
}

/// A term of any shape.
fn term() -> impl Strategy<Value = String> {
    name().prop_recursive(3, 12, 4, |inner| {
        prop::collection::vec(inner, 1..4).prop_map(|parts| format!("({})", parts.join(" ")))
    })
}

fn request() -> impl Strategy<Value = Request> {
    let joint = || prop::option::of(prop::collection::vec(term(), 1..4));
    let seconds = || (0_u64..10_000).prop_map(Duration::from_secs);
    let rules = || prop::collection::vec(term(), 0..6).prop_map(|clauses| clauses.join(" "));
    let start = (name(), term(), rules(), seconds(), seconds()).prop_map(
        |(id, role, rules, start_clock, play_clock)| {
            Request::Start(Start { id, role, rules, start_clock, play_clock })
        },
    );
    prop_oneof![
        Just(Request::Info),
        (rules(), seconds()).prop_map(|(rules, clock)| Request::Preview { rules, clock }),
        start,
        (name(), joint()).prop_map(|(id, moves)| Request::Play { id, moves }),
        (name(), joint()).prop_map(|(id, moves)| Request::Stop { id, moves }),
        name().prop_map(|id| Request::Abort { id }),
    ]
}

fn parse(text: &str) -> Result<Request, protocol::RequestError> {
    Request::parse(text, &gdl::Limits::default())
}

/// Messages whose pieces have one blank between them, however they were written.
fn normal(request: &Request) -> String {
    spaced(&request.to_string())
}

proptest! {
    #[test]
    fn messages_are_read_back_as_written(request in request()) {
        prop_assert_eq!(parse(&request.to_string()), Ok(request.clone()));
    }

    #[test]
    fn case_and_blanks_do_not_change_a_message(request in request()) {
        let text = request.to_string();
        let odd = text.replacen("PLAY", "pLaY", 1).replacen("START", "Start", 1).replace(' ', "\r\n\t ");
        prop_assert_eq!(parse(&odd).map(|again| normal(&again)), Ok(normal(&request)));
        let tight = parse(&compact(&text)).map(|again| normal(&again));
        prop_assert_eq!(tight, Ok(normal(&request)));
    }

    #[test]
    fn any_text_is_a_message_or_an_error(text in "[()A-Z a-z0-9;\\n]{0,60}|\\PC{0,40}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.message.is_empty());
        }
    }

    #[test]
    fn requests_are_found_in_any_pieces(request in request(), piece in 1_usize..50, framed in 0..3) {
        let message = request.to_string();
        let bytes = match framed {
            0 => http::request(&message, "/", "h", "R"),
            1 => format!("POST / HTTP/1.1\r\n\r\n{message}"),
            _ => format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{message}\r\n0\r\n\r\n", message.len()),
        };
        let limits = Limits::default();
        let head = http::head(bytes.as_bytes(), &limits).expect("HTTP").expect("a whole head");
        let mut body = Body::new(&head, &limits);
        let rest = &bytes.as_bytes()[head.end..];
        for (at, part) in rest.chunks(piece).enumerate() {
            let sent = at * piece;
            if sent + 7 < rest.len() && framed < 2 {
                prop_assert_ne!(body.progress(), Progress::Complete, "after {} bytes", sent);
            }
            body.push(part).expect("within the limits");
        }
        prop_assert_eq!(body.progress(), Progress::Complete);
        prop_assert_eq!(parse(&body.text().expect("text")), Ok(request));
    }

    #[test]
    fn any_bytes_are_http_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let limits = Limits { max_head: 100, max_body: 50 };
        if let Ok(Some(head)) = http::head(&bytes, &limits) {
            let mut body = Body::new(&head, &limits);
            let _ = body.push(&bytes[head.end..]);
            let _ = (body.progress(), body.response_is_complete(), body.text());
        }
    }
}
