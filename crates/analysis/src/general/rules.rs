//! What a game has to say about itself to be solved.

use lastnim_core::game::Seat;
use std::{
    fmt::{Debug, Display},
    hash::Hash,
};

/// The rules of a game in which seats move in turn and every play ends.
///
/// Who is to move is no part of a position: the solver keeps an answer for every seat. The game is over when the seat to
/// move has no option, and an [`Ending`](lastnim_core::game::Ending) says who has won then.
pub trait Rules {
    /// On whom the options depend: [`Anyone`] in an impartial game, [`End`] in a partizan one.
    type MoverKind: Mover;
    /// Everything that the options of a position depend on.
    type Position: Clone + Eq + Hash + Debug + Display;
    /// What is done, in words.
    type Move: Clone + Eq + Hash + Debug + Display;

    /// Whether positions are sums: a position is then solved for two by its [`independent_parts`](Self::independent_parts).
    const IS_SUM: bool = false;

    /// Returns every move of a mover and the position that it leads to.
    ///
    /// A move may come up more than once.
    fn moves(
        &self,
        position: Self::Position,
        mover: Self::MoverKind,
    ) -> impl Iterator<Item = (Self::Move, Self::Position)>;

    /// Returns the position that stands for all positions with the same play.
    ///
    /// Sound for any number of seats are: to sort piles that can be interchanged, to drop what nobody can move in, and
    /// the symmetries of the board. Unsound for three seats or more are: the nim-sum, to cancel equal piles, and to
    /// replace a part by its Grundy value.
    fn canonical_position(&self, position: Self::Position) -> Self::Position;

    /// Returns the parts, each canonical, of which the position is the sum: a move is a move in one of them.
    ///
    /// A position that is no sum is its own only part.
    fn independent_parts(&self, position: &Self::Position) -> Vec<Self::Position> {
        vec![self.canonical_position(position.clone())]
    }

    /// Returns the Grundy value of a part, where a formula for it is known.
    fn grundy_by_formula(&self, _part: &Self::Position) -> Option<u32> {
        None
    }

    /// Returns about how many bytes a position takes besides its own size.
    fn position_heap_bytes(&self, position: &Self::Position) -> usize;
}

/// On whom the options of a position depend.
pub trait Mover: Copy + Eq + Debug + 'static {
    /// Every mover.
    const ALL: &'static [Self];

    /// Returns as whom a seat moves.
    fn of_seat(seat: Seat) -> Self;
}

/// The mover of an impartial game: all have the same options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anyone;

impl Mover for Anyone {
    const ALL: &'static [Self] = &[Self];

    fn of_seat(_: Seat) -> Self {
        Self
    }
}

/// The mover of a partizan game that is played from two ends: seats 0, 2, .. are Left, seats 1, 3, .. are Right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// An even seat.
    Left,
    /// An odd seat.
    Right,
}

impl Mover for End {
    const ALL: &'static [Self] = &[Self::Left, Self::Right];

    fn of_seat(seat: Seat) -> Self {
        if seat.index().is_multiple_of(2) { Self::Left } else { Self::Right }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;

    #[test]
    fn ends_alternate_by_seat_and_meet_where_the_seats_are_odd() {
        let five = SeatCount::new(5).unwrap();
        let ends: Vec<_> = five.iter().map(End::of_seat).collect();
        assert_eq!(ends, [End::Left, End::Right, End::Left, End::Right, End::Left]);
    }
}
