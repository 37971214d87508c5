//! The messages between a game manager and a player (thesis §3.2, Figure 3.3), as text.
//!
//! Two families of managers are in use. The one writes `( PLAY id ( ( mark 1 1 ) noop ) )`, the other
//! `(PLAY ID ((MARK 1 1) NOOP))`; both are read here, and any mixture of them: keywords in any case,
//! any blanks, a missing list of moves, `NIL` or `()` for none. What is written is the form of the first
//! family, which both understand. `docs/protocol.md` describes the wire.

use std::fmt;
use std::time::Duration;

use gdl::sexp::{Sexp, SexpKind};

/// What a manager asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// `(INFO)`: who is there, and is it free?
    Info,
    /// `(PREVIEW rules clock)`: rules to look at before a match.
    Preview {
        /// The clauses, as they stand in the message.
        rules: String,
        /// The time for it.
        clock: Duration,
    },
    /// `(START id role rules startclock playclock)`.
    Start(Start),
    /// `(PLAY id moves)`: the last joint move in the order of the roles; none in the beginning.
    Play {
        /// The match.
        id: String,
        /// The moves, each as KIF.
        moves: Option<Vec<String>>,
    },
    /// `(STOP id moves)`: the match is over, with these last moves.
    Stop {
        /// The match.
        id: String,
        /// The moves, each as KIF.
        moves: Option<Vec<String>>,
    },
    /// `(ABORT id)`: the match ends without a result.
    Abort {
        /// The match.
        id: String,
    },
    /// `(PLAY id turn lastmove percepts)` and `(STOP id turn lastmove percepts)` of GDL-II, where moves of others
    /// are hidden. Recognised, so that the answer can say why it is refused.
    Percepts {
        /// The match.
        id: String,
        /// The number of the turn, from 0.
        turn: u64,
        /// Whether it is the last message of the match.
        stop: bool,
    },
}

/// The contents of a START message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The match.
    pub id: String,
    /// The role to play, as KIF.
    pub role: String,
    /// The clauses, as they stand in the message, without the parentheses around them.
    pub rules: String,
    /// The time until `ready` is due.
    pub start_clock: Duration,
    /// The time for each move.
    pub play_clock: Duration,
}

/// Why a text is not a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RequestError {}

fn error<T>(message: impl Into<String>) -> Result<T, RequestError> {
    Err(RequestError { message: message.into() })
}

/// The longest clock that is taken at its word; longer ones are cut to it.
pub const LONGEST_CLOCK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Levels of parentheses around the rules in a message.
const AROUND_RULES: usize = 2;
/// The longest name of a match in bytes.
const LONGEST_ID: usize = 1024;

impl Request {
    /// Reads a message. Clauses are kept as text: they are read with the limits of rule sheets where they are needed.
    pub fn parse(text: &str, limits: &gdl::Limits) -> Result<Self, RequestError> {
        if text.len() > limits.max_text {
            return error(format!("the message has more than {} bytes", limits.max_text));
        }
        let deeper = gdl::Limits { max_nesting: limits.max_nesting + AROUND_RULES, ..*limits };
        let reading = gdl::sexp::read(text, &deeper);
        if let Some(problem) = reading.problems.first() {
            return error(format!("the message cannot be read: {}", problem.message));
        }
        let [item] = &reading.items[..] else {
            return error(format!("a message is one list, not {} things", reading.items.len()));
        };
        // Some players' tools send a bare `INFO`.
        let items = item.as_list().unwrap_or(std::slice::from_ref(item));
        let Some((first, rest)) = items.split_first() else {
            return error("the message is an empty list");
        };
        let keyword = first.as_symbol().unwrap_or_default().to_ascii_uppercase();
        match keyword.as_str() {
            "INFO" | "PING" => Ok(Self::Info),
            "PREVIEW" => preview(text, rest),
            "START" => start(text, rest),
            "PLAY" | "STOP" => play_or_stop(text, rest, keyword == "STOP"),
            "ABORT" => Ok(Self::Abort { id: id(rest)? }),
            _ => error(format!("{:?} is not a message of the protocol", shorten(&keyword))),
        }
    }

