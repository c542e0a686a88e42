//! What a bot expects the other seats to want and to declare.

use lastnim_client::MatchInfo;
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Pact, PartialRow, Row, Seat, SeatCount},
    oracle::solve_winners,
    referee::{DealRule, MatchSetup},
};
use lastnim_tournament::SeededDraw;
use std::{mem, slice};

/// The maximum number of rows that a bot considers declaring, in addition to one that it would declare anyway.
const MAX_ROWS: usize = 120;
/// The minimum number of drawn matrices in an outlook.
pub(super) const MIN_MATRICES: usize = 4;
/// The maximum number of matrices in an outlook.
const MAX_MATRICES: usize = 144;
/// The approximate maximum number of steps of the oracle for a decision; a game of N piles and n seats takes N n².
pub(super) const MAX_STEPS: usize = 4_000_000;

/// How far a bot believes the rows that others claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Belief {
    /// Not at all.
    Never,
    /// It thinks that half of the seats claim their dealt row, and that the others claim any row that the deal could give
    /// them. So a claim of a row that the deal can give is true with a probability of one half; otherwise it says nothing.
    Half,
    /// Every claim, also of a row that the deal cannot give.
    Always,
}

/// The rows that a bot expects the seats to want: equally likely matrices, in which its own row is the honest one.
///
/// The rows of other seats follow from the rule of the deal and from the claims that the bot has heard. If at most 144
/// combinations of rows are possible, these are all of them, otherwise they are drawn.
pub(super) struct Outlook<'a> {
    game: &'a MatchInfo,
    matrices: Vec<AllianceMatrix>,
}

/// Returns the approximate number of steps that one solution of the game takes.
pub(super) fn steps_of_solution(game: &MatchInfo) -> usize {
    game.piles.as_slice().len() * game.seats().get().pow(2)
}

/// Creates the random number generator for a bot's decisions before a match is played, from the seed, the match and the
/// seat.
pub(super) fn draw_of_match(game: &MatchInfo, seed: u64) -> SeededDraw {
    let number = game.origin.as_ref().map_or(0, |origin| origin.number);
    let numbers = [seed, number, game.seat.index() as u64].into_iter();
    SeededDraw::from_numbers(numbers.chain(game.piles.as_slice().iter().copied()))
}

impl<'a> Outlook<'a> {
    /// Creates the outlook of a bot to which a row was dealt by this rule. The bot takes `steps` steps for each matrix;
    /// there are as many matrices as [`MAX_STEPS`] allows, but at least [`MIN_MATRICES`] or all.
    pub(super) fn new(
        game: &'a MatchInfo,
        rule: &DealRule,
        belief: Belief,
        steps: usize,
        draw: &mut SeededDraw,
    ) -> Self {
        let (seats, honest) = (game.seats(), game.honest_row());
        let max = (MAX_STEPS / steps).clamp(MIN_MATRICES, MAX_MATRICES);
        let all = combinations(seats, max, |seat| {
            if seat == game.seat {
                Some(vec![honest.clone()])
            } else {
                rows_of(game, rule, belief, seat, max)
            }
        });
        let rows = all.unwrap_or_else(|| {
            let mut draw_row = |seat| match believed_claim(game, rule, belief, seat) {
                _ if seat == game.seat => honest.clone(),
                Some(claim) if belief == Belief::Always || draw.number_below(2) == 0 => claim.clone(),
                _ => rule.draw_row(seats, |n| draw.number_below(n)),
            };
            (0..max).map(|_| BySeat::from_fn(seats, &mut draw_row)).collect()
        });
        let matrix = |rows| AllianceMatrix::from_rows(rows).expect("all rows have the same length");
        Self { game, matrices: rows.into_iter().map(matrix).collect() }
    }

    /// Replaces the row of a seat by the nearest one that keeps a promise.
    pub(super) fn keep_promise(&mut self, seat: Seat, promise: &PartialRow) {
        for matrix in &mut self.matrices {
            let row = promise.nearest_row(&matrix[seat]);
            *matrix = matrix.clone().with_row(seat, row);
        }
    }

    /// Returns the winner for each matrix if all seats declare the rows that they have in it.
    pub(super) fn winners(&self) -> Vec<Seat> {
        self.winners_with(&self.matrices)
    }

