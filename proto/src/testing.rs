//! Random games and settings for property tests.

use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Game, MAX_COUNTERS, Piles, Row, SeatCount};
use lastnim_core::referee::{DealRule, Timestamp};
use lastnim_tournament::{
    AllianceSource, AllowList, BoundedCount, Concurrency, EffectBounds, ErrorRates, LadderPairing,
    LadderSettings, NamePattern, OracleAccess, Positions, Retention, Scoring, Settings, SettingsDraft,
    SprtMeasure, SprtSettings, TournamentFormat,
};
use proptest::prelude::*;

fn seats() -> impl Strategy<Value = SeatCount> {
    (2..=32_usize).prop_map(|seats| SeatCount::new(seats).unwrap())
}

fn row(seats: SeatCount) -> impl Strategy<Value = Row> {
    let offsets: Vec<u64> = (0..seats.get() as u64).collect();
    Just(offsets).prop_shuffle().prop_map(move |offsets| Row::parse(&offsets, seats).unwrap())
}

fn matrix(seats: SeatCount) -> impl Strategy<Value = AllianceMatrix> {
    prop::collection::vec(row(seats), seats.get())
        .prop_map(|rows| AllianceMatrix::from_rows(BySeat::try_from(rows).unwrap()).unwrap())
}

fn piles() -> impl Strategy<Value = Piles> {
    let counters = prop_oneof![1..10_u64, 1..=MAX_COUNTERS];
    prop::collection::vec(counters, 1..6).prop_map(|counters| Piles::parse(&counters).unwrap())
}

fn ending() -> impl Strategy<Value = Ending> {
    prop::sample::select(Ending::ALL.as_slice())
}

/// Generates games at any stage.
pub(crate) fn game() -> impl Strategy<Value = Game> {
    let over = Just(Piles::parse_partly_emptied(&[0]).unwrap());
    let piles = prop_oneof![9 => piles(), 1 => over];
    (seats().prop_flat_map(matrix), piles, any::<prop::sample::Index>(), ending()).prop_map(
        |(matrix, piles, first, ending)| {
            let first = first.index(matrix.seats().get());
            Game::new(piles, matrix, first, ending).unwrap()
        },
    )
}

fn alliance(seats: SeatCount) -> impl Strategy<Value = AllianceSource> {
    prop_oneof![
        Just(AllianceSource::Declared),
        Just(AllianceSource::Standard),
        Just(AllianceSource::Random),
        matrix(seats).prop_map(AllianceSource::Given),
        Just(AllianceSource::Dealt(DealRule::All)),
        Just(AllianceSource::Dealt(DealRule::SelfFirst)),
        prop::collection::vec(matrix(seats), 1..3).prop_map(|matrices| {
            let rows = matrices.iter().flat_map(|matrix| matrix.rows().iter().cloned());
            AllianceSource::Dealt(DealRule::List(rows.collect()))
        }),
    ]
}

fn positions() -> impl Strategy<Value = Positions> {
    let drawn = (1..=1_000_usize, (1..9_usize, 0..9_usize), (1..99_u64, 0..=MAX_COUNTERS - 99));
    prop_oneof![
        prop::collection::vec(piles(), 1..5).prop_map(|piles| Positions::listed(piles).unwrap()),
        drawn.prop_map(|(count, (piles, more_piles), (counters, more_counters))| {
            Positions::drawn(count, (piles, piles + more_piles), (counters, counters + more_counters))
                .unwrap()
        }),
        Just(Positions::Paper),
    ]
}

