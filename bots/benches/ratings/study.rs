//! How many matches each measure needs to tell two bots apart.

use crate::play::{Contestant, play_round_robin};
use lastnim_bots::HouseBot;
use lastnim_core::game::Seat;
use lastnim_tournament::{AllianceSource, EloRatings, MatchOutcome, MatchResult, SeededDraw};

/// Number of positions, and so duplicate groups, of every comparison.
const POSITIONS: u64 = 1_000;
/// Number of tournaments drawn from those groups.
const TOURNAMENTS: u64 = 1_000;
/// Maximum number of matches in a drawn tournament.
const MAX_MATCHES: usize = 10_000;
/// The seed of positions, bots and tournaments.
const SEED: u64 = 2_019;

/// The better bot, the worse one, and a third at their table, if any.
type Comparison = (Contestant, Contestant, Option<Contestant>);

const ORACLE: Contestant = Contestant::House(HouseBot::Oracle);
const RANDOM: Contestant = Contestant::House(HouseBot::Random);
const TIMID: Contestant = Contestant::House(HouseBot::Timid);
const GREEDY: Contestant = Contestant::House(HouseBot::Greedy);
const LOYAL: Contestant = Contestant::House(HouseBot::Loyal);
const TRAITOR: Contestant = Contestant::House(HouseBot::Traitor);

const TWO_SEAT_COMPARISONS: [Comparison; 5] = [
    (ORACLE, RANDOM, None),
    (ORACLE, Contestant::Erring(20), None),
    (Contestant::Erring(10), Contestant::Erring(20), None),
    (Contestant::Erring(10), Contestant::Erring(15), None),
    (TIMID, RANDOM, None),
];
const THREE_SEAT_COMPARISONS: [Comparison; 5] = [
    (ORACLE, RANDOM, Some(GREEDY)),
    (ORACLE, Contestant::Erring(20), Some(RANDOM)),
    (Contestant::Erring(10), Contestant::Erring(20), Some(RANDOM)),
    (Contestant::Erring(10), Contestant::Erring(15), Some(ORACLE)),
    (TIMID, RANDOM, Some(GREEDY)),
];
const DECLARED_ROW_COMPARISONS: [Comparison; 4] = [
    (ORACLE, RANDOM, Some(GREEDY)),
    (ORACLE, Contestant::Erring(20), Some(RANDOM)),
    (Contestant::Erring(10), Contestant::Erring(20), Some(RANDOM)),
    (LOYAL, TRAITOR, Some(RANDOM)),
];

/// How much better one bot did than the other in a group: an integer for each measure.
#[derive(Debug, Clone, Copy, Default)]
struct Lead {
    wins: i64,
    satisfaction: i64,
    regret: i64,
}

/// Prints the table.
pub fn print() {
    println!(
        "Number of matches after which the better bot leads in 95 of 100 tournaments (- means more than {MAX_MATCHES})"
    );
    for (title, seats, alliance, comparisons) in [
        ("2 seats, standard rows", 2, AllianceSource::Standard, &TWO_SEAT_COMPARISONS[..]),
        ("3 seats, random rows", 3, AllianceSource::Random, &THREE_SEAT_COMPARISONS[..]),
        ("3 seats, declared rows", 3, AllianceSource::Declared, &DECLARED_ROW_COMPARISONS[..]),
    ] {
        println!(
            "\n| {title} | Luce, wins | Elo | satisfaction | regret | wins per match | regret per match |"
        );
        println!("|---|---|---|---|---|---|---|");
        for &(better, worse, other) in comparisons {
            let contestants: Vec<_> = [better, worse].into_iter().chain(other).collect();
            let results = play_round_robin(&contestants, seats, alliance.clone(), POSITIONS, SEED);
            println!("{}", table_line(&results, seats, (better, worse, other)));
        }
    }
}

