//! Compares a played game with optimal play.

use super::{
    DealtAudit, GuaranteedRanks, OptimalTakes, Solution, TakeGuarantee, TakeSafety, TakeSafetyCounts,
};
use crate::{
    game::{AllianceMatrix, BySeat, Game, IllegalTake, Position, Seat},
    shown_number::shown_number,
};
use std::fmt;
use thiserror::Error;

/// Maximum number of takes in an audit.
pub const MAX_PLIES: usize = 65_536;

/// The player that moved for a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mover {
    /// The seat's own bot.
    #[default]
    Bot,
    /// The steward, who plays for a forfeited seat.
    Steward,
}

/// A take that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlayedTake {
    /// The number of counters taken.
    pub take: u64,
    /// Who moved.
    pub mover: Mover,
}

impl PlayedTake {
    /// Creates a take made by the seat's own bot.
    pub fn by_bot(take: u64) -> Self {
        Self { take, mover: Mover::Bot }
    }
}

/// A comparison of a game with optimal play: the winner, the winner under optimal play, the errors, and their costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    /// The seat that won.
    pub winner: Seat,
    /// The seat that would have won under optimal play.
    pub predicted_winner: Seat,
    /// Every take, in order.
    pub plies: Vec<PlyAudit>,
    /// The summary of every seat.
    pub seats: BySeat<SeatAudit>,
    /// The number of ranks that each seat's takes cost each seat, indexed by the seat that moved and then by the
    /// affected seat; negative if the affected seat gained ranks.
    ///
    /// For every seat i, its column adds up to the change in its rank: `rank_i(winner) - rank_i(predicted_winner) =
    /// sum_j ledger[j][i]`.
    pub ledger: BySeat<BySeat<i32>>,
    /// The plies, in order, at which the mover lost ranks by its own take while another seat gained some. Always empty
    /// in a game of two seats.
    pub kingmaking_plies: Vec<u32>,
    /// The first ply at which the take was not optimal, if any.
    pub first_error: Option<u32>,
    /// The comparison with the dealt rows; `None` if no rows were dealt, or if this is not the audit of a record.
    pub dealt: Option<Box<DealtAudit>>,
}

/// A comparison of one take with optimal play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlyAudit {
    /// The number of the take, from 0.
    pub ply: u32,
    /// The seat that moved.
    pub seat: Seat,
    /// The number of counters taken.
    pub take: u64,
    /// The number of counters in the pile in play before the take.
    pub counters: u64,
    /// The winner under optimal play before the take.
    pub predicted_before: Seat,
    /// The winner under optimal play after the take.
    pub predicted_after: Seat,
    /// The number of ranks that the take cost the mover in its own row, 0 to n-1; 0 if and only if the take is optimal.
    pub regret: u32,
    /// All takes that were optimal at this ply.
    pub optimal_takes: OptimalTakes,
    /// The effect of the take on the rank that the mover could guarantee itself.
    pub guarantee: TakeGuarantee,
    /// The class of the take, by its effect on the predicted and the guaranteed rank of the mover.
    pub safety: TakeSafety,
    /// Who moved for the seat.
    pub mover: Mover,
}

/// The summary of one seat; `rank_actual - rank_predicted = regret - luck`.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatAudit {
    /// The place of the predicted winner in the seat's row, 0 (best) to n-1.
    pub rank_predicted: u32,
    /// The rank that the seat could guarantee itself from the first position against all others together: 0 (best) to
    /// n-1, never better than `rank_predicted`.
    pub rank_guaranteed: u32,
    /// The place of the actual winner in the seat's row, 0 (best) to n-1.
    pub rank_actual: u32,
    /// `1 - rank_actual / (n - 1)`, from 0 to 1.
    pub satisfaction: f64,
    /// The number of ranks that the seat's own takes cost it.
    pub regret: u32,
    /// The number of ranks that the seat gained by the other seats' takes; negative if they cost it ranks.
    pub luck: i32,
    /// The share of the takes by the seat's own bot that were optimal, from 0 to 1; `None` if the bot made no take.
    pub accuracy: Option<f64>,
    /// The number of optimal takes by the seat's own bot.
    pub optimal_plies: u32,
    /// The number of takes by the seat's own bot; takes by the steward do not count.
    pub plies: u32,
    /// The numbers of risky takes and safe errors by the seat's own bot.
    pub safety: TakeSafetyCounts,
}

