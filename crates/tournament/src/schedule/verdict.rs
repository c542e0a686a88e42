//! What a format says besides the standings.

use super::{SprtVerdict, Suspension};
use lastnim_core::game::BotName;

/// What a format says besides the standings.
#[derive(Debug, Clone, PartialEq)]
pub enum FormatVerdict {
    /// Nothing: the standings say all.
    Standings,
    /// The rounds of a Swiss tournament that each bot sat out. A bye scores what a seat gets on average: see
    /// [`Standings::set_bye_scores`](crate::Standings::set_bye_scores).
    Byes(Vec<(BotName, u64)>),
    /// The places of a knockout.
    Knockout(Vec<KnockoutPlace>),
    /// The bots of a ladder that are suspended.
    Suspended(Vec<Suspension>),
    /// What a sequential test has found.
    Sprt(SprtVerdict),
}

/// A bot's place in a knockout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnockoutPlace {
    /// The place, from 1; bots that went out in the same round share it.
    pub place: u64,
    /// The bot.
    pub bot: BotName,
    /// The round in which it went out, from 0; none for the champion, and for bots that are still in.
    pub out_in: Option<u64>,
}
