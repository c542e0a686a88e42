//! Storage of bot comparisons.

use super::checkpoint::{CheckpointError, decode_state, encode_state, ensure_valid};
use super::{BotComparison, BoundedCrossTable, Checkpoint, HeadToHead};
use lastnim_core::game::{BotName, TournamentId};

/// The stored figures of a [`BotComparison`]: the meeting and both probabilities.
type PairFigures = (HeadToHead, Option<f64>, Option<f64>);

impl Checkpoint {
    /// Creates the checkpoint of a finished tournament from the comparison of [all its
    /// bots](BotComparison::compare_all); `None` if there are too many bots.
    pub fn of_comparisons(tournament: TournamentId, played: u64, compared: &[BotComparison]) -> Option<Self> {
        let first = compared.first();
        let others = compared.iter().take_while(|pair| Some(&pair.bot) == first.map(|first| &first.bot));
        let bots: Vec<&BotName> =
            first.map(|pair| &pair.bot).into_iter().chain(others.map(|pair| &pair.other)).collect();
        if bots.len() > BoundedCrossTable::MAX_BOTS {
            return None;
        }
        let figures =
            compared.iter().map(|pair| (pair.meeting, pair.probability_better, pair.adjusted_chance));
        let figures: Vec<PairFigures> = figures.collect();
        Some(Self::of_ended(tournament, played, encode_state(&(bots, figures))))
    }

    /// Returns the comparisons between the bots of this finished tournament.
    ///
    /// # Errors
    /// If the version, the hash or the contents are wrong.
    pub fn comparisons(&self, tournament: TournamentId) -> Result<Vec<BotComparison>, CheckpointError> {
        let (bots, figures): (Vec<BotName>, Vec<PairFigures>) =
            decode_state(self.verified_final_state(tournament)?)?;
        ensure_valid(bots.len() <= BoundedCrossTable::MAX_BOTS, "too many bots are compared")?;
        ensure_valid(bots.is_sorted_by(|one, next| one < next), "the bots are not sorted by name")?;
        let pairs = bots.len() * bots.len().saturating_sub(1) / 2;
        ensure_valid(figures.len() == pairs, "not every pair of bots is compared exactly once")?;
        let pairs = bots.iter().enumerate();
        let pairs = pairs.flat_map(|(place, bot)| bots[place + 1..].iter().map(move |other| (bot, other)));
        let compared =
            pairs.zip(figures).map(|((bot, other), (meeting, probability_better, adjusted_chance))| {
                let (bot, other) = (bot.clone(), other.clone());
                BotComparison { bot, other, meeting, probability_better, adjusted_chance }
            });
        Ok(compared.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::field;
    use proptest::prelude::*;

    fn chance() -> impl Strategy<Value = Option<f64>> {
        prop::option::of(0.0..=1.0)
    }

    proptest! {
        #[test]
        fn comparisons_round_trip(
            bots in 0..9_usize, played: u64,
            figures in prop::collection::vec((any::<[u32; 3]>(), chance(), chance()), 36),
            cut: prop::sample::Index, damage: (prop::sample::Index, u8),
        ) {
            let bots = field(bots);
            let pairs = bots.iter().enumerate().flat_map(|(place, bot)| bots[place + 1..].iter().map(move |other| (bot, other)));
            let compared: Vec<_> = pairs.zip(&figures).map(|((bot, other), &([matches, wins, other_wins], better, chance))| {
                let meeting = HeadToHead { matches, wins, other_wins };
                let (bot, other) = (bot.clone(), other.clone());
                BotComparison { bot, other, meeting, probability_better: better, adjusted_chance: chance }
            }).collect();
            let [own, other] = [1, 2].map(|number| TournamentId::new(number, &[7; 10]));
            let written = Checkpoint::of_comparisons(own, played, &compared).unwrap();
            prop_assert_eq!(written.comparisons(own), Ok(compared));
            prop_assert_eq!(written.comparisons(other), Err(CheckpointError::Hash));
            prop_assert!(written.verified_state(own).is_err(), "it is not the state of a running tournament");
            let running = Checkpoint::new(own, played, written.state.clone());
            prop_assert!(running.comparisons(own).is_err(), "the tournament has not ended");
            let cut = &written.state[..cut.index(written.state.len())];
            prop_assert!(Checkpoint::of_ended(own, played, cut.to_vec()).comparisons(own).is_err(), "a truncated state is rejected");
            // Damaged bytes may or may not decode, but decoding must return without a panic.
            let mut damaged = written.state;
            let place = damage.0.index(damaged.len());
            damaged[place] = damage.1;
            let _ = Checkpoint::of_ended(own, played, damaged).comparisons(own);
        }
    }
}
