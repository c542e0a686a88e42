//! What a finished match means for the standings.

use super::Pairing;
use lastnim_core::{
    game::{BotName, BySeat, Seat, SeatVersions},
    oracle::Audit,
};
use serde::{Deserialize, Serialize};

/// How one match of a tournament came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The number of the match in its tournament, from 0.
    pub number: u64,
    /// The duplicate group, from 0.
    pub group: u64,
    /// Who sat where.
    pub bots: BySeat<BotName>,
    /// The outcome; none where the match was cancelled, which counts for nothing.
    pub outcome: Option<MatchOutcome>,
}

/// The outcome of a match that was not cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchOutcome {
    /// The seat that won.
    pub winner: Seat,
    /// Each seat's game in figures.
    pub seats: BySeat<SeatResult>,
}

/// One seat's game in figures; only the takes of the bot itself are counted, none of the steward's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatResult {
    /// The place of the winner in the seat's row, 0 (best) to n-1.
    pub rank_actual: u32,
    /// The ranks that its own takes cost it.
    pub regret: u32,
    /// The ranks that the others' takes gave it; negative where they cost it.
    pub luck: i32,
    /// The takes it made.
    pub plies: u32,
    /// How many of them were optimal.
    pub optimal_plies: u32,
    /// How the seat was lost, if it was.
    pub lost: Option<SeatLoss>,
    /// The versions of the bot that sat there.
    pub versions: SeatVersions,
}

/// How a seat was lost, as far as the standings care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeatLoss {
    /// The bot never came.
    NoShow,
    /// The bot came, and lost the seat.
    Forfeited,
}

impl MatchResult {
    /// Gives a pairing its outcome, if it has one.
    ///
    /// # Panics
    /// If the outcome is for another number of seats.
    pub fn from_outcome(pairing: &Pairing, outcome: Option<MatchOutcome>) -> Self {
        outcome.map_or_else(|| Self::cancelled(pairing), |outcome| Self::finished(pairing, outcome))
    }

    /// Gives a pairing its outcome.
    ///
    /// # Panics
    /// If the outcome is for another number of seats.
    pub fn finished(pairing: &Pairing, outcome: MatchOutcome) -> Self {
        assert_eq!(pairing.bots.seats(), outcome.seats.seats(), "each bot has a result");
        Self { outcome: Some(outcome), ..Self::cancelled(pairing) }
    }

    /// Says that a pairing was cancelled.
    pub fn cancelled(pairing: &Pairing) -> Self {
        let Pairing { number, group, ref bots, .. } = *pairing;
        Self { number, group, bots: bots.clone(), outcome: None }
    }
}

impl MatchOutcome {
    /// Takes the figures of an audited match, in which some seats may have been lost. No bot has said its version.
    pub fn of_audit(audit: &Audit, lost: impl Fn(Seat) -> Option<SeatLoss>) -> Self {
        let seats = BySeat::from_fn(audit.seats.seats(), |seat| {
            let figures = &audit.seats[seat];
            SeatResult {
                rank_actual: figures.rank_actual,
                regret: figures.regret,
                luck: figures.luck,
                plies: figures.plies,
                optimal_plies: figures.optimal_plies,
                lost: lost(seat),
                versions: SeatVersions::default(),
            }
        });
        Self { winner: audit.winner, seats }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::{
        game::{Ending, Game},
        oracle::PlayedTake,
    };

    #[test]
    fn the_figures_are_those_of_the_audit() {
        let rows = vec![vec![0, 2, 1], vec![0, 1, 2], vec![2, 1, 0]];
        let game = Game::parse(&[1, 2, 3], &rows, 0, Ending::ToMoveWins).unwrap();
        let audit = Audit::of_finished(&game, &[2, 1, 1, 1, 1].map(PlayedTake::by_bot)).unwrap();
        assert!(audit.first_error.is_some() && audit.seats.iter().any(|seat| seat.luck != 0));
        let resigned = Seat::FIRST;
        let outcome =
            MatchOutcome::of_audit(&audit, |seat| (seat == resigned).then_some(SeatLoss::Forfeited));
        assert_eq!(outcome.winner, audit.winner);
        for (seat, result) in outcome.seats.enumerate() {
            let moves = audit.plies.iter().filter(|ply| ply.seat == seat);
            assert_eq!(result.plies as usize, moves.clone().count());
            assert_eq!(result.optimal_plies as usize, moves.clone().filter(|ply| ply.regret == 0).count());
            assert_eq!(result.regret, moves.map(|ply| ply.regret).sum::<u32>());
            assert_eq!(result.rank_actual as usize, game.matrix.rank(seat, audit.winner));
            assert_eq!(result.luck, audit.seats[seat].luck);
            assert_eq!(result.lost.is_some(), seat == resigned);
        }
    }
}