    /// The match that the message belongs to.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Info | Self::Preview { .. } => None,
            Self::Start(start) => Some(&start.id),
            Self::Play { id, .. }
            | Self::Stop { id, .. }
            | Self::Abort { id }
            | Self::Percepts { id, .. } => Some(id),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info => write!(f, "( INFO )"),
            Self::Preview { rules, clock } => {
                write!(f, "( PREVIEW ({rules}) {} )", whole_seconds(*clock))
            }
            Self::Start(start) => write!(
                f,
                "( START {} {} ({}) {} {})",
                start.id,
                start.role,
                start.rules,
                whole_seconds(start.start_clock),
                whole_seconds(start.play_clock)
            ),
            Self::Play { id, moves } => write!(f, "( PLAY {id} {} )", joint(moves.as_deref())),
            Self::Stop { id, moves } => write!(f, "( STOP {id} {} )", joint(moves.as_deref())),
            Self::Abort { id } => write!(f, "( ABORT {id} )"),
            Self::Percepts { id, turn, stop } => {
                write!(f, "( {} {id} {turn} NIL NIL )", if *stop { "STOP" } else { "PLAY" })
            }
        }
    }
}

fn joint(moves: Option<&[String]>) -> String {
    match moves {
        None | Some([]) => "NIL".to_owned(),
        Some(moves) => format!("({} )", moves.join(" ")),
    }
}

/// Clocks on the wire are whole seconds; a player must not be told more than it has.
fn whole_seconds(clock: Duration) -> u64 {
    clock.as_secs()
}

