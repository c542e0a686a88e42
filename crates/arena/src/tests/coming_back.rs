//! Tests of the grace period and the clocks after a restart of the server.

use super::fixture::{
    BANK, TIMEOUT, begin, connect, duel_setup, read_until, reopen, shaky_arena, with_timeout,
};
use super::sessions::{take, turn};
use crate::Arena;
use lastnim_core::game::{BySeat, MatchId};
use lastnim_core::referee::{ForfeitReason, Referee, TimeBank, Timestamp};
use lastnim_store::{Change, Store};
use std::time::Duration;

/// Returns the change that stores the first events of a match that begins at the given time.
fn created_match(id: MatchId, at: Timestamp) -> Change {
    let setup = duel_setup();
    let present = BySeat::filled(setup.seats(), &true);
    let (referee, _) = Referee::begin(id, setup, present, at);
    let record = referee.record();
    let events = record.events().to_vec();
    Change::MatchEvents { id, first: 0, events }
}

/// Plays a duel for which no bot connects, and returns how long it took until the clocks had run out.
async fn play_without_bots(arena: &Arena) -> Duration {
    let began_at = arena.now();
    let begun = begin(arena).unwrap();
    tokio::time::timeout(100 * TIMEOUT, begun.play).await.expect("it ends").unwrap();
    let record = arena.match_record(begun.id).await.unwrap().record;
    assert!(record.state().forfeits().iter().all(|&lost| lost == Some(ForfeitReason::NoShow)));
    arena.now().since(began_at)
}

#[tokio::test(start_paused = true)]
async fn a_match_that_begins_after_a_restart_waits_for_absent_bots() {
    let (store, first_server) = shaky_arena().await;
    let both_banks = play_without_bots(&first_server).await;
    assert!(
        both_banks < 2 * BANK + Duration::from_secs(1),
        "a new server has no grace period: {both_banks:?}"
    );
    let left = first_server.now();
    let id = MatchId::new(left.as_micros() / 1_000, &[9; 10]);
    store.write(&[created_match(id, left)]).await.unwrap();

    let arena = reopen(store).await;
    let grace = arena.limits().return_grace;
    tokio::time::sleep(grace / 3).await;
    let with_the_rest = play_without_bots(&arena).await;
    let rest = with_the_rest.checked_sub(2 * BANK).unwrap();
    let waited = rest + grace / 3;
    assert!(waited >= grace && waited < grace + Duration::from_secs(1), "{rest:?}");
    let afterwards = play_without_bots(&arena).await;
    assert!(afterwards < 2 * BANK + Duration::from_secs(1), "the grace is over: {afterwards:?}");
}

#[tokio::test(start_paused = true)]
async fn a_match_ahead_of_the_clock_continues_from_its_last_event() {
    let (store, before) = shaky_arena().await;
    let ahead = before.now() + Duration::from_hours(1);
    let id = MatchId::new(ahead.as_micros() / 1_000, &[9; 10]);
    store.write(&[created_match(id, ahead)]).await.unwrap();

    let arena = reopen(store).await;
    assert!(arena.now() < ahead, "other matches use the time of the clock");
    let (first, _first_hears) = connect(&arena, "first").unwrap();
    let (_second, mut second_hears) = connect(&arena, "second").unwrap();
    tokio::time::sleep(BANK / 2).await;
    first.send(Ok(take(id, 0))).unwrap();
    assert_eq!(read_until(&mut second_hears, turn).await, 1);
    let record = with_timeout("the record", arena.match_record(id)).await.unwrap().record;
    let left = record.state().banks().map(TimeBank::left);
    let seats = left.seats();
    let charged = BANK.checked_sub(left[seats.seat(0).unwrap()]).unwrap();
    assert!(charged > BANK / 3 && charged < BANK, "thinking time is charged: {left:?}");
    let took = record.events().last().unwrap().at;
    assert!(took >= ahead + BANK / 2 && took < ahead + BANK, "{took} after {ahead}");
}
