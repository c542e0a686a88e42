//! Tests of how a server uses the checkpoints that an earlier server wrote.

use super::fixture::{name, with_timeout};
use super::shaky_store::{ShakyStore, StoreBehaviour, shaky_store};
use crate::{Arena, Backend, Limits, NewTournament};
use lastnim_core::game::{BotName, Seat, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_store::{Change, Store, StoredTournament};
use lastnim_tournament::{
    AllianceSource, Checkpoint, Concurrency, MatchOutcome, MatchResult, ResultFold, Rulings, ScheduleStep,
    SeatResult, Settings, SettingsDraft, TournamentState, plan_schedule, snapshot_state, testing,
};
use std::sync::Arc;
use std::time::Duration;

const BOTS: [&str; 3] = ["first", "second", "third"];

fn settings() -> Settings {
    let plain = testing::settings(2, 20, AllianceSource::Standard);
    Settings::new(SettingsDraft { concurrency: Concurrency::new(3).unwrap(), ..(*plain).clone() }).unwrap()
}

fn field() -> Vec<BotName> {
    BOTS.map(name).to_vec()
}

async fn open_arena(store: &Arc<ShakyStore>) -> Arena {
    let backend = Backend { store: store.clone(), ..Backend::in_memory() };
    let limits = Limits { checkpoint_results: 4, ..Limits::default() };
    with_timeout("an open arena", Arena::open(limits, backend, [])).await.unwrap()
}

/// Plays a tournament without its bots until it has a checkpoint and some later results, and then stops all writes.
async fn start_interrupted_tournament(store: &Arc<ShakyStore>) -> TournamentId {
    let arena = open_arena(store).await;
    let id = begin(&arena).await;
    let mut watch = arena.live_tournament(id).unwrap().subscribe();
    for played in 1.. {
        watch.wait_for(|view| view.played >= played).await.unwrap();
        if played % 4 == 2 && store.checkpoint(id).await.unwrap().is_some() {
            break;
        }
    }
    store.set(StoreBehaviour::Hangs);
    id
}

/// Starts a tournament whose bots never connect.
async fn begin(arena: &Arena) -> TournamentId {
    let new = NewTournament { settings: settings(), terms: Terms::default() };
    let id = arena.create_tournament(new).await.unwrap().stored.id;
    for bot in BOTS {
        arena.register_bot(name(bot)).await.unwrap();
        arena.join_tournament(id, &name(bot)).await.unwrap();
    }
    arena.start_tournament(id).await.unwrap();
    id
}

/// The results that a test counts.
#[derive(Clone, Copy)]
enum ResultSource {
    Stored,
    /// Made-up results, one for every match of the tournament.
    Random,
}

async fn fold_results(store: &ShakyStore, id: TournamentId, results: ResultSource) -> ResultFold {
    let settings = settings();
    let mut fold = ResultFold::new(
        &settings,
        plan_schedule(&settings, &field()).unwrap(),
        &field(),
        &[],
        Rulings::default(),
    );
    match results {
        ResultSource::Random => {
            while let ScheduleStep::Match(pairing) = fold.schedule.next() {
                let seats = pairing.bots.map(|_| SeatResult::default());
                fold.add_result(MatchResult::finished(&pairing, MatchOutcome { winner: Seat::FIRST, seats }));
            }
        }
        ResultSource::Stored => {
            for stored in store.match_results(id, 0, 1_000).await.unwrap() {
                let pairing = fold.schedule.pairing_of_number(stored.number).unwrap();
                fold.add_result(MatchResult::from_outcome(&pairing, stored.outcome));
            }
        }
    }
    fold
}

fn checkpoint(id: TournamentId, fold: &ResultFold) -> Checkpoint {
    let ResultFold { schedule, standings, evidence, cross_table, reported, .. } = fold;
    Checkpoint::new(
        id,
        reported.first_unreported(),
        snapshot_state((0, 0), reported, &**schedule, standings, evidence, cross_table).unwrap(),
    )
}

#[tokio::test(start_paused = true)]
async fn an_unusable_checkpoint_is_ignored() {
    let store = shaky_store();
    let id = start_interrupted_tournament(&store).await;
    let written = store.checkpoint(id).await.unwrap().unwrap();
    let expected = fold_results(&store, id, ResultSource::Stored).await;
    assert!(written.verified_state(id).is_ok() && written.upto >= 1);
    let made_up = checkpoint(id, &fold_results(&store, id, ResultSource::Random).await);
    assert_eq!(made_up.upto, 60 * 2);
    let mut damaged = written.clone();
    damaged.state[3] ^= 1;
    let cut = Checkpoint::new(id, written.upto, written.state[..written.state.len() / 2].to_vec());
    let cases = [
        ("as it was written", written.clone()),
        ("with all existing results", checkpoint(id, &expected)),
        ("damaged", damaged),
        ("cut", cut),
        ("of another version", Checkpoint { version: written.version + 1, ..written.clone() }),
        ("with missing results", made_up),
    ];
    for (case, checkpoint) in cases {
        store.keep(Change::Checkpoint { id, checkpoint: Arc::new(checkpoint) }).await;
        let arena = open_arena(&store).await;
        let handle = arena.live_tournament(id).unwrap();
        assert_eq!(handle.view().played, expected.reported.result_count(), "{case}");
        assert_eq!(*handle.standings(), expected.standings.lines(TournamentState::Running), "{case}");
        let goes_on = async {
            while arena.open_match_count() == 0 {
                tokio::task::yield_now().await;
            }
        };
        with_timeout(case, goes_on).await;
    }
}

/// Stores the end of a tournament once more, which removes the stored comparison of its bots.
async fn remove_comparison(store: &Arc<ShakyStore>, id: TournamentId) {
    let StoredTournament { state, over, .. } = store.tournament(id).await.unwrap().unwrap();
    let standings = Arc::new(store.standings(id).await.unwrap());
    store.keep(Change::TournamentOver { id, state, over: over.unwrap(), standings }).await;
    assert_eq!(store.checkpoint(id).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn the_comparison_of_bots_is_computed_once() {
    let store = shaky_store();
    let arena = open_arena(&store).await;
    let id = begin(&arena).await;
    let mut watch = arena.live_tournament(id).unwrap().subscribe();
    watch.wait_for(|view| view.played >= 30).await.unwrap();
    arena.update_ratings_if_due(id).await;
    let (so_far, again) = tokio::join!(arena.cross_table(id), arena.cross_table(id));
    let so_far = so_far.unwrap();
    assert!(Arc::ptr_eq(&so_far, &again.unwrap()), "it is computed once for all callers");
    let meetings = so_far.iter().map(|pair| pair.meeting.matches).sum::<u32>();
    assert!((30..120).contains(&meetings), "{meetings} of 120 matches while it runs");
    watch.wait_for(|view| view.stored.state.is_over()).await.unwrap();
    let expected = arena.compare_by_results(id, &|| true).await.unwrap().unwrap().compared.to_vec();
    assert_eq!(expected.iter().map(|pair| pair.meeting.matches).sum::<u32>(), 120);
    let kept = store.checkpoint(id).await.unwrap().expect("it is stored");
    assert_eq!(kept.comparisons(id).unwrap(), expected);

    let mut damaged = kept.clone();
    damaged.state[3] ^= 1;
    let other = TournamentId::new(1, &[1; 10]);
    let cases = [
        ("as it was written", Some(kept.clone())),
        ("damaged", Some(damaged)),
        ("of another version", Some(Checkpoint { version: kept.version + 1, ..kept.clone() })),
        ("of another tournament", Checkpoint::of_comparisons(other, kept.upto, &expected)),
        ("of a running tournament", Some(Checkpoint::new(id, kept.upto, kept.state.clone()))),
        ("not kept", None),
    ];
    for (case, checkpoint) in cases {
        remove_comparison(&store, id).await;
        if let Some(checkpoint) = checkpoint {
            store.keep(Change::BotComparisons { id, checkpoint: Arc::new(checkpoint) }).await;
        }
        let arena = open_arena(&store).await;
        assert_eq!(*arena.cross_table(id).await.unwrap(), expected, "{case}");
        let is_kept = async {
            while store.checkpoint(id).await.unwrap().as_ref() != Some(&kept) {
                tokio::task::yield_now().await;
            }
        };
        with_timeout(case, is_kept).await;
        // From here on, the arena does not compute the comparison from the results again.
        remove_comparison(&store, id).await;
        assert_eq!(*arena.cross_table(id).await.unwrap(), expected, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_comparison_without_the_last_results_is_not_stored() {
    let store = shaky_store();
    let arena = open_arena(&store).await;
    let id = begin(&arena).await;
    let mut watch = arena.live_tournament(id).unwrap().subscribe();
    watch.wait_for(|view| view.played >= 30).await.unwrap();
    store.hold_last_results();
    let asking = tokio::spawn({
        let arena = arena.clone();
        async move { arena.cross_table(id).await }
    });
    store.wait_for_held_read().await;
    // Paused time does not advance by itself while a task waits for another thread, so the test advances it. Larger
    // steps would look like a stall, and no clock would run out.
    while !watch.borrow().stored.state.is_over() {
        tokio::time::advance(Duration::from_millis(20)).await;
    }
    let kept = store.checkpoint(id).await.unwrap().expect("it is stored");
    let expected = kept.comparisons(id).unwrap();
    assert_eq!(expected.iter().map(|pair| pair.meeting.matches).sum::<u32>(), 120);
    store.release_results();
    assert_eq!(
        *asking.await.unwrap().unwrap(),
        expected,
        "the tournament ended while the table was computed"
    );
    assert_eq!(*arena.cross_table(id).await.unwrap(), expected);
    arena.stop(Duration::ZERO).await;
    assert_eq!(store.checkpoint(id).await.unwrap(), Some(kept));
}
