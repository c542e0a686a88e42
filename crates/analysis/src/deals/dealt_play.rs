//! What the takes of a match with dealt rows were worth.

use super::{Deal, believed_play::BelievedPlay, winner_with};
use lastnim_core::{
    game::{BySeat, Position, Seat},
    oracle::{Audit, PlyAudit, Solution},
};

/// A played match, judged by the dealt rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DealtPlay {
    /// For each seat, how much of the change in its rank is due to declarations, and how much to the takes of each
    /// seat.
    pub seats: BySeat<RankChangeParts>,
    /// The measures of each take.
    pub takes: Vec<DealtTake>,
}

/// The difference between a seat's rank at the end and its rank under optimal play with all dealt rows, split in two:
/// `rank_i(actual winner) - rank_i(v(D)) = [rank_i(v(d)) - rank_i(v(D))] + [sum of play]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankChangeParts {
    /// The rank of the actual winner, 0 to n-1.
    pub rank_actual: u32,
    /// The rank of `v(D)`, the winner if every seat had declared its dealt row, 0 to n-1.
    pub rank_truthful: u32,
    /// What all declarations together cost the seat: `rank_i(v(d)) - rank_i(v(D))`, in ranks, -(n-1) to n-1.
    pub declarations: i32,
    /// What the takes of each seat cost this seat, in ranks: the ledger of the audit with the declared rows, counted
    /// in this seat's dealt row.
    pub play: BySeat<i32>,
}

/// What a take was worth to its mover, and whether the mover played for its declared row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DealtTake {
    /// The number of the take, from 0.
    pub ply: u32,
    /// The mover, i.
    pub seat: Seat,
    /// The regret in ranks of `D_i`, 0 to n-1, if the others know the mover's dealt row: what the take cost the mover
    /// under optimal play for `(D_i, d_-i)`.
    pub regret_if_known: u32,
    /// The regret in ranks of `D_i`, 0 to n-1, if the others believe the mover's declared row and make takes that are
    /// optimal for d: what the take cost the mover compared with its best reply. Among several optimal takes the others
    /// choose the one that is worst for the mover, so the regret compares ranks that the mover can be sure of.
    pub regret_if_believed: u32,
    /// Whether the take is optimal for the mover's declared row, for its dealt row, for both or for neither.
    pub word: TakeFaithfulness,
}

/// Whether a take is optimal for the mover's declared row, for its dealt row, for both or for neither. The rows of the
/// others are the declared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TakeFaithfulness {
    /// The take is optimal for the declared row alone.
    Kept,
    /// The take is optimal for the dealt row alone.
    Broken,
    /// The take is optimal for neither row.
    Error,
    /// The take is optimal for both rows.
    SaysNothing,
}

impl DealtPlay {
    /// Judges a match by its dealt rows.
    ///
    /// # Panics
    /// If the audit is not one of [`Deal::declared_game`].
    pub fn judge(deal: &Deal, audit: &Audit) -> Self {
        let (game, seats) = (deal.dealt_game(), deal.dealt().seats());
        let declared_winner = winner_with(game, deal.declared());
        assert_eq!(audit.predicted_winner, declared_winner, "the audit is one of the declared game");
        let truthful_winner = winner_with(game, deal.dealt());
        let parts = |seat| RankChangeParts::of_seat(deal, seat, [truthful_winner, declared_winner], audit);
        let declared = Solution::new(&deal.declared_game());
        let movers = BySeat::from_fn(seats, |seat| MoverSolutions {
            if_truthful: Solution::new(&deal.game_if_truthful(seat)),
            believed: BelievedPlay::new(deal, seat),
        });
        let mut position = game.first_position();
        let takes = audit.plies.iter().map(|ply| {
            let before = position.clone();
            position.take(ply.take).expect("the audit is one of the declared game");
            judge_take(deal, ply, [&before, &position], &declared, &movers[ply.seat])
        });
        Self { seats: BySeat::from_fn(seats, parts), takes: takes.collect() }
    }
}

impl RankChangeParts {
    fn of_seat(deal: &Deal, seat: Seat, [truthful, declared]: [Seat; 2], audit: &Audit) -> Self {
        let rank = |winner| deal.dealt().rank(seat, winner) as u32;
        let mut play = BySeat::filled(deal.dealt().seats(), &0);
        for ply in &audit.plies {
            play[ply.seat] += ply.cost(deal.dealt_game(), seat);
        }
        let parts = Self {
            rank_actual: rank(audit.winner),
            rank_truthful: rank(truthful),
            declarations: rank(declared).cast_signed() - rank(truthful).cast_signed(),
            play,
        };
        assert!(
            parts.add_up(),
            "declarations and takes add up to the change in the rank of seat {seat}: {parts:?}"
        );
        parts
    }

    /// Returns whether the parts add up to the difference between the two ranks.
    pub fn add_up(&self) -> bool {
        let change = self.rank_actual.cast_signed() - self.rank_truthful.cast_signed();
        change == self.declarations + self.play.iter().sum::<i32>()
    }
}

/// The solutions by which the takes of one seat are judged.
struct MoverSolutions {
    if_truthful: Solution,
    believed: BelievedPlay,
}

fn judge_take(
    deal: &Deal,
    ply: &PlyAudit,
    [before, after]: [&Position; 2],
    declared: &Solution,
    mover: &MoverSolutions,
) -> DealtTake {
    let [rank_before, rank_after] =
        [before, after].map(|position| deal.dealt().rank(ply.seat, mover.if_truthful.winner(position)));
    let [sure_before, sure_after] = [before, after].map(|position| mover.believed.rank(position));
    let is_optimal = |solution: &Solution| solution.optimal_takes(before).contains(ply.take);
    DealtTake {
        ply: ply.ply,
        seat: ply.seat,
        regret_if_known: (rank_after - rank_before) as u32,
        regret_if_believed: u32::from(sure_after - sure_before),
        word: match (is_optimal(declared), is_optimal(&mover.if_truthful)) {
            (true, true) => TakeFaithfulness::SaysNothing,
            (true, false) => TakeFaithfulness::Kept,
            (false, true) => TakeFaithfulness::Broken,
            (false, false) => TakeFaithfulness::Error,
        },
    }
}
