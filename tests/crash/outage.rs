//! A store that cannot be used for a while: what all such times have in common.

use super::stage::{Stage, small_positions};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use std::time::{Duration, Instant};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// What a seat has for a whole match: less than any outage lasts.
pub const BANK: Duration = Duration::from_secs(8);
/// How long an outage lasts from the moment that nothing is announced any more.
pub const OUTAGE: Duration = Duration::from_secs(9);
/// What the server says when the store fails, and when it can be used again.
const FAILS: &str = "nothing is announced until the store can be used again";
const GOES_ON: &str = "play goes on";

/// Lets a tournament be played that lasts for longer than the store is in order; returns its id once it is under way.
pub async fn begin(stage: &mut Stage) -> String {
    stage.invite(["anna", "bert", "cleo", "dora"], Duration::from_millis(10)).await;
    let settings = small_positions("outage", &[&[8, 9], &[14], &[3, 3, 9]], BANK.as_millis() as u32);
    let id = stage.begin(settings, &["anna", "bert", "cleo", "dora"]).await;
    stage.until_takes(20).await;
    id
}

/// Sits out an outage that has begun: nothing is announced, what only reads is answered, what writes is not.
pub async fn sit_out(stage: &Stage, id: &str) {
    sit_out_with_reads(stage, id, true).await;
}

/// Sits out an outage of a database that cannot even be read.
pub async fn sit_out_blind(stage: &Stage, id: &str) {
    sit_out_with_reads(stage, id, false).await;
}

async fn sit_out_with_reads(stage: &Stage, id: &str, reads: bool) {
    stage.start.until_said(FAILS, 1).await;
    let began = Instant::now();
    // What was on its way to the bots arrives.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let announced = stage.ledger.takes();
    let mut rounds = 0;
    while began.elapsed() < OUTAGE {
        writing_is_refused(stage).await;
        if reads {
            reading_goes_on(stage, id).await;
        }
        assert_eq!(stage.organiser.tournament(id).await.state(), pb::TournamentState::Running);
        rounds += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(rounds > 3, "{rounds} rounds of questions in {OUTAGE:?}");
    assert_eq!(stage.ledger.takes(), announced, "nothing is announced");
    assert!(!stage.start.said().contains(GOES_ON), "{}", stage.start.said());
}

/// Waits until play goes on by itself, and the tournament is over.
pub async fn play_on(stage: &Stage, id: &str) {
    let before = stage.ledger.takes();
    let began = Instant::now();
    stage.start.until_said(GOES_ON, 1).await;
    stage.until_takes(before + 5).await;
    println!("play went on {:?} after the store was in order again", began.elapsed());
    stage.organiser.tournament_over(id).await;
}

/// Tries to register a bot, and is told that the store cannot be used.
pub async fn registering_is_refused(stage: &Stage, name: &str) {
    let request = pb::RegisterBotRequest { name: name.into() };
    let refused =
        stage.organiser.ask(|line| async move { BotServiceClient::new(line).register_bot(request).await });
    unavailable("registering", &refused.await.unwrap_err());
}

async fn writing_is_refused(stage: &Stage) {
    registering_is_refused(stage, "late").await;
    let refused = stage.organiser.ask(|line| async move {
        let settings = Some(small_positions("late", &[&[3]], 1_000));
        TournamentServiceClient::new(line).create_tournament(pb::CreateTournamentRequest { settings }).await
    });
    unavailable("creating a tournament", &refused.await.unwrap_err());
    let refused = stage.organiser.ask(|line| async move {
        let request = super::stage::long_exhibition(["anna", "bert"], 5);
        MatchServiceClient::new(line).create_match(request).await
    });
    unavailable("creating a match", &refused.await.unwrap_err());
}

fn unavailable(what: &str, status: &Status) {
    assert_eq!(status.code(), Code::Unavailable, "{what}: {status:?}");
    assert!(status.get_details_retry_info().is_some(), "{what}: {status:?}");
    let reason = status.get_details_error_info().map(|info| info.reason);
    assert_eq!(reason.as_deref(), Some("STORE_UNAVAILABLE"), "{what}: {status:?}");
}

async fn reading_goes_on(stage: &Stage, id: &str) {
    assert_eq!(stage.organiser.bot("anna").await.name, "anna");
    assert_eq!(stage.organiser.standings(id).await.len(), 4);
    let matches = stage.organiser.matches(id).await;
    assert!(!matches.is_empty());
    for game in &matches {
        assert_eq!(stage.organiser.record(&game.id).await.record().id().to_string(), game.id);
    }
}
