use super::*;
use lastnim_client::MatchView;
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, Row, Seat, SeatCount};

fn view() -> MatchView {
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 1, Ending::default()).unwrap();
    MatchView::practice(&game, &[]).unwrap()
}

fn take_of(reply: &str) -> Result<u64, CallFailure> {
    let view = view();
    match read_answer(&Question::Take(&view), RowNotation::Seats, reply)?.answer {
        Answer::Take(take) => Ok(take),
        other => panic!("no take: {other:?}"),
    }
}

fn row_of(notation: RowNotation, reply: &str) -> Result<Row, CallFailure> {
    let view = view();
    match read_answer(&Question::Row(view.info()), notation, reply)?.answer {
        Answer::Row(row) => Ok(row),
        other => panic!("no row: {other:?}"),
    }
}

#[test]
fn takes_are_read_in_many_forms() {
    for (reply, take) in [
        (r#"{"take": 2}"#, 2),
        ("so:\n```json\n{\"why\": \"{\\\"take\\\": 3}\", \"take\": 5}\n```\n", 5),
        (r#"<think>{"take": 1} {"a": {{{ }</think> {"take": 4, "why": null} so be it }"#, 4),
        (r#"{"take": "2"}"#, 2),
        (r#"{"take": " 2.0 "}"#, 2),
        (r#"{"take": 2.0}"#, 2),
        (r#"{"take": 2e0}"#, 2),
        (r#"{"Take": 2}"#, 2),
        (r#"{"TAKE": 2, "why": "x",}"#, 2),
        (r#"{"answer": {"take": 2}}"#, 2),
        (r#"[{"take": 2}]"#, 2),
        (r#"{"take": 2} {"note": "done"}"#, 2),
        (r#"{"take": 2} {}"#, 2),
        (r#"{"take": 2}, as I said: {"take": "2"}"#, 2),
        // The placeholder that the prompt shows is not an answer.
        (r#"It must be of the form {"take": NUMBER}. {"take": 3}"#, 3),
    ] {
        assert_eq!(take_of(reply), Ok(take), "{reply}");
    }
}

#[test]
fn unusable_takes_are_explained() {
    for (reply, class, part) in [
        ("", FailureClass::Unparsable, "no JSON object"),
        ("I take 2", FailureClass::Unparsable, "of the form {\"take\": NUMBER}"),
        (r#"{"taken": 2} {}"#, FailureClass::Unparsable, "no JSON object in the reply has the key \"take\""),
        (r#"{"a": {"b": {"take": 2}}}"#, FailureClass::Unparsable, "has the key \"take\""),
        (r#"{"take": "two"}"#, FailureClass::Unparsable, "\"take\" is \"two\": expected a whole number"),
        (r#"{"take": 2.5}"#, FailureClass::Unparsable, "expected a whole number"),
        (r#"{"take": [2]}"#, FailureClass::Unparsable, "expected a whole number"),
        (r#"{"take": 0}"#, FailureClass::Illegal, "take 1 to 5"),
        (r#"{"take": -1}"#, FailureClass::Illegal, "a take of -1"),
        (r#"{"take": 6}"#, FailureClass::Illegal, "a take of 6 from a pile of 5"),
        (r#"{"take": 1e300}"#, FailureClass::Unparsable, "whole number"),
        (r#"{"take": 99999999999999999999}"#, FailureClass::Unparsable, "whole number"),
        // A model may mention a move only to reject it, so different answers in one reply are an error in any order.
        (r#"{"take": 1} is bad, so {"take": 5}"#, FailureClass::Unparsable, "different answers, 1 and 5"),
        (r#"{"take": 5}. But not {"take": 1}!"#, FailureClass::Unparsable, "different answers, 5 and 1"),
        (r#"{"rejected": {"take": 1}, "final": {"take": 5}}"#, FailureClass::Unparsable, "answers, 1 and 5"),
        (r#"{"take": 99}, or rather {"take": 5}"#, FailureClass::Unparsable, "answers, 99 and 5"),
        (r#"<think>so {"take": 1}"#, FailureClass::Unparsable, "ends inside <think>"),
    ] {
        let failure = take_of(reply).unwrap_err();
        assert_eq!(failure.class, class, "{reply}");
        assert!(failure.detail.contains(part), "{reply}: {}", failure.detail);
    }
}

#[test]
fn rows_are_read_in_many_forms_and_errors_are_explained() {
    // The question is for seat 1, so seat 2 has the offset 1.
    for reply in [
        r#"{"row": [2, 1, 0]}"#,
        r#"{"row": ["2", "seat 1", 0.0]}"#,
        r#"{"ROW": ["Seat 2", "seat 1 (you)", "seat 0"]}"#,
        r#"{"answer": {"Row": [2, 1, 0,],},}"#,
    ] {
        assert_eq!(row_of(RowNotation::Seats, reply).unwrap().offsets(), [1, 0, 2], "{reply}");
    }
    assert_eq!(row_of(RowNotation::Offsets, r#"{"row": [2, 1, 0]}"#).unwrap().offsets(), [2, 1, 0]);
    for (reply, class, part) in [
        (r#"{"row": [0, 1]}"#, FailureClass::Illegal, "a row of 2 seats"),
        (r#"{"row": [0, 1, 1]}"#, FailureClass::Illegal, "seat 1 appears twice"),
        (r#"{"row": [0, 1, -2]}"#, FailureClass::Illegal, "seat -2"),
        (r#"{"row": [0, 1, 3]}"#, FailureClass::Illegal, "seat 3"),
        (r#"{"row": "0 1 2"}"#, FailureClass::Unparsable, "expected a list of whole numbers"),
        (r#"{"row": [FIRST, ..., LAST]}"#, FailureClass::Unparsable, "no JSON object"),
        (r#"{"row": [0, 1, 2]} or {"row": [1, 0, 2]}"#, FailureClass::Unparsable, "[0,1,2] and [1,0,2]"),
    ] {
        let failure = row_of(RowNotation::Seats, reply).unwrap_err();
        assert_eq!(failure.class, class, "{reply}");
        assert!(failure.detail.contains(part), "{reply}: {}", failure.detail);
    }
}

#[test]
fn claims_are_read_from_the_object_of_the_answer() {
    let view = view();
    let claims =
        |reply: &str| read_answer(&Question::Row(view.info()), RowNotation::Seats, reply).unwrap().claims;
    let found =
        claims(r#"{"answer": {"Row": [0, 1, 2], "Why": "so", "Wants": "seat 2", "WIN_PROBABILITY": "0.5"}}"#);
    assert_eq!((found.why.as_deref(), found.win_probability), (Some("so"), Some(0.5)));
    assert_eq!((found.wants.map(Seat::index), found.ignored), (Some(2), vec![]));
    assert_eq!(claims(r#"{"win_probability": 7, "row": [0, 1, 2]}"#).ignored, ["win_probability"]);
}

#[test]
fn replies_with_many_braces_are_refused_quickly() {
    for brace in ["{", "{\"a\":", "{\"a\":[{", "[{\"", "{}", "{,", "{\"a\":1,", "<think>"] {
        assert!(take_of(&brace.repeat(20_000)).is_err());
    }
}
