//! The claimed chance that the best bot finishes first, compared with tournaments of fields that differ from the
//! typical one.

use super::play::{Contestant, play_match, settings};
use lastnim_bots::{FirstPlaces, NeededSize, play_to_standings, resolve};
use lastnim_core::game::BotName;
use lastnim_tournament::{
    AllianceSource, GroupCount, RoundCount, Settings, SettingsDraft, TableGroups, TournamentFormat,
};
use std::time::Instant;

/// The fields, each with the best bot first. The first is the typical field.
const FIELDS: [(&str, [&str; 6]); 4] = [
    ("typical", ["oracle", "epsilon-0.1", "epsilon-0.2", "epsilon-0.3", "epsilon-0.4", "epsilon-0.5"]),
    ("simple", ["oracle", "greedy", "timid", "random", "mirror", "minimax-2"]),
    ("searching", ["oracle", "minimax-1", "minimax-3", "mcts-8", "mcts-32", "random"]),
    ("close", ["oracle", "epsilon-0.04", "epsilon-0.08", "epsilon-0.12", "epsilon-0.16", "epsilon-0.2"]),
];
const POSITIONS: u64 = 200;
const TOURNAMENTS: u32 = 200;
const SEED: u64 = 2019;

/// Prints the claimed chances and the frequencies.
pub fn print() {
    println!("\nHow often the best of six bots finishes first, in % of {TOURNAMENTS} tournaments");
    println!("| tournament | claimed | for 90% | {} | seconds |", FIELDS.map(|(title, _)| title).join(" | "));
    println!("|---|---|---|{}---|", "---|".repeat(FIELDS.len()));
    let groups = |groups| GroupCount::new(groups).expect("an allowed number");
    let rounds = |rounds| RoundCount::new(rounds).expect("an allowed number");
    let each = |groups| TableGroups::new(groups).expect("an allowed number");
    let sample = |count| TournamentFormat::Sample { groups: groups(count) };
    let swiss = |count| TournamentFormat::Swiss { rounds: rounds(count), table_groups: each(2) };
    let knockout = |count| TournamentFormat::Knockout { advance: 1, table_groups: each(count) };
    for (title, format, seats, alliance) in [
        ("2 seats, sample of 30 groups", sample(30), 2, AllianceSource::Standard),
        ("2 seats, sample of 120 groups", sample(120), 2, AllianceSource::Standard),
        ("2 seats, Swiss of 5 rounds", swiss(5), 2, AllianceSource::Standard),
        ("2 seats, knockout of 4 groups", knockout(4), 2, AllianceSource::Standard),
        ("3 seats, random rows, sample of 32", sample(32), 3, AllianceSource::Random),
        ("3 seats, random rows, sample of 400", sample(400), 3, AllianceSource::Random),
        ("3 seats, standard rows, Swiss of 16 rounds", swiss(16), 3, AllianceSource::Standard),
        ("3 seats, declared rows, sample of 100", sample(100), 3, AllianceSource::Declared),
    ] {
        let settings = settings(format, seats, alliance, POSITIONS, SEED);
        let start = Instant::now();
        let resolution = resolve(&settings, FIELDS[0].1.len()).expect("the tournament is small");
        let seconds = start.elapsed().as_secs_f64();
        let claimed = percent(resolution.now.expect("it has a fixed length"));
        let needed = match resolution.needed {
            NeededSize::Planned => "enough".to_owned(),
            NeededSize::About(size) => format!("{size} {}", resolution.unit),
            NeededSize::MoreThan(size) => format!("over {size} {}", resolution.unit),
        };
        let played = FIELDS.map(|(_, field)| format!("{:.0}", percent(count_first_places(&settings, field))));
        println!("| {title} | {claimed:.0} | {needed} | {} | {seconds:.1} |", played.join(" | "));
    }
}

fn percent(places: FirstPlaces) -> f64 {
    100.0 * f64::from(places.first) / f64::from(places.tournaments)
}

/// Plays tournaments with house bots and counts how often the first bot of the field finishes first.
fn count_first_places(settings: &Settings, field: [&str; 6]) -> FirstPlaces {
    let field = field.map(|bot| Contestant::House(bot.parse().expect("a house bot")));
    let names: Vec<BotName> = field.iter().map(|bot| bot.name()).collect();
    let is_first = |run: &u32| {
        let draft = SettingsDraft { seed: SEED + 1 + u64::from(*run), ..(**settings).clone() };
        let settings = Settings::new(draft).expect("the settings fit");
        let lines =
            play_to_standings(&settings, &names, |pairing| Some(play_match(&settings, pairing, &field)));
        lines.is_some_and(|lines| lines[0].bot == names[0])
    };
    let first = (0..TOURNAMENTS).filter(is_first).count() as u32;
    FirstPlaces { first, tournaments: TOURNAMENTS }
}
