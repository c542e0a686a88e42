//! The positions of a tournament.

use super::SeededDraw;
use lastnim_core::game::{MAX_COUNTERS, MAX_PILES, Piles};
use thiserror::Error;

/// Maximum number of positions in a tournament.
pub const MAX_POSITIONS: usize = 1_000;

/// The positions of a tournament: 1 to 1,000 start positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Positions {
    /// A list of positions.
    Listed(ListedPositions),
    /// Positions drawn from the tournament's seed.
    Drawn(DrawnPositions),
    /// The positions in the figure and the tables of the paper; see [`PAPER_POSITIONS`].
    Paper,
}

/// A list of positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPositions(Vec<Piles>);

/// Random positions: the numbers of piles and counters are drawn uniformly from their ranges, by a generator that
/// depends on the tournament's seed and the position's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnPositions {
    count: usize,
    piles: (usize, usize),
    counters: (u64, u64),
}

/// Why positions are invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionsError {
    /// The list is empty or too long.
    #[error("{0} positions: expected 1 to {MAX_POSITIONS}")]
    Count(usize),
    /// A position has no counters.
    #[error("position {0} has no counters: expected at least one")]
    Empty(usize),
    /// The range of piles is invalid.
    #[error("{0} to {1} piles: expected two numbers from 1 to {MAX_PILES}, the smaller first")]
    Piles(usize, usize),
    /// The range of counters is invalid.
    #[error("piles of {0} to {1} counters: expected two numbers from 1 to {MAX_COUNTERS}, the smaller first")]
    Counters(u64, u64),
}

/// The distinct positions in Figure 1 and Tables 1 to 6 of the paper, in the order in which they first appear.
///
/// Source: El-Seidy, El Kady and Nassr (2019), Journal of Game Theory 8(2):25-31.
pub const PAPER_POSITIONS: [&[u64]; 12] = [
    &[1, 2, 2],
    &[4, 3],
    &[1, 2, 3, 2],
    &[2, 4],
    &[2, 1, 2, 3],
    &[1, 2, 3],
    &[2, 2, 3, 1, 2],
    &[3, 4, 2, 3],
    &[3, 2, 1, 1, 2, 3],
    &[2, 2, 3, 4, 2],
    &[3, 2, 2, 1, 2, 2, 1],
    &[1, 2, 3, 2, 1, 2],
];

/// Used in place of the number of a group when positions are drawn. No group has this number, so the draws of positions
/// are independent of all other draws.
const POSITION_DRAW_TAG: u64 = 0x706f_7369_7469_6f6e;

impl Positions {
    /// Accepts a list of positions.
    ///
    /// # Errors
    /// If the list is empty or too long, or a position has no counters.
    pub fn listed(piles: Vec<Piles>) -> Result<Self, PositionsError> {
        if !(1..=MAX_POSITIONS).contains(&piles.len()) {
            return Err(PositionsError::Count(piles.len()));
        }
        match piles.iter().position(Piles::is_empty) {
            Some(position) => Err(PositionsError::Empty(position)),
            None => Ok(Self::Listed(ListedPositions(piles))),
        }
    }

    /// Accepts `count` random positions with these inclusive ranges of piles and counters.
    ///
    /// # Errors
    /// If `count` or a range is invalid; the error names the first invalid one.
    pub fn drawn(count: usize, piles: (usize, usize), counters: (u64, u64)) -> Result<Self, PositionsError> {
        if !(1..=MAX_POSITIONS).contains(&count) {
            return Err(PositionsError::Count(count));
        }
        if piles.0 < 1 || piles.0 > piles.1 || piles.1 > MAX_PILES {
            return Err(PositionsError::Piles(piles.0, piles.1));
        }
        if counters.0 < 1 || counters.0 > counters.1 || counters.1 > MAX_COUNTERS {
            return Err(PositionsError::Counters(counters.0, counters.1));
        }
        Ok(Self::Drawn(DrawnPositions { count, piles, counters }))
    }

    /// Returns the number of positions, 1 to 1,000.
    pub fn count(&self) -> usize {
        match self {
            Self::Listed(ListedPositions(piles)) => piles.len(),
            Self::Drawn(drawn) => drawn.count,
            Self::Paper => PAPER_POSITIONS.len(),
        }
    }

    /// Returns the piles of a position in a tournament with this seed; `None` if the index is too large.
    pub fn piles(&self, seed: u64, index: usize) -> Option<Piles> {
        match self {
            Self::Listed(ListedPositions(piles)) => piles.get(index).cloned(),
            Self::Drawn(drawn) => (index < drawn.count).then(|| drawn.draw_piles(seed, index)),
            Self::Paper => PAPER_POSITIONS.get(index).map(|counters| valid_piles(counters)),
        }
    }
}

