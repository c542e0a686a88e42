//! What belongs to the session and to no match.

use super::snapshots::LONG_PILES;
use crate::{
    scripted_match::MatchPlan,
    stage::{SceneResult, SessionLoss, Stage},
};
use lastnim_proto::ServerEvent;
use std::{slice::from_mut, time::Duration};

/// What the server says it gives to a match before it stops.
const DRAINING_TIME: Duration = Duration::from_secs(5);
/// How long a server that has stopped stays away.
const DOWN_TIME: Duration = Duration::from_millis(400);

/// Pings between matches and while the bot is to move.
pub(crate) async fn pings(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    for _ in 0..3 {
        let id = stage.ping();
        stage.await_pong(id).await?;
    }
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.tell(&mut played);
    for _ in 0..3 {
        let id = stage.ping();
        stage.await_pong(id).await?;
        stage.step(from_mut(&mut played)).await?;
    }
    stage.play_out(from_mut(&mut played)).await
}

/// The server says that it stops, lets the bot play on for a while, stops, and comes back.
pub(crate) async fn draining(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    stage.tell(&mut played);
    stage.send(ServerEvent::Draining { within: DRAINING_TIME });
    for _ in 0..2 {
        stage.step(from_mut(&mut played)).await?;
    }
    stage.lose_session(SessionLoss::Unavailable).await;
    stage.restart_server(DOWN_TIME).await?;
    stage.reconnect(from_mut(&mut played)).await?;
    stage.play_out(from_mut(&mut played)).await
}

/// Everything is late and comes in small pieces.
pub(crate) async fn slow_network(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    stage.play(&MatchPlan::new(5, &[2, 3]).at_seat(1).declared()).await?;
    stage.play(&MatchPlan::new(32, &[3, 3]).at_seat(1)).await
}

/// Other seats are lost, and then the bot's own: nothing more is asked of it there.
pub(crate) async fn lost_seats(stage: &mut Stage) -> SceneResult {
    stage.join().await?;
    // Its take may be under way when its seat is lost.
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES));
    stage.tell(&mut played);
    stage.step(from_mut(&mut played)).await?;
    played.disqualify(played.other_seat());
    stage.tell(&mut played);
    stage.step(from_mut(&mut played)).await?;
    played.disqualify(played.seat());
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}
