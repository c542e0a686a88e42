//! Who would win under optimal play, over the plies of a match.

use super::seat_mark::SeatMark;
use lastnim_proto::pb;
use lastnim_report::render::Escaped;
use std::fmt::Write as _;

/// The width of the strip.
const WIDTH: f64 = 400.0;
/// The height of the strip.
const HEIGHT: f64 = 20.0;
/// The height with the marks of errors below it.
const HEIGHT_WITH_ERRORS: f64 = 28.0;
/// The width from which on a stretch has the mark of its winner.
const MARKED_WIDTH: f64 = 16.0;
/// Stretches that are drawn; of a match with more there is no strip.
const MAX_STRETCHES: usize = 300;
/// The most parts that can be clicked; of more positions each part has several.
const MAX_LINKS: u32 = 100;
/// The most errors that are marked.
const MAX_ERRORS: usize = 300;

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

/// Draws who would win at each position of a match, with a line at the one that is shown, a mark below each take that was an error, and a link to each
/// position, or to every so many of them; none where nothing is known, or there are too many changes. What it shows is said in words beside it, and its links
/// are there for those who point at it: the keyboard has others.
pub(super) fn winner_strip(
    audit: &pb::Audit,
    shown: u32,
    address_of: impl Fn(u32) -> String,
) -> Option<String> {
    let (stretches, positions) = (winner_stretches(audit), audit.plies.len() as u32 + 1);
    if stretches.is_empty() || stretches.len() > MAX_STRETCHES {
        return None;
    }
    let step = WIDTH / f64::from(positions);
    let mut svg =
        format!("<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT_WITH_ERRORS}\" aria-hidden=\"true\">");
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
    let errors = audit.plies.iter().zip(1_u32..).filter(|(ply, _)| ply.regret > 0);
    for (_, after) in errors.take(MAX_ERRORS) {
        let x = f64::from(after) * step;
        let _ = write!(svg, "<path class=\"error\" d=\"M{x:.2} {HEIGHT}l3 7h-6z\"/>");
    }
    let x = (f64::from(shown) + 0.5) * step;
    for class in ["around-here", "here"] {
        let _ = write!(svg, "<line class=\"{class}\" x1=\"{x:.2}\" y1=\"0\" x2=\"{x:.2}\" y2=\"{HEIGHT}\"/>");
    }
    let plies_per_link = positions.div_ceil(MAX_LINKS);
    for from in (0..positions).step_by(plies_per_link as usize) {
        let x = f64::from(from) * step;
        let width = f64::from(plies_per_link.min(positions - from)) * step;
        let _ = write!(
            svg,
            "<a href=\"{}\" tabindex=\"-1\"><rect x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"{HEIGHT_WITH_ERRORS}\"><title>after {from}</title></rect></a>",
            Escaped(&address_of(from))
        );
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
            regret: u32::from(pair[0] != pair[1]),
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
    }

    #[test]
    fn the_strip_marks_errors_and_leads_to_positions() {
        let address_of = |ply: u32| format!("/?ply={ply}&oracle=shown");
        let strip = |winners: &[u32]| winner_strip(&audit(winners), 1, address_of);
        let drawn = strip(&[2, 2, 0, 0, 0, 1]).unwrap();
        assert_eq!(drawn.matches("<rect class=").count(), 3);
        assert!(drawn.contains(">2</text>"), "{drawn}");
        assert_eq!(drawn.matches("<path class=\"error\"").count(), 2);
        assert!(
            drawn.contains("<path class=\"error\" d=\"M133.33 20l3 7h-6z\"/>"),
            "behind the second take: {drawn}"
        );
        assert_eq!(drawn.matches("<a href=").count(), 6);
        assert!(
            drawn.contains("<a href=\"/?ply=5&amp;oracle=shown\" tabindex=\"-1\"><rect x=\"333.33\""),
            "{drawn}"
        );
        let long = strip(&[0; 1_000]).unwrap();
        assert_eq!(long.matches("<a href=").count(), MAX_LINKS as usize);
        assert!(long.contains("ply=990&amp;") && !long.contains("ply=991&amp;"), "{long}");
        let restless: Vec<_> = (0..1_000).map(|index| index % 2).collect();
        assert_eq!(strip(&restless), None);
        assert_eq!(strip(&[]), None);
    }
}
