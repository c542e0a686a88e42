//! The board of a match: all its piles, with each take drawn where it was made.

use super::sentence::Seats;
use crate::address::PageAddress;
use crate::position_input::PositionInput;
use crate::replay::{Replay, ReplayedTake};
use crate::seat_sign::{seat_class, seat_sign};
use askama::Template;
use lastnim_core::game::{MatchId, Position};
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::{count_with_noun, join_items};
use std::ops::Range;

/// The maximum number of piles drawn, around the one in play.
const MAX_PILES: usize = 24;
/// The maximum number of piles named for screen readers.
const MAX_NAMED_PILES: usize = 40;
/// The maximum number of counters in a pile that is drawn in full; a higher pile is drawn with a gap.
pub(super) const MAX_DRAWN_COUNTERS: u64 = 20;
/// The counters drawn above the gap of a higher pile; one more is drawn below it.
const COUNTERS_ABOVE_GAP: u64 = 8;
/// The maximum number of takes drawn on a higher pile: the last ones.
const MAX_TAKES_OF_HIGH_PILE: usize = 6;
/// The maximum number of takes drawn in all: the last ones.
const MAX_TAKES: u32 = 200;
/// The maximum number of piles of a preview.
const MAX_PREVIEW_PILES: usize = 6;
/// The maximum number of counters in a pile that a preview draws in full.
const MAX_PREVIEW_COUNTERS: u64 = 12;

/// How a board is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoardMode {
    /// Its takes and counters are links.
    Links,
    /// As for `Links`, except that the counters in play are buttons of the form with the id `tap`.
    Buttons,
    /// It is in a frame of another site, so its links open in new tabs.
    Embedded,
    /// It is a preview in a list: smaller, and without links.
    Preview,
}

impl BoardMode {
    fn max_piles(self) -> usize {
        match self {
            Self::Links | Self::Buttons | Self::Embedded => MAX_PILES,
            Self::Preview => MAX_PREVIEW_PILES,
        }
    }

    fn max_counters(self) -> u64 {
        match self {
            Self::Links | Self::Buttons | Self::Embedded => MAX_DRAWN_COUNTERS,
            Self::Preview => MAX_PREVIEW_COUNTERS,
        }
    }
}

/// The outcome that a range of takes from a position leads to.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakeOutcome {
    /// The smallest take of the range.
    pub lo: u64,
    /// The largest take of the range.
    pub hi: u64,
    /// The winner under optimal play after such a take.
    pub winner: usize,
    /// How many places in its order such a take costs the seat.
    pub cost: usize,
}

/// Where the link of a possible take leads.
#[derive(Debug, Clone, Copy)]
pub(super) enum TakeLinks<'a> {
    /// To the page that shows the take in a match, after this many takes.
    Match { id: MatchId, ply: u32 },
    /// To the oracle, with the position after the take.
    Oracle { typed: &'a PositionInput, position: &'a Position },
}

impl TakeLinks<'_> {
    /// Returns the address of a take.
    pub(super) fn address(self, take: u64) -> String {
        match self {
            Self::Match { id, ply } => PageAddress::WhatIf { id, ply, take: Some(take) }.to_string(),
            Self::Oracle { typed, position } => {
                let mut after = position.clone();
                // Takes with links are legal.
                let _ = after.take(take);
                let position = PositionInput {
                    piles: join_items(after.piles(), " "),
                    first: (after.to_move().index() + 1).to_string(),
                    ..typed.clone()
                };
                PageAddress::Oracle { position }.to_string()
            }
        }
    }

    /// Returns the address of the form in which a visitor enters another take; empty if there is no form.
    pub(super) fn form_address(self) -> String {
        match self {
            Self::Match { id, ply } => {
                let address = PageAddress::WhatIf { id, ply, take: None }.to_string();
                address.split('?').next().unwrap_or_default().to_owned()
            }
            Self::Oracle { .. } => String::new(),
        }
    }

    /// Returns the number of takes before the position.
    pub(super) fn ply(self) -> u32 {
        match self {
            Self::Match { ply, .. } => ply,
            Self::Oracle { .. } => 0,
        }
    }

    /// Returns the address of a position of the match; empty without a match.
    fn address_after(self, takes: u32) -> String {
        match self {
            Self::Match { id, .. } => PageAddress::Match { id, ply: Some(takes) }.to_string(),
            Self::Oracle { .. } => String::new(),
        }
    }
}

