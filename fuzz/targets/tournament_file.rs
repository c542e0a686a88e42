//! The file of a tournament: every refusal names its mistakes.

use lastnim::fuzzing::read_tournament_file;

/// Reads an input as the file of a tournament.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(mistakes) = read_tournament_file(text) {
        super::config_file::check_mistakes(&mistakes, text);
    }
}
