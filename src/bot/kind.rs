//! The bots that `lastnim bot run` can run.

use lastnim_bots::{HouseBot, HouseBotError};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The word that stands for a language model on the command line, in place of a house bot's name.
const LLM: &str = "llm";

/// A bot that `lastnim bot run` can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayedBot {
    /// A house bot.
    House(HouseBot),
    /// A language model.
    Llm,
}

/// A name that is neither that of a house bot nor `llm`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}{hint}", hint = if matches!(.0, HouseBotError::Unknown(_)) { ", or llm for a language model" } else { "" })]
pub struct PlayedBotError(HouseBotError);

impl PlayedBot {
    /// Returns whether the bot may make random choices, and so uses a seed.
    pub fn draws_at_random(self) -> bool {
        match self {
            Self::House(bot) => bot.draws_at_random(),
            Self::Llm => true,
        }
    }
}

impl fmt::Display for PlayedBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::House(bot) => bot.fmt(f),
            Self::Llm => f.pad(LLM),
        }
    }
}

impl FromStr for PlayedBot {
    type Err = PlayedBotError;

    fn from_str(word: &str) -> Result<Self, PlayedBotError> {
        if word == LLM {
            return Ok(Self::Llm);
        }
        word.parse().map(Self::House).map_err(PlayedBotError)
    }
}
