//! Tournament files: errors name their mistakes.

use lastnim::fuzzing::read_tournament_file;

pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Err(mistakes) = read_tournament_file(text) {
        super::config_file::check_mistakes(&mistakes, text);
    }
}
