//! Tests that the hash chain covers every part of a record.

use crate::game::{AllianceMatrix, BySeat, Ending, MatchId, Piles, Row, Seat, SeatCount, TournamentId};
use crate::oracle::Mover;
use crate::referee::testing::scenario;
use crate::referee::{
    Audience, Deal, DealHash, DealRule, DealtRows, EndReason, Event, EventHash, ForfeitReason, MatchSetup,
    NoteHash, Origin, RefusalReason, RowDefault, TalkMessage, TalkPrivacy, TalkTerms, TimedEvent,
    canonical_bytes, parse_canonical_bytes,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

const ONE_MICROSECOND: Duration = Duration::from_micros(1);
const END_REASONS: [EndReason; 4] =
    [EndReason::Finished, EndReason::PlyLimit, EndReason::AllForfeited, EndReason::Cancelled];

fn hash_chain(id: MatchId, events: &[TimedEvent]) -> Vec<EventHash> {
    let mut last = EventHash::before_first_event(id);
    let mut hashes = Vec::new();
    for event in events {
        last = last.hash_of_next(event);
        hashes.push(last);
    }
    hashes
}

/// Returns copies of the event, each with one of its fields changed.
fn field_changes(timed: &TimedEvent) -> Vec<TimedEvent> {
    let later = TimedEvent { at: timed.at + ONE_MICROSECOND, event: timed.event.clone() };
    let events = match &timed.event {
        Event::Created(setup) => {
            setup_changes(setup).into_iter().map(|setup| Event::Created(Box::new(setup))).collect()
        }
        Event::Dealt(dealt) => dealt_changes(dealt),
        Event::Said(message) => message_changes(message),
        &Event::TalkEnded { seat, round } => vec![
            Event::TalkEnded { seat: other_seat(seat), round },
            Event::TalkEnded { seat, round: round + 1 },
        ],
        &Event::Heard { round } => vec![Event::Heard { round: round + 1 }],
        Event::Declared { .. } => declared_changes(&timed.event),
        Event::Revealed { matrix } => {
            matrix_changes(matrix).into_iter().map(|matrix| Event::Revealed { matrix }).collect()
        }
        Event::Took { .. } => took_changes(&timed.event),
        &Event::Struck { seat, ply, reason } => {
            let mut events = vec![
                Event::Struck { seat: other_seat(seat), ply, reason },
                Event::Struck { seat, ply: ply + 1, reason },
            ];
            let reasons = RefusalReason::ALL.into_iter().filter(|another| *another != reason);
            events.extend(reasons.map(|reason| Event::Struck { seat, ply, reason }));
            events
        }
        &Event::Forfeited { seat, reason } => {
            let mut events = vec![Event::Forfeited { seat: other_seat(seat), reason }];
            let reasons = ForfeitReason::ALL.into_iter().filter(|another| *another != reason);
            events.extend(reasons.map(|reason| Event::Forfeited { seat, reason }));
            events
        }
        &Event::Ended { reason, winner } => {
            let winners = [None, Some(Seat::FIRST), Some(other_seat(Seat::FIRST))];
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

fn other_seat(seat: Seat) -> Seat {
    SeatCount::new(32).unwrap().next(seat)
}

/// Returns the other possible values of a note hash: none, and a different one.
fn note_hash_changes(note_hash: Option<NoteHash>) -> impl Iterator<Item = Option<NoteHash>> {
    let mut bytes = note_hash.as_ref().map_or([0; 32], |note_hash| *note_hash.as_bytes());
    bytes[31] ^= 1;
    let another = Some(NoteHash::from_bytes(bytes));
    [None, another].into_iter().filter(move |changed| *changed != note_hash)
}

fn declared_changes(event: &Event) -> Vec<Event> {
    let &Event::Declared { seat, ref row, defaulted, ref note_hash } = event else {
        panic!("expected a row, got {event:?}")
    };
    let changed_record = |seat, row: &Row, defaulted, note_hash: Option<&NoteHash>| {
        let note_hash = note_hash.cloned();
        Event::Declared { seat, row: row.clone(), defaulted, note_hash }
    };
    let noted = note_hash.as_ref();
    let reasons = [None, Some(RowDefault::Late), Some(RowDefault::Invalid), Some(RowDefault::Forfeited)];
    let reasons = reasons.into_iter().filter(|another| *another != defaulted);
    let mut events = vec![changed_record(other_seat(seat), row, defaulted, noted)];
    events.extend(reasons.map(|another| changed_record(seat, row, another, noted)));
    events.extend(row_changes(row).iter().map(|another| changed_record(seat, another, defaulted, noted)));
    let note_hashes = note_hash_changes(note_hash.clone());
    events.extend(note_hashes.map(|another| changed_record(seat, row, defaulted, another.as_ref())));
    events
}

fn dealt_changes(dealt: &DealtRows) -> Vec<Event> {
    let matrices = matrix_changes(&dealt.matrix).into_iter();
    let changed = matrices.map(|matrix| DealtRows { matrix, salts: dealt.salts.clone() });
    let salts = dealt.salts.enumerate().map(|(seat, _)| {
        let mut salts = dealt.salts.clone();
        salts[seat] = DealHash::from_bytes([0; 32]);
        DealtRows { matrix: dealt.matrix.clone(), salts }
    });
    changed.chain(salts).map(|dealt| Event::Dealt(Box::new(dealt))).collect()
}

/// Returns copies of the message, each with one of the parts changed that its canonical bytes cover. They do not cover
/// the content.
fn message_changes(message: &TalkMessage) -> Vec<Event> {
    let mut changed = Vec::new();
    let mut change = |change: &dyn Fn(&mut TalkMessage)| {
        let mut message = TalkMessage { opened: None, ..message.clone() };
        change(&mut message);
        changed.push(Event::Said(Box::new(message)));
    };
    change(&|message| message.seat = other_seat(message.seat));
    change(&|message| message.round += 1);
    change(&|message| message.number += 1);
    change(&|message| message.commitment = DealHash::from_bytes([0; 32]));
    let alone = [Seat::FIRST].into_iter().collect();
    for published in [false, true] {
        let another = Audience::Seats { seats: alone, published };
        if another != message.audience {
            change(&|message| message.audience = another);
        }
    }
    changed
}

/// Returns the event as its canonical bytes describe it, without the content of a message.
fn without_content(event: &TimedEvent) -> TimedEvent {
    let mut event = event.clone();
    if let Event::Said(message) = &mut event.event {
        message.opened = None;
    }
    event
}

fn took_changes(event: &Event) -> Vec<Event> {
    let &Event::Took { ply, seat, take, mover, charged, credited, ref note_hash } = event else {
        panic!("a take: {event:?}")
    };
    let another = if mover == Mover::Bot { Mover::Steward } else { Mover::Bot };
    let noted = |note_hash| Event::Took { ply, seat, take, mover, charged, credited, note_hash };
    let same = || note_hash.clone();
    let mut events = vec![
        Event::Took { ply: ply + 1, seat, take, mover, charged, credited, note_hash: same() },
        Event::Took { ply, seat: other_seat(seat), take, mover, charged, credited, note_hash: same() },
        Event::Took { ply, seat, take: take + 1, mover, charged, credited, note_hash: same() },
        Event::Took { ply, seat, take, mover: another, charged, credited, note_hash: same() },
        Event::Took {
            ply,
            seat,
            take,
            mover,
            charged: charged + ONE_MICROSECOND,
            credited,
            note_hash: same(),
        },
        Event::Took {
            ply,
            seat,
            take,
            mover,
            charged,
            credited: credited + ONE_MICROSECOND,
            note_hash: same(),
        },
    ];
    events.extend(note_hash_changes(same()).map(noted));
    events
}

/// Returns the row with two offsets swapped, and the row with one more seat.
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
    change(&|setup| setup.first = other_seat(setup.first));
    for ending in Ending::ALL.into_iter().filter(|ending| *ending != setup.ending) {
        change(&|setup| setup.ending = ending);
    }
    change(&|setup| setup.terms.clock.initial += ONE_MICROSECOND);
    change(&|setup| setup.terms.clock.increment += ONE_MICROSECOND);
    change(&|setup| setup.terms.clock.lag_quota += ONE_MICROSECOND);
    change(&|setup| setup.terms.clock.lag_total += ONE_MICROSECOND);
    change(&|setup| setup.terms.clock.declaration += ONE_MICROSECOND);
    change(&|setup| {
        let within = &mut setup.terms.clock.return_within;
        *within = Some(within.unwrap_or_default() + ONE_MICROSECOND);
    });
    change(&|setup| setup.terms.strikes += 1);
    change(&|setup| setup.terms.max_plies += 1);
    let talk = setup.terms.talk.unwrap_or_default();
    for other in [
        None,
        Some(talk),
        Some(TalkTerms { rounds: talk.rounds + 1, ..talk }),
        Some(TalkTerms { round_time: talk.round_time + ONE_MICROSECOND, ..talk }),
        Some(TalkTerms { text_chars: talk.text_chars + 1, ..talk }),
        Some(TalkTerms { pacts: !talk.pacts, ..talk }),
        Some(TalkTerms { privacy: TalkPrivacy::Open, ..talk }),
        Some(TalkTerms { privacy: TalkPrivacy::Private, ..talk }),
        Some(TalkTerms { privacy: TalkPrivacy::Published, ..talk }),
    ] {
        if other != setup.terms.talk {
            change(&|setup| setup.terms.talk = other);
        }
    }
    if let Some(matrix) = &setup.assigned {
        change(&|setup| setup.assigned = None);
        for matrix in matrix_changes(matrix) {
            change(&|setup| setup.assigned = Some(matrix.clone()));
        }
    } else {
        change(&|setup| setup.assigned = Some(AllianceMatrix::standard(setup.seats())));
    }
    let hashes = |byte| BySeat::filled(setup.seats(), &DealHash::from_bytes([byte; 32]));
    let rows = || DealRule::List(vec![Row::standard(setup.seats())]);
    let different = setup.deal.as_ref().map(|_| None).into_iter();
    let rules = [DealRule::All, DealRule::SelfFirst, rows()];
    let deals = rules.into_iter().flat_map(|rule| [7, 8].map(|byte| Some((rule.clone(), hashes(byte)))));
    for deal in different.chain(deals) {
        let deal = deal.map(|(rule, commitments)| Box::new(Deal { rule, commitments }));
        change(&|setup| setup.deal = deal.clone());
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

/// Checks that the hash chains of two lists of events have no hash in common from the first different event on.
fn check_chains_diverge(id: MatchId, events: &[TimedEvent], others: &[TimedEvent]) {
    assert_ne!(events, others);
    let common = events.iter().zip(others).take_while(|(event, other)| event == other).count();
    let (hashes, other_hashes) = (hash_chain(id, events), hash_chain(id, others));
    assert_eq!(hashes[..common], other_hashes[..common]);
    let parted: HashSet<_> = hashes[common..].iter().chain(&other_hashes[common..]).collect();
    assert_eq!(parted.len(), hashes.len() + other_hashes.len() - 2 * common);
}

proptest! {
    #[test]
    fn a_record_keeps_the_hash_of_each_event(scenario in scenario()) {
        let record = scenario.finish(&mut |_| ());
        let hashes = hash_chain(record.id(), record.events());
        prop_assert_eq!(record.hashes(), &hashes);
        prop_assert_eq!(record.last_hash(), hashes[hashes.len() - 1]);
        let another = hash_chain(MatchId::new(1_700_000_000_000, &[4; 10]), record.events());
        prop_assert!(hashes.iter().all(|hash| !another.contains(hash)), "another match has different hashes");
    }

    #[test]
    fn any_tampering_changes_the_chain_from_there_on(
        scenario in scenario(),
        place in any::<prop::sample::Index>(),
        distance in 1..4_usize,
    ) {
        let record = scenario.finish(&mut |_| ());
        let (id, events) = (record.id(), record.events());
        for index in [0, place.index(events.len()), events.len() - 1] {
            for changed in field_changes(&events[index]) {
                let mut others = events.to_vec();
                others[index] = changed;
                check_chains_diverge(id, events, &others);
            }
            let mut others = events.to_vec();
            let removed = others.remove(index);
            check_chains_diverge(id, events, &others);
            others.splice(index..index, [removed.clone(), removed]);
            check_chains_diverge(id, events, &others);
            let mut others = events.to_vec();
            let swapped = index + distance;
            if swapped < others.len() && others[index] != others[swapped] {
                others.swap(index, swapped);
                check_chains_diverge(id, events, &others);
            }
        }
    }

    #[test]
    fn canonical_bytes_are_unique_and_prefix_free(scenario in scenario()) {
        let record = scenario.finish(&mut |_| ());
        let mut written: BTreeMap<Vec<u8>, TimedEvent> = BTreeMap::new();
        let shown: Vec<_> = record.events().iter().map(without_content).collect();
        for event in shown.iter().flat_map(|event| [vec![event.clone()], field_changes(event)].concat()) {
            let before = written.insert(canonical_bytes(&event), event.clone());
            prop_assert!(before.is_none_or(|before| before == event));
        }
        let seats = Some(record.state().setup().seats());
        for (bytes, event) in &written {
            match parse_canonical_bytes(bytes, seats) {
                Ok(read) => prop_assert_eq!(&read, event),
                // A changed field may have an invalid value.
                Err(error) => prop_assert!(!shown.contains(event), "{}", error),
            }
            for cut in 0..bytes.len() {
                prop_assert!(parse_canonical_bytes(&bytes[..cut], seats).is_err());
            }
            let longer = [bytes.as_slice(), &[0]].concat();
            prop_assert!(parse_canonical_bytes(&longer, seats).is_err());
        }
        // In sorted order, a string is directly followed by those that begin with it.
        let texts: Vec<_> = written.keys().collect();
        prop_assert!(texts.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
    }
}

/// Returns the events of a match of three bots that was cancelled after two had declared rows and the third had got a
/// strike.
fn cancelled_while_declaring(rows: [&[u64]; 2]) -> Vec<TimedEvent> {
    let seats = SeatCount::new(3).unwrap();
    let bots = ["ann", "bob", "cleo"].map(|name| name.parse().unwrap()).to_vec();
    let setup = MatchSetup::new(bots.try_into().unwrap(), Piles::parse(&[3, 4]).unwrap());
    let declared_event = |index: usize, offsets: &[u64]| Event::Declared {
        seat: seats.seat(index).unwrap(),
        row: Row::parse(offsets, seats).unwrap(),
        defaulted: None,
        note_hash: None,
    };
    let events = [
        Event::Created(Box::new(setup)),
        declared_event(0, rows[0]),
        Event::Struck { seat: seats.seat(2).unwrap(), ply: 0, reason: RefusalReason::NotStarted },
        declared_event(1, rows[1]),
        Event::Ended { reason: EndReason::Cancelled, winner: None },
    ];
    let time_at = |index: u64| crate::referee::Timestamp::from_micros(1_700_000_000_000_000 + index);
    (0..).zip(events).map(|(index, event)| TimedEvent { at: time_at(index), event }).collect()
}

#[test]
fn the_public_head_does_not_depend_on_secret_rows() {
    use crate::referee::Record;
    let id = MatchId::new(1_700_000_000_000, &[3; 10]);
    let replay = |events: Vec<TimedEvent>| Record::replay(id, events).unwrap();
    let record = replay(cancelled_while_declaring([&[0, 1, 2], &[0, 2, 1]]));
    let other = replay(cancelled_while_declaring([&[2, 1, 0], &[1, 2, 0]]));
    assert_ne!(record.last_hash(), other.last_hash());
    let head = record.public_head().unwrap();
    assert_eq!(other.public_head(), Some(head));
    let shown = replay(record.public_events().cloned().collect());
    assert_eq!(shown.public_head(), Some(head), "the public hash depends only on public events");
    assert!(!record.hashes().contains(&head) && !shown.hashes().contains(&head));
    // The public hash covers each public event and the id of the match.
    let public: Vec<_> = record.public_events().cloned().collect();
    let hash_chain = |id, events: &[TimedEvent]| {
        events.iter().fold(EventHash::before_first_public_event(id), |last, event| last.hash_of_next(event))
    };
    assert_eq!(hash_chain(id, &public), head);
    assert_ne!(hash_chain(MatchId::new(1_700_000_000_000, &[4; 10]), &public), head);
    for index in 0..public.len() {
        for changed in field_changes(&public[index]) {
            let mut events = public.clone();
            events[index] = changed;
            assert_ne!(hash_chain(id, &events), head);
        }
        let mut shortened = public.clone();
        shortened.remove(index);
        assert_ne!(hash_chain(id, &shortened), head);
    }
    let mut revealed = cancelled_while_declaring([&[0, 1, 2], &[0, 2, 1]]);
    let (seats, ended) = (SeatCount::new(3).unwrap(), revealed.pop().unwrap());
    let row = Row::parse(&[0, 1, 2], seats).unwrap();
    let last = Event::Declared { seat: seats.seat(2).unwrap(), row, defaulted: None, note_hash: None };
    let matrix = AllianceMatrix::parse(&[vec![0, 1, 2], vec![0, 2, 1], vec![0, 1, 2]]).unwrap();
    for event in [last, Event::Revealed { matrix }, ended.event] {
        revealed.push(TimedEvent { at: ended.at, event });
    }
    assert_eq!(replay(revealed).public_head(), None, "a revealed record has no public head");
}
