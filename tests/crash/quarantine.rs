//! A match whose record is damaged while the server is down: after the restart, everything else continues.

use super::database::Database;
use super::server::Folder;
use super::stage::{Stage, long_exhibition, small_positions};
use lastnim_proto::pb::{self, match_service_client::MatchServiceClient, tournament_settings::Format};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tonic::Code;
use tonic_types::StatusExt as _;

const FIELD: [&str; 6] = ["anna", "bert", "cleo", "dora", "emil", "fred"];
/// The maximum thinking time of a bot.
const MAX_THINKING: Duration = Duration::from_millis(10);
/// Attempts to kill the server while a match of the tournament is open.
const MAX_TRIES: usize = 20;

fn settings(format: Format, seats: u32) -> pb::TournamentSettings {
    pb::TournamentSettings {
        seats,
        format: Some(format),
        ..small_positions("damaged", &[&[15, 16], &[19], &[13, 14, 4], &[17, 13]], 10_000)
    }
}

/// Returns the number of matches with a winner by bot.
fn count_matches(matches: &[pb::Match]) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::new();
    for game in matches.iter().filter(|game| game.winner.is_some()) {
        for bot in &game.setup.as_ref().unwrap().bots {
            *counted.entry(bot.clone()).or_default() += 1;
        }
    }
    counted
}

async fn check_other_matches_continue(
    database: impl FnOnce(&Folder) -> Database,
    settings: pb::TournamentSettings,
) {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite(FIELD, MAX_THINKING).await;
    let exhibition = stage.organiser.create_match(&long_exhibition(["anna", "bert"], 10_000)).await;
    let id = stage.begin(settings, &FIELD).await;
    let mut damaged = None;
    for _ in 0..MAX_TRIES {
        stage.until_takes(stage.ledger.take_count() + 30).await;
        server.kill();
        let mut reader = stage.database.reader().await;
        damaged = reader.open_matches_with_takes().await.into_iter().next();
        reader.close().await;
        if damaged.is_some() {
            break;
        }
        server = stage.start.start().await;
    }
    let damaged = damaged.expect("a match of the tournament is open");
    for id in [&damaged, &exhibition] {
        stage.database.flip_first_take(id).await;
    }

    let mut server = stage.start.start().await;
    let log = stage.start.log_text();
    for id in [&damaged, &exhibition] {
        let line = log
            .lines()
            .find(|line| line.contains("a damaged match is quarantined") && line.contains(id.as_str()));
        assert!(line.is_some_and(|line| line.contains("event ")), "{line:?}");
        let shown = stage.organiser.get_match(id).await.unwrap();
        assert_eq!((shown.phase(), shown.winner), (pb::Phase::Quarantined, None));
        assert!(shown.damage.contains("event"), "{shown:?}");
        let request = pb::GetRecordRequest { match_id: id.clone() };
        let asked = stage
            .organiser
            .ask(|line| async move { MatchServiceClient::new(line).get_record(request).await });
        let refused = asked.await.unwrap_err();
        let reason = refused.get_details_error_info().unwrap().reason;
        assert_eq!((refused.code(), reason.as_str()), (Code::DataLoss, "MATCH_QUARANTINED"));
    }
    // A repair now is too late: the quarantine stays, even after another kill.
    stage.until_takes(stage.ledger.take_count() + 30).await;
    server.kill();
    stage.database.flip_first_take(&damaged).await;
    server = stage.start.start().await;
    let finished = stage.organiser.tournament_over(&id).await;
    assert_eq!(finished.state(), pb::TournamentState::Finished);
    assert_eq!(finished.matches_played, finished.matches_total);
    let matches = stage.organiser.matches(&id).await;
    assert_eq!(matches.len() as u64, finished.matches_total, "each pairing has one match");
    let without: BTreeSet<&str> =
        matches.iter().filter(|game| game.winner.is_none()).map(|game| game.id.as_str()).collect();
    assert_eq!(without, BTreeSet::from([damaged.as_str()]), "all others are played to their ends");
    let standings = stage.organiser.standings(&id).await;
    let lines: BTreeMap<String, u32> =
        standings.iter().map(|line| (line.bot.clone(), line.matches)).collect();
    assert_eq!(lines, count_matches(&matches), "the damaged one does not count");
    assert_eq!(
        stage.start.log_text().matches("a damaged match is quarantined").count(),
        2,
        "each is logged once"
    );

    server.kill();
    server = stage.start.start().await;
    assert_eq!(stage.organiser.tournament(&id).await, finished);
    assert_eq!(stage.organiser.standings(&id).await, standings);
    let mut reader = stage.database.reader().await;
    assert!(reader.recorded_events(&exhibition).await > 0, "its damaged record is still stored");
    reader.close().await;
    stage.witnesses.dismiss().await;
    assert_eq!(stage.ledger.told().contradictions, Vec::<String>::new());
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swiss_continues_without_a_damaged_match_on_sqlite() {
    let swiss = Format::Swiss(pb::SwissFormat { rounds: 3, table_groups: 1 });
    check_other_matches_continue(Database::sqlite, settings(swiss, 3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_knockout_continues_without_a_damaged_match_on_sqlite() {
    let knockout = Format::Knockout(pb::KnockoutFormat { advance: 1, table_groups: 1 });
    check_other_matches_continue(Database::sqlite, settings(knockout, 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swiss_continues_without_a_damaged_match_on_postgres() {
    let swiss = Format::Swiss(pb::SwissFormat { rounds: 3, table_groups: 1 });
    if let Some(database) = Database::postgres() {
        check_other_matches_continue(|_| database, settings(swiss, 3)).await;
    }
}