/// The board after some takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchBoard<'a> {
    pub take_links: TakeLinks<'a>,
    pub replay: &'a Replay,
    pub seats: &'a Seats,
    pub position: &'a Position,
    pub ply: u32,
    pub audit: Option<&'a pb::Audit>,
    /// What each take leads to; empty without the oracle.
    pub outcomes: &'a [TakeOutcome],
    pub mode: BoardMode,
}

#[derive(Template)]
#[template(path = "match/board.html")]
struct BoardView {
    is_linked: bool,
    is_embedded: bool,
    words: String,
    /// A note on which piles are drawn; empty if all are.
    note: String,
    piles: Vec<Pile>,
}

/// A pile as it is drawn.
pub(super) struct Pile {
    pub is_in_play: bool,
    pub left: u64,
    /// Its parts, from the top.
    pub pieces: Vec<Piece>,
}

/// A part of a drawn pile.
pub(super) enum Piece {
    Take(Box<TakeView>),
    /// A note on what is left out.
    Gap(String),
    Counter,
    /// A counter with a link to the outcome of taking it and those above it.
    Choice(Box<Choice>),
    /// A button that takes this counter and those above it: how many these are, and how many counters the pile has.
    Button(u64, u64),
}

/// A take as it is drawn.
pub(super) struct TakeView {
    pub seat: usize,
    /// Whether it is the newest take.
    pub is_newest: bool,
    class: String,
    sign: String,
    address: String,
    /// The number of takes up to and including this one.
    after: u32,
    words: String,
    /// How many times the seat's symbol is drawn.
    pub repeats: u64,
    /// The number of counters taken, if the symbol is drawn only once for several of them.
    pub number: Option<u64>,
    pub is_error: bool,
}

/// A counter that links to the outcome of a take that ends with it.
pub(super) struct Choice {
    class: &'static str,
    address: String,
    take: u64,
    words: String,
    sign: String,
}

