//! The API over real HTTP: what people do in matches, what they may not do, and what survives.

mod common;

use std::time::{Duration, Instant};

use common::{Folder, Server, config, first_move};
use serde_json::{Value, json};
use web::{Config, Limits};

/// Two people at one keyboard.
fn both_sides(game: &str) -> Value {
    json!({"game": {"library": game}, "seats": [{"kind": "human"}, {"kind": "human"}]})
}

fn id_of(view: &Value) -> String {
    view["id"].as_str().expect("a name").to_owned()
}

fn running(view: &Value) -> bool {
    view["state"] == "running"
}

#[test]
fn the_library_lists_games_with_roles_and_rules_in_both_syntaxes() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let games = visitor.get("/api/v1/games").fine();
    let games = games["games"].as_array().expect("a list");
    assert_eq!(games.len(), library::games().len());
    let found = games.iter().find(|game| game["name"] == "tictactoe").expect("there");
    assert_eq!(found["roles"], json!(["xplayer", "oplayer"]));
    let one = visitor.get("/api/v1/games/tictactoe").fine();
    assert!(one["rules"]["kif"].as_str().is_some_and(|text| text.contains("(role xplayer)")));
    assert!(one["rules"]["prolog"].as_str().is_some_and(|text| text.contains("role(xplayer).")));
    let picture = visitor.get("/api/v1/games/tictactoe/picture.svg");
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.body.starts_with(b"<svg"));
    let boards = visitor.get("/api/v1/games/tictactoe/boards").fine();
    assert_eq!(boards["boards"][0]["cells"].as_array().map(Vec::len), Some(9));
    assert_eq!(visitor.get("/api/v1/games/nothing").code(), "not_found");
    assert_eq!(visitor.get("/api/v1/nothing").code(), "not_found");
}

#[test]
fn findings_come_with_places_and_formatting_converts() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let found =
        visitor.post("/api/v1/check", &json!({"rules": "(role you)\n(<= (legal you ?x)"})).fine();
    assert_eq!(found["status"], "unreadable");
    assert_eq!(found["findings"][0]["place"]["line"], 2);
    let sound = library::find("tictactoe").expect("there").rules;
    assert_eq!(visitor.post("/api/v1/check", &json!({ "rules": sound })).fine()["status"], "sound");
    let body = json!({"rules": "(role you)", "syntax": "prolog"});
    assert_eq!(visitor.post("/api/v1/format", &body).fine()["text"], "role(you).\n");
    assert_eq!(visitor.post("/api/v1/check", &json!({"wrong": 1})).status, 400);
}

#[test]
fn a_match_is_played_to_the_end_against_a_strategy() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let seats = json!([{"kind": "human"}, {"kind": "strategy", "strategy": "random"}]);
    let view = visitor.create(&json!({"game": {"library": "tictactoe"}, "seats": seats}));
    let id = id_of(&view);
    assert_eq!(view["seats"][0]["name"], "you");
    let mut stream = visitor.events(&format!("/api/v1/matches/{id}/events"));
    let mut steps = 0;
    let over = loop {
        let my_turn = |view: &Value| {
            let mine = running(view) && view["waiting"]["for"] == json!([0]);
            view["state"] == "over" || (mine && view["position"]["drawn"] == true)
        };
        let view = visitor.wait_for(&id, "my turn", my_turn);
        if view["state"] == "over" {
            break view;
        }
        let step = &view["position"]["step"];
        let legal = &view["position"]["legal"][0][0];
        assert_eq!(legal["cells"].as_array().map(Vec::len), Some(1), "{legal}");
        let body = json!({"role": 0, "move": first_move(&view, 0), "step": step});
        visitor.act(&id, "move", &body).fine();
        steps += 1;
    };
    assert!((3..=5).contains(&steps));
    assert_eq!(over["ended"]["why"], "terminal");
    assert!(over["ended"]["goals"][0].is_number());
    let ended = stream.wait_for("ended");
    assert_eq!(ended["ended"], over["ended"]);
    let past = visitor.get(&format!("/api/v1/matches/{id}/steps/1")).fine();
    assert_eq!(past["position"]["changed"].as_array().map(Vec::len), Some(1));
    let list = visitor.get("/api/v1/matches?mine=true&state=over").fine();
    assert_eq!(list["matches"][0]["id"], json!(id));
    assert_eq!(visitor.act(&id, "move", &json!({"role": 0, "move": "noop"})).code(), "over");
}

