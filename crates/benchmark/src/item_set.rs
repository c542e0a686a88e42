//! The frozen sets of positions that the benchmark plays.

use crate::PositionId;
use lastnim_bots::HouseBot;
use lastnim_core::game::{AllianceMatrix, BotName, BySeat, Ending, Game, Piles};
use lastnim_proto::{
    json::{message_from_json, parse_document},
    number_text::read_rows,
    pb,
};
use std::{fmt, str::FromStr, sync::LazyLock};
use thiserror::Error;

/// The sets of the benchmark, the oldest first.
pub static BENCHMARK_SETS: LazyLock<[ItemSet; 2]> = LazyLock::new(|| {
    let parse_set = |name, text| ItemSet::parse(name, text).expect("the built-in sets are valid");
    [parse_set("lastnim-1", FIRST_SET_TEXT), parse_set(NEWEST_SET, NEWEST_SET_TEXT)]
});

/// The name of the set that the benchmark plays by default.
pub const NEWEST_SET: &str = "lastnim-2";

/// The contents of the first set's file.
pub(crate) const FIRST_SET_TEXT: &str = include_str!("lastnim-1.jsonl");
/// The contents of the newest set's file.
pub(crate) const NEWEST_SET_TEXT: &str = include_str!("lastnim-2.jsonl");

/// The error for a set name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("set {0:?}: expected {known}", known = BENCHMARK_SETS.each_ref().map(|set| set.name).join(" or "))]
pub struct UnknownSetError(pub String);

/// The name that the measured bot has in matches.
pub const PLAYER_NAME: &str = "player";

/// A tier of a set, from 1 (the easiest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tier(u8);

impl Tier {
    /// The hardest tier.
    pub const MAX: Self = Self(5);

    /// Returns the tier with this number, if there is one.
    pub fn of_number(number: u32) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=Self::MAX.0).contains(number)).map(Self)
    }

    /// Returns the number of the tier.
    pub fn number(self) -> u32 {
        self.0.into()
    }

    /// Returns all tiers.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::MAX.0).map(Self)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let tier = word.parse().ok().and_then(Self::of_number);
        tier.ok_or_else(|| format!("{word:?}: expected a tier from 1 to {}", Self::MAX))
    }
}

/// An item of a set: a match that starts from a given position, with the measured bot in the seat that moves first.
#[derive(Debug, Clone)]
pub struct SetItem {
    /// The tier that the item belongs to.
    pub tier: Tier,
    /// The number of the item in its tier, from 1.
    pub number: u32,
    /// The game that starts from the item's position.
    pub game: Game,
    /// The bots in the other seats, in the order in which they move.
    pub opponents: Vec<HouseBot>,
}

impl SetItem {
    /// Parses a line of a set's file.
    fn parse(line: &str) -> Result<Self, String> {
        let item: pb::BenchmarkItem =
            message_from_json(&parse_document(line)?).map_err(|error| error.to_string())?;
        let rows = read_rows(&item.rows)?;
        let matrix = AllianceMatrix::parse(&rows).map_err(|error| error.to_string())?;
        let piles = Piles::parse(&item.piles).map_err(|error| error.to_string())?;
        let game = Game::new(piles, matrix, item.first as usize, Ending::ToMoveWins);
        let game = game.map_err(|error| error.to_string())?;
        if item.id != PositionId::of_game(&game).to_string() {
            return Err(format!("id {}: does not match the position", item.id));
        }
        let opponents = item.opponents.split(' ').map(str::parse::<HouseBot>);
        let opponents: Vec<_> = opponents.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        if opponents.len() + 1 != game.matrix.seats().get() {
            return Err(format!("opponents {:?}: expected one for each other seat", item.opponents));
        }
        let tier = Tier::of_number(item.tier)
            .ok_or_else(|| format!("tier {}: expected 1 to {}", item.tier, Tier::MAX))?;
        Ok(Self { tier, number: item.item, game, opponents })
    }

    /// Returns the bots by seat.
    pub fn bots(&self) -> BySeat<BotName> {
        let (seats, first) = (self.game.matrix.seats(), self.game.first_seat());
        BySeat::from_fn(seats, |seat| {
            let place = (seat.index() + seats.get() - first.index()) % seats.get();
            let name = match place.checked_sub(1) {
                None => PLAYER_NAME.to_owned(),
                Some(opponent) => self.opponents[opponent].to_string(),
            };
            name.parse().expect("house bot names are valid")
        })
    }
}

impl fmt::Display for SetItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {} of tier {}", self.number, self.tier)
    }
}

/// A set of items, in tiers.
#[derive(Debug)]
pub struct ItemSet {
    /// The name of the set.
    pub name: &'static str,
    /// The BLAKE3 hash of the set's file.
    pub hash: [u8; 32],
    tiers: Vec<Vec<SetItem>>,
}