fn id(rest: &[Sexp<'_>]) -> Result<String, RequestError> {
    match rest.first().map(Sexp::as_symbol) {
        Some(Some(id)) if id.len() <= LONGEST_ID => Ok(id.to_owned()),
        Some(Some(_)) => error(format!("the name of the match has more than {LONGEST_ID} bytes")),
        _ => error("the name of the match is missing or not a symbol"),
    }
}

fn preview(text: &str, rest: &[Sexp<'_>]) -> Result<Request, RequestError> {
    let [rules, clock] = rest else {
        return error("PREVIEW needs rules and a clock");
    };
    Ok(Request::Preview { rules: clauses(text, rules)?, clock: seconds(clock)? })
}

fn start(text: &str, rest: &[Sexp<'_>]) -> Result<Request, RequestError> {
    let [_, role, rules, start_clock, play_clock, ..] = rest else {
        return error("START needs a match, a role, rules and two clocks");
    };
    Ok(Request::Start(Start {
        id: id(rest)?,
        role: slice(text, role),
        rules: clauses(text, rules)?,
        start_clock: seconds(start_clock)?,
        play_clock: seconds(play_clock)?,
    }))
}

fn play_or_stop(text: &str, rest: &[Sexp<'_>], stop: bool) -> Result<Request, RequestError> {
    let id = id(rest)?;
    let moves = match &rest[1..] {
        [] => None,
        [told] => moves(text, told)?,
        [turn, _, _] => {
            let turn = turn.as_symbol().and_then(|turn| turn.parse().ok());
            let Some(turn) = turn else {
                return error("the turn of a message with percepts is not a number");
            };
            return Ok(Request::Percepts { id, turn, stop });
        }
        more => return error(format!("{} things follow the name of the match", more.len())),
    };
    Ok(if stop { Request::Stop { id, moves } } else { Request::Play { id, moves } })
}

fn moves(text: &str, told: &Sexp<'_>) -> Result<Option<Vec<String>>, RequestError> {
    match &told.kind {
        SexpKind::Symbol(word) if word.eq_ignore_ascii_case("nil") => Ok(None),
        SexpKind::Symbol(word) => error(format!("{:?} is no list of moves", shorten(word))),
        SexpKind::List(items) if items.is_empty() => Ok(None),
        SexpKind::List(items) => Ok(Some(items.iter().map(|item| slice(text, item)).collect())),
    }
}

fn clauses(text: &str, rules: &Sexp<'_>) -> Result<String, RequestError> {
    match rules.kind {
        SexpKind::List(_) => {
            let range = rules.span.range();
            Ok(text[range.start + 1..range.end - 1].to_owned())
        }
        SexpKind::Symbol(_) => error("the rules are not a list"),
    }
}

fn seconds(item: &Sexp<'_>) -> Result<Duration, RequestError> {
    let number = item.as_symbol().and_then(|text| text.parse::<f64>().ok());
    match number {
        Some(number) if number.is_finite() && number >= 0.0 => {
            Ok(Duration::from_secs_f64(number.min(LONGEST_CLOCK.as_secs_f64())))
        }
        _ => error("a clock is not a number of seconds"),
    }
}

fn slice(text: &str, item: &Sexp<'_>) -> String {
    text[item.span.range()].to_owned()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What a player answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// To START and PREVIEW.
    Ready,
    /// To PLAY: a move as KIF, in the spelling of the rules received.
    Move(String),
    /// To STOP.
    Done,
    /// To ABORT.
    Aborted,
    /// Another match is being played, or this match is not known.
    Busy,
    /// To INFO.
    Info {
        /// The name of the player.
        name: String,
        /// Whether it would take a match.
        available: bool,
    },
    /// Why the player will not do it; a single word.
    Refused(&'static str),
}

/// The reason for refusing games with hidden information.
pub const REFUSED_GDL_II: &str = "gdl-ii-is-not-played-here";
/// The reason for refusing rules that have no meaning.
pub const REFUSED_RULES: &str = "the-rules-cannot-be-played";
/// The reason for refusing a role that the rules do not have.
pub const REFUSED_ROLE: &str = "the-rules-have-no-such-role";

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => write!(f, "ready"),
            Self::Move(text) => write!(f, "{}", spaced(text)),
            Self::Done => write!(f, "done"),
            Self::Aborted => write!(f, "aborted"),
            Self::Busy => write!(f, "busy"),
            Self::Info { name, available } => {
                let status = if *available { "available" } else { "busy" };
                write!(f, "( ( name {name} ) ( status {status} ) )")
            }
            Self::Refused(why) => write!(f, "( refused {why} )"),
        }
    }
}

/// KIF with blanks around each parenthesis, as the first family writes terms: `( mark 1 1 )`.
pub fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut word = |part: &str| {
        if !out.is_empty() && !part.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    };
    for piece in text.split_inclusive(['(', ')']) {
        let name = piece.trim_end_matches(['(', ')']);
        name.split_whitespace().for_each(&mut word);
        word(&piece[name.len()..]);
    }
    out
}

/// A KIF term as [`game::Universe`] writes it: `(mark 1 1)`. Blanks of any kind become single ones.
pub fn compact(text: &str) -> String {
    spaced(text).replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Request, RequestError> {
        Request::parse(text, &gdl::Limits::default())
    }

    #[track_caller]
    fn check(text: &str, expect: &Request) {
        assert_eq!(parse(text).as_ref(), Ok(expect), "{text}");
    }

    fn play(id: &str, moves: &[&str]) -> Request {
        let moves = moves.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Request::Play { id: id.to_owned(), moves: (!moves.is_empty()).then_some(moves) }
    }

    #[test]
    fn messages_of_both_families_are_read() {
        check("( INFO )", &Request::Info);
        check("(info)", &Request::Info);
        check("( PLAY t1.ttt.17 NIL )", &play("t1.ttt.17", &[]));
        check("(play x nil)", &play("x", &[]));
        check("(PLAY x ())", &play("x", &[]));
        check("(PLAY x)", &play("x", &[]));
        check("( PLAY t (( mark 2 1 ) noop ) )", &play("t", &["( mark 2 1 )", "noop"]));
        check("(PLAY DM1 ((MARK 1 1) NOOP))", &play("DM1", &["(MARK 1 1)", "NOOP"]));
        check("(ABORT a.b)", &Request::Abort { id: "a.b".to_owned() });
        check("\r\n ( aBoRt a ) \n", &Request::Abort { id: "a".to_owned() });
        let moves = Some(vec!["NOOP".to_owned(), "(MARK 3 1)".to_owned()]);
        check("(STOP DM1 (NOOP (MARK 3 1)))", &Request::Stop { id: "DM1".to_owned(), moves });
    }

    #[test]
    fn start_and_preview_keep_the_rules_as_written() {
        let rules = "(ROLE X) (<= (LEGAL X ?m) (TRUE ?m))";
        let start = Start {
            id: "DM1".to_owned(),
            role: "X".to_owned(),
            rules: rules.to_owned(),
            start_clock: Duration::from_secs(10),
            play_clock: Duration::from_secs(5),
        };
        check(&format!("(START DM1 X ({rules}) 10 5)"), &Request::Start(start.clone()));
        check(&Request::Start(start.clone()).to_string(), &Request::Start(start));
        let clock = Duration::from_millis(2500);
        check(
            &format!("(preview ({rules}) 2.5)"),
            &Request::Preview { rules: rules.into(), clock },
        );
    }

    #[test]
    fn messages_of_gdl_ii_are_recognised() {
        let percepts = |turn, stop| Request::Percepts { id: "m".to_owned(), turn, stop };
        check("(PLAY m 0 NIL NIL)", &percepts(0, false));
        check("(PLAY m 3 (move a b) ((saw x) heard))", &percepts(3, false));
        check("(STOP m 4 noop ())", &percepts(4, true));
    }

    #[test]
    fn broken_messages_are_errors_with_words() {
        for bad in [
            "",
            "()",
            "(",
            "x y",
            "(PLAY)",
            "(PLAY (a) NIL)",
            "(PLAY a b c d e)",
            "(PLAY a b)",
            "(START a b c 1 2)",
            "(START a b (c) -1 2)",
            "(START a b (c) NaN 2)",
            "(START a b (c))",
            "(PREVIEW x 1)",
            "(PLAY a b c d)",
            "(HELLO)",
            "((a))",
            "(STOP (x))",
        ] {
            let found = parse(bad);
            assert!(found.is_err_and(|error| !error.message.is_empty()), "{bad}");
        }
        let deep = format!("(PLAY a ({}x{}))", "(".repeat(5000), ")".repeat(5000));
        assert!(parse(&deep).is_err());
        assert!(parse(&format!("(PLAY {} NIL)", "x".repeat(2000))).is_err());
    }

    #[test]
    fn messages_and_replies_are_spelled_as_the_other_side_expects() {
        assert_eq!(Reply::Move("(mark 2 1)".to_owned()).to_string(), "( mark 2 1 )");
        assert_eq!(Reply::Move("noop".to_owned()).to_string(), "noop");
        let info = Reply::Info { name: "Fluxion".to_owned(), available: true };
        assert_eq!(info.to_string(), "( ( name Fluxion ) ( status available ) )");
        let told = play("t1.ttt.17", &["( mark 2 1 )", "noop"]);
        assert_eq!(told.to_string(), "( PLAY t1.ttt.17 (( mark 2 1 ) noop ) )");
        assert_eq!(play("t1.ttt.17", &[]).to_string(), "( PLAY t1.ttt.17 NIL )");
        assert_eq!(spaced("(a(b  c)(d))"), "( a ( b c ) ( d ) )");
        assert_eq!(compact("( a\t( b  c )( d ) )"), "(a (b c) (d))");
    }
}
