//! Scenarios in which the bot loses its server or its connection.

use super::{session::begin_and_lose_other_seat, snapshots::LONG_PILES};
use crate::{
    scripted_match::{MatchPlan, ScriptedMatch},
    stage::{ScenarioResult, SessionLoss, Stage},
};
use lastnim_proto::{MatchEvent, ServerEvent, pb};
use std::{slice::from_mut, time::Duration};

/// How long a killed server is down.
const DOWN_TIME: Duration = Duration::from_millis(1_200);

/// The server is killed and restarted during the bot's turn.
pub(crate) async fn server_killed(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.restart_server(DOWN_TIME).await?;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}

/// The stream is lost four times: before the welcome, after it, after the request to join, and after the answer to
/// that request.
pub(crate) async fn lost_stream_while_joining(stage: &mut Stage) -> ScenarioResult {
    stage.accept().await?;
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.welcome(0).await?;
    stage.lose_session(SessionLoss::Cut).await;
    stage.await_join().await?;
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.await_join().await?;
    stage.send_joined(pb::TournamentState::Running);
    stage.lose_session(SessionLoss::Cut).await;
    stage.reconnect(&mut []).await?;
    stage.play_short_match().await
}

/// The stream is lost four times: after `match_started`, after the bot's row but before its acknowledgement, after
/// `declared`, and after `revealed`.
pub(crate) async fn lost_stream_while_declaring(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).with_late_declarations());
    stage.send_events(&mut played);
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    stage.send_events(&mut played);
    let declared = stage.next_answer(&played).await?;
    stage.apply_action(from_mut(&mut played), &declared)?;
    lose_and_reconnect(stage, &mut played, SessionLoss::Unavailable).await?;
    if let Some(acknowledged) = played.repeated_own_row() {
        stage.send(acknowledged);
    }
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    played.let_others_declare();
    stage.send_events_until(&mut played, |event| matches!(event, MatchEvent::Revealed(_)));
    lose_and_reconnect(stage, &mut played, SessionLoss::Unavailable).await?;
    stage.play_out(from_mut(&mut played)).await
}

/// The stream is lost three times: after `match_started`, after the bot's first message or row but before its
/// acknowledgement, and after the acknowledgement of the next one.
pub(crate) async fn lost_stream_while_talking(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    // After a lost session, a bot may send again what the server has already accepted.
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(2).with_talk());
    stage.send_events(&mut played);
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    let first = stage.next_answer(&played).await?;
    stage.apply_action(from_mut(&mut played), &first)?;
    lose_and_reconnect(stage, &mut played, SessionLoss::Unavailable).await?;
    stage.step(from_mut(&mut played)).await?;
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    stage.play_out(from_mut(&mut played)).await
}

/// The stream is lost four times: after `turn`, after the bot's take but before its acknowledgement, after the `took`
/// event for the bot's take, and after the `took` event for another seat's.
pub(crate) async fn lost_stream_while_playing(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(1));
    stage.send_events(&mut played);
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    for (cut, loss) in [
        (TakeCut::BeforeOwn, SessionLoss::Unavailable),
        (TakeCut::AfterOwn, SessionLoss::Cut),
        (TakeCut::AfterOther, SessionLoss::Unavailable),
    ] {
        let taken = stage.next_answer(&played).await?;
        stage.apply_action(from_mut(&mut played), &taken)?;
        let own_seat = played.seat();
        match cut {
            TakeCut::BeforeOwn => {}
            TakeCut::AfterOwn => stage.send_events_until(
                &mut played,
                |event| matches!(event, MatchEvent::Took { seat, .. } if *seat == own_seat),
            ),
            TakeCut::AfterOther => stage.send_events_until(
                &mut played,
                |event| matches!(event, MatchEvent::Took { seat, .. } if *seat != own_seat),
            ),
        }
        lose_and_reconnect(stage, &mut played, loss).await?;
    }
    stage.play_out(from_mut(&mut played)).await
}

/// The point after the bot's take at which the stream is lost.
enum TakeCut {
    BeforeOwn,
    AfterOwn,
    AfterOther,
}

/// The stream is lost four times: after another seat's `forfeited`, after a ping, after `match_ended`, and after
/// `caught_up`.
pub(crate) async fn lost_stream_while_ending(stage: &mut Stage) -> ScenarioResult {
    let mut played = begin_and_lose_other_seat(stage).await?;
    stage.send_events_until(&mut played, |event| matches!(event, MatchEvent::Forfeited { .. }));
    lose_and_reconnect(stage, &mut played, SessionLoss::Cut).await?;
    stage.ping();
    lose_and_reconnect(stage, &mut played, SessionLoss::Unavailable).await?;
    stage.play_out(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Cut).await;
    stage.reconnect_without_catch_up(&mut []).await?;
    if let Some(end) = played.missed_end() {
        stage.send(end);
    }
    stage.send(ServerEvent::CaughtUp { missed_ends: 1, left_out: 0 });
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.reconnect(&mut []).await?;
    stage.play_short_match().await
}

/// The connection goes silent during the bot's turn, but stays open.
pub(crate) async fn silent_connection(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Frozen).await;
    stage.reconnect_after_silence(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}

async fn lose_and_reconnect(
    stage: &mut Stage,
    played: &mut ScriptedMatch,
    loss: SessionLoss,
) -> ScenarioResult {
    stage.lose_session(loss).await;
    stage.reconnect(from_mut(played)).await
}
