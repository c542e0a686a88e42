//! Field changes during a tournament.

use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};

/// The entry or exit of a bot between two rounds of a tournament. The change must be stored before any match of the
/// first round that it affects, because a rebuilt schedule needs it to draw that round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// The first round that the change affects, from 1: round 0 has the initial field.
    pub round: u64,
    /// The bot.
    pub bot: BotName,
    /// Whether the bot enters or leaves.
    pub movement: FieldMovement,
}

/// The direction of a field change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FieldMovement {
    /// The bot enters or returns, perhaps after a suspension.
    Enters,
    /// The bot leaves; its results remain.
    Leaves,
}

impl FieldMovement {
    /// Applies the change to `field`, which lists the bots in a tournament in the order in which they last entered.
    pub fn apply_to_field(self, bot: &BotName, field: &mut Vec<BotName>) {
        field.retain(|present| present != bot);
        if self == Self::Enters {
            field.push(bot.clone());
        }
    }
}
