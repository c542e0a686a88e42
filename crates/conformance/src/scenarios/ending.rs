//! Scenarios in which a tournament ends.

use crate::stage::{EndedTournament, ScenarioResult, SessionLoss, Stage};
use lastnim_proto::{ServerEvent, pb};

/// Another tournament of the bot ends, and a ladder suspends the bot.
pub(crate) async fn other_tournaments(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.send_tournament_end(EndedTournament::Other);
    stage.send_suspended(pb::SuspensionReason::LostSeats.into());
    stage.play_short_match().await?;
    stage.play_short_match().await
}

/// The bot's tournament ends.
pub(crate) async fn exit_after_tournament(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.play_short_match().await?;
    stage.send_tournament_end(EndedTournament::Bot);
    stage.await_exit().await
}

/// The tournament ends while the bot is disconnected. Later, the bot is restarted, and learns of the end when it joins.
pub(crate) async fn ended_while_offline(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.play_short_match().await?;
    stage.lose_session(SessionLoss::Cut).await;
    stage.reconnect_without_catch_up(&mut []).await?;
    stage.send_tournament_end(EndedTournament::Bot);
    stage.send(ServerEvent::CaughtUp { missed_ends: 0, left_out: 0 });
    stage.await_exit().await?;
    stage.restart_bot().await?;
    stage.await_join().await?;
    stage.send_joined(pb::TournamentState::Finished);
    stage.await_exit().await
}
