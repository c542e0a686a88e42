//! The circumstances of a take: the phase of the game and the number of piles.

use lastnim_core::game::{Game, Position};

/// The phase of a game, by the share of counters left.
///
/// The bot and the auditor know the phase before each take. Phases defined by the share of takes made would not work:
/// the total number of takes is known only at the end, and a bot's errors would move the boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GamePhase {
    /// More than two thirds of the counters are left.
    Opening,
    /// Between one and two thirds are left.
    Middle,
    /// At most one third is left.
    End,
}

impl GamePhase {
    /// All phases, in the order of play.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::End];

    /// Returns the phase of a position.
    pub fn of_position(game: &Game, position: &Position) -> Self {
        let all: u128 = game.piles.as_slice().iter().map(|&pile| u128::from(pile)).sum();
        let untouched: u128 = position.untouched_piles().iter().map(|&pile| u128::from(pile)).sum();
        let left = untouched + u128::from(position.counters());
        if 3 * left > 2 * all {
            Self::Opening
        } else if 3 * left > all {
            Self::Middle
        } else {
            Self::End
        }
    }

    /// Returns the name of the phase.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// The number of nonempty piles before a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LivePileCount {
    /// One pile.
    One,
    /// Two piles.
    Two,
    /// Three piles.
    Three,
    /// Four piles.
    Four,
    /// Five to eight piles.
    FiveToEight,
    /// Nine piles or more.
    NineOrMore,
}

impl LivePileCount {
    /// All values, in ascending order.
    pub const ALL: [Self; 6] =
        [Self::One, Self::Two, Self::Three, Self::Four, Self::FiveToEight, Self::NineOrMore];

    /// Returns the number of nonempty piles in a position that is not over.
    pub fn of_position(position: &Position) -> Self {
        match position.untouched_piles().len() {
            0 => Self::One,
            1 => Self::Two,
            2 => Self::Three,
            3 => Self::Four,
            4..8 => Self::FiveToEight,
            _ => Self::NineOrMore,
        }
    }

    /// Returns the name of the value, such as `5-8`.
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Three => "3",
            Self::Four => "4",
            Self::FiveToEight => "5-8",
            Self::NineOrMore => "9+",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::Ending;

    #[test]
    fn each_position_has_a_phase_and_a_count_of_live_piles() {
        let rows = [vec![0, 1], vec![0, 1]];
        let game = Game::parse(&[3, 3, 3], &rows, 0, Ending::default()).unwrap();
        let mut position = game.first_position();
        let mut seen = Vec::new();
        while !position.is_over() {
            seen.push((
                GamePhase::of_position(&game, &position).name(),
                LivePileCount::of_position(&position).name(),
            ));
            position.take(1).unwrap();
        }
        let expected = [("opening", "3"), ("middle", "2"), ("end", "1")];
        assert_eq!(seen, expected.map(|expected| [expected; 3]).concat());
        let names: Vec<_> = [1, 2, 3, 4, 5, 8, 9, 1024]
            .map(|piles| {
                let game = Game::parse(&vec![1; piles], &rows, 0, Ending::default()).unwrap();
                LivePileCount::of_position(&game.first_position()).name()
            })
            .to_vec();
        assert_eq!(names, ["1", "2", "3", "4", "5-8", "5-8", "9+", "9+"]);
    }
}
