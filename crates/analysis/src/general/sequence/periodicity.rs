//! Proofs that a sequence of Grundy values is periodic.

/// A theorem that proves, from finitely many values, that all later values repeat.
///
/// Let `G(n)` be the value of a pile of `n`. If a start `s` and a length `p` satisfy `G(n + p) = G(n)` for all `n` in a
/// finite range that begins at `s`, then `G(n + p) = G(n)` for all `n >= s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodTheorem {
    /// An octal game whose code has this many places, so a move removes at most this many stones. The range is `s <= n
    /// < 2s + p + places`.
    ///
    /// A move in a longer row leaves a part of at least `s + p` stones; removing `p` of them does not change the value
    /// of this part. Source: Guy and Smith, "The G-values of various games" (1956).
    OctalGame {
        /// The number of places in the code; 2 for Kayles, whose code is 0.77.
        places: usize,
    },
    /// A subtraction game, given by the largest number in its set. The range is `s <= n < s + largest`.
    ///
    /// A value depends only on the `largest` values before it. No value exceeds the number of allowed takes, so there
    /// are only finitely many different runs of `largest` values, and one of them must occur again.
    Subtraction {
        /// The largest number in the set.
        largest: usize,
    },
}

/// A proved period of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// The smallest size from which on all values repeat.
    pub start: usize,
    /// The length of the period, which is the shortest possible.
    pub length: usize,
    /// The theorem that proves the period.
    pub theorem: PeriodTheorem,
    /// The last size whose value the proof needs; all values up to it were computed.
    pub checked_to: usize,
    /// The sizes before the start of the period whose values differ from what the period would give.
    pub exceptions: Vec<usize>,
    /// The P-positions from the start on: the remainders, modulo the length, of the sizes whose value is 0.
    pub zero_remainders: Vec<usize>,
}

impl PeriodTheorem {
    /// Returns the last size whose value is needed to prove a period with this start and length.
    fn last_needed(self, start: usize, length: usize) -> usize {
        match self {
            Self::OctalGame { places } => 2 * start + 2 * length + places - 1,
            Self::Subtraction { largest } => start + length + largest - 1,
        }
    }

    /// Returns the name used in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::OctalGame { .. } => "octal_game",
            Self::Subtraction { .. } => "subtraction",
        }
    }

    /// Finds the shortest period that can be proved from `values`, which are listed by size from 0 on; `None` if no
    /// period can be proved.
    pub(super) fn prove_period(self, values: &[u32]) -> Option<Period> {
        // By length: how many values at the end of the sequence equal the values `length` places before them.
        let agreeing = agreements_at_end(values);
        let length = (1..values.len()).find(|&length| {
            let start = values.len() - length - agreeing[length];
            self.last_needed(start, length) < values.len()
        })?;
        let start = values.len() - length - agreeing[length];
        let repeated = |size: usize| {
            let later = (start..start + length).find(|later| later % length == size % length);
            later.map(|later| values[later])
        };
        let exceptions = (0..start).filter(|&size| repeated(size) != Some(values[size])).collect();
        let mut zero_remainders: Vec<usize> =
            (start..start + length).filter(|&size| values[size] == 0).map(|size| size % length).collect();
        zero_remainders.sort_unstable();
        let checked_to = self.last_needed(start, length);
        Some(Period { start, length, theorem: self, checked_to, exceptions, zero_remainders })
    }
}

/// Returns, by length, how many values at the end of a sequence equal the values that many places before them.
///
/// This is the Z-function of the reversed sequence (Gusfield 1997), computed in linear time.
fn agreements_at_end(values: &[u32]) -> Vec<usize> {
    let reversed: Vec<u32> = values.iter().rev().copied().collect();
    let count = reversed.len();
    let mut agreements = vec![count; count];
    let (mut left, mut right) = (0, 0);
    for place in 1..count {
        let mut length = if place < right { agreements[place - left].min(right - place) } else { 0 };
        while place + length < count && reversed[length] == reversed[place + length] {
            length += 1;
        }
        agreements[place] = length;
        if place + length > right {
            (left, right) = (place, place + length);
        }
    }
    agreements
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_repeated_run_of_full_length_proves_a_period() {
        let values = [5, 7, 1, 0, 2, 1, 0, 2, 1, 0];
        let theorem = PeriodTheorem::Subtraction { largest: 4 };
        let period = theorem.prove_period(&values).unwrap();
        assert_eq!((period.start, period.length, period.checked_to), (2, 3, 8));
        assert_eq!((period.exceptions, period.zero_remainders), (vec![0, 1], vec![0]));
        assert_eq!(theorem.prove_period(&values[..9]).unwrap().length, 3);
        assert_eq!(theorem.prove_period(&values[..8]), None);
        assert_eq!(
            PeriodTheorem::OctalGame { places: 2 }.prove_period(&values),
            None,
            "a proof needs the value of size 11"
        );
    }

    #[test]
    fn too_few_values_do_not_prove_a_period() {
        for values in [&[][..], &[0], &[0, 0]] {
            for theorem in [PeriodTheorem::OctalGame { places: 2 }, PeriodTheorem::Subtraction { largest: 3 }]
            {
                assert_eq!(theorem.prove_period(values), None, "{values:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn repeated_values_at_the_end_are_counted_for_each_period(
            values in prop::collection::vec(0_u32..3, 0..40),
        ) {
            let agreements = agreements_at_end(&values);
            for length in 1..values.len() {
                let naive = (length..values.len()).rev().take_while(|&at| values[at] == values[at - length]).count();
                prop_assert_eq!(agreements[length], naive);
            }
        }

        #[test]
        fn the_shortest_period_is_found(
            before in prop::collection::vec(0_u32..4, 0..6),
            repeated in prop::collection::vec(0_u32..4, 1..6),
            // A run of this length is enough to tell sequences with these periods apart (Fine and Wilf 1965).
            largest in 10_usize..15,
        ) {
            let values: Vec<u32> = before.iter().chain(repeated.iter().cycle()).copied().take(60).collect();
            let period = PeriodTheorem::Subtraction { largest }.prove_period(&values).unwrap();
            prop_assert!(period.start <= before.len() && period.length <= repeated.len());
            let repeats = |start: usize, length: usize| (start..60 - length).all(|at| values[at] == values[at + length]);
            prop_assert!(repeats(period.start, period.length));
            prop_assert!(period.start == 0 || !repeats(period.start - 1, period.length));
            prop_assert!((1..period.length).all(|length| !repeats(period.start, length)));
        }
    }
}