    /// Returns the winner for each matrix if the members of a pact declare the nearest rows that keep it.
    pub(super) fn winners_if_kept(&self, pact: &Pact) -> Vec<Seat> {
        let keep = |matrix: &AllianceMatrix| {
            pact.members().iter().fold(matrix.clone(), |kept, member| {
                kept.with_row(member.seat, member.constraint.nearest_row(&matrix[member.seat]))
            })
        };
        self.winners_with(&self.matrices.iter().map(keep).collect::<Vec<_>>())
    }

    /// Returns the winners under optimal play with these declared matrices.
    fn winners_with(&self, declared: &[AllianceMatrix]) -> Vec<Seat> {
        let MatchSetup { piles, ending, first, .. } = &self.game.setup;
        declared.iter().map(|matrix| solve_winners(piles, matrix, *ending)[*first]).collect()
    }

    /// Returns the sum of the ranks of these winners, one for each matrix, in the row that a seat has in the matrix.
    pub(super) fn total_rank(&self, seat: Seat, winners: &[Seat]) -> usize {
        self.matrices.iter().zip(winners).map(|(matrix, &winner)| matrix.rank(seat, winner)).sum()
    }

    /// Returns the best of these rows for the bot to declare: the first with the best expected rank in its honest row.
    ///
    /// # Panics
    /// If there are no rows.
    pub(super) fn best_row(&self, rows: impl IntoIterator<Item = Row>) -> Row {
        let own = self.game.seat;
        let mut declared = self.matrices.clone();
        let rank = |row: &Row| {
            let others = mem::take(&mut declared).into_iter();
            declared = others.map(|matrix| matrix.with_row(own, row.clone())).collect();
            self.total_rank(own, &self.winners_with(&declared))
        };
        rows.into_iter().min_by_key(rank).expect("there is a row to declare")
    }
}

/// Returns the row that a seat has claimed, if the bot thinks that it may be true.
fn believed_claim<'a>(game: &'a MatchInfo, rule: &DealRule, belief: Belief, seat: Seat) -> Option<&'a Row> {
    game.last_claim(seat).filter(|&claim| match (belief, rule) {
        (Belief::Never, _) => false,
        (Belief::Always, _) | (Belief::Half, DealRule::All) => true,
        (Belief::Half, DealRule::SelfFirst) => claim.offsets()[0] == 0,
        (Belief::Half, DealRule::List(rows)) => rows.contains(claim),
    })
}

/// Returns the equally likely rows of another seat, in which a claimed row can be repeated; `None` if there are more
/// than `max`.
fn rows_of(game: &MatchInfo, rule: &DealRule, belief: Belief, seat: Seat, max: usize) -> Option<Vec<Row>> {
    let claim = believed_claim(game, rule, belief, seat);
    if let (Belief::Always, Some(claim)) = (belief, claim) {
        return Some(vec![claim.clone()]);
    }
    let unknown = PartialRow::unknown(game.seats());
    let mut rows = match rule {
        DealRule::All => rows_within(&unknown, max)?,
        DealRule::SelfFirst => rows_within(&ranking_first(game.seats(), 0), max)?,
        DealRule::List(rows) => rows.clone(),
    };
    if let Some(claim) = claim {
        rows.resize(2 * rows.len(), claim.clone());
    }
    if rows.iter().all(|row| *row == rows[0]) {
        rows.truncate(1);
    }
    Some(rows).filter(|rows| rows.len() <= max)
}

/// Returns all combinations of the rows of each seat; `None` if there are more than `max`.
fn combinations(
    seats: SeatCount,
    max: usize,
    mut rows_of: impl FnMut(Seat) -> Option<Vec<Row>>,
) -> Option<Vec<BySeat<Row>>> {
    let mut all: Vec<Vec<Row>> = vec![Vec::new()];
    for seat in seats.iter() {
        let rows = rows_of(seat)?;
        if all.len() * rows.len() > max {
            return None;
        }
        let longer = all.iter().flat_map(|one| rows.iter().map(|row| [one, slice::from_ref(row)].concat()));
        all = longer.collect();
    }
    Some(all.into_iter().map(|rows| rows.try_into().expect("one row for each seat")).collect())
}

/// Returns the partial row that ranks an offset first.
pub(super) fn ranking_first(seats: SeatCount, first: usize) -> PartialRow {
    (0..seats.get()).filter(|&other| other != first).fold(PartialRow::unknown(seats), |known, other| {
        known.with_preference(first, other).expect("nothing is preferred to the first")
    })
}

/// Returns all rows that keep a promise; `None` if there are more than `max`.
fn rows_within(promise: &PartialRow, max: usize) -> Option<Vec<Row>> {
    let rows: Vec<_> = promise.rows().take(max + 1).collect();
    (rows.len() <= max).then_some(rows)
}

