//! Tests of a server whose clock was ahead and of the next one, whose clock is right.

use super::fixture::{duel_setup, name, with_timeout};
use super::shaky_store::{ShakyStore, shaky_store};
use crate::environment::Environment;
use crate::{Arena, Backend, Limits};
use lastnim_core::game::MatchId;
use lastnim_core::referee::Timestamp;
use lastnim_store::{Change, MatchFilter, PruneFilter, Store, StoreError};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::{Instant, sleep};

const TODAY: Duration = Duration::from_hours(24 * 20_000);
const AHEAD: Duration = Duration::from_hours(2);

async fn start(store: &Arc<ShakyStore>, since_epoch: Duration) -> Arena {
    let environment = Environment::new(
        move || UNIX_EPOCH + since_epoch,
        |bytes| getrandom::fill(bytes).expect("the system has a random source"),
    );
    let backend = Backend { store: store.clone(), environment, ..Backend::in_memory() };
    Arena::open(Limits::default(), backend, []).await.unwrap()
}

/// Starts a server whose clock is ahead, on an empty store, and registers the bots of the duel.
async fn start_ahead(store: &Arc<ShakyStore>) -> Arena {
    let arena = start(store, TODAY + AHEAD).await;
    for bot in ["first", "second"] {
        arena.register_bot(name(bot)).await.unwrap();
    }
    arena
}

async fn wait_until_all_over(arena: &Arena) {
    let over = async {
        while arena.open_match_count() > 0 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(10), over)
        .await
        .expect("no bot connects, so that all seats are forfeited");
}

/// Begins matches and waits until they are over.
async fn play(arena: &Arena, count: usize) -> Vec<MatchId> {
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(with_timeout("a match", arena.create_match(duel_setup())).await.unwrap().id);
    }
    wait_until_all_over(arena).await;
    ids
}

#[tokio::test(start_paused = true)]
async fn the_newest_matches_are_those_that_began_last() {
    let store = shaky_store();
    let ahead = start_ahead(&store).await;
    let before = play(&ahead, 3).await;
    ahead.stop(Duration::ZERO).await;
    store.keep(Change::EndsAcknowledged { bot: name("first"), through: before[2] }).await;
    let right = start(&store, TODAY).await;
    let after = play(&right, 2).await;
    let listed = store.match_summaries(&MatchFilter::default(), None, 9).await.unwrap();
    let newest_first: Vec<_> = before.iter().chain(&after).rev().copied().collect();
    assert_eq!(listed.iter().map(|found| found.id).collect::<Vec<_>>(), newest_first);
    let unacknowledged = store.unacknowledged_matches(&name("first"), MatchId::least(), 9).await.unwrap();
    assert_eq!(unacknowledged.newest, newest_first[..2]);
    let never = Timestamp::from_micros(i64::MAX as u64);
    let filter = PruneFilter { tournament: None, over_before: never, keep_newest: 2 };
    assert_eq!(right.prune_records(filter).await.unwrap(), 3);
    for id in before {
        assert_eq!(store.match_record(id).await.unwrap_err(), StoreError::Pruned(id));
    }
    for id in after {
        let record = store.match_record(id).await.unwrap().unwrap().record;
        assert!(record.events()[0].at < Timestamp::default() + TODAY + AHEAD, "its time is right");
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_match_continues_and_affects_no_other() {
    let store = shaky_store();
    let ahead = start_ahead(&store).await;
    let open = with_timeout("a match", ahead.create_match(duel_setup())).await.unwrap().id;
    ahead.stop(Duration::ZERO).await;
    let left = store.match_record(open).await.unwrap().unwrap().record.events().last().unwrap().at;
    let right = start(&store, TODAY).await;
    assert!(right.now() < Timestamp::default() + TODAY + Duration::from_secs(1) && right.now() < left);
    let resumed = Instant::now();
    wait_until_all_over(&right).await;
    let lasted = resumed.elapsed();
    assert!(lasted >= Duration::from_mins(1) && lasted < Duration::from_mins(4), "{lasted:?}");
    let record = store.match_record(open).await.unwrap().unwrap().record;
    assert!(record.events().is_sorted_by_key(|event| event.at));
    let ended = record.events().last().unwrap().at;
    assert!(ended >= left + Duration::from_mins(1) && ended <= left + lasted, "{ended} after {left}");
}
