//! Finds JSON objects in a model's reply.

use serde_json::{Map, Value};

/// The tags around a model's reasoning, which some endpoints leave in the text.
const THINKING_TAGS: [&str; 2] = ["think", "thinking"];

/// A reply that ends inside the model's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectsError {
    /// The tag that is not closed.
    pub tag: &'static str,
}

/// Returns the outermost JSON objects of a reply, without those in the model's reasoning.
///
/// # Errors
/// If the reasoning does not end.
pub fn find_objects(reply: &str) -> Result<Vec<Map<String, Value>>, ObjectsError> {
    let (mut objects, mut rest, mut repairs) = (Vec::new(), answer_part(reply)?, MAX_REPAIRS);
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        match read_first_object(rest, &mut repairs) {
            Some((object, length)) => {
                objects.push(object);
                rest = &rest[length..];
            }
            None => rest = &rest[1..],
        }
    }
    Ok(objects)
}

/// Returns the text after the model's reasoning. The opening tag may be missing, because chat templates contain it.
fn answer_part(reply: &str) -> Result<&str, ObjectsError> {
    let lower = reply.to_ascii_lowercase();
    let mut start = 0;
    for tag in THINKING_TAGS {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let after_close = lower.rfind(&close).map_or(0, |at| at + close.len());
        // Only a tag at the start of a line starts the reasoning, since text after an answer may quote a tag.
        let begins =
            |at: usize| lower[after_close..at].ends_with('\n') || lower[after_close..at].trim().is_empty();
        let mut opened = lower.match_indices(&open).map(|(at, _)| at).filter(|at| *at >= after_close);
        if opened.any(begins) {
            return Err(ObjectsError { tag });
        }
        start = start.max(after_close);
    }
    Ok(&reply[start..])
}

/// Reads the object at the start of a text; returns it with its length. Decrements `repairs`, the number of repairs
/// that may still be tried.
fn read_first_object(text: &str, repairs: &mut usize) -> Option<(Map<String, Value>, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    if let Some(Ok(object)) = values.next() {
        return Some((object, values.byte_offset()));
    }
    *repairs = repairs.checked_sub(1)?;
    let length = object_length(text)?;
    let object = serde_json::from_str(&without_trailing_commas(&text[..length])).ok()?;
    Some((object, length))
}

/// The maximum number of times that the objects of one reply are searched for trailing commas.
const MAX_REPAIRS: usize = 32;
/// The maximum length of an object that is read again without its trailing commas.
const MAX_REPAIRED_BYTES: usize = 4_096;

/// Returns the length of the object at the start of a text if it is short and has a trailing comma.
fn object_length(text: &str) -> Option<usize> {
    let (mut depth, mut has_comma, mut is_trailing) = (0_usize, false, false);
    for (at, c) in code_chars(text).take_while(|(at, _)| *at < MAX_REPAIRED_BYTES) {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                is_trailing |= has_comma;
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return is_trailing.then_some(at + 1);
                }
            }
            _ => {}
        }
        has_comma = c == ',' || (has_comma && c.is_whitespace());
    }
    None
}

/// Removes the commas before closing brackets.
fn without_trailing_commas(text: &str) -> String {
    let mut removed = Vec::new();
    let mut comma = None;
    for (at, c) in code_chars(text) {
        match c {
            ',' => comma = Some(at),
            '}' | ']' => removed.extend(comma.take()),
            _ if c.is_whitespace() => {}
            _ => comma = None,
        }
    }
    let mut removed = removed.into_iter().peekable();
    text.char_indices().filter(|(at, _)| removed.next_if_eq(at).is_none()).map(|(_, c)| c).collect()
}

/// Returns the characters of a JSON text that are outside strings, and the opening quote of each string.
fn code_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut in_string, mut is_escaped) = (false, false);
    text.char_indices().filter(move |(_, c)| {
        let was_in_string = in_string;
        if in_string {
            in_string = is_escaped || *c != '"';
            is_escaped = !is_escaped && *c == '\\';
        } else {
            in_string = *c == '"';
        }
        !was_in_string
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reply: &str) -> Result<Vec<String>, ObjectsError> {
        let objects = find_objects(reply)?.into_iter();
        Ok(objects.map(|object| Value::Object(object).to_string()).collect())
    }

    #[test]
    fn trailing_commas_are_dropped() {
        for (reply, expected) in [
            (r#"{"take": 2,}"#, r#"{"take":2}"#),
            ("{\"row\": [0, 1 , \n], \"why\": \"a,}\\\",]\", }", r#"{"row":[0,1],"why":"a,}\",]"}"#),
            (r#"a {"a": {"take": 2,},} b"#, r#"{"a":{"take":2}}"#),
        ] {
            assert_eq!(texts(reply), Ok(vec![expected.to_owned()]), "{reply}");
        }
        for reply in [r#"{"take": 2,,}"#, r#"{,"take": 2]"#, "{,", r#"{"take": ,}"#] {
            assert_eq!(texts(reply), Ok(Vec::new()), "{reply}");
        }
    }

    #[test]
    fn reasoning_is_left_out() {
        for (reply, expected) in [
            (r#"<think>{"a": 1}</think>{"b": 2}"#, r#"{"b":2}"#),
            (r#"{"a": 1}</THINK> {"b": 2}"#, r#"{"b":2}"#),
            (r#"<thinking>{"a": 1}</thinking> {"b": 2} I wrote <think> before"#, r#"{"b":2}"#),
        ] {
            assert_eq!(texts(reply), Ok(vec![expected.to_owned()]), "{reply}");
        }
        for (reply, tag) in [
            (r#"<think>{"a": 1}"#, "think"),
            ("  \n<Think> so {\"a\": 1}", "think"),
            (r#"<think>x</think><think>{"a": 1}"#, "think"),
            ("I see.\n<thinking>{\"a\": 1}", "thinking"),
        ] {
            assert_eq!(texts(reply), Err(ObjectsError { tag }), "{reply}");
        }
    }
}
