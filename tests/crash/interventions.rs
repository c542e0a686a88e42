//! Interventions while the server is killed: each happens once, and the standings follow from the records.

use super::database::Database;
use super::server::{ADMIN, Folder, Server, TIMEOUT};
use super::stage::{Stage, small_positions};
use super::standings_progress::without_progress;
use lastnim_proto::pb::{
    self, DisqualifiedResults, OpenMatches, tournament_event::Event, tournament_settings::Format,
    void_matches_request::Target,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const FIELD: [&str; 4] = ["anna", "bert", "cleo", "dora"];
const MAX_THINKING: Duration = Duration::from_millis(8);

/// Sends a request while the server is killed, and repeats it until it is answered.
async fn ask_during_kill<A>(stage: &mut Stage, server: Server, asking: A) -> Server
where
    A: Future<Output = ()> + Send + 'static,
{
    let asking = tokio::spawn(asking);
    let span = stage.span(12);
    tokio::time::sleep(span).await;
    server.kill();
    let server = stage.start.start().await;
    asking.await.unwrap();
    server
}

/// Runs `lastnim`, and returns its output.
fn run_program(address: &str, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    let output =
        command.args(args).env("LASTNIM_SERVER", address).env("LASTNIM_ADMIN_TOKEN", ADMIN).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the server's standings follow from its records.
fn check_standings_follow_from_records(address: &str, folder: &Path, id: &str) {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (settings, records) = (path("cup.json"), path("records"));
    fs::write(&settings, run_program(address, &["tournament", "show", id, "--json"])).unwrap();
    run_program(address, &["record", "export", "--tournament", id, "--dir", &records]);
    for form in [&[][..], &["--json"], &["--cross-table", "--json"]] {
        let shown_standings = run_program(address, &[&["tournament", "standings", id], form].concat());
        let told = ["record", "standings", "--settings", &settings, &records];
        let recorded_standings = run_program(address, &[&told[..], form].concat());
        assert_eq!(without_progress(&recorded_standings), without_progress(&shown_standings));
    }
}

/// Compares exported records with the manifest, and with an earlier manifest.
fn check_records_match_manifests(folder: &Path, manifest: &[u8], so_far: &[u8]) {
    let records = folder.join("records");
    let verdict = |text: &[u8]| {
        let file = folder.join("cup.manifest");
        fs::write(&file, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
        let command =
            command.args(["record", "verify"]).arg(&file).arg("--records").arg(&records).arg("--json");
        let output = command.output().unwrap();
        let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success(), "{verdict}");
        verdict
    };
    let whole = verdict(manifest);
    let listed = whole["matches"].as_u64().unwrap();
    assert!(whole["so_far"] == false && whole["records"]["verified"] == listed, "{whole}");
    assert_eq!(whole["standings"]["follow"], true);
    let early = verdict(so_far);
    let findings = early["records"]["findings"].as_array().unwrap();
    let later = findings.iter().filter(|finding| finding["finding"] == "later").count() as u64;
    let verified = early["records"]["verified"].as_u64().unwrap();
    assert!(early["so_far"] == true && later > 0 && verified >= 8, "{early}");
    assert_eq!(verified + later, listed, "each record is in the earlier manifest or is later");
}

/// Waits until all matches of a paused tournament that have ended are counted, and returns the tournament.
async fn counted_tournament(stage: &Stage, id: &str) -> pb::Tournament {
    let began = Instant::now();
    loop {
        let matches = stage.organiser.matches(id).await;
        let ended = matches.iter().filter(|game| game.phase() == pb::Phase::Ended).count();
        let shown = stage.organiser.tournament(id).await;
        if shown.matches_played == ended as u64 {
            return shown;
        }
        assert!(began.elapsed() < TIMEOUT, "{ended} matches have ended: {shown:?}");
    }
}

fn kind(event: &pb::TournamentEvent) -> &'static str {
    match event.event.as_ref().unwrap() {
        Event::Paused(_) => "paused",
        Event::Resumed(_) => "resumed",
        Event::Voided(_) => "voided",
        Event::Disqualified(_) => "disqualified",
        Event::Closed(_) => "closed",
        Event::Withdrawn(_) => "withdrawn",
    }
}

async fn interventions_survive_crashes(
    database: impl FnOnce(&Folder) -> Database,
    results: DisqualifiedResults,
) {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite(FIELD, MAX_THINKING).await;
    let positions = [&[2, 5, 3][..], &[7], &[3, 4], &[1, 8], &[5, 2], &[6]].repeat(2);
    let settings = small_positions("interventions", &positions, 30_000);
    let id = stage.begin(settings, &FIELD).await;
    let total = stage.organiser.tournament(&id).await.matches_total;
    assert_eq!(total, 4 * 12 * 3);
    stage.until_ended(&id, 8).await;
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    let pausing = async move { organiser.pause(&asked, OpenMatches::Freeze).await };
    server = ask_during_kill(&mut stage, server, pausing).await;
    // A take that was on its way when the pause came is stored or lost after this.
    server.kill();
    server = stage.start.start().await;
    let paused = counted_tournament(&stage, &id).await;
    assert_eq!(paused.pause(), OpenMatches::Freeze);
    let so_far = stage.organiser.manifest(&id).await;
    server.kill();
    server = stage.start.start().await;
    assert_eq!(stage.organiser.manifest(&id).await, so_far, "the earlier manifest stays the same");
    tokio::time::sleep(20 * MAX_THINKING).await;
    assert_eq!(stage.organiser.tournament(&id).await, paused, "no match is played");
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    server = ask_during_kill(&mut stage, server, async move { organiser.resume(&asked).await }).await;

    stage.until_ended(&id, 20).await;
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    server =
        ask_during_kill(&mut stage, server, async move { organiser.void(&asked, Target::Group(1)).await })
            .await;
    stage.until_ended(&id, 30).await;
    // Matches that are open now stay open.
    stage.organiser.pause(&id, OpenMatches::Freeze).await;
    // This is before the disqualification, which may end all of them.
    let games = stage.organiser.matches(&id).await;
    let open = games.into_iter().find(|game| game.phase() != pb::Phase::Ended).expect("some are open").id;
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    let voiding = async move { organiser.void(&asked, Target::MatchId(open)).await };
    server = ask_during_kill(&mut stage, server, voiding).await;
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    server = ask_during_kill(&mut stage, server, async move {
        organiser.disqualify(&asked, "dora", results).await;
    })
    .await;
    if results == DisqualifiedResults::Annul {
        let (organiser, asked) = (stage.organiser.clone(), id.clone());
        server =
            ask_during_kill(&mut stage, server, async move { organiser.leave(&asked, "cleo").await }).await;
    }
    stage.organiser.resume(&id).await;
    let ended = stage.organiser.tournament_over(&id).await;
    assert_eq!((ended.state(), ended.matches_played), (pb::TournamentState::Finished, total));

    let events = stage.organiser.events(&id).await;
    let kinds: Vec<_> = events.iter().map(kind).collect();
    let mut expected = vec!["paused", "resumed", "voided", "paused", "voided", "disqualified", "resumed"];
    if results == DisqualifiedResults::Annul {
        expected.insert(6, "withdrawn");
    }
    assert_eq!(kinds, expected, "each happens once");
    let voided: BTreeSet<String> = events
        .iter()
        .filter_map(|event| match event.event.as_ref().unwrap() {
            Event::Voided(voided) => Some(voided.matches.iter().map(|voided| voided.match_id.clone())),
            _ => None,
        })
        .flatten()
        .collect();
    let mut counted = BTreeMap::new();
    for game in stage.organiser.matches(&id).await {
        assert_eq!(game.void_reason.is_empty(), !voided.contains(&game.id), "{game:?}");
        if game.void_reason.is_empty() {
            let number = game.setup.as_ref().unwrap().number;
            assert_eq!(counted.insert(number, game.id), None, "a pairing has one result");
        }
    }
    if results == DisqualifiedResults::Stand {
        assert_eq!(counted.len() as u64, total);
    }
    let standings = stage.organiser.standings(&id).await;
    let last = standings.last().unwrap();
    assert_eq!((last.bot.as_str(), last.disqualified, last.place), ("dora", true, 4));
    assert_eq!(standings[2].withdrawn, results == DisqualifiedResults::Annul, "{standings:?}");
    check_standings_follow_from_records(&stage.start.address(), stage.folder.path(), &id);
    let manifest = stage.organiser.manifest(&id).await;
    check_records_match_manifests(stage.folder.path(), &manifest, &so_far);

    server.kill();
    server = stage.start.start().await;
    assert_eq!(stage.organiser.manifest(&id).await, manifest);
    assert_eq!(stage.organiser.standings(&id).await, standings);
    stage.witnesses.dismiss().await;
    // The count may fall when matches are voided.
    let told = stage.ledger.told();
    let others: Vec<_> =
        told.contradictions.iter().filter(|words| !words.starts_with("tournament ")).collect();
    assert_eq!(others, Vec::<&String>::new());
    drop(told);
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_withdrawal_from_a_swiss_tournament_survives_a_crash() {
    let mut stage = Stage::new(Database::sqlite);
    let mut server = stage.start.start().await;
    stage.invite(FIELD, MAX_THINKING).await;
    // Two tables of two matches in each round, and one table once a bot is gone.
    let rounds = 24;
    let settings = pb::TournamentSettings {
        seats: 2,
        format: Some(Format::Swiss(pb::SwissFormat { rounds, table_groups: 1 })),
        ..small_positions("withdrawal", &[&[2, 5, 3], &[7]], 30_000)
    };
    let id = stage.begin(settings, &FIELD).await;
    stage.until_ended(&id, 6).await;
    // The round of the withdrawal does not depend on the speed of the machine.
    stage.organiser.pause(&id, OpenMatches::Freeze).await;
    let (organiser, asked) = (stage.organiser.clone(), id.clone());
    server = ask_during_kill(&mut stage, server, async move { organiser.leave(&asked, "cleo").await }).await;
    stage.organiser.resume(&id).await;
    let over = stage.organiser.tournament_over(&id).await;
    assert_eq!(over.state(), pb::TournamentState::Finished);
    let events = stage.organiser.events(&id).await;
    assert_eq!(events.iter().map(kind).collect::<Vec<_>>(), ["paused", "withdrawn", "resumed"]);
    let Some(Event::Withdrawn(gone)) = &events[1].event else { panic!("{events:?}") };
    let with_it = gone.from_round.unwrap();
    assert_eq!(over.matches_played, 4 * with_it + 2 * (u64::from(rounds) - with_it));
    let standings = stage.organiser.standings(&id).await;
    let last = standings.last().unwrap();
    assert_eq!((last.bot.as_str(), last.withdrawn, last.place), ("cleo", true, 4));
    check_standings_follow_from_records(&stage.start.address(), stage.folder.path(), &id);
    server.kill();
    server = stage.start.start().await;
    assert_eq!(stage.organiser.standings(&id).await, standings);
    stage.witnesses.dismiss().await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interventions_survive_crashes_on_sqlite() {
    interventions_survive_crashes(Database::sqlite, DisqualifiedResults::Annul).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_results_of_a_disqualified_bot_survive_crashes_on_sqlite() {
    interventions_survive_crashes(Database::sqlite, DisqualifiedResults::Stand).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn interventions_survive_crashes_on_postgres() {
    if let Some(database) = Database::postgres() {
        interventions_survive_crashes(|_| database, DisqualifiedResults::Annul).await;
    }
}
