//! Sessions that are lost in the middle of a match, and what the bot is told in the next one.

use crate::{
    scripted_match::MatchPlan,
    stage::{SceneResult, SessionLoss, Stage},
};
use lastnim_proto::ServerEvent;
use std::slice::from_mut;

/// So many piles that no bot ends the match within a few takes.
pub(super) const LONG_PILES: [u64; 12] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];

/// The session is lost while the bot is to move.
pub(crate) async fn in_turn(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(1));
    for loss in [SessionLoss::Unavailable, SessionLoss::Cut] {
        stage.tell(&mut played);
        stage.step(from_mut(&mut played)).await?;
        stage.lose_session(loss).await;
        stage.reconnect(from_mut(&mut played)).await?;
    }
    stage.play_out(from_mut(&mut played)).await
}

/// The session is lost while rows are declared: before the bot's row is in, and after it.
pub(crate) async fn in_declaration(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &[3, 4]).at_seat(2).declared_late_by_others());
    stage.tell(&mut played);
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.step(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Cut).await;
    stage.reconnect(from_mut(&mut played)).await?;
    played.let_others_declare();
    stage.play_out(from_mut(&mut played)).await
}

/// A match ends while the bot is away; its end is told in two sessions, as the bot may not have confirmed it.
pub(crate) async fn after_end(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    // What it was about to send in the match is refused without harm.
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES));
    stage.tell(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.lose_session(SessionLoss::Cut).await;
    played.finish_unheard();
    for _ in 0..2 {
        stage.reconnect_untold(&mut []).await?;
        if let Some(end) = played.unheard_end() {
            stage.send(end);
        }
        stage.send(ServerEvent::CaughtUp { missed_ends: 1, left_out: 0 });
        stage.play_short_match().await?;
        stage.lose_session(SessionLoss::Unavailable).await;
    }
    stage.reconnect(&mut []).await?;
    stage.play_short_match().await
}

/// The program is ended while it is to move, and started again: all that it knows is in the snapshot.
pub(crate) async fn after_restart(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(2).declared());
    stage.tell(&mut played);
    stage.step(from_mut(&mut played)).await?;
    stage.step(from_mut(&mut played)).await?;
    stage.restart_bot().await?;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}