#[test]
fn a_match_is_played_before_its_board_is_found() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    // A game whose board takes a while: the first view has moves and facts in any case.
    let view = visitor.create(&both_sides("chess"));
    let id = id_of(&view);
    assert_eq!(view["position"]["legal"][0].as_array().map(Vec::len), Some(20));
    let drawn = view["position"]["drawn"] == true;
    let facts = view["position"]["facts"].as_array().map_or(0, Vec::len);
    assert!(drawn || facts > 30, "{facts} facts");
    let mut stream =
        visitor.events(&format!("/api/v1/matches/{id}/events?after={}", view["event"]));
    visitor.wait_for(&id, "the start", running);
    let action = first_move(&view, 0);
    let view = visitor.act(&id, "move", &json!({"role": 0, "move": action, "step": 0})).fine();
    assert_eq!(view["position"]["step"], 1);
    let has_board = |view: &Value| view["position"]["boards"][0]["cells"].is_array();
    // Followers are told once the board is there.
    let mut told = drawn;
    while !told {
        let (_, data) = stream.next().expect("an event");
        told = has_board(&data) || has_board(&data["match"]);
    }
    let view = visitor.wait_for(&id, "the board", has_board);
    assert_eq!(view["position"]["boards"][0]["cells"].as_array().map(Vec::len), Some(64));
    let cells = view["position"]["legal"][1][0]["cells"].as_array().map(Vec::len);
    assert_eq!(cells, Some(2), "{}", view["position"]["legal"][1][0]);
}

#[test]
fn a_match_may_begin_with_moves() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let mut body = both_sides("tictactoe");
    body["moves"] = json!([["(mark b 2)", "noop"], ["noop", "(mark a 1)"]]);
    let view = visitor.create(&body);
    assert_eq!((&view["position"]["step"], &view["moves"]), (&json!(2), &body["moves"]));
    let view = visitor.wait_for(&id_of(&view), "the start", running);
    assert_eq!(view["waiting"]["for"], json!([0]));
    body["moves"] = json!([["(mark z 9)", "noop"]]);
    assert_eq!(visitor.create(&body)["ended"]["why"], "failed");
}

#[test]
fn both_sides_can_be_played_taken_back_and_resigned() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let id = id_of(&visitor.create(&both_sides("tictactoe")));
    let view = visitor.wait_for(&id, "the start", running);
    assert_eq!(view["waiting"]["for"], json!([0]), "only who has a choice is waited for");
    let body = json!({"role": 0, "move": "(mark b 2)", "step": 0});
    let view = visitor.act(&id, "move", &body).fine();
    assert_eq!((&view["position"]["step"], &view["waiting"]["for"]), (&json!(1), &json!([1])));
    assert_eq!(view["moves"], json!([["(mark b 2)", "noop"]]));
    assert_eq!(visitor.act(&id, "move", &body).code(), "wrong_step");
    let illegal = json!({"role": 1, "move": "(mark b 2)"});
    assert_eq!(visitor.act(&id, "move", &illegal).code(), "illegal_move");
    let line = json!({"step": 1, "moves": [["noop", "(mark a 1)"], ["(mark a 2)", "noop"]]});
    let line = visitor.act(&id, "line", &line).fine();
    assert_eq!(line["positions"].as_array().map(Vec::len), Some(2));
    let view = visitor.act(&id, "undo", &json!({})).fine();
    assert_eq!(view["position"]["step"], 0);
    let over = visitor.act(&id, "resign", &json!({"role": 1})).fine();
    assert_eq!(
        over["ended"],
        json!({"why": "resigned", "goals": [100, 0], "resigned": 1, "message": null})
    );
    let again = visitor.act(&id, "undo", &json!({"to": 0})).fine();
    assert!(again["ended"].is_null());
    visitor.wait_for(&id, "going on", running);
}

