//! Who would win under optimal play, over the plies of a match.

use super::seat_mark::SeatMark;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;

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

#[derive(Template)]
#[template(path = "winner_strip.html")]
struct WinnerStrip {
    stretches: Vec<DrawnStretch>,
    /// Where the errors are.
    errors: Vec<f64>,
    /// Where the position is that is shown.
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
