//! Reads answers from a model's replies.

use super::{
    claims::{Claims, member_of},
    failure::{CallFailure, FailureClass},
    question::{Answer, Question},
    reply_objects::{ObjectsError, find_objects},
    row_notation::RowNotation,
    talk_answer::read_messages,
};
use serde_json::{Map, Value};

/// An answer, with the claims that the model made with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    /// A legal answer.
    pub answer: Answer,
    /// The claims.
    pub claims: Claims,
}

/// Reads the answer in a reply, which is the last JSON object with the key of the answer. Rows are read in the given
/// notation. Objects with different answers are an error, as the model may have rejected any of them.
///
/// # Errors
/// If there is no answer, or it breaks the rules. The text of the error is meant for the model.
pub fn read_answer(
    question: &Question<'_>,
    rows: RowNotation,
    reply: &str,
) -> Result<ModelAnswer, CallFailure> {
    let unparsable_answer = |what: String| CallFailure::new(FailureClass::Unparsable, what);
    let (key, form) = (question.key(), question.answer_form());
    let objects = find_objects(reply).map_err(|ObjectsError { tag }| {
        unparsable_answer(format!(
            "the reply ends inside <{tag}>: write </{tag}> after your thoughts, and end with an object of the form {form}"
        ))
    })?;
    if objects.is_empty() {
        return Err(unparsable_answer(format!(
            "the reply has no JSON object: end it with one of the form {form}"
        )));
    }
    let candidates: Vec<_> = objects.iter().flat_map(|object| answer_objects(object, key)).collect();
    let Some((last, earlier)) = candidates.split_last() else {
        return Err(unparsable_answer(format!(
            "no JSON object in the reply has the key {key:?}: end the reply with an object of the form {form}"
        )));
    };
    let given = read_object(question, rows, last)?;
    // An object without a number, such as the form that the prompt shows, is not an answer.
    let is_other = |object: &&Map<String, Value>| match read_object(question, rows, object) {
        Ok(other) => other.answer != given.answer,
        Err(failure) => failure.class == FailureClass::Illegal,
    };
    match earlier.iter().copied().find(is_other) {
        None => Ok(given),
        Some(other) => {
            let [one, two] = [other, last]
                .map(|object| shorten(&member_of(object, key).unwrap_or(&Value::Null).to_string()));
            Err(unparsable_answer(format!(
                "the reply has objects with different answers, {one} and {two}: give one object only"
            )))
        }
    }
}

/// Returns the objects with this key: the object itself, or else the objects directly inside it, since some models wrap
/// their answers in another object.
fn answer_objects<'a>(object: &'a Map<String, Value>, key: &str) -> Vec<&'a Map<String, Value>> {
    if member_of(object, key).is_some() {
        return vec![object];
    }
    let inner = object.values().filter_map(Value::as_object);
    inner.filter(|inner| member_of(inner, key).is_some()).collect()
}

fn read_object(
    question: &Question<'_>,
    rows: RowNotation,
    object: &Map<String, Value>,
) -> Result<ModelAnswer, CallFailure> {
    let unparsable_answer = |what: String| CallFailure::new(FailureClass::Unparsable, what);
    let value = member_of(object, question.key()).unwrap_or(&Value::Null);
    let shown_value = || shorten(&value.to_string());
    let answer = match question {
        Question::Talk(round) => Answer::Talk(read_messages(round, rows, value)?),
        Question::Row(info) => {
            let numbers = numbers_of_json(value).ok_or_else(|| {
                unparsable_answer(format!("\"row\" is {}: expected a list of whole numbers", shown_value()))
            })?;
            let row = rows.parse_row(&numbers, info.seat, info.seats());
            Answer::Row(row.map_err(|error| CallFailure::new(FailureClass::Illegal, error))?)
        }
        Question::Take(view) => {
            let number = number_of_json(value).ok_or_else(|| {
                unparsable_answer(format!("\"take\" is {}: expected a whole number", shown_value()))
            })?;
            let counters = view.position().counters();
            let take = u64::try_from(number).ok().filter(|take| (1..=counters).contains(take));
            Answer::Take(take.ok_or_else(|| {
                let what = format!("a take of {number} from a pile of {counters}: take 1 to {counters}");
                CallFailure::new(FailureClass::Illegal, what)
            })?)
        }
    };
    Ok(ModelAnswer { answer, claims: Claims::read(question, object) })
}

/// Reads a whole number from a JSON number such as `2` or `2.0`, or from a string such as `"2"` or `"seat 2 (you)"`.
pub fn number_of_json(value: &Value) -> Option<i128> {
    let Value::String(text) = value else {
        let whole = value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from));
        return whole.or_else(|| whole_number(value.as_f64()?));
    };
    let text = text.trim().to_ascii_lowercase();
    let number = text.strip_prefix("seat").unwrap_or(&text).trim();
    let number = number.strip_suffix("(you)").unwrap_or(number).trim_end();
    number.parse().ok().or_else(|| whole_number(number.parse().ok()?))
}

/// Reads a list of whole numbers.
pub fn numbers_of_json(value: &Value) -> Option<Vec<i128>> {
    value.as_array()?.iter().map(number_of_json).collect()
}

/// Converts a float if it is a whole number and small enough to be exact.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole and its absolute value is below 2^53"
)]
fn whole_number(float: f64) -> Option<i128> {
    (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0).then_some(float as i128)
}

/// Returns the beginning of a text, for an error message.
pub fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests;
