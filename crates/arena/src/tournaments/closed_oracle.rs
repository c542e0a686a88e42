//! Checks whether running tournaments close the oracle to a caller.

use crate::accounts::keyring::Principal;
use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_tournament::{OracleAccess, Title, TournamentState};
use thiserror::Error;

/// A running tournament that closes the oracle to a caller.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} is closed to {} while tournament {tournament} ({:?}) is running: {}", self.caller_name(), .title.as_str(), self.suggestion())]
pub struct OracleClosure {
    /// The tournament.
    pub tournament: TournamentId,
    /// The tournament's title.
    pub title: Title,
    /// The calling bot, which plays in the tournament; `None` for a caller without a token, who could be any bot.
    pub bot: Option<BotName>,
    /// The service that the caller requested.
    what: &'static str,
}

impl OracleClosure {
    fn caller_name(&self) -> &str {
        self.bot.as_ref().map_or("callers without a token", BotName::as_str)
    }

    fn suggestion(&self) -> &'static str {
        match self.bot {
            Some(_) => "it has entered that tournament, which closes the oracle to its bots until it is over",
            None => "use the token of a bot that does not play there, or a viewer's or admin's token",
        }
    }
}

impl Arena {
    /// Checks that no running tournament closes the oracle to a caller; `None` is a caller without a token.
    ///
    /// # Errors
    /// If a running tournament closes the oracle to the caller. The error names the first such tournament.
    pub fn check_oracle_open(&self, caller: Option<&Principal>) -> Result<(), ArenaError> {
        self.check_open_to(caller, "the oracle")
    }

    /// Checks that no running tournament closes practice to a bot. A tournament that closes the oracle also closes
    /// practice, because house bots reveal optimal takes too.
    pub(crate) fn check_practice_open(&self, bot: &BotName) -> Result<(), ArenaError> {
        self.check_open_to(Some(&Principal::Bot(bot.clone())), "practice")
    }

    /// Checks that no running tournament closes a service to a caller; `None` is a caller without a token.
    pub(crate) fn check_open_to(
        &self,
        caller: Option<&Principal>,
        what: &'static str,
    ) -> Result<(), ArenaError> {
        let bot = match caller {
            None => None,
            Some(Principal::Bot(bot)) => Some(bot),
            Some(Principal::Admin | Principal::Viewer) => return Ok(()),
        };
        let tournaments = self.inner.tournaments.read();
        let closing = tournaments.iter().filter(|(_, handle)| handle.closes_oracle_to(bot));
        let Some((&tournament, handle)) = closing.min_by_key(|(id, _)| **id) else { return Ok(()) };
        let title = handle.view().stored.settings.title.clone();
        Err(ArenaError::OracleClosed(OracleClosure { tournament, title, bot: bot.cloned(), what }))
    }

    /// Returns whether the audits of a tournament's matches are hidden from a caller until the tournament is over.
    pub fn withholds_audits(&self, tournament: TournamentId, caller: Option<&Principal>) -> bool {
        let bot = match caller {
            None => None,
            Some(Principal::Bot(bot)) => Some(bot),
            Some(Principal::Admin | Principal::Viewer) => return false,
        };
        self.live_tournament(tournament).is_some_and(|handle| handle.closes_oracle_to(bot))
    }
}

impl TournamentHandle {
    /// Returns whether the tournament is running and closes the oracle to a bot, or to callers without a token if `bot`
    /// is `None`.
    fn closes_oracle_to(&self, bot: Option<&BotName>) -> bool {
        let is_in_field = {
            let stored = &self.borrow_view().stored;
            if stored.settings.oracle == OracleAccess::Open || stored.state != TournamentState::Running {
                return false;
            }
            bot.is_none_or(|bot| stored.field.contains(bot))
        };
        is_in_field || bot.is_some_and(|bot| self.is_departing(bot))
    }
}
