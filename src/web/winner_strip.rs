//! Who would win under optimal play, over the plies of a match.

use super::seat_mark::SeatMark;
use crate::wire::pb;
use std::fmt::Write as _;

/// The width of the strip.
const WIDTH: f64 = 400.0;
/// The height of the strip.
const HEIGHT: f64 = 20.0;
/// The width from which on a stretch has the mark of its winner.
const MARKED_WIDTH: f64 = 16.0;
/// Stretches that are drawn; of a match with more there is no strip.
const MAX_STRETCHES: usize = 300;

/// Positions of a match that follow each other and have the same predicted winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WinnerStretch {
    /// The takes before the first of them.
    pub from: u32,
    /// The seat that wins under optimal play.
    pub winner: u32,
}

/// Returns the stretches of a match, in their order.
pub(super) fn winner_stretches(audit: &pb::Audit) -> Vec<WinnerStretch> {
    let before = audit.plies.iter().map(|ply| ply.predicted_before);
    let winners = before.chain(audit.plies.last().map(|ply| ply.predicted_after));
    let mut stretches: Vec<WinnerStretch> = Vec::new();
    for (from, winner) in (0..).zip(winners) {
        if stretches.last().is_none_or(|last| last.winner != winner) {
            stretches.push(WinnerStretch { from, winner });
        }
    }
    stretches
}

/// Draws the stretches of so many positions, with a line at the one that is shown; none where nothing is known, or there are too many. What it shows is
/// said in words beside it.
pub(super) fn winner_strip(stretches: &[WinnerStretch], positions: u32, shown: u32) -> Option<String> {
    if stretches.is_empty() || stretches.len() > MAX_STRETCHES {
        return None;
    }
    let step = WIDTH / f64::from(positions);
    let mut svg = format!("<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\">");
    let ends = stretches.iter().skip(1).map(|stretch| stretch.from).chain([positions]);
    for (stretch, to) in stretches.iter().zip(ends) {
        let (x, end) = (f64::from(stretch.from) * step, f64::from(to) * step);
        let (width, seat) = (end - x, stretch.winner as usize);
        // Writing to a text does not fail.
        let _ = write!(
            svg,
            "<rect class=\"{}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"{HEIGHT}\"/>",
            SeatMark::class(seat)
        );
        if width >= MARKED_WIDTH {
            let middle = x + width / 2.0;
            let _ = write!(
                svg,
                "<text class=\"winner\" x=\"{middle:.2}\" y=\"15\" text-anchor=\"middle\">{seat}</text>"
            );
        }
    }
    let x = (f64::from(shown) + 0.5) * step;
    for class in ["around-here", "here"] {
        let _ = write!(svg, "<line class=\"{class}\" x1=\"{x:.2}\" y1=\"0\" x2=\"{x:.2}\" y2=\"{HEIGHT}\"/>");
    }
    Some(svg + "</svg>")
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
        let stretches = winner_stretches(&audit(&[2, 2, 0, 0, 0, 1]));
        let told: Vec<_> = stretches.iter().map(|stretch| (stretch.from, stretch.winner)).collect();
        assert_eq!(told, [(0, 2), (2, 0), (5, 1)]);
        assert_eq!(winner_stretches(&audit(&[])), []);
        let strip = winner_strip(&stretches, 6, 1).unwrap();
        assert_eq!(strip.matches("<rect").count(), 3);
        assert!(strip.contains(">2</text>"), "{strip}");
        let restless: Vec<_> = (0..1_000).map(|index| index % 2).collect();
        assert_eq!(winner_strip(&winner_stretches(&audit(&restless)), 1_000, 0), None);
    }
}
