//! The winner under optimal play at each position: a lane for each seat, and a column for each position.

use super::sentence::Seats;
use crate::address::PageAddress;
use crate::replay::Replay;
use crate::seat_sign::{placed_seat_sign, seat_class, seat_sign};
use askama::Template;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use std::collections::BTreeSet;

/// The maximum number of seats that all have lanes; with more, only those that would win at some position have one.
const MAX_LANES_FOR_ALL: usize = 8;
/// The maximum number of wide lanes; with more, all lanes are narrow.
const MAX_WIDE_LANES: usize = 4;
/// The maximum number of takes in a match whose movers are drawn above the lanes.
const MAX_MOVERS: u32 = 60;
/// The maximum number of takes in a match for which each mover also shows how many counters it took.
const MAX_AMOUNTS: u32 = 30;
/// The largest number of counters that fits next to a mover.
const MAX_AMOUNT: u64 = 999;
/// The maximum number of stretches of positions with the same winner; with more, no lanes are drawn.
const MAX_STRETCHES: usize = 300;
/// With more errors than this, errors are not marked, since the marks would hide the lanes.
const MAX_ERROR_MARKS: usize = 24;
/// The maximum number of links; in longer matches, each leads to the middle of several positions.
const MAX_LINKS: u32 = 100;
/// The height of the row of movers, in pixels.
const MOVERS_HEIGHT: u32 = 32;
/// The height of a wide lane.
const WIDE_LANE_HEIGHT: u32 = 24;
/// The height of a narrow lane.
const NARROW_LANE_HEIGHT: u32 = 17;
/// The margin above and below, for the frame of the position that is shown.
const MARGIN: u32 = 4;

#[derive(Template)]
#[template(path = "match/winner_line.html")]
struct WinnerLine {
    is_narrow: bool,
    height: u32,
    /// The y coordinate at which the lanes begin.
    top: u32,
    /// The symbol and the name of each lane's seat.
    lanes: Vec<(String, String)>,
    /// A note on which seats have lanes; empty if all have one.
    note: &'static str,
    grounds: Vec<Bar>,
    runs: Vec<Bar>,
    errors: Vec<ErrorMark>,
    has_marks: bool,
    /// The symbol of each mover, and how many counters it took.
    movers: Vec<(String, Option<Amount>)>,
    /// The position that is shown, in percent of the width.
    here: f64,
    /// The width of a column, in percent.
    column: f64,
    links: Vec<PositionLink>,
    plies: u32,
    ply: u32,
    words: String,
}

/// The number of counters of a take, and where it is written.
struct Amount {
    x: f64,
    take: u64,
}

/// A rectangle in a lane.
struct Bar {
    class: String,
    x: f64,
    y: u32,
    width: f64,
    height: u32,
}

/// The mark of an error, from the lane of the winner before it to that of the winner after it.
struct ErrorMark {
    x: f64,
    y: u32,
    to: u32,
}

/// A part of the line that links to a position.
struct PositionLink {
    ply: u32,
    address: String,
    x: f64,
    width: f64,
}

/// The match and the position that the line is drawn for.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineAtPly<'a> {
    pub id: MatchId,
    pub replay: &'a Replay,
    pub seats: &'a Seats,
    pub audit: &'a pb::Audit,
    pub ply: u32,
}

/// Returns the first position and the winner of each stretch of positions with the same winner.
pub(super) fn winner_stretches(audit: &pb::Audit) -> Vec<(u32, usize)> {
    let before = audit.plies.iter().map(|ply| ply.predicted_before);
    let winners = before.chain([audit.plies.last().map_or(audit.winner, |ply| ply.predicted_after)]);
    let mut stretches: Vec<(u32, usize)> = Vec::new();
    for (from, winner) in (0..).zip(winners) {
        if stretches.last().is_none_or(|last| last.1 != winner as usize) {
            stretches.push((from, winner as usize));
        }
    }
    stretches
}

