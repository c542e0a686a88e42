//! Shows how the sets were drawn. The files of the sets are authoritative; this code only documents their origin.

use super::item_set::{FIRST_SET_TEXT, NEWEST_SET_TEXT, SetItem, Tier};
use crate::{PositionDraw, PositionId, PositionKind, difficulty::measure_difficulty};
use lastnim_core::{
    game::{Ending, Game, SeatCount},
    oracle::Explanation,
};
use lastnim_proto::{
    json::{MessageJson, message_from_json},
    pb,
};
use lastnim_tournament::SeededDraw;
use std::collections::HashSet;

/// The seed with which the whole set `lastnim-1` was drawn.
const FIRST_SET_SEED: u64 = 1;
/// The seed with which the whole set `lastnim-2` was drawn. It is the first seed with which all reference bots lose
/// more in higher tiers.
const NEWEST_SET_SEED: u64 = 36;
/// When the positions of `lastnim-2` are sorted by difficulty, the possibility of an error in the first take counts as
/// much as this many piles.
const FIRST_ERROR_PILES: usize = 4;
/// The number of items in a tier.
const ITEMS_PER_TIER: u32 = 120;
/// The possible opponents of the measured bot. Each plays at most once in a match.
const OPPONENTS: [&str; 5] = ["oracle", "minimax-4", "minimax-2", "epsilon-0.2", "greedy"];
/// The number of plies beyond the first that a bot is assumed to need to see a best take if 8 plies are not enough.
const ASSUMED_EXTRA_PLIES: u32 = 8;

/// Returns the tier to which a position belongs by its difficulty; `None` if no take is an error.
fn tier_of_difficulty(difficulty: &pb::PositionDifficulty) -> Option<Tier> {
    if difficulty.optimal_share >= 1.0 {
        return None;
    }
    let unseen = difficulty.plies_to_see.map_or(ASSUMED_EXTRA_PLIES, |plies| plies - 1);
    let parts = [
        1.0 - difficulty.optimal_share,
        f64::from(unseen) / f64::from(ASSUMED_EXTRA_PLIES),
        difficulty.playout_error_rate,
    ];
    let difficulty = parts.iter().sum::<f64>() / 3.0;
    Tier::all().take_while(|tier| f64::from(tier.number() - 1) <= 5.0 * difficulty).last()
}

/// Returns the positions with this many seats, in the order in which `lastnim oracle dataset --split benchmark --seats
/// N --draw-piles 1,6 --draw-counters 1,9 --seed SEED` writes them.
fn drawn_positions(seats: usize, seed: u64) -> impl Iterator<Item = (Game, Explanation)> {
    let seats = vec![SeatCount::new(seats).unwrap()];
    let kind = PositionKind { seats, piles: (1, 6), counters: (1, 9), ending: Ending::ToMoveWins };
    let (positions, mut written) = (PositionDraw::new(kind, seed), HashSet::new());
    (0..).map(move |index| positions.draw_game(index)).filter_map(move |game| {
        let (id, explanation) = (PositionId::of_game(&game), Explanation::of_game(&game, 0));
        let is_new = id.split() == pb::DatasetSplit::Benchmark && written.insert(id);
        is_new.then_some((game, explanation))
    })
}

/// Returns whether the first take can be an error.
fn can_err(explanation: &Explanation) -> bool {
    explanation.options.iter().any(|option| option.regret > 0)
}

/// Returns the candidates for `lastnim-1`, with their tiers and difficulties.
fn first_set_candidates(seats: usize) -> impl Iterator<Item = (Tier, Game, pb::PositionDifficulty)> {
    let candidates = drawn_positions(seats, FIRST_SET_SEED).filter(|(_, explanation)| can_err(explanation));
    candidates.filter_map(|(game, explanation)| {
        let difficulty = measure_difficulty(&game, &explanation);
        tier_of_difficulty(&difficulty).map(|tier| (tier, game, difficulty))
    })
}

fn item_line(
    tier: Tier,
    number: u32,
    game: &Game,
    opponents: &str,
    difficulty: &pb::PositionDifficulty,
) -> String {
    let rows: Vec<_> = game.matrix.rows().iter().map(ToString::to_string).collect();
    let item = pb::BenchmarkItem {
        tier: tier.number(),
        item: number,
        id: PositionId::of_game(game).to_string(),
        piles: game.piles.as_slice().to_vec(),
        rows: rows.join("; "),
        first: game.first_seat().into(),
        opponents: opponents.to_owned(),
        optimal_share: difficulty.optimal_share,
        plies_to_see: difficulty.plies_to_see,
        playout_error_rate: difficulty.playout_error_rate,
    };
    serde_json::to_string(&MessageJson::of(&item)).unwrap() + "\n"
}

/// Draws the items of `lastnim-2`: the same number of positions for each number of seats, sorted by the number of piles
/// and by whether the first take can be an error, and divided into five tiers of equal size. So the tiers do not depend
/// on any bot, and the mean over the tiers equals the mean over all drawn positions.
pub(super) fn draw_newest_set(seed: u64) -> Vec<SetItem> {
    let mut tiers: Vec<Vec<Game>> = Tier::all().map(|_| Vec::new()).collect();
    for seats in 2..=5 {
        let tier_size = ITEMS_PER_TIER as usize / 4;
        let drawn = drawn_positions(seats, seed).take(tier_size * tiers.len());
        let mut games: Vec<(Game, Explanation)> = drawn.collect();
        games.sort_by_key(|(game, explanation)| {
            game.piles.as_slice().len() + if can_err(explanation) { FIRST_ERROR_PILES } else { 0 }
        });
        for (tier, games) in tiers.iter_mut().zip(games.chunks(tier_size)) {
            tier.extend(games.iter().map(|(game, _)| game.clone()));
        }
    }
    let mut items = Vec::new();
    for (tier, mut games) in Tier::all().zip(tiers) {
        SeededDraw::from_numbers([seed, tier.number().into()]).shuffle(&mut games);
        for (number, game) in (1..).zip(games) {
            let mut opponents = OPPONENTS.map(|bot| bot.parse().unwrap()).to_vec();
            SeededDraw::from_numbers([seed, tier.number().into(), number.into()]).shuffle(&mut opponents);
            opponents.truncate(game.matrix.seats().get() - 1);
            items.push(SetItem { tier, number, game, opponents });
        }
    }
    items
}

