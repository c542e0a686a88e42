//! The file of `serve --config`: errors name their lines, and valid files read back the same.

use lastnim::fuzzing::config_file_round_trips;

/// Reads an input as server settings.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match config_file_round_trips(text) {
        Ok(is_alike) => assert!(is_alike, "it does not read back the same: {text}"),
        Err(mistakes) => check_mistakes(&mistakes, text),
    }
}

/// An invalid file has at least one mistake, and each is on one of its lines.
pub fn check_mistakes(mistakes: &[(usize, String)], text: &str) {
    assert!(!mistakes.is_empty(), "it is refused without a mistake");
    let lines = text.split('\n').count();
    for (line, what) in mistakes {
        assert!((1..=lines).contains(line), "line {line} of {lines}: {what}");
        assert!(!what.is_empty() && !what.contains('\n'), "{what:?}");
    }
}