/// Why takes cannot be audited.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A take is against the rules.
    #[error("take {}: {error}", shown_number(*ply))]
    IllegalTake {
        /// The number of the take, from 0.
        ply: u32,
        /// Why the take is illegal.
        error: IllegalTake,
    },
    /// The takes do not finish the game.
    #[error(
        "the game is not over after {plies} take{s}: pile {pile} still has {counters} counter{c}",
        s = if *plies == 1 { "" } else { "s" },
        c = if *counters == 1 { "" } else { "s" }
    )]
    NotOver {
        /// The number of takes.
        plies: usize,
        /// The index of the last nonempty pile, from 0.
        pile: usize,
        /// The number of counters left in that pile.
        counters: u64,
    },
    /// There are too many takes.
    #[error("{0} takes: expected at most {MAX_PLIES} in an audit")]
    TooManyPlies(usize),
}

impl Audit {
    /// Audits a finished game, in time linear in the number of takes.
    ///
    /// # Errors
    /// If there are too many takes, a take is illegal, or the takes do not finish the game. The error names the first
    /// illegal take, or the counters that are left.
    pub fn of_finished(game: &Game, takes: &[PlayedTake]) -> Result<Self, AuditError> {
        let (audit, last) = Self::audit_replayed(game, takes)?;
        if last.is_over() {
            Ok(audit)
        } else {
            let (pile, counters) = (last.pile_index(), last.counters());
            Err(AuditError::NotOver { plies: takes.len(), pile, counters })
        }
    }

    /// Audits a game that may have stopped early. In that case, the seat that would win under optimal play from the
    /// last position counts as the winner.
    ///
    /// # Errors
    /// If there are too many takes, or a take is illegal. The error names the first illegal take.
    pub fn of_adjudicated(game: &Game, takes: &[PlayedTake]) -> Result<Self, AuditError> {
        Self::audit_replayed(game, takes).map(|(audit, _)| audit)
    }

    fn audit_replayed(game: &Game, takes: &[PlayedTake]) -> Result<(Self, Position), AuditError> {
        if takes.len() > MAX_PLIES {
            return Err(AuditError::TooManyPlies(takes.len()));
        }
        let solution = Solution::new(game);
        let guaranteed = BySeat::from_fn(game.matrix.seats(), |seat| GuaranteedRanks::of_seat(game, seat));
        let mut position = game.first_position();
        let mut predicted = solution.winner(&position);
        let mut plies = Vec::with_capacity(takes.len());
        for (ply, &PlayedTake { take, mover }) in (0..).zip(takes) {
            let (seat, counters) = (position.to_move(), position.counters());
            position.check_take(take).map_err(|error| AuditError::IllegalTake { ply, error })?;
            let optimal_takes = solution.optimal_takes(&position);
            let guarantee = TakeGuarantee::of_take(&guaranteed[seat], &position, take, &optimal_takes);
            position.take(take).expect("the take was checked");
            let predicted_before = predicted;
            predicted = solution.winner(&position);
            let rank = |winner| game.matrix.rank(seat, winner);
            let regret = rank(predicted).checked_sub(rank(predicted_before));
            let regret = regret.expect("no take leads to a better winner than optimal play") as u32;
            plies.push(PlyAudit {
                ply,
                seat,
                take,
                counters,
                predicted_before,
                predicted_after: predicted,
                regret,
                optimal_takes,
                guarantee,
                safety: guarantee.safety(regret, game.matrix.seats()),
                mover,
            });
        }
        let first = game.first_position();
        let guaranteed = guaranteed.map(|guaranteed| guaranteed.rank(&first));
        Ok((Self::of_plies(game, predicted, &guaranteed, plies), position))
    }

    fn of_plies(game: &Game, winner: Seat, guaranteed: &BySeat<u32>, plies: Vec<PlyAudit>) -> Self {
        let seats = game.matrix.seats();
        let predicted_winner = plies.first().map_or(winner, |first| first.predicted_before);
        let mut ledger = BySeat::filled(seats, &BySeat::filled(seats, &0));
        let mut kingmaking_plies = Vec::new();
        for ply in plies.iter().filter(|ply| !ply.is_optimal()) {
            let mut a_third_seat_gained = false;
            for seat in seats.iter() {
                let cost = ply.cost(game, seat);
                ledger[ply.seat][seat] += cost;
                a_third_seat_gained |= cost < 0 && seats.get() > 2;
            }
            if a_third_seat_gained {
                kingmaking_plies.push(ply.ply);
            }
        }
        let mut own_plies = BySeat::filled(seats, &SeatPlies::default());
        for ply in plies.iter().filter(|ply| ply.mover == Mover::Bot) {
            own_plies[ply.seat].add_ply(ply);
        }
        Self {
            winner,
            predicted_winner,
            seats: BySeat::from_fn(seats, |seat| {
                let winners = [predicted_winner, winner];
                SeatAudit::audit_seat(game, seat, winners, guaranteed[seat], &ledger, own_plies[seat])
            }),
            first_error: plies.iter().find(|ply| !ply.is_optimal()).map(|ply| ply.ply),
            plies,
            ledger,
            kingmaking_plies,
            dealt: None,
        }
    }

