//! Tie-breaks.

use super::{AllianceSource, SeededDraw, Standing};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What decides between bots that are level: with equal points, or with equal ratings in standings that are sorted by
/// rating. The variants are in the order in which they are applied. A tournament uses either [`Regret`](Self::Regret)
/// or [`HeadToHead`](Self::HeadToHead), see [`Self::first_for`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TieBreak {
    /// Lower regret per match.
    Regret,
    /// More points in the matches against the bots with which the bot is level.
    HeadToHead,
    /// A lot, drawn from the tournament's seed.
    Lot,
}

impl TieBreak {
    /// Returns the tie-break that is tried before the lot: regret if rows are assigned or dealt, otherwise head to
    /// head. A bot that declares its row chooses what counts as its regret.
    pub fn first_for(alliance: &AllianceSource) -> Self {
        match alliance {
            AllianceSource::Declared => Self::HeadToHead,
            AllianceSource::Standard
            | AllianceSource::Random
            | AllianceSource::Given(_)
            | AllianceSource::Dealt(_) => Self::Regret,
        }
    }
}

/// Used in place of the number of a group in the draws of lots. No group has this number, so lots are independent of
/// all other draws.
const LOT_TAG: u64 = 0x6c6f_7473_206f_6620;

/// Returns a bot's lot: of two bots that are level, the one with the lower lot is ahead. Lots depend on the
/// tournament's seed and on the number of the draw: 0 for the final standings, and the number of the round, from 1, for
/// the tables of a knockout.
pub(super) fn lot_of_bot(seed: u64, draw: u64, bot: &BotName) -> u64 {
    let name = bot.as_str().bytes().map(u64::from);
    SeededDraw::from_numbers([seed, LOT_TAG, draw].into_iter().chain(name)).next_bits()
}

/// Returns the tie-break that put the last of these lines behind the first one: the earliest that separates two lines
/// in between. `None` if points did, or if all lines share a place.
pub(super) fn tie_break_between(lines: &[Standing]) -> Option<TieBreak> {
    let steps = lines.windows(2).filter(|pair| pair[0].place != pair[1].place);
    steps.map(|pair| pair[1].tie_break).min().flatten()
}

/// Sorts lines by another criterion, which comes before the present order, and gives them new places. Lines that are
/// equal by this criterion keep their order and their tie-breaks, and share a place if they did before.
pub(super) fn rank_lines_by(lines: &mut [Standing], cmp: impl Fn(&Standing, &Standing) -> Ordering) {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&one, &other| cmp(&lines[one], &lines[other]));
    let mut sorted: Vec<Standing> = Vec::with_capacity(lines.len());
    for (index, &from) in order.iter().enumerate() {
        let ahead = index.checked_sub(1).map(|ahead| order[ahead]);
        // The sort is stable, so an equal line was ahead before.
        let level = ahead.filter(|&ahead| cmp(&lines[ahead], &lines[from]).is_eq());
        let shared = level.filter(|&ahead| lines[ahead].place == lines[from].place);
        sorted.push(Standing {
            place: if shared.is_some() { sorted[index - 1].place } else { index as u32 + 1 },
            tie_break: level.and_then(|ahead| tie_break_between(&lines[ahead..=from])),
            ..lines[from].clone()
        });
    }
    for (line, sorted) in lines.iter_mut().zip(sorted) {
        *line = sorted;
    }
}
