//! Scenarios in which requests are repeated, or events are repeated or late.

use super::snapshots::LONG_PILES;
use crate::{
    scripted_match::MatchPlan,
    stage::{ScenarioResult, Stage},
};
use lastnim_core::referee::RefusalReason;
use lastnim_proto::{MatchEvent, ServerEvent};
use std::slice::from_mut;

/// The bot's row is refused once, and its first take twice. Each is then requested again.
pub(crate) async fn refused_answers(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let mut played = stage.begin(&MatchPlan::new(2, &[2, 3, 4]).declared());
    stage.send_events(&mut played);
    stage.next_answer(&played).await?;
    stage.send(
        played.refusal(RefusalReason::Malformed, "this check always refuses the first row: send it again"),
    );
    let snapshot = played.snapshot_for_new_session();
    stage.send(snapshot);
    stage.step(from_mut(&mut played)).await?;
    for _ in 0..2 {
        stage.next_answer(&played).await?;
        stage.send(
            played
                .refusal(RefusalReason::Malformed, "this check refuses the first take twice: send it again"),
        );
        if let Some(turn) = played.repeated_turn() {
            stage.send(turn);
        }
    }
    stage.play_out(from_mut(&mut played)).await?;
    stage.play_short_match().await
}

/// Every event of a match is sent twice.
pub(crate) async fn duplicate_events(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.tolerate_late_answers();
    stage.send_everything_twice();
    stage.play(&MatchPlan::new(3, &LONG_PILES).declared()).await?;
    stage.play_short_match().await
}

/// Turns and takes of earlier plies are sent again, even after the match has ended.
pub(crate) async fn stale_events(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    stage.tolerate_late_answers();
    let mut played = stage.begin(&MatchPlan::new(2, &LONG_PILES));
    let mut sent_events = Vec::new();
    while !played.is_over() {
        let new = stage.drain_events(&mut played);
        for event in new.iter().chain(last_turn_and_take(&sent_events)) {
            stage.send(event.clone());
        }
        sent_events.extend(new);
        let action = stage.next_answer(&played).await?;
        stage.apply_action(from_mut(&mut played), &action)?;
    }
    stage.send_events(&mut played);
    for event in last_turn_and_take(&sent_events) {
        stage.send(event.clone());
    }
    stage.play_short_match().await
}

fn last_turn_and_take(sent_events: &[ServerEvent]) -> impl Iterator<Item = &ServerEvent> {
    let is_turn =
        |event: &&ServerEvent| matches!(event, ServerEvent::InMatch { event: MatchEvent::Turn(_), .. });
    let is_take =
        |event: &&ServerEvent| matches!(event, ServerEvent::InMatch { event: MatchEvent::Took { .. }, .. });
    sent_events.iter().rev().find(is_turn).into_iter().chain(sent_events.iter().rev().find(is_take))
}
