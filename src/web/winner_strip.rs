//! Who would win under optimal play, over the plies of a match.

use super::address::{OracleView, PageAddress};
use super::seat_mark::SeatMark;
use crate::game::MatchId;
use crate::report::render::Escaped;
use crate::wire::pb;
use std::fmt::Write as _;

/// The width of the strip.
const WIDTH: f64 = 800.0;
/// The height of the strip.
const HEIGHT: u32 = 26;
/// Stretches with the same predicted winner that are drawn; of a match with more there is no strip.
const MAX_STRETCHES: usize = 300;

/// Draws the predicted winner of the position after each number of takes, as stretches that lead to where they begin; `shown` is marked. None where
/// nothing is known, or there would be too much of it.
pub(super) fn winner_strip(audit: &pb::Audit, id: MatchId, shown: u32, bots: &[String]) -> Option<String> {
    let stretches = predicted_stretches(audit);
    if stretches.is_empty() || stretches.len() > MAX_STRETCHES {
        return None;
    }
    let positions = audit.plies.len() as u32 + 1;
    let step = WIDTH / f64::from(positions);
    let at = |index: u32| f64::from(index) * step;
    let mut svg = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"group\" \
         aria-label=\"Winner under optimal play, from the first position to the last\">"
    );
    let ends = stretches.iter().skip(1).map(|&(from, _)| from).chain([positions]);
    for (&(from, winner), to) in stretches.iter().zip(ends) {
        let address = PageAddress::Match { id, ply: Some(from), view: OracleView::Shown }.to_string();
        let bot = bots.get(winner as usize).map(String::as_str).unwrap_or_default();
        let (x, width, class) = (at(from), at(to) - at(from), SeatMark::class(winner as usize));
        // Writing to a text does not fail.
        let _ = write!(
            svg,
            "<a href=\"{}\" aria-label=\"from ply {from} on: seat {winner} ({})\"><rect class=\"{class}\" x=\"{x:.2}\" y=\"0\" \
             width=\"{width:.2}\" height=\"{HEIGHT}\"/></a>",
            Escaped(&address),
            Escaped(bot)
        );
    }
    let x = at(shown) + step / 2.0;
    let _ = write!(svg, "<line class=\"here\" x1=\"{x:.2}\" y1=\"0\" x2=\"{x:.2}\" y2=\"{HEIGHT}\"/></svg>");
    Some(svg)
}

/// Returns the stretches of positions with the same predicted winner: the number of takes from which each goes on, and that winner.
fn predicted_stretches(audit: &pb::Audit) -> Vec<(u32, u32)> {
    let before = audit.plies.iter().map(|ply| ply.predicted_before);
    let winners = before.chain(audit.plies.last().map(|ply| ply.predicted_after));
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    for (index, winner) in (0..).zip(winners) {
        if stretches.last().is_none_or(|&(_, last)| last != winner) {
            stretches.push((index, winner));
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit(winners: &[u32]) -> pb::Audit {
        let plies = winners.windows(2).map(|pair| pb::PlyAudit {
            predicted_before: pair[0],
            predicted_after: pair[1],
            ..Default::default()
        });
        pb::Audit { plies: plies.collect(), ..Default::default() }
    }

    #[test]
    fn equal_predictions_are_one_stretch() {
        assert_eq!(predicted_stretches(&audit(&[2, 2, 0, 0, 0, 1])), [(0, 2), (2, 0), (5, 1)]);
        assert_eq!(predicted_stretches(&audit(&[])), []);
        let id: MatchId = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        let strip = winner_strip(&audit(&[2, 2, 0]), id, 1, &["a".into(), "b".into(), "<c>".into()]).unwrap();
        assert!(strip.contains(&format!("href=\"/matches/{id}?ply=2&amp;oracle=shown\"")), "{strip}");
        assert!(strip.contains("seat 2 (&lt;c&gt;)"), "{strip}");
        let restless: Vec<_> = (0..1_000).map(|index| index % 2).collect();
        assert_eq!(winner_strip(&audit(&restless), id, 0, &[]), None);
    }
}
