//! Bots that come and go while a tournament runs.

use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};

/// A bot that enters or leaves a tournament between two rounds. It is to be stored before a match of its round is: a
/// schedule is rebuilt from the changes as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The first round that it is for, from 1: round 0 has the field of the start.
    pub round: u64,
    /// The bot.
    pub bot: BotName,
    /// What it does.
    pub movement: FieldMovement,
}

/// What a bot does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FieldMovement {
    /// It enters, or returns: also one that was suspended.
    Enters,
    /// It leaves; its results stay.
    Leaves,
}

impl FieldMovement {
    /// Makes it in a list of the bots that are in a tournament, in the order in which they joined it last.
    pub fn apply_to_field(self, bot: &BotName, field: &mut Vec<BotName>) {
        field.retain(|present| present != bot);
        if self == Self::Enters {
            field.push(bot.clone());
        }
    }
}