#[test]
fn strangers_may_look_but_not_move_and_open_seats_can_be_taken() {
    let server = Server::start(config());
    let (mut owner, mut guest) = (server.visitor(), server.visitor());
    let seats = json!([{"kind": "human"}, {"kind": "open"}]);
    let id = id_of(&owner.create(&json!({"game": {"library": "tictactoe"}, "seats": seats})));
    owner.wait_for(&id, "the start", running);
    let view = guest.view(&id);
    assert_eq!((&view["mine"], &view["seats"][0]["mine"]), (&json!(false), &json!(false)));
    let body = json!({"role": 0, "move": "(mark b 2)"});
    assert_eq!(guest.act(&id, "move", &body).code(), "not_your_seat");
    assert_eq!(guest.act(&id, "pause", &json!({"paused": true})).code(), "not_your_seat");
    assert_eq!(guest.delete(&format!("/api/v1/matches/{id}")).code(), "not_your_seat");
    assert_eq!(guest.act(&id, "join", &json!({"role": 1})).fine()["seats"][1]["mine"], true);
    owner.act(&id, "move", &body).fine();
    guest.act(&id, "move", &json!({"role": 1, "move": "(mark a 1)"})).fine();
    assert_eq!(owner.view(&id)["position"]["step"], 2);
    assert_eq!(owner.delete(&format!("/api/v1/matches/{id}")).status, 204);
    assert_eq!(owner.get(&format!("/api/v1/matches/{id}")).code(), "not_found");
}

#[test]
fn moves_of_simultaneous_games_stay_hidden_until_all_are_in() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let id = id_of(&visitor.create(&both_sides("rock_paper_scissors")));
    let view = visitor.wait_for(&id, "the start", running);
    assert_eq!(view["waiting"]["for"], json!([0, 1]));
    let mut stream = visitor.events(&format!("/api/v1/matches/{id}/events"));
    let action = first_move(&view, 0);
    let view = visitor.act(&id, "move", &json!({"role": 0, "move": action})).fine();
    assert_eq!(
        (&view["waiting"]["for"], &view["waiting"]["submitted"]),
        (&json!([1]), &json!([0]))
    );
    let told = stream.wait_for("submitted");
    let hidden =
        |text: String| !text.contains(&format!("\"move\":\"{action}\"")) || text.contains("legal");
    assert!(hidden(told.to_string()) && told["role"] == 0);
    assert_eq!(view["moves"], json!([]));
    let other = first_move(&view, 1);
    visitor.act(&id, "move", &json!({"role": 1, "move": other})).fine();
    assert_eq!(stream.wait_for("position")["moves"], json!([action, other]));
}

#[test]
fn watched_matches_pause_step_by_step_and_show_thoughts() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let seat = json!({"kind": "strategy", "strategy": "uct"});
    let body = json!({"game": {"library": "connect_four"}, "seats": [seat, seat], "paused": true, "think": 0.5});
    let id = id_of(&visitor.create(&body));
    let view = visitor.wait_for(&id, "the start", running);
    assert_eq!((&view["paused"], &view["position"]["step"]), (&json!(true), &json!(0)));
    let mut stream = visitor.events(&format!("/api/v1/matches/{id}/events"));
    visitor.act(&id, "next", &json!({})).fine();
    let told = stream.wait_for("position");
    assert_eq!(told["position"]["step"], 1);
    assert_eq!(
        told["values"].as_array().map(Vec::len),
        Some(2),
        "what was thought of the step before"
    );
    let past = visitor.get(&format!("/api/v1/matches/{id}/steps/0")).fine();
    let thought = &past["thoughts"][0];
    assert_eq!((&thought["role"], &thought["done"]), (&json!(0), &json!(true)));
    assert!(thought["candidates"].as_array().is_some_and(|all| all.len() == 7), "{thought}");
    assert!(thought["nodes"].as_u64().is_some_and(|nodes| nodes > 0));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(visitor.view(&id)["position"]["step"], 1, "paused again");
    let human = json!({"role": 1, "seat": {"kind": "human"}});
    assert_eq!(visitor.act(&id, "seat", &human).fine()["seats"][1]["mine"], true);
    let action = first_move(&visitor.view(&id), 1);
    visitor.act(&id, "pause", &json!({"paused": false})).fine();
    visitor.act(&id, "move", &json!({"role": 1, "move": action})).fine();
    visitor.wait_for(&id, "the answer", |view| view["position"]["step"].as_u64() >= Some(3));
    assert_eq!(visitor.act(&id, "abort", &json!({})).fine()["ended"]["why"], "aborted");
}