impl ItemSet {
    /// Finds the set with this name.
    ///
    /// # Errors
    /// If no set has this name.
    pub fn of_name(name: &str) -> Result<&'static Self, UnknownSetError> {
        BENCHMARK_SETS.iter().find(|set| set.name == name).ok_or_else(|| UnknownSetError(name.to_owned()))
    }

    fn parse(name: &'static str, text: &str) -> Result<Self, String> {
        let mut tiers: Vec<Vec<SetItem>> = Tier::all().map(|_| Vec::new()).collect();
        for (index, line) in text.lines().enumerate() {
            let line_error = |why: String| format!("line {}: {why}", index + 1);
            let item = SetItem::parse(line).map_err(line_error)?;
            let tier = &mut tiers[usize::from(item.tier.0) - 1];
            if item.number as usize != tier.len() + 1 {
                return Err(line_error(format!("{item} is out of order")));
            }
            tier.push(item);
        }
        Ok(Self { name, hash: *blake3::hash(text.as_bytes()).as_bytes(), tiers })
    }

    /// Returns the items of a tier, in the order of their numbers.
    pub fn items_of_tier(&self, tier: Tier) -> &[SetItem] {
        &self.tiers[usize::from(tier.0) - 1]
    }

    /// Returns the size of the largest tier.
    pub fn max_items(&self) -> u32 {
        self.tiers.iter().map(Vec::len).max().unwrap_or_default() as u32
    }

    /// Returns every bot that is an opponent in the set, once each.
    pub fn opponents(&self) -> Vec<HouseBot> {
        let mut found = Vec::new();
        for bot in self.tiers.iter().flatten().flat_map(|item| &item.opponents) {
            if !found.contains(bot) {
                found.push(*bot);
            }
        }
        found
    }

    /// Finds the item that is played in a match, by the match's bots and first position.
    pub fn find_item(&self, bots: &BySeat<BotName>, game: &Game) -> Option<&SetItem> {
        self.tiers.iter().flatten().find(|item| item.game == *game && item.bots() == *bots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_sets_are_frozen() {
        let frozen = [
            ("lastnim-1", "d6d398177e7e2c250b9f5fc6f707577d09b7ab5643b5d943638bdb4f52e1df03"),
            ("lastnim-2", "faae2c8765978a79d8ba5f58626d2cdbe924b03bb7d44d638fa16ab4393e5b95"),
        ];
        for (name, hash) in frozen {
            let set = ItemSet::of_name(name).unwrap();
            let found = blake3::Hash::from_bytes(set.hash).to_hex();
            assert_eq!(found.as_str(), hash, "a changed set needs a new name");
            assert_eq!(set.max_items(), 120);
        }
        assert_eq!(
            ItemSet::of_name("lastnim-3").unwrap_err().to_string(),
            "set \"lastnim-3\": expected lastnim-1 or lastnim-2"
        );
        assert_eq!(BENCHMARK_SETS.last().unwrap().name, NEWEST_SET);
    }

    #[test]
    fn positions_are_unique_and_excluded_from_training() {
        for set in &*BENCHMARK_SETS {
            let mut ids = HashSet::new();
            for tier in Tier::all() {
                let items = set.items_of_tier(tier);
                assert_eq!(items.len(), 120);
                for item in items {
                    let id = PositionId::of_game(&item.game);
                    assert_eq!(id.split(), pb::DatasetSplit::Benchmark, "{item}");
                    assert!(ids.insert(id), "{item} of {} occurs twice", set.name);
                }
            }
        }
    }

    #[test]
    fn items_have_distinct_bots_and_the_player_moves_first() {
        for set in &*BENCHMARK_SETS {
            for item in Tier::all().flat_map(|tier| set.items_of_tier(tier)) {
                let bots = item.bots();
                assert_eq!(bots[item.game.first_seat()].as_str(), PLAYER_NAME);
                let different: HashSet<_> = bots.iter().collect();
                assert_eq!(different.len(), item.game.matrix.seats().get(), "{item}");
                let found = set.find_item(&bots, &item.game).unwrap();
                assert_eq!((found.tier, found.number), (item.tier, item.number));
            }
        }
    }

    #[test]
    fn inconsistent_lines_are_refused() {
        let line = FIRST_SET_TEXT.lines().next().unwrap();
        let refusal = |from: &str, to: &str| {
            let changed = line.replacen(from, to, 1);
            assert_ne!(changed, line);
            ItemSet::parse("made-up", &changed).unwrap_err()
        };
        assert!(refusal("\"item\":1,", "\"item\":2,").ends_with("item 2 of tier 1 is out of order"));
        assert!(refusal("\"tier\":1,", "\"tier\":6,").ends_with("tier 6: expected 1 to 5"));
        assert!(refusal("\"id\":\"", "\"id\":\"0").ends_with("does not match the position"));
        assert!(
            refusal("\"opponents\":\"", "\"opponents\":\"oracle ")
                .contains("expected one for each other seat")
        );
        assert!("6".parse::<Tier>().unwrap_err().contains("expected a tier from 1 to 5"));
    }
}
