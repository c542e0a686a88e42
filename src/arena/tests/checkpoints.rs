//! What a server makes of the checkpoints that the one before it has left.

use super::fixture::{name, soon};
use super::shaky_store::{Mood, ShakyStore};
use crate::arena::{Arena, Backend, Limits, NewTournament};
use crate::game::{BotName, Seat, TournamentId};
use crate::referee::Terms;
use crate::store::{Change, Store};
use crate::tournament::{
    AllianceSource, Checkpoint, Concurrency, MatchOutcome, MatchResult, ResultFold, Rulings, ScheduleStep,
    SeatResult, Settings, SettingsDraft, plan_schedule, snapshot_state, testing,
};
use std::sync::Arc;

const BOTS: [&str; 3] = ["first", "second", "third"];

fn settings() -> Settings {
    let plain = testing::settings(2, 20, AllianceSource::Standard);
    Settings::new(SettingsDraft { concurrency: Concurrency::new(3).unwrap(), ..(*plain).clone() }).unwrap()
}

fn field() -> Vec<BotName> {
    BOTS.map(name).to_vec()
}

async fn open(store: &Arc<ShakyStore>) -> Arena {
    let backend = Backend { store: store.clone(), ..Backend::in_memory() };
    let limits = Limits { checkpoint_results: 4, ..Limits::default() };
    soon("an open arena", Arena::open(limits, backend, [])).await.unwrap()
}

/// Plays a tournament without its bots until it has a checkpoint and some more results, and leaves it there.
async fn left_behind(store: &Arc<ShakyStore>) -> TournamentId {
    let arena = open(store).await;
    let new = NewTournament { settings: settings(), terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in BOTS {
        arena.register_bot(name(bot)).await.unwrap();
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    let mut watch = arena.live_tournament(id).unwrap().subscribe();
    arena.start_tournament(id).await.unwrap();
    for played in 1.. {
        watch.wait_for(|view| view.played >= played).await.unwrap();
        if played % 4 == 2 && store.checkpoint(id).await.unwrap().is_some() {
            break;
        }
    }
    // From here on nothing is written any more.
    store.set(Mood::Hangs);
    id
}

/// Counts the results that are in the store, or makes up all that there can be.
async fn counted(store: &ShakyStore, id: TournamentId, are_made_up: bool) -> ResultFold {
    let settings = settings();
    let mut fold = ResultFold::new(
        &settings,
        plan_schedule(&settings, &field()).unwrap(),
        &field(),
        &[],
        Rulings::default(),
    );
    if are_made_up {
        while let ScheduleStep::Match(pairing) = fold.schedule.next() {
            let seats = pairing.bots.map(|_| SeatResult::default());
            fold.add_result(MatchResult::finished(&pairing, MatchOutcome { winner: Seat::FIRST, seats }));
        }
    } else {
        for stored in store.match_results(id, 0, 1_000).await.unwrap() {
            let pairing = fold.schedule.pairing_of_number(stored.number).unwrap();
            fold.add_result(MatchResult::from_outcome(&pairing, stored.outcome));
        }
    }
    fold
}

fn checkpoint(id: TournamentId, fold: &ResultFold) -> Checkpoint {
    let ResultFold { schedule, standings, evidence, reported, .. } = fold;
    Checkpoint::new(
        id,
        reported.all_reported_below(),
        snapshot_state((0, 0), reported, &**schedule, standings, evidence).unwrap(),
    )
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_that_is_of_no_use_is_ignored() {
    let store = ShakyStore::new();
    let id = left_behind(&store).await;
    let written = store.checkpoint(id).await.unwrap().unwrap();
    let expected = counted(&store, id, false).await;
    assert!(written.verified_state(id).is_ok() && written.upto >= 1);
    let made_up = checkpoint(id, &counted(&store, id, true).await);
    assert_eq!(made_up.upto, 60 * 2);
    let mut damaged = written.clone();
    damaged.state[3] ^= 1;
    let cut = Checkpoint::new(id, written.upto, written.state[..written.state.len() / 2].to_vec());
    let cases = [
        ("as it was written", written.clone()),
        ("with all results that are there", checkpoint(id, &expected)),
        ("damaged", damaged),
        ("cut", cut),
        ("of another version", Checkpoint { version: written.version + 1, ..written.clone() }),
        ("with results that are not there", made_up),
    ];
    for (case, checkpoint) in cases {
        store.keep(Change::Checkpoint { id, checkpoint: Arc::new(checkpoint) }).await;
        let arena = open(&store).await;
        let handle = arena.live_tournament(id).unwrap();
        assert_eq!(handle.view().played, expected.reported.counted_results(), "{case}");
        assert_eq!(*handle.standings(), expected.standings.lines(), "{case}");
        let goes_on = async {
            while arena.open_match_count() == 0 {
                tokio::task::yield_now().await;
            }
        };
        soon(case, goes_on).await;
    }
}
