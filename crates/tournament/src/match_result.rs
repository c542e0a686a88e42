//! Results of matches.

use super::Pairing;
use lastnim_core::{
    game::{BotName, BySeat, Seat, SeatVersions},
    oracle::Audit,
};
use serde::{Deserialize, Serialize};

/// The result of one match of a tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The number of the match in its tournament, from 0.
    pub number: u64,
    /// The number of the duplicate group, from 0.
    pub group: u64,
    /// The bots by seat.
    pub bots: BySeat<BotName>,
    /// The outcome; `None` if the match was cancelled and does not count.
    pub outcome: Option<MatchOutcome>,
}

/// The outcome of a match that was not cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchOutcome {
    /// The seat that won.
    pub winner: Seat,
    /// The result of each seat.
    pub seats: BySeat<SeatResult>,
}

/// The result of one seat. Takes by the steward do not count as takes by the bot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SeatResult {
    /// The rank of the winner in the row by which the seat scores, 0 (best) to n - 1: its dealt row, if rows were
    /// dealt.
    pub rank_actual: u32,
    /// If rows were dealt, the rank in the seat's dealt row of the winner under optimal play if every seat had declared
    /// its dealt row.
    pub rank_honest: Option<u32>,
    /// The number of ranks in its declared or assigned row that the bot lost by its own takes.
    pub regret: u32,
    /// The number of ranks in that row that the bot gained by the takes of others; negative if it lost ranks by them.
    pub luck: i32,
    /// The number of takes by the bot.
    pub plies: u32,
    /// The number of takes by the bot that were optimal.
    pub optimal_plies: u32,
    /// How the seat was lost; `None` if it was not lost.
    pub lost: Option<SeatLoss>,
    /// The versions of the bot that played in this seat.
    pub versions: SeatVersions,
}

/// How a seat was lost, as far as the standings distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeatLoss {
    /// The bot never connected.
    NoShow,
    /// The bot connected and forfeited the seat.
    Forfeited,
}

impl MatchResult {
    /// Creates the result of a pairing from its outcome; `None` means that the match was cancelled.
    ///
    /// # Panics
    /// If the outcome and the pairing have different numbers of seats.
    pub fn from_outcome(pairing: &Pairing, outcome: Option<MatchOutcome>) -> Self {
        outcome.map_or_else(|| Self::cancelled(pairing), |outcome| Self::finished(pairing, outcome))
    }

    /// Creates the result of a pairing that was played to this outcome.
    ///
    /// # Panics
    /// If the outcome and the pairing have different numbers of seats.
    pub fn finished(pairing: &Pairing, outcome: MatchOutcome) -> Self {
        assert_eq!(pairing.bots.seats(), outcome.seats.seats(), "each bot has a result");
        Self { outcome: Some(outcome), ..Self::cancelled(pairing) }
    }

    /// Creates the result of a cancelled pairing.
    pub fn cancelled(pairing: &Pairing) -> Self {
        let Pairing { number, group, ref bots, .. } = *pairing;
        Self { number, group, bots: bots.clone(), outcome: None }
    }
}

impl MatchOutcome {
    /// Creates the outcome of an audited match. `lost` tells how a seat was lost; the versions of the bots are left
    /// empty.
    pub fn of_audit(audit: &Audit, lost: impl Fn(Seat) -> Option<SeatLoss>) -> Self {
        let seats = BySeat::from_fn(audit.seats.seats(), |seat| {
            let figures = &audit.seats[seat];
            SeatResult {
                rank_actual: audit.rank_scored(seat),
                rank_honest: audit.dealt.as_ref().map(|dealt| dealt.seats[seat].rank_honest),
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
    fn the_figures_of_a_match_agree_with_its_audit() {
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