#[test]
fn hints_solutions_and_annotations_come_as_events() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let id = id_of(&visitor.create(&both_sides("tictactoe")));
    visitor.wait_for(&id, "the start", running);
    let mut stream = visitor.events(&format!("/api/v1/matches/{id}/events"));
    for (role, action) in
        [(0, "(mark a 1)"), (1, "(mark b 1)"), (0, "(mark a 2)"), (1, "(mark b 2)")]
    {
        visitor.act(&id, "move", &json!({"role": role, "move": action})).fine();
    }
    visitor.act(&id, "hint", &json!({"role": 0, "seconds": 0.5})).fine();
    let hint = stream.wait_for("hint");
    assert_eq!(hint["move"], "(mark a 3)", "the winning move");
    visitor.act(&id, "annotate", &json!({"seconds": 0.2})).fine();
    assert_eq!(visitor.act(&id, "annotate", &json!({"seconds": 0.2})).code(), "too_many");
    assert_eq!(stream.wait_for("annotated")["of"], 5);
    let found = visitor.get(&format!("/api/v1/matches/{id}/annotations")).fine();
    assert_eq!((&found["done"], &found["running"]), (&json!(5), &json!(false)));
    // The last move but one did not stop the line.
    assert!(found["steps"][3]["drop"].is_array(), "{found:#}");
    assert!(found["steps"][4]["values"][0].as_f64() > Some(90.0), "{found:#}");

    let puzzle = json!({"game": {"library": "eight_puzzle"}, "seats": [{"kind": "human"}]});
    let id = id_of(&visitor.create(&puzzle));
    let view = visitor.wait_for(&id, "the start", running);
    assert_eq!(view["puzzle"], true);
    let mut stream = visitor.events(&format!("/api/v1/matches/{id}/events"));
    visitor.act(&id, "solve", &json!({"seconds": 60})).fine();
    let solution = stream.wait_for("solution");
    assert_eq!(solution["found"], true, "{solution:#}");
    for action in solution["moves"].as_array().expect("moves") {
        let view = visitor.act(&id, "move", &json!({"role": 0, "move": action})).fine();
        if view["state"] == "over" {
            assert!(view["ended"]["goals"][0].as_u64() > Some(0), "{view:#}");
        }
    }
}

#[test]
fn whoever_hears_of_a_change_sees_it() {
    let server = Server::start(config());
    let (mut visitor, mut other) = (server.visitor(), server.visitor());
    // A large view takes a while to make.
    let id = id_of(&visitor.create(&both_sides("chess")));
    visitor.wait_for(&id, "the start", running);
    let mut stream = other.events(&format!("/api/v1/matches/{id}/events"));
    let changes = 40;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..changes {
                visitor.act(&id, "pause", &json!({"paused": number % 2 == 0})).fine();
            }
        });
        for number in 0..changes {
            let told = stream.wait_for("changed")["event"].as_u64();
            let seen = other.view(&id)["event"].as_u64();
            assert!(seen >= told, "change {number}: told {told:?}, seen {seen:?}");
        }
    });
}

#[test]
fn pasted_rules_are_played_and_broken_ones_explained() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let create = |rules: &str| json!({"game": {"rules": rules, "title": "<b>Mine</b>"}, "seats": [{"kind": "human"}]});
    let error = visitor.post("/api/v1/matches", &create("(role you")).json();
    assert_eq!(error["error"]["code"], "bad_rules");
    assert_eq!(error["error"]["findings"][0]["severity"], "error");
    let rules = "(role you) (init (at 1)) (succ 1 2) (succ 2 3)
        (<= (legal you (go ?y)) (true (at ?x)) (succ ?x ?y)) (<= (legal you stay) (true (at ?x)))
        (<= (next (at ?y)) (does you (go ?y))) (<= (next (at ?x)) (true (at ?x)) (does you stay))
        (<= terminal (true (at 3))) (<= (goal you 100) (true (at 3))) (<= (goal you 0) (not (true (at 3))))";
    let view = visitor.create(&create(rules));
    assert_eq!(
        (&view["game"]["title"], &view["game"]["library"]),
        (&json!("<b>Mine</b>"), &json!(false))
    );
    let id = id_of(&view);
    visitor.wait_for(&id, "the start", running);
    visitor.act(&id, "move", &json!({"role": 0, "move": "( GO 2 )"})).fine();
    let over = visitor.act(&id, "move", &json!({"role": 0, "move": "(go 3)"})).fine();
    assert_eq!(over["ended"]["goals"], json!([100]));
}

