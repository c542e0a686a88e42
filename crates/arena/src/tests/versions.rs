//! Tests of the bot versions that are recorded for the seats of a match.

use super::fixture::{
    TIMEOUT, begin, connect, connect_with_version, read_until, reopen, shaky_arena, with_timeout,
};
use super::sessions::{take, turn};
use crate::Arena;
use lastnim_core::game::{BotVersion, MatchId};
use lastnim_proto::{MatchEvent, ServerEvent, pb};
use std::time::Duration;

fn version(label: &str) -> BotVersion {
    BotVersion { label: label.parse().ok(), config_hash: None }
}

/// Returns the version labels of each seat. A label is empty if a session reported no version.
async fn labels(arena: &Arena, id: MatchId) -> Vec<Vec<String>> {
    let (summary, _) = arena.match_summary(id).await.unwrap();
    assert_eq!(arena.match_record(id).await.unwrap().versions, summary.versions);
    let label = |version: &BotVersion| version.label.as_ref().map(ToString::to_string).unwrap_or_default();
    summary.versions.iter().map(|seat| seat.as_slice().iter().map(label).collect()).collect()
}

/// Returns whether an event is the snapshot of an open match.
fn snapshot(event: &ServerEvent) -> Option<()> {
    matches!(event, ServerEvent::InMatch { event: MatchEvent::Snapshot(_), .. }).then_some(())
}

fn resign(id: MatchId) -> pb::PlayRequest {
    let resign = pb::Resign { match_id: id.to_string() };
    pb::PlayRequest { action: Some(pb::play_request::Action::Resign(resign)) }
}

#[tokio::test(start_paused = true)]
async fn a_seat_keeps_the_versions_of_all_its_sessions_after_a_restart() {
    let (store, before) = shaky_arena().await;
    let (_first, mut first_hears) = connect_with_version(&before, "first", version("1")).unwrap();
    let (_second, mut second_hears) = connect(&before, "second").unwrap();
    let begun = begin(&before).unwrap();
    let id = begun.id;
    let playing = tokio::spawn(begun.play);
    read_until(&mut first_hears, turn).await;
    assert_eq!(labels(&before, id).await, [vec!["1"], vec![]]);
    let (_silent, mut silent_hears) = connect(&before, "first").unwrap();
    read_until(&mut silent_hears, snapshot).await;
    let (first, mut first_hears) = connect_with_version(&before, "first", version("2")).unwrap();
    read_until(&mut first_hears, snapshot).await;
    first.send(Ok(take(id, 0))).unwrap();
    assert_eq!(read_until(&mut second_hears, turn).await, 1);
    assert_eq!(labels(&before, id).await, [vec!["1", "", "2"], vec![]]);
    playing.abort();
    drop(before);

    let after = reopen(store).await;
    assert_eq!(labels(&after, id).await, [vec!["1", "", "2"], vec![]]);
    let (first, mut first_hears) = connect_with_version(&after, "first", version("3")).unwrap();
    let (again, mut again_hears) = connect_with_version(&after, "second", version("9")).unwrap();
    read_until(&mut again_hears, snapshot).await;
    read_until(&mut first_hears, snapshot).await;
    again.send(Ok(resign(id))).unwrap();
    first.send(Ok(resign(id))).unwrap();
    with_timeout("the end", async {
        while after.match_summary(id).await.unwrap().0.end.is_none() {
            tokio::time::sleep(TIMEOUT / 1_000).await;
        }
    })
    .await;
    assert_eq!(labels(&after, id).await, [vec!["1", "", "2", "3"], vec!["9"]]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_keeps_changing_its_version_does_not_fill_its_history() {
    let (_store, arena) = shaky_arena().await;
    let history = async || {
        let seen = arena.bot_versions(&"first".parse().unwrap()).await.unwrap();
        seen.into_iter().map(|seen| seen.version).collect::<Vec<_>>()
    };
    let (_first, _hears) = connect_with_version(&arena, "first", version("kept")).unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(history().await, [version("kept")]);
    for number in 0..500 {
        let (_session, _hears) =
            connect_with_version(&arena, "first", version(&format!("v{number}"))).unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (_last, _hears) = connect_with_version(&arena, "first", version("last")).unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(history().await, [version("last"), version("kept")], "the others were replaced too soon");
}
