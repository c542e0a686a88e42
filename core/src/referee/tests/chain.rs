//! The chain of hashes covers all of a record.

use crate::game::{AllianceMatrix, Ending, MatchId, Piles, Row, Seat, SeatCount, TournamentId};
use crate::oracle::Mover;
use crate::referee::testing::scene;
use crate::referee::{
    EndReason, Event, EventHash, ForfeitReason, MatchSetup, NoteHash, Origin, RefusalReason, RowDefault,
    TimedEvent, canonical_bytes,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

const MICRO: Duration = Duration::from_micros(1);
const END_REASONS: [EndReason; 4] =
    [EndReason::Finished, EndReason::PlyLimit, EndReason::AllForfeited, EndReason::Cancelled];

fn chain(id: MatchId, events: &[TimedEvent]) -> Vec<EventHash> {
    let mut last = EventHash::before_first_event(id);
    let mut hashes = Vec::new();
    for event in events {
        last = last.hash_of_next(event);
        hashes.push(last);
    }
    hashes
}

/// Returns the event with each of its fields changed, one at a time.
fn changes(timed: &TimedEvent) -> Vec<TimedEvent> {
    let later = TimedEvent { at: timed.at + MICRO, event: timed.event.clone() };
    let events = match &timed.event {
        Event::Created(setup) => {
            setup_changes(setup).into_iter().map(|setup| Event::Created(Box::new(setup))).collect()
        }
        Event::Declared { .. } => declared_changes(&timed.event),
        Event::Revealed { matrix } => {
            matrix_changes(matrix).into_iter().map(|matrix| Event::Revealed { matrix }).collect()
        }
        Event::Took { .. } => took_changes(&timed.event),
        &Event::Struck { seat, ply, reason } => {
            let mut events = vec![
                Event::Struck { seat: other(seat), ply, reason },
                Event::Struck { seat, ply: ply + 1, reason },
            ];
            let reasons = RefusalReason::ALL.into_iter().filter(|another| *another != reason);
            events.extend(reasons.map(|reason| Event::Struck { seat, ply, reason }));
            events
        }
        &Event::Forfeited { seat, reason } => {
            let mut events = vec![Event::Forfeited { seat: other(seat), reason }];
            let reasons = ForfeitReason::ALL.into_iter().filter(|another| *another != reason);
            events.extend(reasons.map(|reason| Event::Forfeited { seat, reason }));
            events
        }
        &Event::Ended { reason, winner } => {
            let winners = [None, Some(Seat::FIRST), Some(other(Seat::FIRST))];
            let winners = winners.into_iter().filter(|another| *another != winner);
            let mut events: Vec<_> = winners.map(|winner| Event::Ended { reason, winner }).collect();
            let reasons = END_REASONS.into_iter().filter(|another| *another != reason);
            events.extend(reasons.map(|reason| Event::Ended { reason, winner }));
            events
        }
    };
    let mut changed = vec![later];
    changed.extend(events.into_iter().map(|event| TimedEvent { at: timed.at, event }));
    changed
}

fn other(seat: Seat) -> Seat {
    SeatCount::new(32).unwrap().next(seat)
}

/// Another note hash, one more and one less.
fn note_hash_changes(note_hash: Option<NoteHash>) -> impl Iterator<Item = Option<NoteHash>> {
    let mut bytes = note_hash.map_or([0; 32], |note_hash| *note_hash.as_bytes());
    bytes[31] ^= 1;
    let another = Some(NoteHash::from_bytes(bytes));
    [None, another].into_iter().filter(move |changed| *changed != note_hash)
}

fn declared_changes(event: &Event) -> Vec<Event> {
    let Event::Declared { seat, row, defaulted, note_hash } = event.clone() else {
        panic!("a row: {event:?}")
    };
    let reasons = [None, Some(RowDefault::Late), Some(RowDefault::Invalid), Some(RowDefault::Forfeited)];
    let reasons = reasons.into_iter().filter(|another| *another != defaulted);
    let mut events = vec![Event::Declared { seat: other(seat), row: row.clone(), defaulted, note_hash }];
    events.extend(reasons.map(|defaulted| Event::Declared { seat, row: row.clone(), defaulted, note_hash }));
    events.extend(row_changes(&row).into_iter().map(|row| Event::Declared {
        seat,
        row,
        defaulted,
        note_hash,
    }));
    let note_hashes = note_hash_changes(note_hash);
    events.extend(note_hashes.map(|note_hash| Event::Declared {
        seat,
        row: row.clone(),
        defaulted,
        note_hash,
    }));
    events
}

fn took_changes(event: &Event) -> Vec<Event> {
    let Event::Took { ply, seat, take, mover, charged, credited, note_hash } = event.clone() else {
        panic!("a take: {event:?}")
    };
    let another = if mover == Mover::Bot { Mover::Steward } else { Mover::Bot };
    let mut events = vec![
        Event::Took { ply: ply + 1, seat, take, mover, charged, credited, note_hash },
        Event::Took { ply, seat: other(seat), take, mover, charged, credited, note_hash },
        Event::Took { ply, seat, take: take + 1, mover, charged, credited, note_hash },
        Event::Took { ply, seat, take, mover: another, charged, credited, note_hash },
        Event::Took { ply, seat, take, mover, charged: charged + MICRO, credited, note_hash },
        Event::Took { ply, seat, take, mover, charged, credited: credited + MICRO, note_hash },
    ];
    let note_hashes = note_hash_changes(note_hash);
    events.extend(note_hashes.map(|note_hash| Event::Took {
        ply,
        seat,
        take,
        mover,
        charged,
        credited,
        note_hash,
    }));
    events
}

/// Two offsets exchanged, and a row for one seat more.
fn row_changes(row: &Row) -> Vec<Row> {
    let mut offsets: Vec<u64> = row.offsets().iter().copied().map(u64::from).collect();
    offsets.swap(0, 1);
    let exchanged = Row::parse(&offsets, row.seats()).unwrap();
    offsets.swap(0, 1);
    offsets.push(offsets.len() as u64);
    let longer = Row::parse(&offsets, SeatCount::new(offsets.len()).unwrap()).unwrap();
    vec![exchanged, longer]
}

fn matrix_changes(matrix: &AllianceMatrix) -> Vec<AllianceMatrix> {
    matrix
        .seats()
        .iter()
        .map(|seat| {
            let mut rows = matrix.rows().clone();
            rows[seat] = row_changes(&rows[seat]).swap_remove(0);
            AllianceMatrix::from_rows(rows).unwrap()
        })
        .collect()
}

fn setup_changes(setup: &MatchSetup) -> Vec<MatchSetup> {
    let mut changed = Vec::new();
    let mut change = |change: &dyn Fn(&mut MatchSetup)| {
        let mut setup = setup.clone();
        change(&mut setup);
        changed.push(setup);
    };
    for seat in setup.seats().iter() {
        change(&|setup| setup.bots[seat] = format!("{}x", setup.bots[seat]).parse().unwrap());
    }
    let more = |extra: &str| {
        let names = setup.bots.iter().map(ToString::to_string).chain([extra.to_owned()]);
        names.map(|name| name.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap()
    };
    change(&|setup| setup.bots = more("one-more"));
    let mut piles = setup.piles.as_slice().to_vec();
    piles[0] = if piles[0] == 1 { 2 } else { piles[0] - 1 };
    change(&|setup| setup.piles = Piles::parse(&piles).unwrap());
    piles.push(1);
    change(&|setup| setup.piles = Piles::parse(&piles).unwrap());
    change(&|setup| setup.first = other(setup.first));
    for ending in Ending::ALL.into_iter().filter(|ending| *ending != setup.ending) {
        change(&|setup| setup.ending = ending);
    }
    change(&|setup| setup.terms.clock.initial += MICRO);
    change(&|setup| setup.terms.clock.increment += MICRO);
    change(&|setup| setup.terms.clock.lag_quota += MICRO);
    change(&|setup| setup.terms.clock.lag_total += MICRO);
    change(&|setup| setup.terms.clock.declaration += MICRO);
    change(&|setup| setup.terms.strikes += 1);
    change(&|setup| setup.terms.max_plies += 1);
    if let Some(matrix) = &setup.assigned {
        change(&|setup| setup.assigned = None);
        for matrix in matrix_changes(matrix) {
            change(&|setup| setup.assigned = Some(matrix.clone()));
        }
    } else {
        change(&|setup| setup.assigned = Some(AllianceMatrix::standard(setup.seats())));
    }
    if let Some(origin) = &setup.origin {
        change(&|setup| setup.origin = None);
        let Origin { tournament, number, group } = *origin;
        let another = TournamentId::new(2, &[9; 10]);
        change(&|setup| setup.origin = Some(Origin { tournament: another, number, group }));
        let next = number.wrapping_add(1);
        change(&|setup| setup.origin = Some(Origin { tournament, number: next, group }));
        let next = group.wrapping_add(1);
        change(&|setup| setup.origin = Some(Origin { tournament, number, group: next }));
    } else {
        let tournament = TournamentId::new(2, &[9; 10]);
        change(&|setup| setup.origin = Some(Origin { tournament, number: 0, group: 0 }));
    }
    changed
}

/// Where two lists of events first differ, their chains part, and never meet again.
fn judge_parting(id: MatchId, events: &[TimedEvent], others: &[TimedEvent]) {
    assert_ne!(events, others);
    let common = events.iter().zip(others).take_while(|(event, other)| event == other).count();
    let (hashes, other_hashes) = (chain(id, events), chain(id, others));
    assert_eq!(hashes[..common], other_hashes[..common]);
    let parted: HashSet<_> = hashes[common..].iter().chain(&other_hashes[common..]).collect();
    assert_eq!(parted.len(), hashes.len() + other_hashes.len() - 2 * common);
}

proptest! {
    #[test]
    fn a_record_keeps_the_hash_of_each_event(scene in scene()) {
        let record = scene.finish(&mut |_| ());
        let hashes = chain(record.id(), record.events());
        prop_assert_eq!(record.hashes(), &hashes);
        prop_assert_eq!(record.last_hash(), hashes[hashes.len() - 1]);
        let another = chain(MatchId::new(1_700_000_000_000, &[4; 10]), record.events());
        prop_assert!(hashes.iter().all(|hash| !another.contains(hash)), "another match has other hashes");
        for hash in hashes {
            prop_assert_eq!(hash.to_string().parse(), Ok(hash));
        }
    }

    #[test]
    fn whatever_is_changed_left_out_repeated_or_swapped_changes_the_chain_from_there_on(
        scene in scene(),
        place in any::<prop::sample::Index>(),
        distance in 1..4_usize,
    ) {
        let record = scene.finish(&mut |_| ());
        let (id, events) = (record.id(), record.events());
        for index in [0, place.index(events.len()), events.len() - 1] {
            for changed in changes(&events[index]) {
                let mut others = events.to_vec();
                others[index] = changed;
                judge_parting(id, events, &others);
            }
            let mut others = events.to_vec();
            let removed = others.remove(index);
            judge_parting(id, events, &others);
            others.splice(index..index, [removed.clone(), removed]);
            judge_parting(id, events, &others);
            let mut others = events.to_vec();
            let swapped = index + distance;
            if swapped < others.len() && others[index] != others[swapped] {
                others.swap(index, swapped);
                judge_parting(id, events, &others);
            }
        }
    }

    #[test]
    fn different_events_have_different_bytes_and_none_begins_with_anothers(scene in scene()) {
        let record = scene.finish(&mut |_| ());
        let mut written: BTreeMap<Vec<u8>, TimedEvent> = BTreeMap::new();
        for event in record.events().iter().flat_map(|event| [vec![event.clone()], changes(event)].concat()) {
            let before = written.insert(canonical_bytes(&event), event.clone());
            prop_assert!(before.is_none_or(|before| before == event));
        }
        // In the order of the alphabet, what begins with a text stands right behind it.
        let texts: Vec<_> = written.keys().collect();
        prop_assert!(texts.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
    }
}
