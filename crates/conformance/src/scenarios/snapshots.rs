//! Scenarios in which a session is lost, and the next one starts with snapshots of the open matches.

use crate::{
    scripted_match::MatchPlan,
    stage::{ScenarioResult, SessionLoss, Stage},
};
use lastnim_proto::ServerEvent;
use std::slice::from_mut;

/// Enough piles that a few takes do not end the match.
pub(super) const LONG_PILES: [u64; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];

/// The session is lost during the bot's turn.
pub(crate) async fn lost_session_in_turn(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(1));
    for loss in [SessionLoss::Unavailable, SessionLoss::Cut] {
        stage.send_events(&mut played);
        stage.step(from_mut(&mut played)).await?;
        stage.lose_session(loss).await;
        stage.reconnect(from_mut(&mut played)).await?;
    }
    stage.play_out(from_mut(&mut played)).await
}

/// The session is lost twice during the declaration: before the bot's row arrives, and after it has arrived.
pub(crate) async fn lost_session_in_declaration(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &[3, 4]).at_seat(2).with_late_declarations());
    stage.send_events(&mut played);
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.step(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Cut).await;
    stage.reconnect(from_mut(&mut played)).await?;
    played.let_others_declare();
    stage.play_out(from_mut(&mut played)).await
}

/// A match ends while the bot is disconnected; its end is sent in two sessions, as if the bot had not confirmed it.
pub(crate) async fn repeated_match_end(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    // The real server refuses a late answer in this match, without consequences for the bot.
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES));
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Cut).await;
    played.finish_silently();
    for _ in 0..2 {
        stage.reconnect_without_catch_up(&mut []).await?;
        if let Some(end) = played.missed_end() {
            stage.send(end);
        }
        stage.send(ServerEvent::CaughtUp { missed_ends: 1, left_out: 0 });
        stage.play_short_match().await?;
        stage.lose_session(SessionLoss::Unavailable).await;
    }
    stage.reconnect(&mut []).await?;
    stage.play_short_match().await
}

/// The program is stopped during its turn and restarted, so it knows only what the snapshot contains.
pub(crate) async fn restarted_program(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(2).declared());
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.step(from_mut(&mut played)).await?;
    stage.restart_bot().await?;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}
