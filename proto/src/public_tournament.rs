//! Tournaments as they are sent to callers, optionally without the parts that the callers already have.

use super::{
    deal::published_secret_fields,
    pb,
    tournament::{settings_message, settings_message_without_positions},
};
use lastnim_core::{
    game::{BotName, TournamentId},
    referee::{PublishedSecret, Terms, Timestamp},
};
use lastnim_tournament::{OpenMatches, Settings, TournamentState};
use std::sync::Arc;

/// The state of a tournament without its standings. It is cheap to clone, however large the tournament is.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicTournament {
    /// Its id.
    pub id: TournamentId,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its settings.
    pub settings: Arc<Settings>,
    /// The terms of its matches.
    pub terms: Terms,
    /// Its state.
    pub state: TournamentState,
    /// Its bots, in the order in which they joined.
    pub field: Arc<Vec<BotName>>,
    /// Number of matches that have ended so far.
    pub played: u64,
    /// The total number of matches, or the maximum if the total depends on results; 0 before the start and for
    /// tournaments without an end.
    pub total: u64,
    /// Whether the tournament is a running ladder that has too few bots to play.
    pub awaits_bots: bool,
    /// What happens to open matches while the tournament is paused.
    pub pause: Option<OpenMatches>,
    /// The reason why the tournament cannot continue; `None` if it is not quarantined.
    pub damage: Option<Arc<str>>,
    /// The public part of the secret from which its rows are dealt; `None` if no rows are dealt.
    pub deal_secret: Option<PublishedSecret>,
}

impl PublicTournament {
    /// Writes the whole tournament.
    pub fn to_message(&self) -> pb::Tournament {
        pb::Tournament {
            settings: Some(settings_message(&self.settings, &self.terms)),
            ..self.message_without_settings()
        }
    }

    /// Writes the tournament without listed positions.
    pub fn message_without_positions(&self) -> pb::Tournament {
        pb::Tournament {
            settings: Some(settings_message_without_positions(&self.settings, &self.terms)),
            ..self.message_without_settings()
        }
    }

    /// Writes the tournament without its settings, which never change.
    pub fn message_without_settings(&self) -> pb::Tournament {
        let (deal_secret_hash, deal_secret) = published_secret_fields(self.deal_secret.as_ref());
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
            deal_secret_hash,
            deal_secret,
        }
    }
}
