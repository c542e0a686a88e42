//! How the bots of a tournament that is over compare, as it is kept.

use super::checkpoint::{CheckpointError, Decoder, Encoder, ensure_holds};
use super::{BotComparison, BoundedCrossTable, Checkpoint, HeadToHead};
use lastnim_core::game::{BotName, TournamentId};

impl Checkpoint {
    /// Makes the checkpoint of a tournament that is over from how [all its bots](BotComparison::compare_all) compare after so many
    /// matches; none with more bots than are compared.
    pub fn of_comparisons(tournament: TournamentId, played: u64, compared: &[BotComparison]) -> Option<Self> {
        let first = compared.first();
        let others = compared.iter().take_while(|pair| Some(&pair.bot) == first.map(|first| &first.bot));
        let bots: Vec<&BotName> =
            first.map(|pair| &pair.bot).into_iter().chain(others.map(|pair| &pair.other)).collect();
        if bots.len() > BoundedCrossTable::MAX_BOTS {
            return None;
        }
        let mut to = Encoder::new();
        to.count(bots.len());
        for bot in bots {
            to.name(bot);
        }
        for pair in compared {
            let HeadToHead { matches, wins, other_wins } = pair.meeting;
            for count in [matches, wins, other_wins] {
                to.number(count);
            }
            for chance in [pair.probability_better, pair.adjusted_chance] {
                to.count(usize::from(chance.is_some()));
                if let Some(chance) = chance {
                    to.float(chance);
                }
            }
        }
        Some(Self::of_ended(tournament, played, to.into_bytes()))
    }

    /// Returns how the bots of a tournament that is over compare.
    ///
    /// # Errors
    /// If this is not what this version of the code wrote of that tournament, once it was over.
    pub fn comparisons(&self, tournament: TournamentId) -> Result<Vec<BotComparison>, CheckpointError> {
        let mut from = Decoder::new(self.verified_end(tournament)?);
        let count = from.count()?;
        ensure_holds(count <= BoundedCrossTable::MAX_BOTS, "it compares too many bots")?;
        let bots = (0..count).map(|_| from.name()).collect::<Result<Vec<_>, _>>()?;
        ensure_holds(bots.is_sorted_by(|one, next| one < next), "bots are not in the order of their names")?;
        let mut compared = Vec::new();
        for (place, bot) in bots.iter().enumerate() {
            for other in &bots[place + 1..] {
                compared.push(BotComparison {
                    bot: bot.clone(),
                    other: other.clone(),
                    meeting: HeadToHead {
                        matches: from.number()?,
                        wins: from.number()?,
                        other_wins: from.number()?,
                    },
                    probability_better: read_chance(&mut from)?,
                    adjusted_chance: read_chance(&mut from)?,
                });
            }
        }
        from.finish()?;
        Ok(compared)
    }
}

fn read_chance(from: &mut Decoder<'_>) -> Result<Option<f64>, CheckpointError> {
    if !from.flag()? {
        return Ok(None);
    }
    let chance = from.float()?;
    ensure_holds((0.0..=1.0).contains(&chance), "a chance is not one")?;
    Ok(Some(chance))
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
        fn what_was_written_is_read(
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
            prop_assert_eq!(written.verified_state(own), Err(CheckpointError::Hash), "it is not the state of one that runs");
            let running = Checkpoint::new(own, played, written.state.clone());
            prop_assert_eq!(running.comparisons(own), Err(CheckpointError::Hash));
            let cut = &written.state[..cut.index(written.state.len())];
            prop_assert!(Checkpoint::of_ended(own, played, cut.to_vec()).comparisons(own).is_err(), "a part is not all");
            // Whether other bytes can be read is chance: reading ends.
            let mut damaged = written.state;
            let place = damage.0.index(damaged.len());
            damaged[place] = damage.1;
            let _ = Checkpoint::of_ended(own, played, damaged).comparisons(own);
        }
    }
}