    /// Adds the comparison with the rows that were dealt to the seats of the audited game, if any.
    #[must_use]
    pub fn with_dealt_rows(mut self, game: &Game, dealt: Option<&AllianceMatrix>) -> Self {
        self.dealt = dealt.map(|dealt| Box::new(DealtAudit::of_audit(game, dealt.clone(), &self)));
        self
    }

    /// Returns the place of the winner in the row by which the seat scores, 0 (best) to n-1: its dealt row, if rows
    /// were dealt.
    pub fn rank_scored(&self, seat: Seat) -> u32 {
        self.dealt.as_ref().map_or(self.seats[seat].rank_actual, |dealt| dealt.seats[seat].rank_actual)
    }
}

impl PlyAudit {
    /// Returns whether the take was optimal.
    pub fn is_optimal(&self) -> bool {
        self.regret == 0
    }

    /// Returns the ranks that the take cost a seat; negative if it gained ranks.
    pub fn cost(&self, game: &Game, seat: Seat) -> i32 {
        let rank = |winner| game.matrix.rank(seat, winner) as u32;
        rank(self.predicted_after).cast_signed() - rank(self.predicted_before).cast_signed()
    }
}

impl fmt::Display for PlyAudit {
    /// Writes whether the take was optimal and, if not, what it cost and which takes were optimal. There is no full
    /// stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ply, seat, take, counters, predicted_before, predicted_after, optimal_takes, .. } = self;
        let whose = match self.mover {
            Mover::Bot => "",
            Mover::Steward => "'s steward",
        };
        write!(f, "take {}: seat {seat}{whose} took {take} of {counters}; ", shown_number(*ply))?;
        if self.is_optimal() {
            return write!(f, "that was optimal, and the predicted winner is still seat {predicted_after}");
        }
        let ranks = if self.regret == 1 { "rank" } else { "ranks" };
        write!(
            f,
            "the predicted winner changed from seat {predicted_before} to seat {predicted_after}, \
             a loss of {} {ranks} for seat {seat}; taking {optimal_takes} was optimal",
            self.regret
        )
    }
}

/// Counts of the takes that were made by a seat's own bot.
#[derive(Debug, Clone, Copy, Default)]
struct SeatPlies {
    optimal: u32,
    all: u32,
    safety: TakeSafetyCounts,
}

impl SeatPlies {
    fn add_ply(&mut self, ply: &PlyAudit) {
        self.optimal += u32::from(ply.is_optimal());
        self.all += 1;
        self.safety.add_take(ply.safety, ply.guarantee);
    }
}

impl SeatAudit {
    /// Creates the summary of one seat.
    ///
    /// # Panics
    /// If the seat's column of the ledger does not add up to the difference between the seat's predicted and actual
    /// ranks.
    fn audit_seat(
        game: &Game,
        seat: Seat,
        [predicted, actual]: [Seat; 2],
        rank_guaranteed: u32,
        ledger: &BySeat<BySeat<i32>>,
        SeatPlies { optimal: optimal_plies, all: plies, safety }: SeatPlies,
    ) -> Self {
        let [rank_predicted, rank_actual] =
            [predicted, actual].map(|winner| game.matrix.rank(seat, winner) as u32);
        let own = ledger[seat][seat];
        let all: i32 = ledger.iter().map(|costs| costs[seat]).sum();
        assert_eq!(
            all,
            rank_actual.cast_signed() - rank_predicted.cast_signed(),
            "the costs of all takes to seat {seat} add up to the change in its rank"
        );
        Self {
            rank_predicted,
            rank_guaranteed,
            rank_actual,
            satisfaction: 1.0 - f64::from(rank_actual) / f64::from(game.matrix.seats().get() as u32 - 1),
            regret: u32::try_from(own).expect("a regret is never negative"),
            luck: own - all,
            accuracy: (plies > 0).then(|| f64::from(optimal_plies) / f64::from(plies)),
            optimal_plies,
            plies,
            safety,
        }
    }
}
