//! Pages, records, and what is forgotten first.

use super::*;
use crate::game::{AllianceMatrix, BySeat, Piles, SeatCount};
use crate::referee::{EndReason, Input, Origin, Phase, Referee, Timestamp};

const ROOMY: Room = Room { matches: 1_000, events: 1_000_000 };

fn id(number: u64) -> MatchId {
    MatchId::new(1_700_000_000_000 + number, &[3; 10])
}

fn tournament(number: u64) -> TournamentId {
    TournamentId::new(1_700_000_000_000 + number, &[5; 10])
}

fn setup(bots: [&str; 2], of: Option<u64>, plies: usize) -> MatchSetup {
    let names = bots.map(|name| name.parse().unwrap()).to_vec();
    let mut setup = MatchSetup::new(names.try_into().unwrap(), Piles::parse(&vec![1; plies]).unwrap());
    setup.assigned = Some(AllianceMatrix::standard(SeatCount::new(2).unwrap()));
    setup.origin = of.map(|number| Origin { tournament: tournament(number), number: 0, group: 0 });
    setup
}

/// Plays a match to its end.
fn played(id: MatchId, setup: MatchSetup) -> Record {
    let mut at = Timestamp::from_micros(7);
    let present = BySeat::from_fn(setup.seats(), |_| true);
    let (mut referee, _) = Referee::begin(id, setup, present, at);
    while referee.record().state().phase() != Phase::Ended {
        let state = referee.record().state();
        let input = Input::Take { seat: state.position().to_move(), ply: state.ply(), take: 1 };
        at = Timestamp::from_micros(at.as_micros() + 1);
        let _told = referee.handle(input, at);
        referee.announced(at);
    }
    referee.into_record()
}

/// Commits the events one by one, as a match does.
async fn commit_each(store: &Store, record: &Record) {
    for event in record.events() {
        let events = vec![event.clone()];
        store.commit(vec![Change::MatchEvents { id: record.id(), events }]).await.unwrap();
    }
}

fn listed(store: &Store, filter: &MatchFilter, before: Option<u64>, most: usize) -> Vec<MatchId> {
    let page = store.summaries(filter, before.map(id), most);
    page.iter().map(|summary| summary.id).collect()
}

#[tokio::test]
async fn a_match_of_any_length_is_kept_as_it_was_and_summed_up() {
    for plies in [1, 2, 252, 253, 254, 255, 509, 600] {
        let store = Store::new(ROOMY);
        let record = played(id(1), setup(["a", "b"], None, plies));
        let brief = |store: &Store| store.summary(id(1)).unwrap().0;
        let mut phases = Vec::new();
        for event in record.events() {
            let events = vec![event.clone()];
            store.commit(vec![Change::MatchEvents { id: id(1), events }]).await.unwrap();
            phases.push((brief(&store).phase, brief(&store).plies));
        }
        phases.dedup();
        let mut expected = vec![(Phase::Declaring, 0)];
        expected.extend((0..=plies as u32).map(|ply| (Phase::Playing, ply)));
        expected.push((Phase::Ended, plies as u32));
        assert_eq!(phases, expected);
        assert_eq!(store.record(id(1)).unwrap().unwrap().record, record);
        let (summary, audit) = store.summary(id(1)).unwrap();
        assert_eq!((summary.setup.as_ref(), audit), (record.state().setup(), None));
        assert!(matches!(summary.end, Some((EndReason::Finished, Some(_)))));
    }
}

#[tokio::test]
async fn events_without_a_beginning_are_a_damaged_record() {
    let store = Store::new(ROOMY);
    let record = played(id(1), setup(["a", "b"], None, 3));
    let headless = record.events()[1..].to_vec();
    store.commit(vec![Change::MatchEvents { id: id(1), events: headless }]).await.unwrap();
    assert_eq!(store.record(id(1)).unwrap_err(), StoreError::Damaged(id(1), RecordError::NotCreated));
    assert!(store.summary(id(1)).is_none());
    assert_eq!(listed(&store, &MatchFilter::default(), None, 9), []);
    assert!(store.record(id(2)).unwrap().is_none());
}

#[tokio::test]
async fn a_page_holds_what_its_filter_admits_the_newest_first() {
    let store = Store::new(ROOMY);
    let cases = [(["a", "b"], None), (["a", "c"], Some(1)), (["b", "c"], Some(1)), (["c", "a"], Some(2))];
    for (number, (bots, of)) in (0..).zip(cases) {
        commit_each(&store, &played(id(number), setup(bots, of, 2))).await;
    }
    let page = |of: Option<u64>, bot: Option<&str>, before, most| {
        let filter =
            MatchFilter { tournament: of.map(tournament), bot: bot.map(|name| name.parse().unwrap()) };
        listed(&store, &filter, before, most)
    };
    assert_eq!(page(None, None, None, 9), [3, 2, 1, 0].map(id));
    assert_eq!(page(None, None, Some(2), 1), [1].map(id));
    assert_eq!(page(Some(1), None, None, 9), [2, 1].map(id));
    assert_eq!(page(None, Some("a"), None, 2), [3, 1].map(id));
    assert_eq!(page(None, Some("a"), Some(1), 2), [0].map(id));
    assert_eq!(page(Some(1), Some("a"), None, 9), [1].map(id));
    assert_eq!(page(Some(2), Some("b"), None, 9), []);
    assert_eq!(page(Some(9), None, None, 9), []);
    assert_eq!(page(None, Some("z"), None, 9), []);
}

#[tokio::test]
async fn the_matches_that_ended_first_go_until_both_bounds_hold() {
    // A match of so many plies has three events more: `created`, `revealed` and `ended`.
    let room = Room { matches: 3, events: 30 };
    let store = Store::new(room);
    for (number, plies, left) in [
        (1, 2, vec![1]),
        (2, 2, vec![2, 1]),
        (3, 2, vec![3, 2, 1]),
        (4, 2, vec![4, 3, 2]),
        (5, 17, vec![5, 4, 3]),
        (6, 3, vec![6, 5]),
        (7, 28, vec![]),
        (8, 27, vec![8]),
    ] {
        commit_each(&store, &played(id(number), setup(["a", "b"], Some(number), plies))).await;
        assert_eq!(
            listed(&store, &MatchFilter::default(), None, 9),
            left.iter().copied().map(id).collect::<Vec<_>>()
        );
        let is_left = |number: &u64| store.record(id(*number)).unwrap().is_some();
        assert_eq!((1..=number).rev().filter(is_left).collect::<Vec<_>>(), left);
    }
    let filters = store.lock().admitted.len();
    assert_eq!(filters, 6, "no filter is left that admits nothing");
    let open = played(id(9), setup(["a", "b"], None, 100));
    let unfinished = open.events()[..90].to_vec();
    store.commit(vec![Change::MatchEvents { id: id(9), events: unfinished }]).await.unwrap();
    let all = listed(&store, &MatchFilter::default(), None, 9);
    assert_eq!(all, [9, 8].map(id), "a match that is not over takes no room from others");
}
