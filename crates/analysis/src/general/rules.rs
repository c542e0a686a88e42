//! The rules of a game.

use super::SequenceGame;
use lastnim_core::game::Seat;
use std::{
    fmt::{Debug, Display},
    hash::Hash,
};

/// The rules of a game in which the seats move in turn and play always ends.
///
/// A position does not include the seat to move: the solver keeps the answer for each seat that could be to move. The
/// game is over when the seat to move has no option; an [`Ending`](lastnim_core::game::Ending) then determines the
/// winner.
pub trait Rules {
    /// The kinds of movers: [`Anyone`] in an impartial game, [`End`] in a partizan one.
    type MoverKind: Mover;
    /// A position: everything, apart from the mover, on which the options depend.
    type Position: Clone + Eq + Hash + Debug + Display;
    /// A move, whose `Display` output describes it in words.
    type Move: Clone + Eq + Hash + Debug + Display;

    /// Whether positions are sums of independent parts. If so, a position for two seats is solved by evaluating its
    /// [`independent_parts`](Self::independent_parts).
    const IS_SUM: bool = false;

    /// Returns every move that a mover has in a position, with the resulting position.
    ///
    /// A move may occur more than once.
    fn moves(
        &self,
        position: Self::Position,
        mover: Self::MoverKind,
    ) -> impl Iterator<Item = (Self::Move, Self::Position)>;

    /// Returns the position that represents all positions in which play is equivalent.
    ///
    /// For any number of seats it is sound to sort interchangeable piles, to drop parts in which no seat can move, and
    /// to use symmetries of the board. For three or more seats it is unsound to use the nim-sum, to cancel equal piles,
    /// or to replace a part by its Grundy value.
    fn canonical_position(&self, position: Self::Position) -> Self::Position;

    /// Returns the canonical parts whose sum is the position: each move is a move in one of them.
    ///
    /// A position that is not a sum is its only part.
    fn independent_parts(&self, position: &Self::Position) -> Vec<Self::Position> {
        vec![self.canonical_position(position.clone())]
    }

    /// Returns the Grundy value of a part, if there is a formula.
    fn grundy_by_formula(&self, _part: &Self::Position) -> Option<u32> {
        None
    }

    /// Returns the sequence that contains the Grundy values of the parts by size, if finitely many of its values can
    /// prove a period.
    fn periodic_sequence(&self) -> Option<SequenceGame> {
        None
    }

    /// Returns the size by which the value of a part is found in its [`periodic_sequence`](Self::periodic_sequence).
    fn part_size(&self, _part: &Self::Position) -> Option<u32> {
        None
    }

    /// Returns the approximate number of bytes that a position takes on the heap.
    fn position_heap_bytes(&self, position: &Self::Position) -> usize;
}

/// A kind of mover. Seats of the same kind have the same options in a position.
pub trait Mover: Copy + Eq + Debug + 'static {
    /// Every kind of mover.
    const ALL: &'static [Self];

    /// Returns the kind of mover to which a seat belongs.
    fn of_seat(seat: Seat) -> Self;
}

/// The mover of an impartial game: all seats have the same options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anyone;

impl Mover for Anyone {
    const ALL: &'static [Self] = &[Self];

    fn of_seat(_: Seat) -> Self {
        Self
    }
}

/// The mover of a partizan game played from two ends: seats 0, 2, .. are Left, seats 1, 3, .. are Right.
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
    fn seats_alternate_between_the_left_and_the_right_end() {
        let five = SeatCount::new(5).unwrap();
        let ends: Vec<_> = five.iter().map(End::of_seat).collect();
        assert_eq!(ends, [End::Left, End::Right, End::Left, End::Right, End::Left]);
    }
}
