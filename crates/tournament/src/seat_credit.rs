//! What a match counts for the bot of a seat.

use super::{MatchOutcome, SeatLoss};
use lastnim_core::{game::Seat, oracle::Audit};

/// What a match counts for the bot of a seat: the one definition of its win and its satisfaction, wherever these are shown.
///
/// A seat that was lost has the last place, whatever the steward made of it: the bot has not won, and is not satisfied. Its
/// own takes, and they alone, count in its accuracy and its regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatCredit {
    /// Whether the bot came: one that never did forfeits the match, and nothing else follows of it.
    pub attended: bool,
    /// Whether it kept its seat to the end.
    pub kept: bool,
    /// Whether it won.
    pub won: bool,
    /// Its satisfaction, in units of 1 / (n - 1): 0 to n - 1.
    pub satisfaction_units: u32,
    /// The most that this can be: n - 1.
    pub satisfaction_most: u32,
}

impl SeatCredit {
    /// Returns what a match in which the seat won, or which ended so well for it by its row (`rank` 0 is best), counts for its bot.
    pub fn new(seats: usize, won: bool, rank: u32, lost: Option<SeatLoss>) -> Self {
        let kept = lost.is_none();
        let most = (seats as u32).saturating_sub(1);
        Self {
            attended: lost != Some(SeatLoss::NoShow),
            kept,
            won: kept && won,
            satisfaction_units: if kept { most.saturating_sub(rank) } else { 0 },
            satisfaction_most: most,
        }
    }

    /// Returns what an audited match counts for the bot of a seat, which may have been lost.
    pub fn of_audit(audit: &Audit, seat: Seat, lost: Option<SeatLoss>) -> Self {
        let rank = audit.seats[seat].rank_actual;
        Self::new(audit.seats.seats().get(), audit.winner == seat, rank, lost)
    }

    /// Returns the satisfaction, 0 to 1.
    pub fn satisfaction(self) -> f64 {
        f64::from(self.satisfaction_units) / f64::from(self.satisfaction_most.max(1))
    }
}

impl MatchOutcome {
    /// Returns what the match counts for the bot of a seat.
    pub fn credit(&self, seat: Seat) -> SeatCredit {
        let result = &self.seats[seat];
        SeatCredit::new(self.seats.seats().get(), self.winner == seat, result.rank_actual, result.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_steward_won_counts_for_nobody() {
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
