//! Compares the winner that a bot says it wants with the row that it declared.

use super::{
    AuditedMatch, Estimate, audited_match::BotPly, declaration_counterfactuals::winner_with_row,
    grouped_sums::GroupedSums,
};
use lastnim_core::game::{Row, Seat};

const PLIES: usize = 0;
const REGRET: usize = 1;
const WANTED_REGRET: usize = 2;
const MISDECLARED: usize = 3;
/// The index of the number of ranks, by the wanted row, that declaring a different row gained under optimal play.
const GAIN: usize = 4;
const SUM_COUNT: usize = 5;

/// The play of a bot that says, without telling the other seats, which seat it wants to win.
///
/// Its **wanted row** is the declared row with this seat moved to the front: nothing more is known of its wishes. Takes
/// are judged by the winners that they lead to if all seats then play optimally for the declared rows.
#[derive(Debug, Clone)]
pub struct WishTally {
    sums: GroupedSums<SUM_COUNT>,
    counts: WishCounts,
}

/// Counts of the matches in which a bot declared a row other than its wanted row, and of the takes at which the two
/// rows were in conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WishCounts {
    /// Number of matches in which the declared row did not put the wanted seat first.
    pub misdeclared: u64,
    /// Number of misdeclared matches in which the declared row, under optimal play, led to a winner that the wanted row
    /// ranks better than the winner that declaring the wanted row would have led to.
    pub gained: u64,
    /// Number of misdeclared matches in which the declared row, under optimal play, led to a winner that the wanted row
    /// ranks worse than the winner that declaring the wanted row would have led to.
    pub lost: u64,
    /// Number of misdeclared matches that the wanted seat won.
    pub won: u64,
    /// Number of misdeclared matches that the wanted seat would have won under optimal play if the bot had declared its
    /// wanted row.
    pub would_have_won: u64,
    /// Number of selected takes at which the bot could make the wanted seat win, but the declared row preferred another
    /// available winner.
    pub conflicts: u64,
    /// Number of takes in conflict that led to the winner that the declared row prefers: the bot acted on its
    /// declaration.
    pub kept: u64,
    /// Number of takes in conflict that led to a win of the wanted seat: the bot acted on its wish, against its
    /// declaration.
    pub broken: u64,
}

/// Figures of a bot that says what it wants, over the matches in which it did.
#[derive(Debug, Clone, PartialEq)]
pub struct WishFigures {
    /// Number of selected takes.
    pub plies: u64,
    /// The mean number of ranks, by the declared row, that a selected take cost the bot; `None` without takes.
    pub regret_per_ply: Option<Estimate>,
    /// The mean number of ranks, by the wanted row, that a selected take cost the bot; `None` without takes.
    pub wanted_regret_per_ply: Option<Estimate>,
    /// The mean number of ranks of the wanted row that the bot gained by declaring another row: how much better the
    /// winner under optimal play was with the declared row than with the wanted row. The mean is over the matches in
    /// which the two rows differed; `None` without such a match.
    pub gain_per_match: Option<Estimate>,
    /// The counts of matches and takes.
    pub counts: WishCounts,
}

impl WishTally {
    /// Creates an empty tally; the seed is for the bootstrap that gives the intervals.
    pub fn new(seed: u64) -> Self {
        Self { sums: GroupedSums::new(seed), counts: WishCounts::default() }
    }

    /// Adds a match with declared rows in which the bot at `seat` wanted the seat `wanted` to win. Of the takes that
    /// the bot made itself, only those whose numbers `is_selected` accepts count.
    ///
    /// # Panics
    /// If the audit belongs to another game.
    pub fn add_match(
        &mut self,
        game: &AuditedMatch<'_>,
        seat: Seat,
        wanted: Seat,
        is_selected: impl Fn(u32) -> bool,
    ) {
        let declared = &game.game.matrix[seat];
        let row = wanted_row(declared, seat, wanted);
        let rank = |winner| i64::try_from(row.rank(seat, winner)).expect("a rank is below 32");
        let mut sums = [0; SUM_COUNT];
        game.visit_bot_plies(
            |mover| mover == seat,
            |ply| {
                if is_selected(ply.audit.ply) {
                    let best = ply.outcomes.iter().map(|&(winner, _)| rank(winner)).min();
                    sums[PLIES] += 1;
                    sums[REGRET] += i64::from(ply.audit.regret);
                    sums[WANTED_REGRET] += best.map_or(0, |best| rank(ply.audit.predicted_after) - best);
                    self.counts.add_ply(&ply, wanted);
                }
            },
        );
        if row != *declared {
            let offsets: Vec<u64> = row.offsets().iter().map(|&offset| offset.into()).collect();
            let (told, truthful) = (game.audit.predicted_winner, winner_with_row(game, seat, &offsets));
            let gain = rank(truthful) - rank(told);
            sums[MISDECLARED] = 1;
            sums[GAIN] = gain;
            self.counts.misdeclared += 1;
            self.counts.gained += u64::from(gain > 0);
            self.counts.lost += u64::from(gain < 0);
            self.counts.won += u64::from(game.audit.winner == wanted);
            self.counts.would_have_won += u64::from(truthful == wanted);
        }
        self.sums.add_part(game.group, &sums);
    }

