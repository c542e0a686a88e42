use super::*;
use pb::{play_request::Action, play_response::Event};

fn line(event: SessionLogEvent) -> SessionLogLine {
    SessionLogLine { at_us: 1_790_000_000_000_000, mono_us: 17, run: "8f3a".into(), session: 2, event }
}

#[test]
fn every_line_reads_back() {
    let take = pb::Take { match_id: "m".into(), ply: 3, take: u64::MAX, note_hash: vec![7; 32] };
    let ended = pb::MatchEnded {
        match_id: "m".into(),
        reason: pb::EndReason::PlyLimit.into(),
        winner: Some(0),
        ..pb::MatchEnded::default()
    };
    let events = [
        SessionLogEvent::RunBegan { version: 1, sdk: "lastnim-rust 0.2.0".into(), server: "host:1".into() },
        SessionLogEvent::Sent(Box::new(pb::PlayRequest { action: Some(Action::Take(take)) })),
        SessionLogEvent::Sent(Box::default()),
        SessionLogEvent::Received(Box::new(pb::PlayResponse {
            event: Some(Event::MatchEnded(Box::new(ended))),
        })),
        SessionLogEvent::Closed { reason: "the \"server\"\nclosed".into() },
        SessionLogEvent::Gap { lines: 4 },
        SessionLogEvent::RunEnded,
    ];
    for event in events {
        let line = line(event);
        let written = line.write();
        assert!(!written.contains('\n'), "{written}");
        assert_eq!(SessionLogLine::parse(&written).as_ref(), Ok(&line), "{written}");
    }
}

#[test]
fn log_lines_match_the_documentation() {
    let pong = pb::PlayRequest { action: Some(Action::Pong(pb::Pong { id: 5 })) };
    assert_eq!(
        line(SessionLogEvent::Sent(Box::new(pong))).write(),
        r#"{"at_us":1790000000000000,"mono_us":17,"run":"8f3a","session":2,"event":"sent","message":{"pong":{"id":5}}}"#
    );
    assert_eq!(
        line(SessionLogEvent::Gap { lines: 4 }).write(),
        r#"{"at_us":1790000000000000,"mono_us":17,"run":"8f3a","session":2,"event":"gap","lines":4}"#
    );
}

#[test]
fn mistakes_in_lines_are_named() {
    let start = r#"{"at_us":1,"mono_us":2,"run":"r","session":0,"#;
    let refusal = |rest: &str| SessionLogLine::parse(&format!("{start}{rest}")).unwrap_err().to_string();
    assert!(refusal(r#""event":"sent","mess"#).contains("not valid JSON"));
    assert_eq!(refusal(r#""event":7}"#), "event: 7: expected a string");
    assert_eq!(refusal(r#""event":"gap","lines":-1}"#), "lines: -1: expected a whole number, 0 or more");
    assert_eq!(refusal(r#""event":"gap"}"#), "lines: missing: expected a whole number, 0 or more");
    assert!(refusal(r#""event":"sent","message":{"tak":{}}}"#).starts_with("message: "));
    assert_eq!(
        refusal(r#""event":"run_began","version":2,"sdk":"s","server":"a"}"#),
        "log version 2: this program only reads version 1; use the version of lastnim that wrote it"
    );
    let later = SessionLogLine::parse(&format!("{start}\"event\":\"slept\",\"extra\":[]}}")).unwrap();
    assert_eq!(later.event, SessionLogEvent::Unknown("slept".into()));
}
