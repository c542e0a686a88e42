//! Tests that rating intervals in ladders have the right coverage, although leads are not additive.

use super::super::{
    ReplicateCount, Resampling, SatisfactionScores, resampling::draw_uniform, testing::match_of_group,
};
use crate::{
    GroupCount, LadderPairing, LadderSettings, MatchResult, Pairing, ScheduleStep, SeededDraw, Settings,
    SettingsDraft, Streak, TableGroups, TournamentFormat, plan_schedule,
    testing::{field, settings},
};
use lastnim_core::{game::BotName, oracle::Budget};

const BOTS: u32 = 10;
const SEATS: usize = 3;
const GROUPS: u64 = 400;
const LADDERS: u64 = 20;

/// Returns how much the first bot is ahead of the second in a match. Leads saturate: the best bot is hardly further
/// ahead of the worst than of those in the middle.
fn lead_over(one: u32, other: u32) -> f64 {
    0.3 * (0.5 * (f64::from(one) - f64::from(other))).tanh()
}

fn number_of_bot(bot: &BotName) -> u32 {
    bot.as_str().trim_start_matches("bot").parse().unwrap()
}

fn play_match(pairing: &Pairing, draw: &mut SeededDraw) -> MatchResult {
    let bots = pairing.bots.as_slice();
    let mut result = match_of_group(pairing.group, bots, 0);
    result.number = pairing.number;
    let outcome = result.outcome.as_mut().unwrap();
    for (seat, bot) in pairing.bots.enumerate() {
        let own = number_of_bot(bot);
        let lead: f64 = bots.iter().map(|other| lead_over(own, number_of_bot(other))).sum();
        let chance = 0.5 + lead / f64::from(SEATS as u32);
        let rank = (1..SEATS).filter(|_| draw_uniform(draw) > chance).count();
        outcome.seats[seat].rank_actual = rank as u32;
    }
    result
}

/// Plays a ladder, and returns the scores from which its bots are rated.
fn play_ladder(seed: u64) -> SatisfactionScores {
    let ladder = LadderSettings {
        groups: Some(GroupCount::new(GROUPS).unwrap()),
        table_groups: TableGroups::ONE,
        suspend_after: Streak::new(1_000).unwrap(),
        pairing: LadderPairing::default(),
    };
    let plain = settings(SEATS, 1, crate::AllianceSource::Standard);
    let format = TournamentFormat::Ladder(ladder);
    let settings = Settings::new(SettingsDraft { format, seed, ..(*plain).clone() }).unwrap();
    let mut schedule = plan_schedule(&settings, &field(BOTS as usize)).unwrap();
    let mut scores = SatisfactionScores::new();
    let mut draw = SeededDraw::new(seed, 1);
    while let ScheduleStep::Match(pairing) = schedule.next() {
        let result = play_match(&pairing, &mut draw);
        schedule.report_result(&result);
        scores.add_result(&result);
    }
    scores
}

#[test]
fn intervals_contain_the_lead_over_the_whole_field() {
    let truth = |bot: u32| (0..BOTS).map(|other| lead_over(bot, other)).sum::<f64>() / f64::from(BOTS);
    let (mut held, mut all) = (0.0, 0.0);
    for seed in 0..LADDERS {
        let resampling = Resampling { seed, replicates: ReplicateCount::new(50).unwrap() };
        let ratings = play_ladder(seed).compute_ratings(&resampling, &mut Budget::unbounded()).unwrap();
        for rated in ratings.bots() {
            held += f64::from(u8::from(rated.interval.contains(&truth(number_of_bot(&rated.bot)))));
            all += 1.0;
        }
    }
    // The standard error of the coverage is below 2%.
    assert!(held / all > 0.92, "{:.3} of the intervals contain the truth", held / all);
}
