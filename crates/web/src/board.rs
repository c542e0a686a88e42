//! Drawings of positions as SVG.

use lastnim_core::game::Position;
use std::fmt::Write as _;

/// The maximum number of counters in a column. A pile with more counters is drawn in several columns.
const COLUMN_COUNTERS: u64 = 8;
/// The distance between two counters, in pixels.
const COUNTER_STEP: u64 = 16;
/// The width of a pile drawn as a number.
const NUMBER_WIDTH: u64 = 214;
/// The distance between two piles.
const PILE_GAP: u64 = 22;
/// The height above the ground line.
const HEIGHT_ABOVE_GROUND: u64 = COLUMN_COUNTERS * COUNTER_STEP + 8;
/// The height of the labels below the ground line.
const LABEL_HEIGHT: u64 = 24;
/// The maximum number of piles drawn: the last ones, since the last pile is in play.
const MAX_PILES: usize = 24;
/// The maximum number of counters in a pile whose counters are drawn; a higher pile is drawn as a number.
const MAX_COUNTERS: u64 = 40;

/// A drawing of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Board {
    pub svg: String,
    /// The number of piles at the front that are not drawn.
    pub hidden: usize,
}

/// The take that led to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LastTake {
    /// The index of its pile.
    pub pile: usize,
    /// The counters that were taken.
    pub counters: u64,
}

/// Draws a position that will not change, so the drawing is only as high as its piles.
pub(super) fn draw_static_board(position: &Position, last: Option<LastTake>) -> Board {
    let piles: Vec<u64> = position.piles().collect();
    let in_play = (!position.is_over()).then(|| position.pile_index());
    // Empty piles are not drawn, except the one that was just emptied.
    let end = [in_play, last.map(|last| last.pile)].into_iter().flatten().max().map_or(0, |pile| pile + 1);
    let shown_from = end.saturating_sub(MAX_PILES);
    let mut pile_svg = String::new();
    let mut x = PILE_GAP;
    for (index, &counters) in piles.iter().enumerate().take(end).skip(shown_from) {
        let removed = last.filter(|last| last.pile == index).map_or(0, |last| last.counters);
        let class = if in_play == Some(index) { "pile in-play" } else { "pile" };
        let _ = write!(pile_svg, "<g class=\"{class}\">");
        let width = draw_pile(&mut pile_svg, x, (counters, removed));
        let middle = x + width / 2;
        let _ = write!(
            pile_svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{counters}</text></g>",
            HEIGHT_ABOVE_GROUND + LABEL_HEIGHT - 6
        );
        x += width + PILE_GAP;
    }
    let drawn_piles = piles.iter().enumerate().take(end).skip(shown_from).map(|(index, &counters)| {
        let removed = last.filter(|last| last.pile == index).map_or(0, |last| last.counters);
        pile_height(counters.saturating_add(removed))
    });
    let top = HEIGHT_ABOVE_GROUND - 8 - drawn_piles.max().unwrap_or_default();
    let (width, height) = (x.max(120), HEIGHT_ABOVE_GROUND + LABEL_HEIGHT - top);
    let description = board_description(&piles, in_play);
    let svg = format!(
        "<svg class=\"board\" viewBox=\"0 {top} {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{description}\">\
         <line class=\"ground\" x1=\"0\" y1=\"{HEIGHT_ABOVE_GROUND}\" x2=\"{width}\" y2=\"{HEIGHT_ABOVE_GROUND}\"/>{pile_svg}</svg>"
    );
    Board { svg, hidden: shown_from }
}

/// Returns the height of a pile with this many counters.
fn pile_height(counters: u64) -> u64 {
    if counters > MAX_COUNTERS { 4 * COUNTER_STEP } else { counters.min(COLUMN_COUNTERS) * COUNTER_STEP }
}

