//! Scenarios in which the bot joins a tournament.

use crate::stage::{ScenarioResult, Stage, event_of};
use lastnim_proto::pb;

/// The bot connects with its token and asks to join the tournament in its environment.
pub(crate) async fn join_tournament(stage: &mut Stage) -> ScenarioResult {
    stage.join().await
}

/// The bot's request to join is refused twice, each time for a temporary reason.
pub(crate) async fn retry_refused_join(stage: &mut Stage) -> ScenarioResult {
    stage.await_join().await?;
    for reason in [pb::JoinRefusal::Busy, pb::JoinRefusal::Unavailable] {
        let refused = pb::JoinRefused {
            tournament_id: stage.tournament_id(),
            reason: reason.into(),
            message: "busy: try again later".to_owned(),
        };
        stage.send(event_of(pb::play_response::Event::JoinRefused(refused)));
        stage.await_repeated_join().await?;
    }
    stage.send_joined(pb::TournamentState::Running);
    stage.play_short_match().await
}
