//! A strip that shows the winner under optimal play at each ply.

use super::seat_mark::SeatMark;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 20.0;
/// The height including the marks of errors.
const HEIGHT_WITH_ERRORS: f64 = 28.0;
/// The minimum width of a stretch that gets a label.
const MARKED_WIDTH: f64 = 16.0;
/// The maximum number of stretches; with more, no strip is drawn.
const MAX_STRETCHES: usize = 300;
/// The maximum number of links; in longer matches, each link covers several positions.
const MAX_LINKS: u32 = 100;
/// The maximum number of marked errors.
const MAX_ERRORS: usize = 300;

/// Consecutive positions with the same predicted winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WinnerStretch {
    /// The number of takes before the first position.
    pub from: u32,
    /// The winner under optimal play.
    pub winner: u32,
}

#[derive(Template)]
#[template(path = "winner_strip.html")]
struct WinnerStrip {
    stretches: Vec<DrawnStretch>,
    /// The x coordinates of errors.
    errors: Vec<f64>,
    /// The x coordinate of the shown position.
    here: f64,
    links: Vec<PositionLink>,
}

struct DrawnStretch {
    winner: usize,
    x: f64,
    width: f64,
}

struct PositionLink {
    ply: u32,
    address: String,
    x: f64,
    width: f64,
}

/// Returns the stretches of a match in order.
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

/// Draws the winner at each position, with a line at the shown position, marks below errors, and links to positions.
/// Returns `None` without an audit or with too many changes. The strip is hidden from screen readers and the keyboard,
/// because the same text and links are next to it.
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
    let ends = stretches.iter().skip(1).map(|stretch| stretch.from).chain([positions]);
    let drawn = stretches.iter().zip(ends).map(|(stretch, to)| DrawnStretch {
        winner: stretch.winner as usize,
        x: f64::from(stretch.from) * step,
        width: f64::from(to - stretch.from) * step,
    });
    let errors = audit.plies.iter().zip(1_u32..).filter(|(ply, _)| ply.regret > 0);
    let plies_per_link = positions.div_ceil(MAX_LINKS);
    let links = (0..positions).step_by(plies_per_link as usize).map(|ply| PositionLink {
        ply,
        address: address_of(ply),
        x: f64::from(ply) * step,
        width: f64::from(plies_per_link.min(positions - ply)) * step,
    });
    Some(write_template(&WinnerStrip {
        stretches: drawn.collect(),
        errors: errors.take(MAX_ERRORS).map(|(_, after)| f64::from(after) * step).collect(),
        here: (f64::from(shown) + 0.5) * step,
        links: links.collect(),
    }))
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
    fn the_strip_marks_errors_and_links_to_positions() {
        let address_of = |ply: u32| format!("/?ply={ply}&oracle=shown");
        let strip = |winners: &[u32]| winner_strip(&audit(winners), 1, address_of);
        let drawn = strip(&[2, 2, 0, 0, 0, 1]).unwrap();
        assert_eq!(drawn.matches("<rect class=").count(), 3);
        assert!(drawn.contains(">2</text>"), "{drawn}");
        assert_eq!(drawn.matches("<path class=\"error\"").count(), 2);
        assert!(
            drawn.contains("<path class=\"error\" d=\"M133.33 20l3 7h-6z\"/>"),
            "after the second take: {drawn}"
        );
        assert_eq!(drawn.matches("<a href=").count(), 6);
        assert!(
            drawn.contains("<a href=\"/?ply=5&#38;oracle=shown\" tabindex=\"-1\"><rect x=\"333.33\""),
            "{drawn}"
        );
        let long = strip(&[0; 1_000]).unwrap();
        assert_eq!(long.matches("<a href=").count(), MAX_LINKS as usize);
        assert!(long.contains("ply=990&#38;") && !long.contains("ply=991&#38;"), "{long}");
        let restless: Vec<_> = (0..1_000).map(|index| index % 2).collect();
        assert_eq!(strip(&restless), None);
        assert_eq!(strip(&[]), None);
    }
}
