//! Settings and fields for the tests of this layer.

use super::{
    Alliance, Concurrency, Format, Pairing, Positions, Schedule, Scoring, Settings, SettingsDraft, Step,
};
use crate::game::{BotName, Ending, Piles, SeatCount};

/// Returns settings with this many seats and positions.
pub fn settings(seats: usize, positions: u64, alliance: Alliance) -> Settings {
    Settings::new(SettingsDraft {
        title: "a test".parse().unwrap(),
        format: Format::RoundRobin,
        seats: SeatCount::new(seats).unwrap(),
        positions: Positions::listed((1..=positions).map(|pile| Piles::parse(&[pile, 2]).unwrap()).collect())
            .unwrap(),
        ending: Ending::default(),
        scoring: Scoring::fitting(&alliance),
        alliance,
        concurrency: Concurrency::default(),
        bot_concurrency: None,
        start_at: None,
        seed: 42,
    })
    .unwrap()
}

/// Returns the bots `bot0`, `bot1` and so on.
pub fn field(bots: usize) -> Vec<BotName> {
    (0..bots).map(|bot| format!("bot{bot}").parse().unwrap()).collect()
}

/// Returns all matches of a schedule that asks for no results.
pub fn pairings(schedule: &mut dyn Schedule) -> Vec<Pairing> {
    std::iter::from_fn(|| match schedule.next() {
        Step::Match(pairing) => Some(pairing),
        Step::Over => None,
        awaiting => panic!("it waits: {awaiting:?}"),
    })
    .collect()
}
