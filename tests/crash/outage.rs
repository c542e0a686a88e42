//! Temporary failures of a store: the shared part of these tests.

use super::stage::{CONCURRENCY, Stage, small_positions};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use std::time::{Duration, Instant};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The bank of a seat: shorter than any outage.
pub const BANK: Duration = Duration::from_secs(6);
/// The duration of an outage, from when announcements stop.
pub const OUTAGE: Duration = Duration::from_secs(7);
/// The minimum number of times that the server is asked everything during an outage.
const MIN_ROUNDS: usize = 4;
/// No take arrives for this long once those in transit have arrived.
const IN_TRANSIT: Duration = Duration::from_secs(1);
/// The server's log messages when the store fails, and when it is usable again.
const FAILS: &str = "no take or result is announced until the store can be used again";
const GOES_ON: &str = "play continues";

/// Starts a tournament that outlasts the outage; returns its id once it has begun.
pub async fn begin(stage: &mut Stage) -> String {
    stage.invite(["anna", "bert", "cleo", "dora"], Duration::from_millis(10)).await;
    let positions = [&[8, 9][..], &[14], &[3, 3, 9]].repeat(4);
    let settings = small_positions("outage", &positions, BANK.as_millis() as u32);
    let id = stage.begin(settings, &["anna", "bert", "cleo", "dora"]).await;
    stage.until_takes(20).await;
    id
}

/// Waits through an outage: nothing is announced, reads are answered, writes are rejected.
pub async fn check_outage(stage: &Stage, id: &str) {
    check_outage_with(stage, id, true).await;
}

/// Waits through an outage in which the store cannot be read either; the running tournament is still shown.
pub async fn check_outage_without_reads(stage: &Stage, id: &str) {
    check_outage_with(stage, id, false).await;
}

async fn check_outage_with(stage: &Stage, id: &str, can_read: bool) {
    stage.start.wait_for_log(FAILS, 1).await;
    let began = Instant::now();
    let announced = announced_before(stage).await;
    let mut rounds = 0;
    while began.elapsed() < OUTAGE || rounds < MIN_ROUNDS {
        assert_writing_refused(stage).await;
        if can_read {
            assert_reading_continues(stage, id).await;
        }
        assert_eq!(stage.organiser.tournament(id).await.state(), pb::TournamentState::Running);
        rounds += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(stage.ledger.take_count(), announced, "nothing is announced");
    assert!(!stage.start.log_text().contains(GOES_ON), "{}", stage.start.log_text());
}

/// Waits until takes in transit have reached the bots: at most one of each match, since only the announcement of a
/// take makes the next bot move. Returns the number of announced takes.
async fn announced_before(stage: &Stage) -> usize {
    let before = stage.ledger.take_count();
    let (mut announced, mut changed) = (before, Instant::now());
    while changed.elapsed() < IN_TRANSIT {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let now = stage.ledger.take_count();
        if now != announced {
            (announced, changed) = (now, Instant::now());
        }
        assert!(announced <= before + CONCURRENCY, "{before} takes were announced, but then {announced}");
    }
    announced
}

/// Waits until play continues, and the tournament is over.
pub async fn wait_for_recovery(stage: &Stage, id: &str) {
    let before = stage.ledger.take_count();
    let began = Instant::now();
    stage.start.wait_for_log(GOES_ON, 1).await;
    stage.until_takes(before + 5).await;
    println!("play continued {:?} after the store was usable again", began.elapsed());
    stage.organiser.tournament_over(id).await;
}

/// Checks that registering a bot fails because the store cannot be used.
pub async fn assert_registering_refused(stage: &Stage, name: &str) {
    let request = pb::RegisterBotRequest { name: name.into(), ..Default::default() };
    let refused =
        stage.organiser.ask(|line| async move { BotServiceClient::new(line).register_bot(request).await });
    assert_unavailable("registering", &refused.await.unwrap_err());
}

async fn assert_writing_refused(stage: &Stage) {
    assert_registering_refused(stage, "late").await;
    let refused = stage.organiser.ask(|line| async move {
        let settings = Some(small_positions("late", &[&[3]], 1_000));
        TournamentServiceClient::new(line)
            .create_tournament(pb::CreateTournamentRequest { settings, ..Default::default() })
            .await
    });
    assert_unavailable("creating a tournament", &refused.await.unwrap_err());
    let refused = stage.organiser.ask(|line| async move {
        let request = super::stage::long_exhibition(["anna", "bert"], 5);
        MatchServiceClient::new(line).create_match(request).await
    });
    assert_unavailable("creating a match", &refused.await.unwrap_err());
}

fn assert_unavailable(what: &str, status: &Status) {
    assert_eq!(status.code(), Code::Unavailable, "{what}: {status:?}");
    assert!(status.get_details_retry_info().is_some(), "{what}: {status:?}");
    let reason = status.get_details_error_info().map(|info| info.reason);
    assert_eq!(reason.as_deref(), Some("STORE_UNAVAILABLE"), "{what}: {status:?}");
}

async fn assert_reading_continues(stage: &Stage, id: &str) {
    assert_eq!(stage.organiser.bot("anna").await.name, "anna");
    assert_eq!(stage.organiser.standings(id).await.len(), 4);
    let matches = stage.organiser.matches(id).await;
    assert!(!matches.is_empty());
    for game in &matches {
        assert_eq!(stage.organiser.record(&game.id).await.record().id().to_string(), game.id);
    }
}