/// Returns the line for an item in the file of `lastnim-2`.
fn line_of_item(item: &SetItem) -> String {
    let opponents: Vec<_> = item.opponents.iter().map(ToString::to_string).collect();
    let difficulty = measure_difficulty(&item.game, &Explanation::of_game(&item.game, 0));
    item_line(item.tier, item.number, &item.game, &opponents.join(" "), &difficulty)
}

/// Draws the first `count` items of each tier of `lastnim-1`, and returns their lines in the set's file. The number
/// of seats and the opponents are drawn uniformly. The position is the tier's next candidate with this many seats.
fn draw_first_set(count: u32) -> String {
    let mut drawn: Vec<_> = (2..=5).map(|seats| (first_set_candidates(seats), Vec::new())).collect();
    let mut text = String::new();
    for tier in Tier::all() {
        let mut taken = [0; 4];
        for number in 1..=count {
            let mut draw = SeededDraw::from_numbers([FIRST_SET_SEED, tier.number().into(), number.into()]);
            // With two seats, hardly any position in which an error is possible is this easy: only 10 of 13,180 draws.
            let fewest_seats = if tier.number() == 1 { 3 } else { 2 };
            let seats = (fewest_seats + draw.number_below(6 - fewest_seats)) as usize;
            let mut opponents = OPPONENTS;
            draw.shuffle(&mut opponents);
            let (positions, known) = &mut drawn[seats - 2];
            let next_known = |known: &Vec<(Tier, Game, pb::PositionDifficulty)>| {
                known.iter().filter(|(other, ..)| *other == tier).nth(taken[seats - 2]).cloned()
            };
            let (_, game, difficulty) = loop {
                if let Some(found) = next_known(known) {
                    break found;
                }
                known.extend(positions.next());
            };
            taken[seats - 2] += 1;
            text += &item_line(tier, number, &game, &opponents[..seats - 1].join(" "), &difficulty);
        }
    }
    text
}

#[test]
fn an_item_is_in_the_tier_of_its_difficulty() {
    for line in FIRST_SET_TEXT.lines() {
        let item: pb::BenchmarkItem = message_from_json(&serde_json::from_str(line).unwrap()).unwrap();
        let difficulty = pb::PositionDifficulty {
            optimal_share: item.optimal_share,
            random_regret: 0.0,
            plies_to_see: item.plies_to_see,
            playout_error_rate: item.playout_error_rate,
        };
        assert_eq!(tier_of_difficulty(&difficulty).map(Tier::number), Some(item.tier), "{line}");
    }
}

#[test]
fn stored_difficulties_match_measurements() {
    let items = super::BENCHMARK_SETS[0].items_of_tier(Tier::MAX).iter().take(3);
    for (item, line) in items.zip(FIRST_SET_TEXT.lines().filter(|line| line.starts_with("{\"tier\":5,"))) {
        let stored: pb::BenchmarkItem = message_from_json(&serde_json::from_str(line).unwrap()).unwrap();
        let found = measure_difficulty(&item.game, &Explanation::of_game(&item.game, 0));
        assert_eq!((found.optimal_share, found.plies_to_see), (stored.optimal_share, stored.plies_to_see));
        // The error rate depends on a logarithm, whose value may differ between platforms.
        assert!((found.playout_error_rate - stored.playout_error_rate).abs() <= 0.125, "{item}");
    }
}

#[test]
fn the_first_items_can_be_reproduced() {
    let drawn = draw_first_set(1);
    let first: String =
        FIRST_SET_TEXT.lines().step_by(ITEMS_PER_TIER as usize).flat_map(|line| [line, "\n"]).collect();
    // The playout error rate depends on a logarithm, whose last bit may differ between platforms.
    let lines_without_error_rate = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split(",\"playout_error_rate\"").next().unwrap().to_owned()).collect()
    };
    assert_eq!(lines_without_error_rate(&drawn), lines_without_error_rate(&first));
}

#[test]
#[ignore = "logarithms may differ in the last bit on other platforms"]
fn the_first_set_can_be_reproduced() {
    assert_eq!(draw_first_set(ITEMS_PER_TIER), FIRST_SET_TEXT);
}

#[test]
fn the_newest_set_can_be_reproduced() {
    let items = draw_newest_set(NEWEST_SET_SEED);
    let set = &super::BENCHMARK_SETS[1];
    assert_eq!(items.len(), 600);
    for (index, item) in items.iter().enumerate() {
        let stored = &set.items_of_tier(item.tier)[item.number as usize - 1];
        assert_eq!((&stored.game, &stored.opponents), (&item.game, &item.opponents), "{item}");
        if index % 60 == 0 {
            let line = NEWEST_SET_TEXT.lines().nth(index).unwrap();
            let without_error_rate =
                |line: &str| line.split(",\"playout_error_rate\"").next().unwrap().to_owned();
            assert_eq!(without_error_rate(&line_of_item(item)), without_error_rate(line));
        }
    }
}