impl MatchBoard<'_> {
    pub(super) fn html(&self) -> String {
        let in_play = self.position.pile_index();
        let left: Vec<u64> = self.position.piles().collect();
        let shown = shown_piles(left.len(), in_play, self.mode.max_piles());
        let note = if shown.len() < left.len() {
            format!("Piles {} to {}, out of {}.", shown.start + 1, shown.end, left.len())
        } else {
            String::new()
        };
        let named = join_items(left.iter().take(MAX_NAMED_PILES), ", ");
        let rest = if left.len() > MAX_NAMED_PILES { " and more" } else { "" };
        let description = if self.position.is_over() {
            "The board: no counter is left".to_owned()
        } else {
            format!("The board: piles of {named}{rest}; pile {} is in play", in_play + 1)
        };
        let (is_linked, is_embedded) = (self.mode != BoardMode::Preview, self.mode == BoardMode::Embedded);
        write_template(&BoardView { is_linked, is_embedded, words: description, note, piles: self.piles() })
    }

    /// Returns the piles that are drawn.
    pub(super) fn piles(&self) -> Vec<Pile> {
        let left: Vec<u64> = self.position.piles().collect();
        let in_play = self.position.pile_index();
        let pile = |index: usize| Pile {
            is_in_play: index == in_play && !self.position.is_over(),
            left: left[index],
            pieces: self.pieces(index, left[index]),
        };
        shown_piles(left.len(), in_play, self.mode.max_piles()).map(pile).collect()
    }

    /// Returns the parts of a drawn pile: its takes, the oldest first, and then the counters that are left.
    fn pieces(&self, pile: usize, left: u64) -> Vec<Piece> {
        let all = self.replay.setup.piles.get(pile).copied().unwrap_or_default();
        let is_high = all > self.mode.max_counters();
        let from = self.ply.saturating_sub(MAX_TAKES);
        let takes = (from..self.ply).filter_map(|ply| Some((ply, self.replay.take_at(ply)?)));
        let mut takes: Vec<_> = takes.filter(|(_, take)| take.pile == pile).collect();
        if is_high && takes.len() > MAX_TAKES_OF_HIGH_PILE {
            takes.drain(..takes.len() - MAX_TAKES_OF_HIGH_PILE);
        }
        let drawn: u64 = takes.iter().map(|(_, take)| take.took.take).sum();
        let before = (all - left).saturating_sub(drawn);
        let mut pieces = Vec::new();
        if before > 0 {
            pieces.push(Piece::Gap(format!("{before} taken")));
        }
        pieces.extend(
            takes.into_iter().map(|(ply, take)| Piece::Take(Box::new(self.take(ply, take, is_high)))),
        );
        let is_in_play = pile == self.position.pile_index();
        let counter = |take: u64| {
            if is_in_play && self.mode == BoardMode::Buttons {
                Piece::Button(take, left)
            } else if is_in_play {
                self.choice(take).map_or(Piece::Counter, |choice| Piece::Choice(Box::new(choice)))
            } else {
                Piece::Counter
            }
        };
        if left <= COUNTERS_ABOVE_GAP + 1 || !is_high {
            pieces.extend((1..=left).map(counter));
        } else {
            pieces.extend((1..=COUNTERS_ABOVE_GAP).map(counter));
            pieces.push(Piece::Gap(format!("{} more", left - COUNTERS_ABOVE_GAP - 1)));
            pieces.push(counter(left));
        }
        pieces
    }

    fn take(&self, ply: u32, take: &ReplayedTake, is_high: bool) -> TakeView {
        let (seat, after) = (take.took.seat as usize, ply + 1);
        let is_error =
            self.audit.and_then(|audit| audit.plies.get(ply as usize)).is_some_and(|found| found.regret > 0);
        let error = if is_error { ", an error" } else { "" };
        let is_newest = after == self.ply;
        let (name, taken) = (self.seats.name(seat), take.took.take);
        let is_folded = is_high && taken > 1;
        TakeView {
            seat,
            is_newest,
            class: format!("taken {}{}", seat_class(seat), if is_newest { " now" } else { "" }),
            sign: seat_sign(seat),
            address: self.take_links.address_after(after),
            after,
            words: format!("Take {after}: {name} took {taken} of {}{error}", take.counters),
            repeats: if is_folded { 1 } else { taken },
            number: is_folded.then_some(taken),
            is_error,
        }
    }

    /// Returns a counter with a link to the outcome of a take; `None` without the oracle.
    fn choice(&self, take: u64) -> Option<Choice> {
        let outcome = self.outcomes.iter().find(|outcome| (outcome.lo..=outcome.hi).contains(&take))?;
        let mover = self.seats.name(self.position.to_move().index());
        let best = if outcome.cost == 0 { ", which is optimal" } else { "" };
        Some(Choice {
            class: if outcome.cost == 0 { "counter best" } else { "counter" },
            address: self.take_links.address(take),
            take,
            words: format!("If {mover} takes {take}{best}, {} wins", self.seats.name(outcome.winner)),
            sign: seat_sign(outcome.winner),
        })
    }
}

/// Returns the piles that are drawn, around the one in play.
fn shown_piles(piles: usize, in_play: usize, most: usize) -> Range<usize> {
    let from = in_play.saturating_sub(most / 2 - 1).min(piles.saturating_sub(most));
    from..piles.min(from + most)
}