#[test]
fn records_are_downloaded_and_come_back_as_matches() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let seats = json!([{"kind": "strategy", "strategy": "random"}, {"kind": "strategy", "strategy": "legal"}]);
    let id = id_of(&visitor.create(&json!({"game": {"library": "tictactoe"}, "seats": seats})));
    visitor.wait_for(&id, "the end", |view| view["state"] == "over");
    let reply = visitor.get(&format!("/api/v1/matches/{id}/record"));
    assert!(reply.header("content-disposition").is_some_and(|text| text.starts_with("attachment")));
    let record = reply.json();
    let parsed = protocol::MatchRecord::parse(&record.to_string()).expect("a record");
    assert!(parsed.is_completed && parsed.states.len() == parsed.moves.len() + 1);
    let reply = visitor.post("/api/v1/matches/import", &record);
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    let copy = visitor.view(&id_of(&reply.json()));
    assert_eq!((&copy["state"], &copy["imported"]), (&json!("over"), &json!(true)));
    assert_eq!(copy["ended"]["goals"], json!(parsed.goal_values));
    let mut wrong = record;
    wrong["moves"][0][0] = json!("( mark z 9 )");
    let reply = visitor.post("/api/v1/matches/import", &wrong).json();
    assert_eq!(reply["ended"]["why"], "failed", "{reply:#}");
}

#[test]
fn a_restart_in_the_middle_of_a_match_goes_unnoticed() {
    let folder = Folder::new("restart");
    let kept = || Config { database: Some(folder.0.join("web.db")), ..config() };
    let server = Server::start(kept());
    let mut visitor = server.visitor();
    let id = id_of(&visitor.create(&both_sides("tictactoe")));
    visitor.wait_for(&id, "the start", running);
    visitor.act(&id, "move", &json!({"role": 0, "move": "(mark b 2)"})).fine();
    let watched = json!([{"kind": "strategy", "strategy": "random"}, {"kind": "strategy", "strategy": "random"}]);
    let other =
        id_of(&visitor.create(&json!({"game": {"library": "breakthrough"}, "seats": watched})));
    let before =
        visitor.wait_for(&other, "a step", |view| view["position"]["step"].as_u64() > Some(0));
    drop(server);
    let server = Server::start(kept());
    visitor.address = server.address;
    let view = visitor.wait_for(&id, "going on", running);
    assert_eq!(view["moves"], json!([["(mark b 2)", "noop"]]));
    let view = visitor.act(&id, "move", &json!({"role": 1, "move": "(mark a 1)"})).fine();
    assert_eq!((&view["position"]["step"], &view["mine"]), (&json!(2), &json!(true)));
    let far = before["position"]["step"].as_u64();
    visitor.wait_for(&other, "going on", |view| view["position"]["step"].as_u64() > far);
}

#[test]
fn limits_hold_for_bodies_matches_and_streams() {
    let limits = Limits { body: 20_000, matches: 2, streams: 1, ..Limits::default() };
    let server = Server::start(Config { limits, ..config() });
    let mut visitor = server.visitor();
    let large = json!({"rules": "x".repeat(30_000)});
    assert_eq!(visitor.post("/api/v1/check", &large).code(), "too_large");
    let first = id_of(&visitor.create(&both_sides("tictactoe")));
    visitor.create(&both_sides("tictactoe"));
    assert_eq!(visitor.post("/api/v1/matches", &both_sides("tictactoe")).code(), "too_many");
    assert_eq!(server.visitor().post("/api/v1/matches", &both_sides("tictactoe")).status, 201);
    let path = format!("/api/v1/matches/{first}/events");
    let stream = visitor.events(&path);
    assert_eq!(visitor.get(&path).code(), "too_many");
    drop(stream);
    let bad = [
        json!({"game": {"library": "tictactoe"}, "seats": [{"kind": "human"}]}),
        json!({"game": {"library": "tictactoe"}, "seats": [{"kind": "ghost"}, {"kind": "human"}]}),
        json!({"game": {}, "seats": []}),
        json!({"game": {"library": "tictactoe"}, "seats": [{"kind": "human"}, {"kind": "strategy", "strategy": "clever"}]}),
        json!({"game": {"library": "tictactoe"}, "seats": [{"kind": "human"}, {"kind": "human"}], "clocks": {"start": 1, "play": 1e9}}),
    ];
    let greedy = ["uct:threads=200", "uct:memory=1000000"].map(|strategy| {
        let seat = json!({"kind": "strategy", "strategy": strategy});
        json!({"game": {"library": "tictactoe"}, "seats": [seat, {"kind": "human"}]})
    });
    let mut other = server.visitor();
    for body in bad.into_iter().chain(greedy) {
        assert_eq!(other.post("/api/v1/matches", &body).code(), "bad_request", "{body}");
    }
}

