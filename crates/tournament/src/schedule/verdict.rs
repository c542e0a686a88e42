//! Verdicts of formats.

use super::{SprtVerdict, Suspension};
use crate::{Standing, TieBreak};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The result that a format reports in addition to the standings.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatVerdict {
    /// No result apart from the standings.
    Standings,
    /// The byes in a Swiss tournament, with one entry for each bot that had any.
    Byes(Vec<Bye>),
    /// How far each bot of a knockout got, the best first.
    Knockout(Vec<KnockoutBot>),
    /// The suspended bots of a ladder.
    Suspended(Vec<Suspension>),
    /// The verdict of a sequential test.
    Sprt(SprtVerdict),
}

/// The byes of a bot in a Swiss tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Bye {
    /// The bot.
    pub bot: BotName,
    /// How many rounds it sat out.
    pub rounds: u64,
    /// The points that it got for them: for each, what a seat scores on average (see
    /// [`Standings::set_bye_scores`](crate::Standings::set_bye_scores)).
    pub points: f64,
}

/// How far a bot got in a knockout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnockoutBot {
    /// The bot.
    pub bot: BotName,
    /// The rounds, from 0, from which the bot advanced as a lucky loser: it was not among the best of its table, but
    /// one of the best of the others, who fill up the final.
    pub lucky_in: Vec<u64>,
    /// How the bot was eliminated; `None` for the champion and for bots still in play.
    pub exit: Option<KnockoutExit>,
}

/// How a bot was eliminated from a knockout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnockoutExit {
    /// The round, from 0.
    pub round: u64,
    /// The tie-break that put the bot behind the last bot that advanced, or in the final behind the next better bot;
    /// `None` if it had fewer points.
    pub tie_break: Option<TieBreak>,
}

impl FormatVerdict {
    /// Sorts the standings of a knockout by how far the bots got, which matters more than points. Does nothing for
    /// other formats.
    pub(crate) fn rank_standings(&self, lines: &mut [Standing]) {
        let Self::Knockout(bots) = self else { return };
        let places: HashMap<&BotName, (u32, Option<TieBreak>)> = bots
            .iter()
            .zip(knockout_places(bots))
            .map(|(each, place)| (&each.bot, (place, each.exit.and_then(|exit| exit.tie_break))))
            .collect();
        for line in &mut *lines {
            (line.place, line.tie_break) = places.get(&line.bot).copied().unwrap_or((u32::MAX, None));
        }
        lines.sort_by_key(|line| line.place);
    }
}

/// Returns the place of each bot, from 1: bots eliminated in the same round share a place, except in the final.
pub(crate) fn knockout_places(bots: &[KnockoutBot]) -> Vec<u32> {
    let round = |each: &KnockoutBot| each.exit.map(|exit| exit.round);
    let is_over = bots.iter().filter(|each| each.exit.is_none()).count() == 1;
    let last_round = bots.iter().filter_map(round).max();
    let mut places: Vec<u32> = Vec::with_capacity(bots.len());
    for (index, each) in bots.iter().enumerate() {
        let is_finalist = is_over && round(each) == last_round;
        let shared = index.checked_sub(1).filter(|&ahead| !is_finalist && round(&bots[ahead]) == round(each));
        places.push(shared.map_or(index as u32 + 1, |ahead| places[ahead]));
    }
    places
}
