//! The file of `serve --config`: every refusal names its mistakes, and what is read is written and read again alike.

use lastnim::fuzzing::reads_config_file_back;

/// Reads an input as the settings of a server.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match reads_config_file_back(text) {
        Ok(is_alike) => assert!(is_alike, "what is written of it is read otherwise: {text}"),
        Err(mistakes) => check_mistakes(&mistakes, text),
    }
}

/// A file that is refused has a mistake, and each stands in one of its lines.
pub fn check_mistakes(mistakes: &[(usize, String)], text: &str) {
    assert!(!mistakes.is_empty(), "it is refused, and no mistake is named");
    let lines = text.split('\n').count();
    for (line, what) in mistakes {
        assert!((1..=lines).contains(line), "line {line} of {lines}: {what}");
        assert!(!what.is_empty() && !what.contains('\n'), "{what:?}");
    }
}