    /// Returns the figures.
    pub fn into_figures(mut self) -> WishFigures {
        self.sums.close_group();
        let ratio = |above, below| self.sums.ratio_estimator(above, below, 1.0);
        WishFigures {
            plies: u64::try_from(self.sums.sum(PLIES)).expect("a count is not negative"),
            regret_per_ply: ratio(REGRET, PLIES).map(|sums| sums.estimate_rank_rate()),
            wanted_regret_per_ply: ratio(WANTED_REGRET, PLIES).map(|sums| sums.estimate_rank_rate()),
            gain_per_match: ratio(GAIN, MISDECLARED).map(|sums| sums.estimate_signed_mean()),
            counts: self.counts,
        }
    }
}

impl WishCounts {
    fn add_ply(&mut self, ply: &BotPly<'_>, wanted: Seat) {
        let best = ply.audit.predicted_before;
        if best != wanted && ply.outcomes.iter().any(|&(winner, _)| winner == wanted) {
            self.conflicts += 1;
            self.kept += u64::from(ply.audit.predicted_after == best);
            self.broken += u64::from(ply.audit.predicted_after == wanted);
        }
    }
}

/// Returns the declared row of a seat with the wanted seat moved to the front.
fn wanted_row(declared: &Row, seat: Seat, wanted: Seat) -> Row {
    let seats = declared.seats();
    let first = seats.distance_between(seat, wanted) as u64;
    let others = declared.offsets().iter().map(|&offset| u64::from(offset)).filter(|&offset| offset != first);
    let offsets: Vec<u64> = [first].into_iter().chain(others).collect();
    Row::parse(&offsets, seats).expect("each offset occurs once")
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "the compared numbers are small and exact")]
mod tests {
    use super::*;
    use crate::{EstimateInterval, MatchGroup, RowSource};
    use lastnim_core::{
        game::{BySeat, Ending, Game, MatchId, TournamentId},
        oracle::{Audit, PlayedTake, Solution},
    };

    const ROW: [u64; 3] = [0, 2, 1];
    const OTHERS: [[u64; 3]; 2] = [[0, 1, 2], [0, 2, 1]];
    const PILES: [u64; 3] = [1, 2, 2];
    /// The first take costs seat 0 a rank.
    const TAKES: [u64; 4] = [2, 1, 1, 1];

    fn game_with(row: &[u64], others: [[u64; 3]; 2], piles: &[u64]) -> Game {
        let rows = [row, &others[0], &others[1]].map(<[u64]>::to_vec);
        Game::parse(piles, &rows, 0, Ending::ToMoveWins).unwrap()
    }

    fn audit_of(game: &Game, takes: &[u64]) -> Audit {
        Audit::of_finished(game, &takes.iter().map(|&take| PlayedTake::by_bot(take)).collect::<Vec<_>>())
            .unwrap()
    }

    /// Returns the figures of the bot at seat 0, which wants the seat `wanted` to win, over this many identical groups.
    fn figures_of(game: &Game, takes: &[u64], wanted: usize, groups: u64) -> WishFigures {
        let (seats, audit) = (game.matrix.seats(), audit_of(game, takes));
        let mut tally = WishTally::new(1);
        for number in 0..groups {
            let tournament = TournamentId::new(1, &[0; 10]);
            let played = AuditedMatch {
                id: MatchId::new(number, &[0; 10]),
                group: MatchGroup::Duplicate { tournament, number },
                bots: &BySeat::from_fn(seats, |seat| format!("b{}", seat.index()).parse().unwrap()),
                game,
                rows: RowSource::Declared,
                audit: &audit,
                lost: &BySeat::filled(seats, &None),
                versions: &[],
                time_left_percent: &[],
                talk: None,
            };
            tally.add_match(&played, Seat::FIRST, seats.seat(wanted).unwrap(), |_| true);
        }
        tally.into_figures()
    }