/// Returns the rows to consider: all that keep the promise if there are at most as many as the bot can consider,
/// otherwise drawn ones, each changed into the nearest row that keeps the promise.
pub(super) fn rows_to_consider(game: &MatchInfo, promise: &PartialRow, draw: &mut SeededDraw) -> Vec<Row> {
    let max = (MAX_STEPS / steps_of_solution(game) / 64).clamp(4, MAX_ROWS);
    rows_within(promise, max).unwrap_or_else(|| {
        let mut draw_row = || DealRule::All.draw_row(game.seats(), |n| draw.number_below(n));
        (0..max).map(|_| promise.nearest_row(&draw_row())).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{practice_games::random_game, practice_talk::dealt_info};
    use lastnim_client::{TalkContent, TalkMessage};
    use lastnim_core::game::SeatSet;

    /// Returns the rows of seat 1 in an outlook of seat 0, after seat 1 has claimed a row.
    fn rows_after(claim: &[u64], rule: &DealRule, belief: Belief) -> Vec<String> {
        let game = random_game(1, 3, 2, 4);
        let seats = game.matrix.seats();
        let seat = seats.seat(1).unwrap();
        let content = TalkContent::Claim(Row::parse(claim, seats).unwrap());
        let claim = TalkMessage { seat, round: 0, number: 0, to: SeatSet::default(), content };
        let info = dealt_info(&game, rule, Seat::FIRST, &[claim]);
        let outlook = Outlook::new(&info, rule, belief, 1, &mut draw_of_match(&info, 1));
        assert!(outlook.matrices.iter().all(|matrix| matrix[Seat::FIRST] == game.matrix[Seat::FIRST]));
        outlook.matrices.iter().map(|matrix| matrix[seat].to_string()).collect()
    }

    #[test]
    fn claims_are_believed_at_a_known_rate() {
        let share =
            |rows: &[String], claim: &str| (rows.iter().filter(|row| *row == claim).count(), rows.len());
        let claim = &[2, 0, 1];
        // Seat 2 is silent, and has one of six rows.
        let rate = |rule, belief| share(&rows_after(claim, rule, belief), "2 0 1");
        assert_eq!(rate(&DealRule::All, Belief::Never), (6, 36));
        assert_eq!(
            rate(&DealRule::All, Belief::Half),
            (7 * 6, 72),
            "one half, and a sixth of the other half"
        );
        assert_eq!(rate(&DealRule::All, Belief::Always), (6, 6));
        assert_eq!(rate(&DealRule::SelfFirst, Belief::Half), (0, 4), "the deal cannot give this row");
        assert_eq!(rate(&DealRule::SelfFirst, Belief::Always), (2, 2));
        let one = DealRule::List(vec![Row::parse(claim, SeatCount::new(3).unwrap()).unwrap()]);
        assert_eq!(rate(&one, Belief::Half), (1, 1));
    }

    #[test]
    fn many_combinations_are_drawn() {
        let game = random_game(1, 5, 2, 4);
        let info = dealt_info(&game, &DealRule::All, Seat::FIRST, &[]);
        let matrices = |steps, seed| {
            Outlook::new(&info, &DealRule::All, Belief::Half, steps, &mut draw_of_match(&info, seed)).matrices
        };
        assert_eq!(matrices(1, 1).len(), MAX_MATRICES);
        assert_eq!(matrices(MAX_STEPS, 1).len(), MIN_MATRICES);
        assert_eq!(matrices(1, 1), matrices(1, 1));
        assert_ne!(matrices(1, 1), matrices(1, 2));
    }

    #[test]
    fn few_rows_are_all_considered_and_many_are_drawn() {
        let considered = |seats: usize, promise: Option<(usize, usize)>| {
            let game = random_game(1, seats, 2, 4);
            let info = dealt_info(&game, &DealRule::All, Seat::FIRST, &[]);
            let unknown = PartialRow::unknown(info.seats());
            let promise =
                promise.map_or(unknown, |(one, other)| unknown.with_preference(one, other).unwrap());
            let rows = rows_to_consider(&info, &promise, &mut draw_of_match(&info, 1));
            assert!(rows.iter().all(|row| promise.admits(row)));
            rows.len()
        };
        assert_eq!([considered(4, None), considered(4, Some((2, 1)))], [24, 12]);
        assert_eq!([considered(6, None), considered(6, Some((2, 1)))], [MAX_ROWS; 2]);
    }
}
