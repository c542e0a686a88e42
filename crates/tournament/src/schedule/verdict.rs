//! Verdicts of formats.

use super::{SprtVerdict, Suspension};
use lastnim_core::game::BotName;

/// What a format reports in addition to the standings.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatVerdict {
    /// Nothing.
    Standings,
    /// The number of byes of each bot in a Swiss tournament. A bye scores the average of a seat: see
    /// [`Standings::set_bye_scores`](crate::Standings::set_bye_scores).
    Byes(Vec<(BotName, u64)>),
    /// The places of a knockout.
    Knockout(Vec<KnockoutPlace>),
    /// The suspended bots of a ladder.
    Suspended(Vec<Suspension>),
    /// The verdict of a sequential test.
    Sprt(SprtVerdict),
}

/// A bot's place in a knockout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnockoutPlace {
    /// The place, from 1; bots eliminated in the same round share it.
    pub place: u64,
    /// The bot.
    pub bot: BotName,
    /// The round in which it was eliminated, from 0; `None` for the champion and for bots still in play.
    pub out_in: Option<u64>,
}