impl ListedPositions {
    /// Returns the positions in the order in which they were listed.
    pub fn as_slice(&self) -> &[Piles] {
        &self.0
    }
}

impl DrawnPositions {
    /// Returns the number of positions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the minimum and maximum number of piles.
    pub fn pile_range(&self) -> (usize, usize) {
        self.piles
    }

    /// Returns the minimum and maximum number of counters in a pile.
    pub fn counter_range(&self) -> (u64, u64) {
        self.counters
    }

    fn draw_piles(self, seed: u64, index: usize) -> Piles {
        let mut draw = SeededDraw::from_numbers([seed, POSITION_DRAW_TAG, index as u64]);
        let mut draw_between = |(low, high): (u64, u64)| low + draw.number_below(high - low + 1);
        let piles = draw_between((self.piles.0 as u64, self.piles.1 as u64));
        let counters: Vec<u64> = (0..piles).map(|_| draw_between(self.counters)).collect();
        valid_piles(&counters)
    }
}

fn valid_piles(counters: &[u64]) -> Piles {
    Piles::parse(counters).expect("the numbers of piles and counters are in bounds")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paper_positions_agree_with_the_tables_of_the_paper() {
        let text = include_str!("../../core/tests/data/paper_tables.json");
        let tables: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut printed: Vec<Vec<u64>> = Vec::new();
        for row in tables["rows"].as_array().unwrap() {
            let piles = serde_json::from_value(row["piles"].clone()).unwrap();
            if !printed.contains(&piles) {
                printed.push(piles);
            }
        }
        assert_eq!(PAPER_POSITIONS.map(<[u64]>::to_vec).to_vec(), printed);
        assert!((0..PAPER_POSITIONS.len()).all(|index| Positions::Paper.piles(1, index).is_some()));
    }

    #[test]
    fn errors_say_what_is_expected() {
        let refusal = |positions: Result<Positions, PositionsError>| positions.unwrap_err().to_string();
        let one = Piles::parse(&[1]).unwrap();
        assert_eq!(refusal(Positions::listed(vec![])), "0 positions: expected 1 to 1000");
        assert_eq!(
            refusal(Positions::listed(vec![one.clone(); 1_001])),
            "1001 positions: expected 1 to 1000"
        );
        let gone = Piles::parse_partly_emptied(&[0]).unwrap();
        assert_eq!(
            refusal(Positions::listed(vec![one, gone])),
            "position 1 has no counters: expected at least one"
        );
        assert_eq!(refusal(Positions::drawn(0, (1, 1), (1, 1))), "0 positions: expected 1 to 1000");
        assert_eq!(
            refusal(Positions::drawn(1, (3, 2), (1, 1))),
            "3 to 2 piles: expected two numbers from 1 to 1024, the smaller first"
        );
        assert_eq!(
            refusal(Positions::drawn(1, (1, 1), (0, 1))),
            "piles of 0 to 1 counters: expected two numbers from 1 to 9223372036854775807, the smaller first"
        );
    }

    #[test]
    fn drawn_positions_depend_on_the_seed() {
        let positions = Positions::drawn(100, (2, 4), (1, 9)).unwrap();
        let all_piles = |seed| (0..100).map(|index| positions.piles(seed, index)).collect::<Vec<_>>();
        assert_eq!(all_piles(7), all_piles(7));
        let same = all_piles(7).iter().zip(all_piles(8)).filter(|(one, other)| **one == *other).count();
        assert!(same < 10, "{same} of 100 positions are the same");
        assert_eq!(positions.piles(7, 100), None);
    }

    proptest! {
        #[test]
        fn drawn_positions_are_in_range(
            seed: u64,
            (piles, more_piles) in (1..6_usize, 0..4_usize),
            (counters, more_counters) in prop_oneof![(1..9_u64, 0..9_u64), Just((1, MAX_COUNTERS - 1))],
        ) {
            let (max_piles, max_counters) = (piles + more_piles, counters + more_counters);
            let positions = Positions::drawn(20, (piles, max_piles), (counters, max_counters)).unwrap();
            for index in 0..20 {
                let drawn = positions.piles(seed, index).unwrap();
                prop_assert!((piles..=max_piles).contains(&drawn.len()));
                prop_assert!(drawn.as_slice().iter().all(|each| (counters..=max_counters).contains(each)));
            }
        }
    }
}
