//! Reads answers from a model's replies.

use super::{
    claims::Claims,
    failure::{CallFailure, FailureClass},
    question::{Answer, Question},
    row_notation::RowNotation,
};
use serde_json::{Map, Value};

/// An answer, with the model's claims.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenAnswer {
    /// A legal answer.
    pub answer: Answer,
    /// The claims.
    pub claims: Claims,
}

/// Reads the last JSON object of a reply, in which a row has this notation.
///
/// # Errors
/// If it is missing, does not answer the question, or breaks the rules. The text of the error is meant for the model.
pub fn read_answer(
    question: &Question<'_>,
    rows: RowNotation,
    reply: &str,
) -> Result<GivenAnswer, CallFailure> {
    let unparsable = |what: String| CallFailure::new(FailureClass::Unparsable, what);
    let (key, form) = (question.key(), question.answer_form());
    let object = find_last_object(reply).ok_or_else(|| {
        unparsable(format!("the reply has no JSON object: end it with one of the form {form}"))
    })?;
    let value = object.get(key).ok_or_else(|| {
        unparsable(format!("the reply's last JSON object has no {key:?}: end it with one of the form {form}"))
    })?;
    let answer = match question {
        Question::Row(info) => {
            let list =
                value.as_array().map(|list| list.iter().map(number_of_json).collect::<Option<Vec<_>>>());
            let numbers = list.flatten().ok_or_else(|| {
                unparsable(format!(
                    "\"row\" is {}: expected a list of whole numbers",
                    shorten(&value.to_string())
                ))
            })?;
            let row = rows.parse_row(&numbers, info.seat, info.seats());
            Answer::Row(row.map_err(|error| CallFailure::new(FailureClass::Illegal, error))?)
        }
        Question::Take(view) => {
            let number = number_of_json(value).ok_or_else(|| {
                unparsable(format!("\"take\" is {}: expected a whole number", shorten(&value.to_string())))
            })?;
            let counters = view.position().counters();
            let take = u64::try_from(number).ok().filter(|take| (1..=counters).contains(take));
            Answer::Take(take.ok_or_else(|| {
                let what = format!("a take of {number} from a pile of {counters}: take 1 to {counters}");
                CallFailure::new(FailureClass::Illegal, what)
            })?)
        }
    };
    Ok(GivenAnswer { answer, claims: Claims::read(question, &object) })
}

fn number_of_json(value: &Value) -> Option<i128> {
    value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from))
}

fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Returns the last JSON object in a string that is not inside another one.
fn find_last_object(text: &str) -> Option<Map<String, Value>> {
    let (mut last, mut rest) = (None, text);
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        match values.next() {
            Some(Ok(object)) => {
                last = Some(object);
                rest = &rest[values.byte_offset()..];
            }
            _ => rest = &rest[1..],
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_client::MatchView;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, Row, SeatCount};

    fn view() -> MatchView {
        let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
        let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 0, Ending::default()).unwrap();
        MatchView::practice(&game, &[]).unwrap()
    }

    #[test]
    fn the_last_object_of_a_reply_is_read() {
        let view = view();
        let read = |reply: &str| {
            read_answer(&Question::Take(&view), RowNotation::Seats, reply).map(|given| given.answer)
        };
        for (reply, take) in [
            (r#"{"take": 2}"#, 2),
            ("first {\"take\": 1}, no:\n```json\n{\"why\": \"{\\\"take\\\": 3}\", \"take\": 5}\n```\n", 5),
            (r#"<think>{"a": {{{ }</think> {"take": 4, "why": null} so be it }"#, 4),
        ] {
            assert_eq!(read(reply), Ok(Answer::Take(take)), "{reply}");
        }
        let claims =
            |reply: &str| read_answer(&Question::Take(&view), RowNotation::Seats, reply).unwrap().claims;
        assert_eq!(claims(r#"{"take": 2, "why": "so"}"#).why.as_deref(), Some("so"));
        assert_eq!(claims(r#"{"win_probability": 7, "take": 2}"#).ignored, ["win_probability"]);
        let row = |reply: &str| {
            read_answer(&Question::Row(view.info()), RowNotation::Seats, reply).map(|given| given.answer)
        };
        let expected = Row::parse(&[1, 0, 2], view.seats()).unwrap();
        assert_eq!(row(r#"{"row": [1, 0, 2]}"#), Ok(Answer::Row(expected)));
        for (reply, class, part) in [
            ("", FailureClass::Unparsable, "no JSON object"),
            ("I take 2", FailureClass::Unparsable, "of the form {\"take\": NUMBER}"),
            (r#"{"take": 2} {}"#, FailureClass::Unparsable, "no \"take\""),
            (r#"{"take": "2"}"#, FailureClass::Unparsable, "expected a whole number"),
            (r#"{"take": 2.5}"#, FailureClass::Unparsable, "expected a whole number"),
            (r#"{"take": 0}"#, FailureClass::Illegal, "take 1 to 5"),
            (r#"{"take": -1}"#, FailureClass::Illegal, "a take of -1"),
            (r#"{"take": 6}"#, FailureClass::Illegal, "a take of 6 from a pile of 5"),
            (r#"{"take": 99999999999999999999}"#, FailureClass::Unparsable, "whole number"),
        ] {
            let failure = read(reply).unwrap_err();
            assert_eq!(failure.class, class, "{reply}");
            assert!(failure.detail.contains(part), "{reply}: {}", failure.detail);
        }
        for (reply, class) in [
            (r#"{"row": [0, 1]}"#, FailureClass::Illegal),
            (r#"{"row": [0, 1, 1]}"#, FailureClass::Illegal),
            (r#"{"row": [0, 1, -2]}"#, FailureClass::Illegal),
            (r#"{"row": "0 1 2"}"#, FailureClass::Unparsable),
            (r#"{"row": [0, 1, "2"]}"#, FailureClass::Unparsable),
        ] {
            assert_eq!(row(reply).unwrap_err().class, class, "{reply}");
        }
    }

    #[test]
    fn many_braces_are_read_quickly() {
        let view = view();
        for brace in ["{", "{\"a\":", "{\"a\":[{", "[{\"", "{}"] {
            assert!(read_answer(&Question::Take(&view), RowNotation::Seats, &brace.repeat(20_000)).is_err());
        }
    }
}
