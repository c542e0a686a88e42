//! Wraps JSON to lines of readable width.

use serde::de::IgnoredAny;

/// The maximum length of a line that is not broken, in characters.
const MAX_WIDTH: usize = 110;

/// Breaks a line at its outer commas if it is a JSON document and too long. Nothing else changes: neither the order of keys
/// nor how numbers and words are written.
pub fn broken_json(line: &str) -> String {
    let is_json = line.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(line).is_ok();
    if !is_json {
        return line.to_owned();
    }
    let mut broken = String::new();
    write_value(&mut broken, line, 0, 0);
    broken
}

/// Writes a value that begins in a `column` of a line, which is indented by `indent`.
fn write_value(output: &mut String, value: &str, indent: usize, column: usize) {
    let brackets = value.starts_with(['{', '[']) && value.len() > 2;
    if !brackets || column + value.len() <= MAX_WIDTH {
        return output.push_str(value);
    }
    let (open, close) = (&value[..1], &value[value.len() - 1..]);
    let mut separator = open;
    for element in elements(&value[1..value.len() - 1]) {
        output.push_str(separator);
        output.push('\n');
        output.push_str(&" ".repeat(indent + 2));
        let key = if open == "{" { key_length(element) } else { 0 };
        output.push_str(&element[..key]);
        write_value(output, &element[key..], indent + 2, indent + 2 + key);
        separator = ",";
    }
    output.push('\n');
    output.push_str(&" ".repeat(indent));
    output.push_str(close);
}

/// Splits the text between two brackets at its top-level commas.
fn elements(inside: &str) -> Vec<&str> {
    let (mut elements, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, byte) in outside_strings(inside) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => {
                elements.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    elements.push(&inside[start..]);
    elements
}

/// Returns the length of an element's key with its colon.
fn key_length(element: &str) -> usize {
    outside_strings(element).find(|&(_, byte)| byte == b':').map_or(0, |(at, _)| at + 1)
}

/// Returns the bytes outside strings, each with its index.
fn outside_strings(json: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut in_string, mut escaped) = (false, false);
    json.bytes().enumerate().filter(move |&(_, byte)| {
        let was_in_string = in_string;
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        !was_in_string && !in_string
    })
}

#[test]
fn only_long_json_is_wrapped() {
    let long = format!(r#"{{"b":1.50,"a":[{{"x":"{}"}},2],"c":{{}}}}"#, "}\\\",:".repeat(20));
    let broken = broken_json(&long);
    assert_eq!(broken.lines().map(str::trim_start).collect::<String>(), long);
    assert!(broken.starts_with("{\n  \"b\":1.50,\n  \"a\":[\n    {\n      \"x\":"), "{broken}");
    assert!(broken.ends_with("\n    },\n    2\n  ],\n  \"c\":{}\n}"), "{broken}");
    let long_text = "words, ".repeat(40);
    for whole in [r#"{"a":[1,2]}"#, &long_text, &format!("[{long_text}")] {
        assert_eq!(broken_json(whole), whole);
    }
}