/// All requests that change something.
const CHANGING: [&str; 17] = [
    "check",
    "format",
    "matches",
    "matches/import",
    "matches/m/line",
    "matches/m/move",
    "matches/m/undo",
    "matches/m/resign",
    "matches/m/pause",
    "matches/m/next",
    "matches/m/seat",
    "matches/m/join",
    "matches/m/abort",
    "matches/m/hint",
    "matches/m/solve",
    "matches/m/annotate",
    "analyses",
];

#[test]
fn a_server_that_others_can_reach_wants_a_token_for_everything() {
    let bind = "0.0.0.0:0".parse().expect("an address");
    let server = Server::start(Config { bind, ..config() });
    let (_, token) = server.url.split_once("?token=").expect("the address has the token");
    assert!(token.len() >= 20, "{token}");
    let mut visitor = server.visitor();
    for path in ["/", "/js/main.js", "/api/v1/status", "/api/v1/games", "/api/v1/matches/m/events"]
    {
        assert_eq!(visitor.get(path).status, 401, "{path}");
    }
    for path in CHANGING {
        assert_eq!(visitor.post(&format!("/api/v1/{path}"), &json!({})).status, 401, "{path}");
    }
    let let_in = visitor.get(&format!("/?token={token}"));
    let cookie = let_in.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(visitor.get("/api/v1/status").fine()["loopback"], false);
    // Limits count by address here: a visitor without cookies is no new one.
    let other = Server::start(Config {
        bind,
        limits: Limits { matches: 1, ..Limits::default() },
        ..config()
    });
    let (_, token) = other.url.split_once("?token=").expect("the address has the token");
    for expected in [201, 429] {
        let mut fresh = other.visitor();
        fresh.headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
        assert_eq!(fresh.post("/api/v1/matches", &both_sides("tictactoe")).status, expected);
    }
}

#[test]
fn every_reply_carries_the_policy() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    for path in [
        "/",
        "/js/main.js",
        "/nothing",
        "/api/v1/status",
        "/api/v1/nothing",
        "/api/v1/games/tictactoe/picture.svg",
    ] {
        let reply = visitor.get(path);
        let policy = reply.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"),
            "{path}"
        );
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
    }
}

#[test]
fn other_sites_other_hosts_and_visitors_without_a_token_are_refused() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    visitor.headers = vec![("origin".to_owned(), "http://evil.example".to_owned())];
    for path in CHANGING {
        assert_eq!(
            visitor.post(&format!("/api/v1/{path}"), &json!({})).code(),
            "forbidden",
            "{path}"
        );
    }
    assert_eq!(visitor.delete("/api/v1/matches/m").code(), "forbidden");
    visitor.headers = vec![("host".to_owned(), "evil.example".to_owned())];
    assert_eq!(visitor.get("/api/v1/status").code(), "forbidden");
    visitor.headers.clear();

    let token = "0123456789abcdef0123".to_owned();
    let server = Server::start(Config { token: Some(token.clone()), ..config() });
    let mut visitor = server.visitor();
    assert_eq!(visitor.get("/api/v1/status").code(), "token");
    assert_eq!(visitor.get("/?token=wrong").status, 401);
    // People are asked for it, programs are told.
    visitor.headers = vec![("accept".to_owned(), "text/html".to_owned())];
    let door = visitor.get("/");
    assert_eq!(door.status, 401);
    let policy = door.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(door.header("content-type").is_some_and(|kind| kind.starts_with("text/html")));
    visitor.headers.clear();
    assert_eq!(visitor.get(&format!("/?token={token}")).status, 303);
    assert_eq!(visitor.get("/api/v1/status").status, 200);
    let mut program = server.visitor();
    program.headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    assert_eq!(program.get("/api/v1/status").status, 200);
}