fn table_line(results: &[MatchResult], seats: usize, comparison: Comparison) -> String {
    let (better, worse, other) = comparison;
    let groups: Vec<&[MatchResult]> = results.chunks(seats).collect();
    let leads: Vec<Lead> = groups.iter().map(|group| Lead::of(group, better, worse)).collect();
    let total_needed = |measure: fn(&Lead) -> i64| {
        fewest_matches(seats, groups.len(), || {
            let mut sum = 0;
            let leads = &leads;
            move |group: usize| {
                sum += measure(&leads[group]);
                sum > 0
            }
        })
    };
    let needed_by_elo = || {
        let names = [better.name(), worse.name()];
        fewest_matches(seats, groups.len(), || {
            let (mut elo, groups, names) = (EloRatings::default(), &groups, &names);
            move |group: usize| {
                for result in groups[group] {
                    elo.add_result(result);
                }
                elo.rating(&names[0]) > elo.rating(&names[1])
            }
        })
    };
    let each = |figure: fn(&MatchResult, Contestant) -> i64| {
        let mean = |bot| {
            let sum: i64 = results.iter().map(|result| figure(result, bot)).sum();
            f64::from(sum as i32) / f64::from(results.len() as u32)
        };
        format!("{:.3}, {:.3}", mean(better), mean(worse))
    };
    let comparison = other.map_or_else(String::new, |other| format!(", beside {other}"));
    format!(
        "| {better} before {worse}{comparison} | {} | {} | {} | {} | {} | {} |",
        total_needed(|lead| lead.wins),
        if seats == 2 { needed_by_elo() } else { "none".into() },
        total_needed(|lead| lead.satisfaction),
        total_needed(|lead| lead.regret),
        each(wins),
        each(regret),
    )
}

/// Draws the groups of tournaments from this many played ones, and returns the number of matches after which the better
/// bot is ahead in 95 of 100 tournaments; `-` if [`MAX_MATCHES`] are too few.
///
/// `begin` starts a tournament; the returned function adds a group and returns whether the better bot is ahead.
fn fewest_matches<F: FnMut(usize) -> bool>(seats: usize, groups: usize, begin: impl Fn() -> F) -> String {
    let max_groups = MAX_MATCHES / seats;
    let mut ahead = vec![0; max_groups];
    for tournament in 0..TOURNAMENTS {
        let (mut draw, mut tournament) = (SeededDraw::new(SEED, tournament), begin());
        for ahead in &mut ahead {
            *ahead += u64::from(tournament(draw.number_below(groups as u64) as usize));
        }
    }
    let behind = ahead.iter().rposition(|&ahead| 100 * ahead < 95 * TOURNAMENTS);
    match behind.map_or(1, |last| last + 2) {
        enough if enough <= max_groups => (enough * seats).to_string(),
        _ => "-".into(),
    }
}

impl Lead {
    fn of(group: &[MatchResult], better: Contestant, worse: Contestant) -> Self {
        let lead = |figure: fn(&MatchResult, Contestant) -> i64| {
            group.iter().map(|result| figure(result, better) - figure(result, worse)).sum()
        };
        Self { wins: lead(wins), satisfaction: -lead(rank), regret: -lead(regret) }
    }
}

fn wins(result: &MatchResult, bot: Contestant) -> i64 {
    figure(result, bot, |outcome, seat| i64::from(outcome.winner == seat))
}

fn rank(result: &MatchResult, bot: Contestant) -> i64 {
    figure(result, bot, |outcome, seat| outcome.seats[seat].rank_actual.into())
}

fn regret(result: &MatchResult, bot: Contestant) -> i64 {
    figure(result, bot, |outcome, seat| outcome.seats[seat].regret.into())
}

fn figure(result: &MatchResult, bot: Contestant, of: fn(&MatchOutcome, Seat) -> i64) -> i64 {
    let name = bot.name();
    let seat = result.bots.enumerate().find(|(_, at_seat)| **at_seat == name);
    let (seat, _) = seat.expect("every contestant plays in every match");
    of(result.outcome.as_ref().expect("every match was played"), seat)
}
