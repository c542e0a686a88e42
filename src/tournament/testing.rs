//! Settings and fields for the tests of this floor.

use super::{Alliance, Concurrency, Scoring, Settings, SettingsDraft};
use crate::game::{BotName, Ending, Piles, SeatCount};

/// Returns settings with this many seats and positions.
pub(crate) fn settings(seats: usize, positions: u64, alliance: Alliance) -> Settings {
    Settings::new(SettingsDraft {
        title: "a test".parse().unwrap(),
        seats: SeatCount::new(seats).unwrap(),
        positions: (1..=positions).map(|pile| Piles::parse(&[pile, 2]).unwrap()).collect(),
        ending: Ending::default(),
        scoring: Scoring::fitting(&alliance),
        alliance,
        concurrency: Concurrency::default(),
        start_at: None,
        seed: 42,
    })
    .unwrap()
}

/// Returns the bots `bot0`, `bot1` and so on.
pub(crate) fn field(bots: usize) -> Vec<BotName> {
    (0..bots).map(|bot| format!("bot{bot}").parse().unwrap()).collect()
}