    #[test]
    fn a_wish_that_matches_the_declared_row_changes_no_figure() {
        let found = figures_of(&game_with(&ROW, OTHERS, &PILES), &TAKES, 0, 12);
        assert_eq!((found.counts, found.gain_per_match), (WishCounts::default(), None));
        assert_eq!(found.regret_per_ply, found.wanted_regret_per_ply);
        assert!(found.regret_per_ply.unwrap().value > 0.0, "{found:?}");
    }

    #[test]
    fn a_take_for_a_hidden_wish_counts_as_a_broken_declaration() {
        let game = game_with(&ROW, OTHERS, &PILES);
        let helped = audit_of(&game, &TAKES).plies[0].predicted_after;
        assert_ne!(helped, Seat::FIRST);
        let found = figures_of(&game, &TAKES, helped.index(), 12);
        assert!(found.regret_per_ply.unwrap().value > 0.0, "{found:?}");
        assert_eq!(found.wanted_regret_per_ply.unwrap().value, 0.0, "{found:?}");
        let WishCounts { misdeclared, conflicts, kept, broken, .. } = found.counts;
        assert_eq!((misdeclared, conflicts, kept, broken), (12, 12, 0, 12));
        let gain = found.gain_per_match.unwrap();
        assert!(matches!(gain.interval, EstimateInterval::Between { .. }), "{gain:?}");
        // With a different first take, the bot acts on its declaration.
        let optimal = Solution::new(&game).winners_after(&game.first_position());
        let kept = optimal.iter().find(|(_, winner)| *winner != helped).unwrap().0.lo;
        let rest = vec![1; usize::try_from(PILES.iter().sum::<u64>() - kept).unwrap()];
        let found = figures_of(&game, &[vec![kept], rest].concat(), helped.index(), 1);
        assert!(found.counts.kept > 0, "{found:?}");
    }

    #[test]
    fn the_gain_compares_both_declarations_under_optimal_play() {
        let others = [[1, 2, 0], [1, 0, 2]];
        let mut signs = [0; 3];
        for piles in [[3, 2, 1], [2, 2, 3], [1, 4, 2]] {
            for declared in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                for wanted in 0..3 {
                    let after = declared.into_iter().filter(|&offset| offset != wanted);
                    let row: Vec<u64> = [wanted].into_iter().chain(after).collect();
                    let takes = vec![1; usize::try_from(piles.iter().sum::<u64>()).unwrap()];
                    let found = figures_of(
                        &game_with(&declared, others, &piles),
                        &takes,
                        usize::try_from(wanted).unwrap(),
                        1,
                    );
                    if row == declared {
                        assert_eq!(found.counts.misdeclared, 0);
                        continue;
                    }
                    let [told, truthful] = [&declared[..], &row].map(|row| {
                        let game = game_with(row, others, &piles);
                        Solution::new(&game).winner(&game.first_position()).index() as u64
                    });
                    let rank = |winner| row.iter().position(|&seat| seat == winner).unwrap();
                    let (told_rank, truthful_rank) = (rank(told), rank(truthful));
                    let counts = found.counts;
                    let [gained, lost] =
                        [told_rank < truthful_rank, told_rank > truthful_rank].map(u64::from);
                    assert_eq!(
                        (counts.misdeclared, counts.gained, counts.lost),
                        (1, gained, lost),
                        "{piles:?}"
                    );
                    assert_eq!(counts.would_have_won, u64::from(truthful == wanted), "{piles:?}");
                    let gain = found.gain_per_match.unwrap().value;
                    assert_eq!(gain, truthful_rank as f64 - told_rank as f64, "{piles:?}");
                    signs[usize::from(gained > 0) + 2 * usize::from(lost > 0)] += 1;
                }
            }
        }
        assert!(
            signs.iter().all(|&count| count > 0),
            "each declaration must be better in some game: {signs:?}"
        );
    }
}
