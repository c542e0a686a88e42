//! The list of takes around a position.

use super::model_replies::ModelReplies;
use super::sentence::Seats;
use crate::address::PageAddress;
use crate::replay::{Replay, ReplayedTake};
use crate::seat_sign::{seat_class, seat_sign};
use crate::transcript_page::QuestionPlace;
use askama::Template;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::words::format_duration;
use std::ops::Range;

/// The number of takes shown before and after the position.
const PLIES_EACH_SIDE: u32 = 30;

/// The takes around a position.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakeList<'a> {
    pub id: MatchId,
    pub replay: &'a Replay,
    pub seats: &'a Seats,
    pub audit: Option<&'a pb::Audit>,
    pub words: Option<&'a ModelReplies>,
    pub ply: u32,
}

#[derive(Template)]
#[template(path = "match/takes.html", blocks = ["rows"])]
struct TakesView {
    rows: Vec<TakeRow>,
}

struct TakeRow {
    /// The number of takes up to and including this one.
    after: u32,
    is_shown: bool,
    address: String,
    class: String,
    sign: String,
    name: String,
    amount: String,
    time: String,
    /// How many places it cost its seat; `None` without the oracle.
    cost: Option<u32>,
    /// What a model wrote, shortened, and the address of the full text; the address may be empty.
    words: String,
    transcript: String,
}

/// Returns the plies of the takes shown around a position.
pub(super) fn listed_plies(ply: u32, plies: u32) -> Range<u32> {
    ply.saturating_sub(PLIES_EACH_SIDE + 1)..plies.min(ply.saturating_add(PLIES_EACH_SIDE))
}

impl TakeList<'_> {
    /// Writes the list.
    pub(super) fn html(&self) -> String {
        let rows = self.plies().filter_map(|ply| Some(self.row(ply, self.replay.take_at(ply)?)));
        write_template(&TakesView { rows: rows.collect() })
    }

    /// Says which takes are listed; empty if all are.
    pub(super) fn note(&self) -> String {
        let (shown, plies) = (self.plies(), self.replay.ply_count());
        if shown.len() as u32 == plies {
            return String::new();
        }
        format!("Takes {} to {}, out of {plies}.", shown.start + 1, shown.end)
    }

    /// Returns each row as HTML, with the number of its event. No row is marked as the position that is shown.
    pub(super) fn numbered_rows(&self) -> Vec<(u64, String)> {
        let row = |ply| {
            let take = self.replay.take_at(ply)?;
            let row = TakeRow { is_shown: false, ..self.row(ply, take) };
            Some((take.event, write_template(&TakesView { rows: vec![row] }.as_rows())))
        };
        self.plies().filter_map(row).collect()
    }

    fn plies(&self) -> Range<u32> {
        listed_plies(self.ply, self.replay.ply_count())
    }

    fn row(&self, ply: u32, take: &ReplayedTake) -> TakeRow {
        let (seat, after) = (take.took.seat as usize, ply + 1);
        let place = QuestionPlace { seat: take.took.seat, ply: Some(ply) };
        let reply = self.words.and_then(|replies| replies.get(&place).cloned()).unwrap_or_default();
        TakeRow {
            after,
            is_shown: after == self.ply,
            address: PageAddress::Match { id: self.id, ply: Some(after) }.to_string(),
            class: seat_class(seat),
            sign: seat_sign(seat),
            name: self.seats.name(seat).to_owned(),
            amount: format!("{} of {}", take.took.take, take.counters),
            time: if take.took.steward {
                "by the steward".to_owned()
            } else {
                format_duration(take.took.charged_us / 1_000)
            },
            cost: self.audit.and_then(|audit| audit.plies.get(ply as usize)).map(|found| found.regret),
            words: reply,
            transcript: place.address(self.id).to_string(),
        }
    }
}