fn format(seats: SeatCount) -> impl Strategy<Value = TournamentFormat> {
    fn count<const MAX: u64>(max: u64) -> impl Strategy<Value = BoundedCount<MAX>> {
        (1..=max).prop_map(|number| BoundedCount::new(number).unwrap())
    }
    let bot = || "[a-z0-9]{1,9}".prop_map(|name| name.parse().unwrap());
    let sprt = (
        bot(),
        bot(),
        prop::sample::select(vec![SprtMeasure::Points, SprtMeasure::Regret]),
        0..100_i32,
        1..100_i32,
        1..50_i32,
    );
    prop_oneof![
        Just(TournamentFormat::RoundRobin),
        count(9).prop_map(|groups| TournamentFormat::Sample { groups }),
        (bot(), prop::option::of(count(9_999)))
            .prop_map(|(bot, groups)| TournamentFormat::Gauntlet { bot, groups }),
        (count(99), count(9))
            .prop_map(|(rounds, table_groups)| TournamentFormat::Swiss { rounds, table_groups }),
        (1..seats.get(), count(9))
            .prop_map(|(advance, table_groups)| TournamentFormat::Knockout { advance, table_groups }),
        (prop::option::of(count(9_999)), count(9), count(99), any::<bool>()).prop_map(
            |(groups, table_groups, suspend_after, is_old)| {
                let pairing = if is_old { LadderPairing::LeastCertain } else { LadderPairing::ByTurns };
                TournamentFormat::Ladder(LadderSettings { groups, table_groups, suspend_after, pairing })
            }
        ),
        (sprt, count(9_999)).prop_filter("two bots", |((one, other, ..), _)| one != other).prop_map(
            |((candidate, baseline, measure, none, more, percent), groups)| {
                let none = f64::from(none) / 100.0;
                TournamentFormat::Sprt(SprtSettings {
                    candidate,
                    baseline,
                    measure,
                    effects: EffectBounds::new(none, none + f64::from(more) / 7.0).unwrap(),
                    errors: ErrorRates::new(f64::from(percent) / 100.0, 0.05).unwrap(),
                    groups,
                })
            }
        ),
    ]
}

/// Generates a time that a setting may have, or none.
fn time() -> impl Strategy<Value = Option<Timestamp>> {
    prop::option::of((1..253_402_300_800_000_000_u64).prop_map(Timestamp::from_micros))
}

/// Generates arbitrary settings.
pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let cross = seats().prop_flat_map(|seats| {
        // A generated tournament starts with at most three bots more than it has seats.
        (Just(seats), alliance(seats), format(seats), prop::option::of(seats.get() + 1..seats.get() + 4))
    });
    (
        cross,
        "[a-zA-Z0-9][ -~é]{0,99}",
        positions(),
        ending(),
        (
            prop::sample::select(vec![Scoring::Win, Scoring::Satisfaction]),
            prop::sample::select(vec![OracleAccess::Open, OracleAccess::Closed]),
            (0..3_u64, 0..3_u64).prop_map(|(matches, days)| {
                Retention::new(BoundedCount::new(matches).ok(), BoundedCount::new(days).ok())
            }),
        ),
        (1..=Concurrency::MAX, prop::option::of(1..=Concurrency::MAX)),
        (any::<u64>(), time(), time(), prop::collection::vec("[a-z][a-z0-9-]{0,5}[*]?|[*]", 0..3)),
    )
        .prop_map(
            |(
                (seats, alliance, format, start_when),
                title,
                positions,
                ending,
                (scoring, oracle, retention),
                concurrency,
                (seed, start_at, entries_close_at, allow),
            )| {
                let (concurrency, bot_concurrency) = concurrency;
                // With several hundred positions, the tournament could exceed the limit on matches.
                let start_when = start_when.filter(|_| positions.count() < 5);
                let is_dealt = alliance.deal_rule().is_some();
                let scoring = if is_dealt { Scoring::Satisfaction } else { scoring };
                let format = match format {
                    TournamentFormat::Sprt(sprt) if is_dealt => {
                        TournamentFormat::Sprt(SprtSettings { measure: SprtMeasure::Points, ..sprt })
                    }
                    format => format,
                };
                let mut allow: Vec<NamePattern> = allow.iter().map(|name| name.parse().unwrap()).collect();
                if matches!(format, TournamentFormat::Gauntlet { .. } | TournamentFormat::Sprt(_)) {
                    // The bots that the format names must be allowed.
                    allow.push("*".parse().unwrap());
                }
                let allow = AllowList::new(allow).unwrap();
                Settings::new(SettingsDraft {
                    title: title.parse().unwrap(),
                    format,
                    seats,
                    positions,
                    ending,
                    alliance,
                    scoring,
                    oracle,
                    retention,
                    concurrency: Concurrency::new(concurrency).unwrap(),
                    bot_concurrency: bot_concurrency.map(|matches| Concurrency::new(matches).unwrap()),
                    start_when,
                    start_at,
                    entries_close_at,
                    allow,
                    seed,
                })
                .unwrap()
            },
        )
}
