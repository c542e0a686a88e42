//! What the oracle says about a position of a match.

use super::board::{MAX_DRAWN_COUNTERS, TakeLinks, TakeOutcome, cost_text};
use super::finding::preference_rank;
use super::sentence::{Seats, Sentence, ordinal_text};
use crate::replay::Replay;
use crate::seat_sign::seat_sign;
use askama::Template;
use lastnim_core::game::Position;
use lastnim_core::oracle::Solution;
use lastnim_report::render::write_template;

/// The maximum number of takes shown of the line of best play.
const MAX_LINE_LENGTH: usize = 12;

/// What the oracle knows about a match: the winner after each possible take.
#[derive(Debug)]
pub(super) struct MatchOracle<'a> {
    replay: &'a Replay,
    solution: Solution,
}

#[derive(Template)]
#[template(path = "match/position_panel.html")]
struct PanelView {
    to_move: String,
    options: Vec<PanelOption>,
    /// The address of the form for another take; empty if there is no form.
    action: String,
    ply: u32,
    counters: u64,
    /// For each take in the line of best play: the symbol and the name of the seat, and the number of counters.
    line: Vec<(String, String, u64)>,
    has_more: bool,
    winner: String,
    /// A sentence on the place that the seat to move can force; may be empty.
    sure: String,
}

/// A range of takes with the same outcome.
struct PanelOption {
    class: &'static str,
    take: u64,
    address: String,
    takes: String,
    is_range: bool,
    winner: String,
    cost: String,
}

impl<'a> MatchOracle<'a> {
    /// Solves a match; `None` before rows are revealed.
    pub(super) fn of_match(replay: &'a Replay) -> Option<Self> {
        Some(Self { replay, solution: Solution::new(&replay.game()?) })
    }

    /// Returns the winner under optimal play.
    pub(super) fn winner(&self, position: &Position) -> usize {
        self.solution.winner(position).index()
    }

    /// Returns what each take leads to, in ascending order; empty if no counter is left.
    pub(super) fn outcomes(&self, position: &Position) -> Vec<TakeOutcome> {
        if position.is_over() {
            return Vec::new();
        }
        let mover = position.to_move().index();
        let rank = |winner| preference_rank(self.replay, mover, winner).unwrap_or_default();
        let best = rank(self.solution.winner(position).index());
        let after = self.solution.winners_after(position).into_iter();
        after
            .map(|(takes, winner)| {
                let winner = winner.index();
                TakeOutcome { lo: takes.lo, hi: takes.hi, winner, cost: rank(winner).saturating_sub(best) }
            })
            .collect()
    }

    /// Writes what the oracle says about a position that is not over. `sure` is the place in its order that the seat to
    /// move can force even if all others play together against it, if that is known.
    pub(super) fn panel_html(
        &self,
        take_links: TakeLinks<'_>,
        seats: &Seats,
        position: &Position,
        sure: Option<u32>,
    ) -> String {
        let mover = position.to_move().index();
        let outcomes = self.outcomes(position);
        let option = |outcome: &TakeOutcome| PanelOption {
            class: if outcome.cost == 0 { "best" } else { "" },
            take: outcome.lo,
            address: take_links.address(outcome.lo),
            takes: match (outcome.lo, outcome.hi) {
                (lo, hi) if lo == hi => format!("take {lo}"),
                (lo, hi) => format!("{lo} to {hi}"),
            },
            is_range: outcome.lo < outcome.hi,
            winner: Sentence::default().seat(outcome.winner).text(" wins").html(seats),
            cost: cost_text(outcome.cost),
        };
        let (line, has_more) = self.best_line(seats, position);
        let winner = self.solution.winner(position).index();
        let sure = preference_rank(self.replay, mover, winner).zip(sure).map(|(rank, sure)| {
            let guarantee = match sure as usize {
                last if last + 1 == seats.count() => {
                    "If all others play together against it, it may get only its last choice.".to_owned()
                }
                sure => format!(
                    "Even if all others play together against it, it can force its {} choice{}.",
                    ordinal_text(sure),
                    if sure == 0 { "" } else { " or a better one" }
                ),
            };
            Sentence::of("Optimal play gives ")
                .seat(mover)
                .text(format!(" its {} choice. {guarantee}", ordinal_text(rank)))
        });
        write_template(&PanelView {
            to_move: Sentence::default()
                .seat(mover)
                .text(format!(" is to move, with {} in the pile. It can take:", position.counters()))
                .html(seats),
            options: outcomes.iter().map(option).collect(),
            action: take_links.form_address(),
            ply: take_links.ply(),
            counters: position.counters(),
            line,
            has_more,
            winner: Sentence::default().seat(winner).text(" wins").html(seats),
            sure: sure.map(|sure| sure.html(seats)).unwrap_or_default(),
        })
    }

    /// Returns the first takes of a line of optimal play, and whether it goes on.
    fn best_line(&self, seats: &Seats, position: &Position) -> (Vec<(String, String, u64)>, bool) {
        let (mut position, mut line) = (position.clone(), Vec::new());
        while line.len() < MAX_LINE_LENGTH {
            let outcomes = self.outcomes(&position);
            let Some(best) = outcomes.iter().find(|outcome| outcome.cost == 0) else { break };
            let mover = position.to_move().index();
            line.push((seat_sign(mover), seats.name(mover).to_owned(), best.lo));
            if position.take(best.lo).is_err() {
                break;
            }
        }
        (line, !position.is_over())
    }
}
