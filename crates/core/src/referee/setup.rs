//! All that is fixed before the first move.

use super::{Clock, Terms, TermsError};
use crate::game::{
    AllianceMatrix, BotName, BySeat, Ending, Piles, PilesError, Seat, SeatCount, SeatError, TournamentId,
};
use thiserror::Error;

/// The place of a match in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tournament.
    pub tournament: TournamentId,
    /// The number of the match in it, from 0.
    pub number: u64,
    /// The duplicate group: the same bots on the same piles, in every rotation of the seats.
    pub group: u64,
}

/// All that is fixed before the first move of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchSetup {
    /// The bots, by seat, all different.
    pub bots: BySeat<BotName>,
    /// The piles.
    pub piles: Piles,
    /// The seat that moves first.
    pub first: Seat,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// How long, how many strikes, how many plies.
    pub terms: Terms,
    /// The rows where they are assigned; `None` where seats declare their own.
    pub assigned: Option<AllianceMatrix>,
    /// The tournament that the match belongs to; `None` for an exhibition.
    pub origin: Option<Origin>,
}

/// What keeps a match from being set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatchSetupError {
    /// A bot would hold two seats.
    #[error("bot {bot} in seats {first} and {second}: a bot holds one seat of a match")]
    BotTwice {
        /// The bot.
        bot: BotName,
        /// Its first seat.
        first: Seat,
        /// Its second seat.
        second: Seat,
    },
    /// There is no counter to begin with.
    #[error(transparent)]
    Piles(PilesError),
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(SeatError),
    /// The assigned matrix is for another number of seats.
    #[error("an assigned matrix for {given} seats: the match has {seats}")]
    Assigned {
        /// The seats of the matrix.
        given: SeatCount,
        /// The seats of the match.
        seats: SeatCount,
    },
    /// The terms are out of bounds.
    #[error(transparent)]
    Terms(TermsError),
}

impl MatchSetup {
    /// Sets up a match with the defaults: the first seat moves first, every seat declares its row.
    pub fn new(bots: BySeat<BotName>, piles: Piles) -> Self {
        Self {
            bots,
            piles,
            first: Seat::FIRST,
            ending: Ending::default(),
            terms: Terms::default(),
            assigned: None,
            origin: None,
        }
    }

    /// Accepts a setup that can be played.
    ///
    /// # Errors
    /// Everything that keeps it from being played.
    pub fn validate(self) -> Result<Self, Vec<MatchSetupError>> {
        let seats = self.seats();
        let mut errors = Self::find_misfits(&self.bots, self.assigned.as_ref());
        if self.piles.is_empty() {
            errors.push(MatchSetupError::Piles(PilesError::Count(0)));
        }
        if let Err(error) = seats.seat(self.first.index()) {
            errors.push(MatchSetupError::First(error));
        }
        if let Err(terms) = self.terms.clone().validate() {
            errors.extend(terms.into_iter().map(MatchSetupError::Terms));
        }
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }

    /// Returns what does not fit together of bots and assigned rows: a bot in two seats, rows for other seats.
    pub fn find_misfits(bots: &BySeat<BotName>, assigned: Option<&AllianceMatrix>) -> Vec<MatchSetupError> {
        let mut errors = Vec::new();
        for (second, bot) in bots.enumerate() {
            if let Some((first, _)) = bots.enumerate().take(second.index()).find(|&(_, other)| other == bot) {
                errors.push(MatchSetupError::BotTwice { bot: bot.clone(), first, second });
            }
        }
        let seats = bots.seats();
        if let Some(matrix) = assigned.filter(|matrix| matrix.seats() != seats) {
            errors.push(MatchSetupError::Assigned { given: matrix.seats(), seats });
        }
        errors
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.terms.clock
    }

    /// Returns how many seats there are.
    pub fn seats(&self) -> SeatCount {
        self.bots.seats()
    }

    /// Returns the seat of a bot, if it has one.
    pub fn seat_of(&self, bot: &BotName) -> Option<Seat> {
        self.bots.enumerate().find(|(_, name)| *name == bot).map(|(seat, _)| seat)
    }
}