/// Draws a pile with the taken counters above the rest, and returns its width.
fn draw_pile(drawn: &mut String, x: u64, (counters, removed): (u64, u64)) -> u64 {
    let all = counters.saturating_add(removed);
    if all > MAX_COUNTERS {
        let middle = x + NUMBER_WIDTH / 2;
        let (y, text) = (HEIGHT_ABOVE_GROUND - 4 * COUNTER_STEP, HEIGHT_ABOVE_GROUND - 2 * COUNTER_STEP + 5);
        let _ = write!(
            drawn,
            "<rect class=\"counters\" x=\"{x}\" y=\"{y}\" width=\"{NUMBER_WIDTH}\" height=\"{}\" rx=\"6\"/>\
             <text class=\"many\" x=\"{middle}\" y=\"{text}\" text-anchor=\"middle\">{counters}</text>",
            4 * COUNTER_STEP - 2
        );
        return NUMBER_WIDTH;
    }
    for counter in 0..all {
        let class = if counter < counters { "counter" } else { "counter taken" };
        let (column, row) = (counter / COLUMN_COUNTERS, counter % COLUMN_COUNTERS);
        let (cx, cy) = (
            x + column * COUNTER_STEP + COUNTER_STEP / 2,
            HEIGHT_ABOVE_GROUND - row * COUNTER_STEP - COUNTER_STEP / 2,
        );
        let _ = write!(drawn, "<circle class=\"{class}\" cx=\"{cx}\" cy=\"{cy}\" r=\"6.5\"/>");
    }
    all.div_ceil(COLUMN_COUNTERS).max(1) * COUNTER_STEP
}

fn board_description(piles: &[u64], in_play: Option<usize>) -> String {
    match in_play {
        None => "No counter is left".to_owned(),
        Some(pile) => {
            let left = &piles[..=pile];
            let shown: Vec<_> = left.iter().rev().take(MAX_PILES).rev().map(ToString::to_string).collect();
            format!("Piles: {}; the last one is in play", shown.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{Piles, SeatCount};

    /// Draws the position after some takes.
    fn draw_after_takes(piles: &[u64], takes: &[u64]) -> Board {
        let seats = SeatCount::new(2).unwrap();
        let mut position = Position::new(Piles::parse(piles).unwrap(), seats.seat(0).unwrap(), seats);
        let mut last = None;
        for &take in takes {
            last = Some(LastTake { pile: position.pile_index(), counters: take });
            position.take(take).unwrap();
        }
        draw_static_board(&position, last)
    }

    fn count_counters(board: &Board) -> (usize, usize) {
        let taken = board.svg.matches("class=\"counter taken\"").count();
        (board.svg.matches("class=\"counter\"").count(), taken)
    }

    #[test]
    fn high_piles_are_drawn_as_numbers() {
        assert_eq!(count_counters(&draw_after_takes(&[2, 3], &[])), (5, 0));
        assert_eq!(count_counters(&draw_after_takes(&[2, 3], &[1])), (4, 1));
        // A pile is still drawn after the take that empties it.
        let emptied = draw_after_takes(&[2, 3], &[3]);
        assert_eq!(count_counters(&emptied), (2, 3));
        assert!(emptied.svg.contains("aria-label=\"Piles: 2; the last one is in play\""), "{}", emptied.svg);
        let last_board = draw_after_takes(&[2], &[2]);
        assert_eq!(count_counters(&last_board), (0, 2));
        assert!(last_board.svg.contains("No counter is left"));
        let huge = draw_after_takes(&[1, i64::MAX as u64], &[7]);
        assert_eq!(count_counters(&huge), (1, 0));
        assert!(huge.svg.contains(">9223372036854775800</text>"), "{}", huge.svg);
    }

    #[test]
    fn a_static_board_is_as_high_as_its_piles() {
        let seats = SeatCount::new(2).unwrap();
        let board_svg_of = |piles: &[u64]| {
            let position = Position::new(Piles::parse(piles).unwrap(), seats.seat(0).unwrap(), seats);
            draw_static_board(&position, None).svg
        };
        assert!(board_svg_of(&[1, 2]).contains("viewBox=\"0 96 120 64\""), "{}", board_svg_of(&[1, 2]));
        assert!(board_svg_of(&[40]).contains("viewBox=\"0 0 "), "{}", board_svg_of(&[40]));
        assert!(board_svg_of(&[41]).contains("viewBox=\"0 64 "), "{}", board_svg_of(&[41]));
    }

    #[test]
    fn only_the_last_of_many_piles_are_drawn() {
        let board = draw_after_takes(&[1; 1_000], &[]);
        assert_eq!((board.hidden, count_counters(&board)), (1_000 - 24, (24, 0)));
        assert!(board.svg.len() < 10_000);
    }
}
