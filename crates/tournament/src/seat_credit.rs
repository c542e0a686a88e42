//! The credit that the bot in a seat gets for a match.

use super::{MatchOutcome, SeatLoss};
use lastnim_core::{game::Seat, oracle::Audit};

/// The credit that the bot in a seat gets for a match. No other code decides whether the bot won and how satisfied it
/// is.
///
/// A lost seat has the last place, even if the steward won: the bot has not won, and its satisfaction is 0. Only
/// its own takes count in its accuracy and regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatCredit {
    /// Whether the bot attended. If it did not, the match counts as a forfeit in the standings, but does not count for
    /// the bot's ratings, skill and versions.
    pub attended: bool,
    /// Whether the bot kept its seat to the end.
    pub kept: bool,
    /// Whether the bot won.
    pub won: bool,
    /// The bot's satisfaction in units of 1 / (n - 1): 0 to n - 1.
    pub satisfaction_units: u32,
    /// The maximum of `satisfaction_units`: n - 1.
    pub max_satisfaction_units: u32,
}

impl SeatCredit {
    /// Returns the credit of a seat, given whether it won and the rank of the winner in the row by which it scores (0
    /// is best).
    pub fn new(seats: usize, won: bool, rank: u32, lost: Option<SeatLoss>) -> Self {
        let kept = lost.is_none();
        let max = (seats as u32).saturating_sub(1);
        Self {
            attended: lost != Some(SeatLoss::NoShow),
            kept,
            won: kept && won,
            satisfaction_units: if kept { max.saturating_sub(rank) } else { 0 },
            max_satisfaction_units: max,
        }
    }

    /// Returns the credit of a seat in an audited match.
    pub fn of_audit(audit: &Audit, seat: Seat, lost: Option<SeatLoss>) -> Self {
        let rank = audit.rank_scored(seat);
        Self::new(audit.seats.seats().get(), audit.winner == seat, rank, lost)
    }

    /// Returns the satisfaction, 0 to 1.
    pub fn satisfaction(self) -> f64 {
        f64::from(self.satisfaction_units) / f64::from(self.max_satisfaction_units.max(1))
    }
}

impl MatchOutcome {
    /// Returns the credit of a seat.
    pub fn credit(&self, seat: Seat) -> SeatCredit {
        let result = &self.seats[seat];
        SeatCredit::new(self.seats.seats().get(), self.winner == seat, result.rank_actual, result.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_by_the_steward_gives_no_credit() {
        let credit = |won, rank, lost| SeatCredit::new(3, won, rank, lost);
        let kept = credit(true, 1, None);
        assert_eq!((kept.attended, kept.kept, kept.won, kept.satisfaction()), (true, true, true, 0.5));
        assert_eq!(credit(false, 0, None).satisfaction_units, 2);
        let forfeited = credit(true, 0, Some(SeatLoss::Forfeited));
        let absent = credit(true, 0, Some(SeatLoss::NoShow));
        for lost in [forfeited, absent] {
            assert_eq!((lost.kept, lost.won, lost.satisfaction_units), (false, false, 0));
        }
        assert_eq!([forfeited.attended, absent.attended], [true, false]);
    }
}
