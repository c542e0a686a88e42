//! Tournaments whose pairings depend on results: a server that is killed repeatedly plays the same matches, with the
//! same standings, as one that is not.

use super::database::Database;
use super::server::{Folder, TIMEOUT};
use super::stage::{Stage, small_positions};
use super::verdict::{check_announcements, check_fair_play, sealed_record};
use lastnim_core::referee::Event;
use lastnim_proto::pb::{
    self, tournament_service_client::TournamentServiceClient, tournament_settings::Format,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const FIELD: [&str; 6] = ["anna", "bert", "cleo", "dora", "emil", "fred"];
/// The maximum thinking time of a bot.
const MAX_THINKING: Duration = Duration::from_millis(8);
/// Kills during a tournament, spread evenly over its takes except for the last ones.
const KILLS: usize = 7;
/// The minimum number of kills while matches are open; on a busy machine others come between two matches.
const MIN_KILLS_IN_PLAY: usize = 3;
/// The kill at which the checkpoint of the tournament is damaged.
const DAMAGED_AT: usize = 4;
/// The maximum delay of a kill after its take, in milliseconds.
const MAX_KILL_DELAY_MS: u64 = 15;

/// A match without its id and the times of its events, which differ between runs.
#[derive(Debug, PartialEq)]
struct Played {
    setup: pb::MatchSetup,
    rows: pb::AllianceMatrix,
    takes: Vec<u64>,
    winner: Option<u32>,
}

/// The result of a tournament.
#[derive(Debug, PartialEq)]
struct Course {
    /// The matches that count, by number.
    matches: BTreeMap<u64, Played>,
    standings: Vec<pb::Standing>,
    verdict: Option<pb::Verdict>,
}

fn settings(format: Format, seats: u32, alliance: pb::AllianceMode) -> pb::TournamentSettings {
    pb::TournamentSettings {
        seats,
        alliance: alliance.into(),
        format: Some(format),
        ..small_positions("course", &[&[5, 6], &[9], &[3, 4, 4], &[7, 3]], 20_000)
    }
}

/// A tournament of four rounds with two tables each.
fn swiss() -> pb::TournamentSettings {
    let swiss = pb::SwissFormat { rounds: 4, table_groups: 1 };
    settings(Format::Swiss(swiss), 3, pb::AllianceMode::Declared)
}

/// A ladder of one table per round.
fn ladder() -> pb::TournamentSettings {
    let ladder = pb::LadderFormat { groups: 16, ..pb::LadderFormat::default() };
    settings(Format::Ladder(ladder), 2, pb::AllianceMode::Declared)
}

/// Waits until the database has a checkpoint.
async fn until_checkpoint(stage: &Stage) {
    let mut reader = stage.database.reader().await;
    let began = Instant::now();
    while reader.count("checkpoints").await == 0 {
        assert!(began.elapsed() < TIMEOUT, "no checkpoint is written");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    reader.close().await;
}

/// Plays a tournament on a server that is killed after given numbers of takes, and after the end.
async fn course(
    database: impl FnOnce(&Folder) -> Database,
    settings: &pb::TournamentSettings,
    kills: &[usize],
) -> Course {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite_steady(FIELD, MAX_THINKING).await;
    let id = stage.begin(settings.clone(), &FIELD).await;
    let is_ladder = matches!(settings.format, Some(Format::Ladder(_)));
    let (mut in_play, mut damaged) = (0, 0);
    for (kill, &takes) in kills.iter().enumerate() {
        stage.until_takes(takes).await;
        let later = stage.span(MAX_KILL_DELAY_MS);
        tokio::time::sleep(later).await;
        // A task writes checkpoints while play continues. One is resumed from, and one is damaged.
        if is_ladder && (kill == DAMAGED_AT - 1 || kill == DAMAGED_AT) {
            until_checkpoint(&stage).await;
        }
        server.kill();
        stage.check_tables().await;
        if kill == DAMAGED_AT {
            damaged = stage.database.damage("UPDATE checkpoints SET upto = upto + 1").await;
        }
        server = stage.start.start().await;
        in_play += usize::from(server.count_resumed_matches() > 0);
    }
    let finished = stage.organiser.tournament_over(&id).await;
    assert_eq!(finished.state(), pb::TournamentState::Finished);
    if !kills.is_empty() {
        assert!(in_play >= MIN_KILLS_IN_PLAY, "{in_play} of {} kills while matches were open", kills.len());
        let logged_count = |words| stage.start.log_text().matches(words).count();
        // It is logged again if the server is killed before it has replaced the checkpoint.
        let unusable = logged_count("a tournament's checkpoint cannot be used");
        assert_eq!(unusable > 0, damaged > 0, "{unusable} times unusable, {damaged} damaged");
        if is_ladder {
            let used = logged_count("a tournament resumes from its checkpoint");
            assert!(used >= 1 && damaged == 1, "{used} checkpoints are used, {damaged} is damaged");
        }
        let mut reader = stage.database.reader().await;
        let rows = reader.count("checkpoints").await;
        assert!(rows <= 1, "only the comparison of its bots remains: {rows} rows");
        reader.close().await;
        // The same result is read again, and nothing is added to it.
        server.kill();
        server = stage.start.start().await;
        assert_eq!(server.count_resumed_matches(), 0);
        assert_eq!(stage.organiser.tournament(&id).await, finished);
    }

    let signer = stage.organiser.public_key().await;
    let (mut matches, mut records) = (BTreeMap::new(), BTreeMap::new());
    for listed in stage.organiser.matches("").await {
        let record = sealed_record(&stage.organiser, &listed.id, signer).await;
        check_fair_play(&record);
        let kept = record.state();
        let origin = kept.setup().origin.clone().expect("all belong to the tournament");
        // Matches after the decision of a sequential test do not count, and may be cancelled.
        if origin.number < finished.matches_total {
            let mut setup = pb::MatchSetup::from(kept.setup());
            setup.tournament_id.clear();
            let take = |event: &Event| if let Event::Took { take, .. } = event { Some(*take) } else { None };
            let played = Played {
                setup,
                rows: (&kept.game().expect("the rows are revealed").matrix).into(),
                takes: record.events().iter().filter_map(|timed| take(&timed.event)).collect(),
                winner: listed.winner,
            };
            assert!(played.winner.is_some(), "match {} counts", origin.number);
            let twice = matches.insert(origin.number, played);
            assert!(twice.is_none(), "match {} is played twice", origin.number);
        }
        records.insert(listed.id, record);
    }
    let numbers: Vec<u64> = matches.keys().copied().collect();
    assert_eq!(numbers, (0..finished.matches_total).collect::<Vec<_>>(), "each match is played");
    assert_eq!(finished.matches_played, finished.matches_total);

    stage.witnesses.dismiss().await;
    {
        let told = stage.ledger.told();
        assert_eq!((&told.contradictions, &told.forfeited), (&Vec::new(), &Vec::new()));
        check_announcements(&told, &records);
    }
    let request = pb::GetStandingsRequest { tournament_id: id, cross_table: false };
    let asked = stage
        .organiser
        .ask(|line| async move { TournamentServiceClient::new(line).get_standings(request).await });
    let pb::GetStandingsResponse { standings, verdict, .. } = asked.await.unwrap();
    let seats: u64 = standings.iter().map(|line| u64::from(line.matches)).sum();
    assert_eq!(seats, finished.matches_total * u64::from(settings.seats), "each match counts once");
    server.stop();
    Course { matches, standings, verdict }
}

/// Plays a tournament without kills, and with kills on a separate database, and returns its number of matches.
async fn play_with_and_without_kills(
    database: impl FnOnce(&Folder) -> Database,
    settings: pb::TournamentSettings,
) -> usize {
    let uninterrupted = course(Database::sqlite, &settings, &[]).await;
    let takes: usize = uninterrupted.matches.values().map(|played| played.takes.len()).sum();
    let kills: Vec<usize> = (0..KILLS).map(|kill| takes * kill / (KILLS + 1)).collect();
    let killed = course(database, &settings, &kills).await;
    for (number, played) in &uninterrupted.matches {
        assert_eq!(killed.matches.get(number), Some(played), "match {number}");
    }
    assert_eq!(killed, uninterrupted);
    uninterrupted.matches.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_swiss_tournament_on_sqlite() {
    assert_eq!(play_with_and_without_kills(Database::sqlite, swiss()).await, 4 * 2 * 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_swiss_tournament_on_postgres() {
    if let Some(database) = Database::postgres() {
        assert_eq!(play_with_and_without_kills(|_| database, swiss()).await, 4 * 2 * 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_ladder_on_sqlite() {
    assert_eq!(play_with_and_without_kills(Database::sqlite, ladder()).await, 16 * 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_ladder_on_postgres() {
    if let Some(database) = Database::postgres() {
        assert_eq!(play_with_and_without_kills(|_| database, ladder()).await, 16 * 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_knockout() {
    let knockout = pb::KnockoutFormat { advance: 1, table_groups: 2 };
    let settings = settings(Format::Knockout(knockout), 2, pb::AllianceMode::Declared);
    // Three tables, then one and a bye, then the final.
    assert_eq!(play_with_and_without_kills(Database::sqlite, settings).await, (3 + 1 + 1) * 2 * 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_sequential_test() {
    let sprt = pb::SprtFormat {
        candidate: FIELD[1].into(),
        baseline: FIELD[4].into(),
        measure: pb::Measure::Regret.into(),
        effect_some: 0.6,
        groups: 14,
        ..pb::SprtFormat::default()
    };
    let settings = settings(Format::Sprt(sprt), 2, pb::AllianceMode::Standard);
    let matches = play_with_and_without_kills(Database::sqlite, settings).await;
    assert!((1..=14).any(|groups| matches == 4 * groups), "{matches} matches: whole groups count");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_do_not_change_a_balanced_sample() {
    let sample = pb::RoundRobinFormat { groups: 9 };
    let settings = settings(Format::RoundRobin(sample), 3, pb::AllianceMode::Random);
    assert_eq!(play_with_and_without_kills(Database::sqlite, settings).await, 9 * 3);
}