#[test]
fn a_hostile_sheet_does_not_hold_up_others() {
    let limits = Limits {
        sheet_time: Duration::from_secs(3),
        question: Duration::from_secs(1),
        circuit: (Duration::from_secs(2), 64 << 20),
        ..Limits::default()
    };
    let server = Server::start(Config { limits, ..config() });
    // Ten nested choices of ten: ten thousand million combinations for each question.
    let joined = |part: &dyn Fn(usize) -> String| (0..10).map(part).collect::<Vec<_>>().join(" ");
    let digits = joined(&|digit| format!("(digit {digit})"));
    let conditions = joined(&|at| format!("(digit ?x{at})"));
    let all = joined(&|at| format!("?x{at}"));
    let rules = format!(
        "(role you) {digits} (init (start 0)) (<= (big {all}) {conditions})
         (<= (legal you go) (big {all}) (not (true (end {all})))) (<= (next (start 1)) (does you go))
         (<= terminal (true (start 9))) (goal you 0)"
    );
    let hostile = json!({"game": {"rules": rules}, "seats": [{"kind": "human"}]});
    let mut guest = server.visitor();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (mut attacker, body) = (server.visitor(), hostile.clone());
            std::thread::spawn(move || attacker.post("/api/v1/matches", &body).status)
        })
        .collect();
    let begin = Instant::now();
    let id = id_of(&guest.create(&both_sides("tictactoe")));
    guest.wait_for(&id, "the start", running);
    guest.act(&id, "move", &json!({"role": 0, "move": "(mark b 2)"})).fine();
    assert!(begin.elapsed() < Duration::from_secs(60));
    for thread in threads {
        let status = thread.join().expect("an answer");
        assert!([201, 400, 503].contains(&status), "{status}");
    }
}

#[test]
fn an_analysis_comes_section_by_section() {
    let server = Server::start(config());
    let mut visitor = server.visitor();
    let begun = visitor.post("/api/v1/analyses", &json!({"game": {"library": "tictactoe"}}));
    assert_eq!(begun.status, 202);
    let id = id_of(&begun.json());
    let mut stream = visitor.events(&format!("/api/v1/analyses/{id}/events"));
    let mut sections = Vec::new();
    while let Some((name, data)) = stream.next() {
        if name == "done" {
            break;
        }
        sections.push(data);
    }
    // What proofs confirm comes again after them, as certain.
    let marks = |name: &str, at: &str| -> Vec<Value> {
        let own = sections.iter().filter(|section| section["section"] == name);
        own.map(|section| section["data"].pointer(at).cloned().unwrap_or_default()).collect()
    };
    assert_eq!(marks("overview", "/proved/constant_sum"), [false, true]);
    assert_eq!(marks("overview", "/proved/turn_taking"), [false, true]);
    let boards = marks("structures", "/boards/0/evidence");
    assert!(boards[0].as_str().is_some_and(|text| text.starts_with("guessed")));
    assert_eq!(boards[1..], ["proved"]);
    let section = |name: &str| {
        let found = sections.iter().find(|section| section["section"] == name);
        &found.unwrap_or_else(|| panic!("no section {name}"))["data"]
    };
    assert_eq!(section("overview")["constant_sum"], 100);
    assert_eq!(section("structures")["boards"][0]["size"], "3 x 3");
    assert!(section("random_play")["playouts"].as_u64() > Some(0));
    assert_eq!(section("symmetries")["orbits"][0]["cells"].as_array().map(Vec::len), Some(3));
    assert_eq!(section("evaluation")["roles"].as_array().map(Vec::len), Some(2));
    assert!(section("traps")["states"].as_u64() > Some(0));
    let proofs = section("proofs")["properties"].as_array().expect("properties");
    assert!(!proofs.is_empty() && proofs.iter().all(|property| property["text"].is_string()));
    assert_eq!(section("position")["boards"].as_array().map(Vec::len), Some(1));
    let whole = visitor.get(&format!("/api/v1/analyses/{id}")).fine();
    assert_eq!(whole["done"], true);
    let names: Vec<&Value> = whole["sections"]
        .as_array()
        .expect("sections")
        .iter()
        .map(|section| &section["section"])
        .collect();
    assert_eq!(names.iter().filter(|name| **name == "overview").count(), 1);
    assert_eq!(whole["sections"][0]["data"]["proved"]["constant_sum"], true);
    let again = visitor.post("/api/v1/analyses", &json!({"game": {"library": "tictactoe"}})).json();
    assert_eq!(again["id"], json!(id));
}
