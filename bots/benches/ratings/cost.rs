//! The cost of ratings: 1,000 bots, 100,000 matches of three.

use lastnim_core::{
    game::{BotName, BySeat},
    oracle::Budget,
};
use lastnim_tournament::{
    CrossTable, MatchOutcome, MatchResult, OnlineRatings, RatedMatches, RatingMeasure, ReplicateCount,
    Resampling, SatisfactionScores, SeatResult, SeededDraw,
};
use std::time::Instant;

const BOTS: u64 = 1_000;
const GROUPS: u64 = 33_334;
const SEATS: usize = 3;
const SEED: u64 = 7;

/// Prints the times.
pub fn print() {
    let results = draw_results();
    println!(
        "\n{BOTS} bots, {} matches with {SEATS} seats, with different bots in each group:",
        results.len()
    );
    let mut matches = RatedMatches::new();
    time_work("gathering the matches", || {
        for result in &results {
            matches.add_result(result);
        }
    });
    for replicates in [ReplicateCount::MIN, ReplicateCount::default().get()] {
        let resampling = Resampling {
            seed: SEED,
            replicates: ReplicateCount::new(replicates).expect("an allowed number"),
        };
        let mut budget = Budget::unbounded();
        time_work(&format!("rating, with {replicates} replicates"), || {
            matches.compute_ratings(&resampling, &mut budget).expect("no bound");
        });
        println!("  this takes {} million steps", budget.steps_spent() / 1_000_000);
    }
    let mut scores = SatisfactionScores::new();
    for result in &results {
        scores.add_result(result);
    }
    for replicates in [ReplicateCount::MIN, ReplicateCount::default().get()] {
        let replicates = ReplicateCount::new(replicates).expect("an allowed number");
        let mut budget = Budget::unbounded();
        time_work(&format!("rating by satisfaction, with {} replicates", replicates.get()), || {
            let resampling = Resampling { seed: SEED, replicates };
            scores.compute_ratings(&resampling, &mut budget).expect("no bound");
        });
        println!("  this takes {} million steps", budget.steps_spent() / 1_000_000);
    }
    let mut table = CrossTable::new();
    time_work("the cross-table", || {
        for result in &results {
            table.add_result(result);
        }
    });
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    time_work("rating the first 2,000 matches online", || {
        for result in &results[..2_000] {
            online.update_with(result);
        }
    });
}

fn time_work(what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    println!("  {what}: {:.2} s", start.elapsed().as_secs_f64());
}

/// Returns the results of matches whose winners are drawn by Luce's model.
fn draw_results() -> Vec<MatchResult> {
    let names: Vec<BotName> =
        (0..BOTS).map(|bot| format!("bot-{bot}").parse().expect("a short word")).collect();
    let mut results = Vec::new();
    for group in 0..GROUPS {
        let mut draw = SeededDraw::new(SEED, group);
        let mut table: Vec<u64> = Vec::new();
        while table.len() < SEATS {
            let bot = draw.number_below(BOTS);
            if !table.contains(&bot) {
                table.push(bot);
            }
        }
        // These are shares from 1 to 7.4 (e^2), that is, strengths from about -1 to 1.
        let share = |bot: &u64| 1_000 + 6_400 * bot * bot / (BOTS * BOTS);
        for rotation in 0..SEATS {
            table.rotate_right(usize::from(rotation > 0));
            let mut left = draw.number_below(table.iter().map(share).sum());
            let mut winner = 0;
            while left >= share(&table[winner]) {
                left -= share(&table[winner]);
                winner += 1;
            }
            let bots: BySeat<BotName> = table
                .iter()
                .map(|&bot| names[bot as usize].clone())
                .collect::<Vec<_>>()
                .try_into()
                .expect("three seats");
            let seats = BySeat::from_fn(bots.seats(), |_| SeatResult {
                rank_actual: draw.number_below(SEATS as u64) as u32,
                ..SeatResult::default()
            });
            let winner = bots.seats().seat(winner).expect("the bot has a seat at the table");
            let number = group * SEATS as u64 + rotation as u64;
            results.push(MatchResult { number, group, bots, outcome: Some(MatchOutcome { winner, seats }) });
        }
    }
    results
}
