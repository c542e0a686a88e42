//! Scenarios about the session as a whole, rather than about a match.

use super::snapshots::LONG_PILES;
use crate::{
    CheckFailure,
    scripted_match::{MatchPlan, ScriptedMatch},
    stage::{ScenarioResult, SessionLoss, Stage},
};
use lastnim_proto::ServerEvent;
use std::{slice::from_mut, time::Duration};

/// How long the server promises to let matches continue before it stops.
const DRAINING_TIME: Duration = Duration::from_secs(5);
/// How long a stopped server is down.
const DOWN_TIME: Duration = Duration::from_millis(400);

/// The server sends pings between matches and during the bot's turn.
pub(crate) async fn answered_pings(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for _ in 0..3 {
        let id = stage.ping();
        stage.await_pong(id).await?;
    }
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.send_events(&mut played);
    for _ in 0..3 {
        let id = stage.ping();
        stage.await_pong(id).await?;
        stage.step(from_mut(&mut played)).await?;
    }
    stage.play_out(from_mut(&mut played)).await
}

/// The server announces that it is stopping, lets the bot play on for a while, stops, and restarts.
pub(crate) async fn draining_server(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.send_events(&mut played);
    stage.send(ServerEvent::Draining { within: DRAINING_TIME });
    for _ in 0..2 {
        stage.step(from_mut(&mut played)).await?;
    }
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.restart_server(DOWN_TIME).await?;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}

/// All messages are late and fragmented.
pub(crate) async fn slow_network(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.play(&MatchPlan::new(5, &[2, 3]).at_seat(1).declared()).await?;
    stage.play(&MatchPlan::new(32, &[3, 3]).at_seat(1)).await
}

/// Lets the bot join, begins a match of three seats, and disqualifies another seat after the bot's first step.
pub(super) async fn begin_and_lose_other_seat(stage: &mut Stage) -> Result<ScriptedMatch, CheckFailure> {
    stage.join().await?;
    // The bot's take may be in transit when a seat is lost.
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES));
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    played.disqualify(played.other_seat());
    Ok(played)
}

/// Another seat is lost, and then the bot's own, after which the bot must not act in that match.
pub(crate) async fn lost_seats(stage: &mut Stage) -> ScenarioResult {
    let mut played = begin_and_lose_other_seat(stage).await?;
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    played.disqualify(played.seat());
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}