impl LineAtPly<'_> {
    /// Draws the line; empty if the winner changes too often. For screen readers, the slider and the list of takes have
    /// the same information.
    pub(super) fn html(&self) -> String {
        let (stretches, plies) = (winner_stretches(self.audit), self.audit.plies.len() as u32);
        if stretches.len() > MAX_STRETCHES {
            return String::new();
        }
        let leaders: BTreeSet<usize> = stretches.iter().map(|stretch| stretch.1).collect();
        let shows_all = self.seats.count() <= MAX_LANES_FOR_ALL;
        let lanes: Vec<usize> =
            if shows_all { (0..self.seats.count()).collect() } else { leaders.into_iter().collect() };
        let is_narrow = lanes.len() > MAX_WIDE_LANES;
        let lane_height = if is_narrow { NARROW_LANE_HEIGHT } else { WIDE_LANE_HEIGHT };
        let has_movers = plies <= MAX_MOVERS;
        let top = MARGIN + if has_movers { MOVERS_HEIGHT } else { 0 };
        let y_of = |seat: usize| {
            let lane = lanes.iter().position(|&lane| lane == seat).unwrap_or_default();
            top + lane as u32 * lane_height
        };
        let column = 100.0 / f64::from(plies + 1);
        let height = lane_height - 2;
        let ends = stretches.iter().skip(1).map(|stretch| stretch.0).chain([plies + 1]);
        let runs = stretches.iter().zip(ends).map(|(&(from, winner), to)| Bar {
            class: format!("run {}", seat_class(winner)),
            x: f64::from(from) * column,
            y: y_of(winner),
            width: f64::from(to - from) * column,
            height,
        });
        let ground = |&seat: &usize| {
            let (class, y) = ("lane".to_owned(), y_of(seat));
            Bar { class, x: 0.0, y, width: 100.0, height }
        };
        let errors = self.audit.plies.iter().zip(1_u32..).filter(|(ply, _)| ply.regret > 0);
        let error = |(ply, after): (&pb::PlyAudit, u32)| ErrorMark {
            x: f64::from(after) * column,
            y: y_of(ply.predicted_before as usize) + height / 2,
            to: y_of(ply.predicted_after as usize) + height / 2,
        };
        let mover = |(ply, after): (&pb::PlyAudit, u32)| {
            let x = (f64::from(after) + 0.5) * column;
            let place = format!(" x=\"{x:.2}%\" y=\"2\" width=\"12\" height=\"12\"");
            let is_told = plies <= MAX_AMOUNTS && ply.take <= MAX_AMOUNT;
            (placed_seat_sign(ply.seat as usize, &place), is_told.then_some(Amount { x, take: ply.take }))
        };
        let plies_per_link = (plies + 1).div_ceil(MAX_LINKS);
        let links = (0..=plies).step_by(plies_per_link as usize).map(|first| {
            let ply = (first + plies_per_link / 2).min(plies);
            PositionLink {
                ply,
                address: PageAddress::Match { id: self.id, ply: Some(ply) }.to_string(),
                x: f64::from(first) * column,
                width: f64::from(plies_per_link) * column,
            }
        });
        let movers = self.audit.plies.iter().zip(1..).take_while(|_| has_movers);
        write_template(&WinnerLine {
            is_narrow,
            height: top + lanes.len() as u32 * lane_height + MARGIN,
            top,
            lanes: lanes.iter().map(|&seat| (seat_sign(seat), self.seats.name(seat).to_owned())).collect(),
            note: if shows_all {
                ""
            } else {
                "Only seats that would win under optimal play at some point of the match have a lane."
            },
            grounds: lanes.iter().map(ground).collect(),
            runs: runs.collect(),
            has_marks: errors.clone().nth(MAX_ERROR_MARKS).is_none(),
            errors: errors.map(error).collect(),
            movers: movers.map(mover).collect(),
            here: f64::from(self.ply) * column,
            column,
            links: links.collect(),
            plies,
            ply: self.ply,
            words: self.words(&stretches),
        })
    }

    /// Describes the position that is shown.
    fn words(&self, stretches: &[(u32, usize)]) -> String {
        let leader = stretches.iter().rfind(|stretch| stretch.0 <= self.ply).map_or(0, |stretch| stretch.1);
        format!(
            "after take {} of {}: {} wins under optimal play",
            self.ply,
            self.replay.ply_count(),
            self.seats.name(leader)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the line of a match in which these seats win at each position.
    fn draw_line(seats: usize, winners: &[u32]) -> String {
        let plies = winners.windows(2).map(|pair| pb::PlyAudit {
            predicted_before: pair[0],
            predicted_after: pair[1],
            regret: u32::from(pair[0] != pair[1]),
            take: 1,
            ..Default::default()
        });
        let audit = pb::Audit { plies: plies.collect(), ..Default::default() };
        let bots = (0..seats).map(|seat| format!("bot{seat}")).collect();
        let setup = pb::MatchSetup { bots, piles: vec![9], ..Default::default() };
        let event = Some(pb::record_event::Event::Created(setup));
        let replay = Replay::begin(&pb::RecordEvent { event, ..Default::default() }).unwrap();
        let (id, seats) =
            ("0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap(), Seats::of_setup(&replay.setup));
        LineAtPly { id, replay: &replay, seats: &seats, audit: &audit, ply: 1 }.html()
    }

    fn count_parts(html: &str) -> [usize; 4] {
        ["class=\"lane\"", "class=\"run ", "class=\"fall\"", "<a href="]
            .map(|part| html.matches(part).count())
    }

    #[test]
    fn each_seat_has_a_lane_and_each_error_a_mark() {
        let html = draw_line(3, &[2, 2, 0, 0, 0, 1]);
        assert_eq!(count_parts(&html), [3, 3, 2, 6], "{html}");
        assert!(html.contains("x=\"33.33%\" y=\"95\""), "after the second take: {html}");
        assert!(html.contains("after take 1 of 0: bot2 wins under optimal play"), "{html}");
    }

    #[test]
    fn a_crowded_or_long_match_has_fewer_lanes_and_links() {
        let html = draw_line(32, &[30, 30, 4]);
        assert_eq!(count_parts(&html)[0], 2, "{html}");
        assert!(html.contains("Only seats that would win"), "{html}");
        let long = draw_line(3, &[0; 1_000]);
        assert_eq!(count_parts(&long), [3, 1, 0, 100]);
        assert!(!long.contains("class=\"amount\""), "{long}");
        let restless: Vec<_> = (0..1_000).map(|index| index % 2).collect();
        assert_eq!(draw_line(2, &restless), "");
    }
}
