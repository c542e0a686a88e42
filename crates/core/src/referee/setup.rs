//! The setup of a match.

use super::{Clock, Deal, DealError, DealRule, Terms, TermsError};
use crate::game::{
    AllianceMatrix, BotName, BySeat, Ending, MAX_PACT_SEATS, PactError, Piles, PilesError, Seat, SeatCount,
    SeatError, TournamentId,
};
use thiserror::Error;

/// The place of a match in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The tournament.
    pub tournament: TournamentId,
    /// The number of the match in the tournament, from 0.
    pub number: u64,
    /// The number of the duplicate group that the match belongs to: matches of the same bots on the same piles, one for
    /// each rotation of the seats.
    pub group: u64,
}

/// Everything that is fixed before the first move of a match.
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
    /// Clock, strikes, ply limit and talk.
    pub terms: Terms,
    /// The assigned rows; `None` if seats declare their own.
    pub assigned: Option<AllianceMatrix>,
    /// How a private row was dealt to each seat, by which it scores; `None` if no rows were dealt. Seats to which rows
    /// are dealt declare their rows.
    pub deal: Option<Box<Deal>>,
    /// The tournament that the match belongs to; `None` for an exhibition.
    pub origin: Option<Origin>,
}

/// Why a match cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatchSetupError {
    /// A bot has two seats.
    #[error("bot {bot} has seats {first} and {second}: expected one seat per bot in a match")]
    DuplicateBot {
        /// The bot.
        bot: BotName,
        /// The bot's first seat.
        first: Seat,
        /// The bot's second seat.
        second: Seat,
    },
    /// There are no counters.
    #[error(transparent)]
    Piles(PilesError),
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(SeatError),
    /// The assigned matrix has a different number of seats than the match.
    #[error("an assigned matrix for {given} seats, but the match has {seats} seats")]
    Assigned {
        /// The number of seats in the matrix.
        given: SeatCount,
        /// The number of seats in the match.
        seats: SeatCount,
    },
    /// The rows to be dealt do not fit the match.
    #[error(transparent)]
    Deal(DealError),
    /// The number of commitments differs from the number of seats.
    #[error("{given} commitments to dealt rows, but the match has {seats} seats")]
    Commitments {
        /// The number of commitments.
        given: SeatCount,
        /// The number of seats in the match.
        seats: SeatCount,
    },
    /// Rows are both assigned and dealt.
    #[error("rows are assigned and dealt: expected only one of these")]
    AssignedAndDealt,
    /// Seats can talk, but they do not declare rows.
    #[error(
        "talk in a match in which nobody declares: seats can only talk before they declare what they want"
    )]
    AssignedAndTalk,
    /// Seats can sign pacts, but there are too many seats.
    #[error(transparent)]
    Pacts(PactError),
    /// The terms are out of range.
    #[error(transparent)]
    Terms(TermsError),
}

impl MatchSetup {
    /// Creates a setup with the defaults: seat 0 moves first, and every seat declares its row.
    pub fn new(bots: BySeat<BotName>, piles: Piles) -> Self {
        Self {
            bots,
            piles,
            first: Seat::FIRST,
            ending: Ending::default(),
            terms: Terms::default(),
            assigned: None,
            deal: None,
            origin: None,
        }
    }

    /// Returns the setup unchanged if the match can be played.
    ///
    /// # Errors
    /// If anything is wrong. The error lists everything that is wrong.
    pub fn validate(self) -> Result<Self, Vec<MatchSetupError>> {
        let seats = self.seats();
        let mut errors = Self::find_misfits(&self.bots, self.assigned.as_ref());
        if self.piles.is_empty() {
            errors.push(MatchSetupError::Piles(PilesError::Count(0)));
        }
        if let Err(error) = seats.seat(self.first.index()) {
            errors.push(MatchSetupError::First(error));
        }
        errors.extend(self.find_deal_misfits());
        if self.assigned.is_some() && self.terms.talk.is_some() {
            errors.push(MatchSetupError::AssignedAndTalk);
        }
        if seats.get() > MAX_PACT_SEATS && self.terms.talk.is_some_and(|talk| talk.pacts) {
            errors.push(MatchSetupError::Pacts(PactError::Seats(seats)));
        }
        if let Err(terms) = self.terms.clone().validate() {
            errors.extend(terms.into_iter().map(MatchSetupError::Terms));
        }
        if errors.is_empty() { Ok(self) } else { Err(errors) }
    }

    /// Returns what is wrong with the bots and the assigned rows: bots that have two seats, or a matrix of the wrong
    /// size.
    pub fn find_misfits(bots: &BySeat<BotName>, assigned: Option<&AllianceMatrix>) -> Vec<MatchSetupError> {
        let mut errors = Vec::new();
        for (second, bot) in bots.enumerate() {
            if let Some((first, _)) = bots.enumerate().take(second.index()).find(|&(_, other)| other == bot) {
                errors.push(MatchSetupError::DuplicateBot { bot: bot.clone(), first, second });
            }
        }
        let seats = bots.seats();
        if let Some(matrix) = assigned.filter(|matrix| matrix.seats() != seats) {
            errors.push(MatchSetupError::Assigned { given: matrix.seats(), seats });
        }
        errors
    }

    fn find_deal_misfits(&self) -> Vec<MatchSetupError> {
        let Some(deal) = &self.deal else { return Vec::new() };
        let (given, seats) = (deal.commitments.seats(), self.seats());
        let count = (given != seats).then_some(MatchSetupError::Commitments { given, seats });
        self.check_deal_rule(&deal.rule).err().into_iter().chain(count).collect()
    }

    /// Checks that rows can be dealt to this match by a rule.
    ///
    /// # Errors
    /// If the match has assigned rows, or the rule does not fit its number of seats.
    pub fn check_deal_rule(&self, rule: &DealRule) -> Result<(), MatchSetupError> {
        if self.assigned.is_some() {
            return Err(MatchSetupError::AssignedAndDealt);
        }
        rule.check_seats(self.seats()).map_err(MatchSetupError::Deal)
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.terms.clock
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.bots.seats()
    }

    /// Returns the seat of a bot, if it has one.
    pub fn seat_of(&self, bot: &BotName) -> Option<Seat> {
        self.bots.enumerate().find(|(_, name)| *name == bot).map(|(seat, _)| seat)
    }
}