/// Describes the cost of a take.
pub(super) fn cost_text(cost: usize) -> String {
    match cost {
        0 => "optimal".to_owned(),
        cost => format!("costs {}", count_with_noun(cost, "place", "places")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::record_event::Event;

    /// Draws the last position of a match.
    fn draw_last_position(piles: &[u64], takes: &[u64]) -> String {
        drawn_as(BoardMode::Links, piles, takes)
    }

    fn drawn_as(mode: BoardMode, piles: &[u64], takes: &[u64]) -> String {
        let bots = ["ann", "bob"].map(str::to_owned).to_vec();
        let event = |event| pb::RecordEvent { event: Some(event), ..Default::default() };
        let setup = pb::MatchSetup { bots, piles: piles.to_vec(), ..Default::default() };
        let mut replay = Replay::begin(&event(Event::Created(setup))).unwrap();
        for (ply, &take) in (0..).zip(takes) {
            replay.push(event(Event::Took(pb::TookEvent { ply, seat: ply % 2, take, ..Default::default() })));
        }
        let (seats, ply) = (Seats::of_setup(&replay.setup), replay.ply_count());
        let position = replay.position_after(ply).unwrap();
        let outcomes = match mode {
            BoardMode::Links | BoardMode::Buttons | BoardMode::Embedded => {
                vec![TakeOutcome { lo: 1, hi: u64::MAX, winner: 1, cost: 0 }]
            }
            BoardMode::Preview => Vec::new(),
        };
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        let (replay, seats, position) = (&replay, &seats, &position);
        let take_links = TakeLinks::Match { id, ply };
        MatchBoard { take_links, replay, seats, position, ply, audit: None, outcomes: &outcomes, mode }.html()
    }

    fn count_drawn(html: &str) -> [usize; 3] {
        ["class=\"stack", "class=\"counter", "<i><svg"].map(|part| html.matches(part).count())
    }

    #[test]
    fn piles_and_takes_stay_on_the_board() {
        let html = draw_last_position(&[2, 3], &[1, 2, 1]);
        assert_eq!(count_drawn(&html), [2, 1, 4], "{html}");
        assert!(html.contains("Take 2: bob took 2 of 2") && html.contains("data-take=\"1\""), "{html}");
        assert!(html.contains("piles of 1, 0; pile 1 is in play"), "{html}");
        let last_board = draw_last_position(&[1], &[1]);
        assert_eq!(count_drawn(&last_board), [1, 0, 1]);
        assert!(last_board.contains("no counter is left") && !last_board.contains("in-play"), "{last_board}");
    }

    #[test]
    fn a_high_pile_is_drawn_with_a_gap() {
        let html = draw_last_position(&[1, i64::MAX as u64], &[7, 1]);
        assert_eq!(count_drawn(&html), [2, 1 + 9, 2], "{html}");
        assert!(html.contains("9223372036854775790 more") && html.contains("×7"), "{html}");
        assert!(html.contains("data-take=\"9223372036854775799\""), "{html}");
    }

    #[test]
    fn a_preview_has_no_links() {
        let html = drawn_as(BoardMode::Preview, &[1, 2, 3, 4, 5, 6, 7, 13], &[4, 1]);
        assert!(!html.contains("<a ") && !html.contains("href"), "{html}");
        assert_eq!(count_drawn(&html), [6, 3 + 4 + 5 + 6 + 7 + 8, 2], "{html}");
        assert!(html.contains("×4") && html.contains("role=\"img\""), "{html}");
    }

    #[test]
    fn the_drawing_of_a_long_match_is_bounded() {
        let many = draw_last_position(&[1; 1_000], &[1; 500]);
        assert!(many.contains("Piles 489 to 512, out of 1000.") && many.len() < 30_000, "{many}");
        let high = draw_last_position(&[1_000], &[1; 900]);
        assert!(high.contains("894 taken") && high.len() < 10_000, "{high}");
    }
}
