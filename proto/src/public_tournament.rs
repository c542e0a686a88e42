//! A tournament as it is shown: whole, or without what its reader has or can do without.

use super::{
    pb,
    tournament::{settings_message, settings_message_without_positions},
};
use lastnim_core::{
    game::{BotName, TournamentId},
    referee::{Terms, Timestamp},
};
use lastnim_tournament::{OpenMatches, Settings, TournamentState};
use std::sync::Arc;

/// A tournament at one moment, but for its standings. Cheap to clone, however large it is.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicTournament {
    /// Its id.
    pub id: TournamentId,
    /// When it was created.
    pub created_at: Timestamp,
    /// What it is.
    pub settings: Arc<Settings>,
    /// The terms of its matches.
    pub terms: Terms,
    /// Where it stands.
    pub state: TournamentState,
    /// The bots that are in it, in the order of joining.
    pub field: Arc<Vec<BotName>>,
    /// Matches ended so far.
    pub played: u64,
    /// Matches in all, or the most there can be where results decide; 0 before the start, and where it is open-ended.
    pub total: u64,
    /// Whether it is a ladder that runs and has too few bots left.
    pub awaits_bots: bool,
    /// What becomes of its open matches, if it is paused.
    pub pause: Option<OpenMatches>,
    /// Why it cannot be carried on, if it is quarantined.
    pub damage: Option<Arc<str>>,
}

impl PublicTournament {
    /// Shows all of it.
    pub fn to_message(&self) -> pb::Tournament {
        pb::Tournament {
            settings: Some(settings_message(&self.settings, &self.terms)),
            ..self.message_without_settings()
        }
    }

    /// Shows it without the positions that are listed.
    pub fn message_without_positions(&self) -> pb::Tournament {
        pb::Tournament {
            settings: Some(settings_message_without_positions(&self.settings, &self.terms)),
            ..self.message_without_settings()
        }
    }

    /// Shows it without its settings, which never change.
    pub fn message_without_settings(&self) -> pb::Tournament {
        pb::Tournament {
            id: self.id.to_string(),
            settings: None,
            state: pb::TournamentState::from(self.state).into(),
            field: self.field.iter().map(ToString::to_string).collect(),
            matches_played: self.played,
            matches_total: self.total,
            created_at_us: self.created_at.as_micros(),
            awaits_bots: self.awaits_bots,
            pause: self.pause.map_or(pb::OpenMatches::Unspecified, Into::into).into(),
            damage: self.damage.as_deref().unwrap_or_default().to_owned(),
        }
    }
}
