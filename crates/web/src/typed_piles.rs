//! The counters in each pile, as people type them.

use lastnim_core::game::{Piles, PilesError};
use lastnim_proto::number_text::read_numbers;

/// Parses the counters of a new game, such as `3 4 5`.
///
/// # Errors
/// Names the invalid value. Piles are counted from 1.
pub(super) fn read_piles(text: &str) -> Result<Piles, String> {
    Piles::parse(&read_numbers(text, "piles")?).map_err(piles_mistake)
}

/// Parses the counters of a game that has begun, in which the last piles may have 0.
///
/// # Errors
/// Names the invalid value. Piles are counted from 1.
pub(super) fn read_partly_emptied_piles(text: &str) -> Result<Piles, String> {
    Piles::parse_partly_emptied(&read_numbers(text, "piles")?).map_err(piles_mistake)
}

/// Describes an error with piles counted from 1.
fn piles_mistake(mut error: PilesError) -> String {
    match &mut error {
        PilesError::TooLarge { pile, .. }
        | PilesError::Empty { pile }
        | PilesError::EmptyBefore { pile, .. } => {
            *pile += 1;
        }
        _ => {}
    }
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_piles_from_1() {
        assert_eq!(read_piles("3, 4 5").unwrap().as_slice(), [3, 4, 5]);
        assert_eq!(read_partly_emptied_piles("3 0").unwrap().as_slice(), [3]);
        assert_eq!(
            read_piles("3 0").unwrap_err(),
            "pile 2 has 0 counters: expected 1 to 9223372036854775807 at the start"
        );
        let behind = read_partly_emptied_piles("0 3").unwrap_err();
        assert!(behind.starts_with("pile 1 has 0 counters, but a later one has 3"), "{behind}");
        assert_eq!(read_piles("x").unwrap_err(), "piles: \"x\" is not a whole number, 0 or more");
    }
}
