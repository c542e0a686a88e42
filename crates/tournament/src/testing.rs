//! Settings and fields for tests.

use super::{
    AllianceSource, Pairing, Positions, Schedule, ScheduleStep, SeededDraw, Settings, SettingsDraft,
};
use lastnim_core::game::{BotName, BotVersion, ConfigHash, Piles, SeatCount, SeatVersions};

/// Returns settings with the given numbers of seats and positions.
pub fn settings(seats: usize, positions: u64, alliance: AllianceSource) -> Settings {
    let seats = SeatCount::new(seats).unwrap();
    let positions =
        Positions::listed((1..=positions).map(|pile| Piles::parse(&[pile, 2]).unwrap()).collect()).unwrap();
    let draft = SettingsDraft::new("a test".parse().unwrap(), seats, positions, alliance);
    Settings::new(SettingsDraft { seed: 42, ..draft }).unwrap()
}

/// Draws at most three versions for a seat.
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
        awaiting => panic!("the schedule waits: {awaiting:?}"),
    })
    .collect()
}
