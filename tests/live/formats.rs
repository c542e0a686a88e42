//! Tournaments of every format, played by house bots.

use super::host::{Host, round_robin};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use pb::tournament_settings::{Format, OtherPositions};

/// Settings of a tournament on drawn positions with drawn rows.
fn settings(format: Format, seats: u32) -> pb::TournamentSettings {
    let drawn = pb::DrawnPositions { count: 3, min_piles: 2, max_piles: 3, min_counters: 1, max_counters: 3 };
    pb::TournamentSettings {
        seats,
        alliance: pb::AllianceMode::Random.into(),
        format: Some(format),
        other_positions: Some(OtherPositions::DrawnPositions(drawn)),
        ..round_robin(&[])
    }
}

/// Plays a tournament of house bots to its end.
async fn play_tournament(settings: pb::TournamentSettings) -> pb::WatchTournamentResponse {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let id = host.create_tournament(settings, &HouseBot::BASIC.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    party.dismiss().await;
    last
}

/// Plays a tournament twice, with much and with little concurrency, and returns its number of matches.
async fn play_with_two_concurrencies(format: Format, seats: u32) -> u64 {
    let mut seen = Vec::new();
    for (concurrency, bot_concurrency) in [(64, 0), (5, 1)] {
        let settings = settings(format.clone(), seats);
        let last = play_tournament(pb::TournamentSettings { concurrency, bot_concurrency, ..settings }).await;
        let tournament = last.tournament.unwrap();
        assert_eq!(tournament.state(), pb::TournamentState::Finished);
        assert_eq!(tournament.matches_played, tournament.matches_total, "{format:?}");
        let sat: u32 = last.standings.iter().map(|line| line.matches).sum();
        assert_eq!(u64::from(sat), tournament.matches_played * u64::from(seats));
        assert!(last.standings.iter().all(|line| line.rating.is_some() == (line.matches > 0)));
        seen.push((tournament.matches_played, last.standings, last.verdict));
    }
    assert_eq!(seen[0], seen[1], "{format:?}");
    seen[0].0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swiss_tournament_is_played_in_rounds() {
    let swiss = pb::SwissFormat { rounds: 3, table_groups: 2 };
    // 6 bots make one table of 4; the other two get points for sitting out.
    assert_eq!(play_with_two_concurrencies(Format::Swiss(swiss), 4).await, 3 * 2 * 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_knockout_is_played_to_its_final() {
    let knockout = pb::KnockoutFormat { advance: 1, table_groups: 1 };
    // Three tables, then one and a bye, then the final.
    assert_eq!(play_with_two_concurrencies(Format::Knockout(knockout), 2).await, 2 * 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bounded_ladder_ends() {
    let ladder = pb::LadderFormat { groups: 9, ..pb::LadderFormat::default() };
    assert_eq!(play_with_two_concurrencies(Format::Ladder(ladder), 3).await, 9 * 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gauntlets_and_samples_have_the_requested_groups() {
    let gauntlet = pb::GauntletFormat { bot: HouseBot::BASIC[0].kind().into(), groups: 0 };
    assert_eq!(play_with_two_concurrencies(Format::Gauntlet(gauntlet), 3).await, 5 * 3 * 3);
    let sample = pb::RoundRobinFormat { groups: 11 };
    assert_eq!(play_with_two_concurrencies(Format::RoundRobin(sample), 3).await, 11 * 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sequential_test_stops_early() {
    let sprt = pb::SprtFormat {
        candidate: "oracle".into(),
        baseline: "random".into(),
        effect_some: 0.2,
        groups: 200,
        ..pb::SprtFormat::default()
    };
    let matches = play_with_two_concurrencies(Format::Sprt(sprt), 2).await;
    assert_eq!(matches % 4, 0, "whole groups count");
    assert!((8 * 4..200 * 4).contains(&matches), "{matches}");
}
