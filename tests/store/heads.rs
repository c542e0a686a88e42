//! Record hashes of a tournament's matches.

use crate::played::{bots, match_changes, match_id, open_match_of, play_match, sign_record, tournament_id};
use crate::test_database::TestDatabase;
use crate::tournaments::tournament;
use lastnim_core::game::{MatchId, Row, SeatCount};
use lastnim_core::referee::{EndReason, Event, MatchPhase, Origin, Record, TimedEvent, Timestamp};
use lastnim_proto::manifest::ListedRecord;
use lastnim_store::{Change, HeadsPage, MatchHead, PruneFilter, StoreError, prune_store};

/// A match that is cancelled after one of its bots has declared.
fn cancelled_while_declaring(id: MatchId, origin: &Origin) -> Record {
    let mut unplayed = (0..100).map(|seed| play_match(id, bots(0..3), Some(origin.clone()), seed, 0));
    let declaring = unplayed.find(|record| record.state().setup().assigned.is_none()).unwrap();
    let seats = SeatCount::new(3).unwrap();
    let created = declaring.events()[0].clone();
    let time_after = |micros| created.at + std::time::Duration::from_micros(micros);
    let row = Row::favouring(1, seats);
    let declared = Event::Declared { seat: seats.seat(0).unwrap(), row, defaulted: None, note_hash: None };
    let ended = Event::Ended { reason: EndReason::Cancelled, winner: None };
    let events = [
        created.clone(),
        TimedEvent { at: time_after(1), event: declared },
        TimedEvent { at: time_after(2), event: ended },
    ];
    Record::replay(id, events).unwrap()
}

pub fn match_heads_are_kept_and_do_not_reveal_rows(database: &TestDatabase) {
    let store = database.open();
    let tournament_id = tournament_id(1);
    let origin = |number: u64| Origin { tournament: tournament_id, number, group: number };
    database.write(&store, &[Change::TournamentCreated(tournament(1))]);
    let whole: Vec<_> = (0..6)
        .map(|number| {
            let played = (0..50)
                .map(|seed| play_match(match_id(number), bots(0..3), Some(origin(number)), seed, u32::MAX));
            let is_played =
                |record: &Record| record.state().phase() == MatchPhase::Ended && record.state().ply() > 0;
            played.into_iter().find(is_played).unwrap()
        })
        .collect();
    let unrevealed = cancelled_while_declaring(match_id(6), &origin(6));
    let damaged = open_match_of(match_id(7), Some(&origin(7)));
    let open = open_match_of(match_id(8), Some(&origin(8)));
    let exhibition = play_match(match_id(9), bots(0..3), None, 9, u32::MAX);
    let records = whole.iter().chain([&unrevealed, &damaged, &open, &exhibition]);
    database.write(&store, &records.flat_map(match_changes).collect::<Vec<_>>());
    let reason = "the network was down".parse().unwrap();
    let quarantine = Change::MatchQuarantined {
        id: damaged.id(),
        at: Timestamp::from_micros(1_700_000_000_900_000),
        why: "event 3 is missing".to_owned(),
    };
    database.write(&store, &[quarantine, Change::MatchVoided { id: match_id(2), reason }]);

    let page = HeadsPage { tournament: tournament_id, after: None, before: MatchId::greatest(), limit: 100 };
    let heads = |page: HeadsPage| database.run(store.match_heads(&page)).unwrap();
    let signed_record = |record: &Record| ListedRecord::Signed {
        head: record.last_hash(),
        signer: sign_record(record).signer,
    };
    let mut expected: Vec<_> = whole
        .iter()
        .zip(0..)
        .map(|(record, number)| MatchHead {
            id: record.id(),
            number: Some(number),
            record: signed_record(record),
        })
        .collect();
    let public_head = unrevealed.public_head().unwrap();
    let last_records = [ListedRecord::Unrevealed { public_head }, ListedRecord::Unrecorded];
    for (number, record) in (6..).zip(last_records) {
        expected.push(MatchHead { id: match_id(number), number: Some(number), record });
    }
    assert_eq!(heads(page), expected, "the voided match keeps its number");
    // Hashes are read page by page, and up to an id.
    let first = heads(HeadsPage { limit: 3, ..page });
    assert_eq!(first, expected[..3]);
    assert_eq!(heads(HeadsPage { after: Some(match_id(2)), limit: 4, ..page }), expected[3..7]);
    let middle_page = HeadsPage { after: Some(match_id(1)), before: match_id(4), ..page };
    assert_eq!(heads(middle_page), expected[2..4]);
    assert_eq!(heads(HeadsPage { after: Some(match_id(4)), before: match_id(4), ..page }), []);
    let elsewhere = crate::played::tournament_id(2);
    assert_eq!(heads(HeadsPage { tournament: elsewhere, ..page }), []);
    // Hashes stay when records are removed. The small record of a match without takes is kept, since its hash depends
    // on its events.
    let every = PruneFilter {
        tournament: None,
        over_before: Timestamp::from_micros(i64::MAX as u64),
        keep_newest: 0,
    };
    database.run(prune_store(store.as_ref(), every, Timestamp::from_micros(1_800_000_000_000_000))).unwrap();
    let is_pruned =
        |id: u64| matches!(database.run(store.match_record(match_id(id))), Err(StoreError::Pruned(_)));
    assert!(is_pruned(0) && is_pruned(5) && !is_pruned(6));
    assert_eq!(heads(page), expected);
}
