//! Scenarios in which the server sends messages of a future protocol version.

use super::snapshots::LONG_PILES;
use crate::{
    future_messages::{UNKNOWN_ENUM_VALUE, UNKNOWN_EVENTS},
    scripted_match::MatchPlan,
    stage::{ScenarioResult, Stage, event_of},
};
use lastnim_proto::pb::{self, play_response::Event as Wire};
use std::slice::from_mut;

/// The server sends events that the bot's version of the protocol does not have.
pub(crate) async fn unknown_events(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let send_later_events = |stage: &mut Stage| {
        for (bytes, words) in UNKNOWN_EVENTS {
            stage.send_encoded(bytes.to_vec(), words.to_owned());
        }
    };
    send_later_events(stage);
    let mut played = stage.begin(&MatchPlan::new(2, &[2, 3, 4]).declared());
    stage.send_events(&mut played);
    send_later_events(stage);
    stage.step(from_mut(&mut played)).await?;
    send_later_events(stage);
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}

/// Every message, including nested ones, has a field that the bot's version of the protocol does not have.
pub(crate) async fn unknown_fields(stage: &mut Stage) -> ScenarioResult {
    stage.add_unknown_fields();
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(3, &LONG_PILES).at_seat(1).with_late_declarations());
    stage.send_events(&mut played);
    stage.step(from_mut(&mut played)).await?;
    let snapshot = played.snapshot_for_new_session();
    stage.send(snapshot);
    played.let_others_declare();
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}

/// Reasons and settings have values that the bot's version of the protocol does not have.
pub(crate) async fn unknown_values(stage: &mut Stage) -> ScenarioResult {
    stage.await_join().await?;
    let mut joined = stage.joined_tournament(pb::TournamentState::Running);
    if let Some(settings) = joined.tournament.as_mut().and_then(|tournament| tournament.settings.as_mut()) {
        settings.alliance = UNKNOWN_ENUM_VALUE;
        settings.scoring = UNKNOWN_ENUM_VALUE;
        settings.oracle = UNKNOWN_ENUM_VALUE;
    }
    stage.send(event_of(Wire::JoinedTournament(Box::new(joined))));
    stage.send_suspended(UNKNOWN_ENUM_VALUE);
    let mut played = stage.begin(&MatchPlan::new(3, &[2, 3, 4]));
    stage.send_events(&mut played);
    let match_id = played.id().to_string();
    let refused = pb::Refused {
        match_id: match_id.clone(),
        reason: UNKNOWN_ENUM_VALUE,
        message: "a reason from a newer version".to_owned(),
        ..Default::default()
    };
    stage.send(event_of(Wire::Refused(refused)));
    let lost = pb::Forfeited { match_id, seat: played.other_seat().into(), reason: UNKNOWN_ENUM_VALUE };
    stage.send(event_of(Wire::Forfeited(lost)));
    stage.use_unknown_end_reasons();
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}
