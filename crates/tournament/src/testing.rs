//! Settings and fields for tests.

use super::{
    AllianceSource, Concurrency, OracleAccess, Pairing, Positions, Schedule, ScheduleStep, Scoring,
    SeededDraw, Settings, SettingsDraft, TournamentFormat,
};
use lastnim_core::game::{BotName, BotVersion, ConfigHash, Ending, Piles, SeatCount, SeatVersions};

/// Returns settings with this many seats and positions.
pub fn settings(seats: usize, positions: u64, alliance: AllianceSource) -> Settings {
    let seats = SeatCount::new(seats).unwrap();
    Settings::new(SettingsDraft {
        title: "a test".parse().unwrap(),
        format: TournamentFormat::RoundRobin,
        seats,
        positions: Positions::listed((1..=positions).map(|pile| Piles::parse(&[pile, 2]).unwrap()).collect())
            .unwrap(),
        ending: Ending::default(),
        scoring: Scoring::default_for(&alliance, seats),
        alliance,
        oracle: OracleAccess::default(),
        retention: None,
        concurrency: Concurrency::default(),
        bot_concurrency: None,
        start_at: None,
        seed: 42,
    })
    .unwrap()
}

/// Draws the versions of a seat, from none to several.
pub fn versions(draw: &mut SeededDraw) -> SeatVersions {
    SeatVersions::new((0..draw.number_below(4)).map(|_| BotVersion {
        label: [None, "1.0".parse().ok(), "1.1".parse().ok()][draw.number_below(3) as usize].clone(),
        config_hash:
            (draw.number_below(2) == 0).then(|| ConfigHash::from_bytes([draw.number_below(40) as u8; 32])),
    }))
}

/// Returns the bots `bot0`, `bot1` and so on.
pub fn field(bots: usize) -> Vec<BotName> {
    (0..bots).map(|bot| format!("bot{bot}").parse().unwrap()).collect()
}

/// Returns all matches of a schedule that does not depend on results.
pub fn pairings(schedule: &mut dyn Schedule) -> Vec<Pairing> {
    std::iter::from_fn(|| match schedule.next() {
        ScheduleStep::Match(pairing) => Some(pairing),
        ScheduleStep::Over => None,
        awaiting => panic!("it waits: {awaiting:?}"),
    })
    .collect()
}
