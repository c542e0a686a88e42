//! The coverage of intervals for satisfaction ratings, with real matches between bots.

use super::play::{Contestant, play_round_robin};
use lastnim_bots::HouseBot;
use lastnim_core::{game::BotName, oracle::Budget};
use lastnim_tournament::{
    AllianceSource, MatchResult, ReplicateCount, Resampling, SatisfactionRatings, SatisfactionScores,
    SeededDraw, adjust_p_values,
};

const FIELD: [Contestant; 6] = [
    Contestant::House(HouseBot::Oracle),
    Contestant::Erring(10),
    Contestant::Erring(20),
    Contestant::House(HouseBot::Greedy),
    Contestant::House(HouseBot::Timid),
    Contestant::House(HouseBot::Random),
];
const POSITIONS: u64 = 200;
const TOURNAMENTS: u64 = 400;
const SEED: u64 = 2019;
const GROUP_COUNTS: [usize; 4] = [8, 20, 60, 200];

/// How the groups of a tournament are drawn from all played groups.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Draw {
    /// Uniformly, as in a balanced sample.
    Sample,
    /// Tables of bots with similar strength.
    Close,
}

/// Prints the shares of intervals that contain the strengths derived from all groups.
pub fn print() {
    println!(
        "\nRatings by satisfaction: how many of 100 95% intervals contain the true value, and how wide they are"
    );
    println!(
        "| seats, rows | drawn | groups | intervals that contain it, % | half-width | tournaments with a wrong pair, % |"
    );
    println!("|---|---|---|---|---|---|");
    for (title, seats, alliance) in [
        ("2, random", 2, AllianceSource::Random),
        ("3, random", 3, AllianceSource::Random),
        ("3, standard", 3, AllianceSource::Standard),
        ("5, random", 5, AllianceSource::Random),
    ] {
        let results = play_round_robin(&FIELD, seats, alliance, POSITIONS, SEED);
        let groups: Vec<&[MatchResult]> = results.chunks(seats).collect();
        let truth = rate(groups.iter().copied(), SEED);
        for draw in [Draw::Sample, Draw::Close] {
            for count in GROUP_COUNTS {
                let Coverage { covering_percent, mean_half_width, wrong_percent } =
                    measure_coverage(&groups, &truth, draw, count);
                println!(
                    "| {title} | {draw:?} | {count} | {covering_percent:.1} | {mean_half_width:.3} | {wrong_percent:.1} |"
                );
            }
        }
    }
}

struct Coverage {
    /// The share of intervals that contain the true value.
    covering_percent: f64,
    mean_half_width: f64,
    /// The share of tournaments with a wrong pair.
    wrong_percent: f64,
}

fn measure_coverage(
    groups: &[&[MatchResult]],
    truth: &SatisfactionRatings,
    draw: Draw,
    count: usize,
) -> Coverage {
    let mut by_lead: Vec<&BotName> = truth.bots().iter().map(|rated| &rated.bot).collect();
    by_lead.sort_by(|one, other| lead(truth, one).total_cmp(&lead(truth, other)));
    let is_close = |group: &&&[MatchResult]| {
        let mut places: Vec<_> =
            group[0].bots.iter().filter_map(|bot| by_lead.iter().position(|known| *known == bot)).collect();
        places.sort_unstable();
        places.windows(2).all(|two| two[1] - two[0] == 1)
    };
    let groups: Vec<_> = groups.iter().filter(|group| draw == Draw::Sample || is_close(group)).collect();
    let (mut held, mut halves, mut all, mut wrong) = (0, 0.0, 0, 0);
    for tournament in 0..TOURNAMENTS {
        let mut numbers = SeededDraw::from_numbers([SEED, count as u64, tournament]);
        let drawn = (0..count).map(|_| *groups[numbers.number_below(groups.len() as u64) as usize]);
        let ratings = rate(drawn.collect::<Vec<_>>().into_iter(), tournament);
        for rated in ratings.bots() {
            held += u32::from(rated.interval.contains(&lead(truth, &rated.bot)));
            halves += (rated.interval.high - rated.interval.low) / 2.0;
            all += 1;
        }
        wrong += u32::from(has_wrong_pair(&ratings, truth));
    }
    let all = f64::from(all);
    Coverage {
        covering_percent: 100.0 * f64::from(held) / all,
        mean_half_width: halves / all,
        wrong_percent: 100.0 * f64::from(wrong) / f64::from(TOURNAMENTS as u32),
    }
}

/// Returns whether any bot is wrongly called better than another at the 5% level.
fn has_wrong_pair(ratings: &SatisfactionRatings, truth: &SatisfactionRatings) -> bool {
    let bots = ratings.bots();
    let pairs =
        bots.iter().enumerate().flat_map(|(place, one)| bots[..place].iter().map(move |other| (one, other)));
    let leads: Vec<_> = pairs
        .filter_map(|(one, other)| {
            let true_lead = lead(truth, &one.bot) - lead(truth, &other.bot);
            Some((ratings.lead_between(&one.bot, &other.bot)?, true_lead))
        })
        .collect();
    let adjusted = adjust_p_values(&leads.iter().map(|(lead, _)| lead.chance_if_equal()).collect::<Vec<_>>());
    leads.iter().zip(adjusted).any(|((lead, truth), chance)| chance <= 0.05 && lead.lead * truth <= 0.0)
}

fn lead(ratings: &SatisfactionRatings, bot: &BotName) -> f64 {
    ratings.get(bot).map_or(0.0, |rated| rated.lead)
}

/// Rates bots from drawn groups; a group that was drawn several times counts as several groups.
fn rate<'a>(groups: impl Iterator<Item = &'a [MatchResult]>, seed: u64) -> SatisfactionRatings {
    let mut scores = SatisfactionScores::new();
    for (number, group) in (0..).zip(groups) {
        for result in group {
            scores.add_result(&MatchResult { group: number, ..result.clone() });
        }
    }
    let replicates = ReplicateCount::new(100).expect("an allowed number");
    let resampling = Resampling { seed, replicates };
    scores.compute_ratings(&resampling, &mut Budget::unbounded()).expect("no bound")
}
