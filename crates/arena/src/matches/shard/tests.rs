//! Tests of the state machine of a shard, without a runtime or a clock, and with a store that answers on request.

use super::effect::{MatchExit, ShardEffect};
use super::input::{MatchInput, SeatSession};
use super::live_match::{Beginning, MatchTerms, PreparedMatch};
use super::machine::{ActionRefused, Shard};
use crate::durability::Durability;
use lastnim_core::game::{AllianceMatrix, BotName, BotVersion, BySeat, MatchId, Piles, Seat};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{
    Clock, Event, ForfeitReason, MatchSetup, Record, SeatAction, SigningKey, TimedEvent, Timestamp,
};
use lastnim_proto::{MatchEvent, TakeFeed};
use lastnim_store::{Change, StoreError};
use lastnim_tournament::OracleAccess;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The time bank of each seat.
const BANK: Duration = Duration::from_mins(1);
/// The maximum number of messages from one seat that may wait.
const MAX_UNREAD: usize = 3;
/// The number of the first seat's bot. The bots of the other seats have the numbers after it.
const FIRST_BOT: u64 = 70;

/// Drives a shard and carries out its effects.
struct Driver {
    shard: Shard<u64>,
    now: Timestamp,
    effects: Vec<ShardEffect<u64>>,
    /// The commits that the store has not answered yet, in order.
    unanswered: Vec<(MatchId, Vec<Change>)>,
    /// The stored events of each match.
    stored: HashMap<MatchId, Vec<TimedEvent>>,
    /// The messages to each session, by address.
    sent: HashMap<u64, Vec<(MatchId, MatchEvent)>>,
    idle_messages: usize,
    reached: Vec<u64>,
    ends: HashMap<MatchId, MatchExit>,
}

fn id(number: u8) -> MatchId {
    MatchId::new(number.into(), &[number; 10])
}

fn session(address: u64) -> SeatSession<u64> {
    SeatSession {
        id: address,
        address,
        version: Arc::new(BotVersion::default()),
        feed: TakeFeed::All,
        lag: Duration::ZERO,
    }
}

fn setup(counters: u64) -> MatchSetup {
    let bots: BySeat<BotName> = vec!["first".parse().unwrap(), "second".parse().unwrap()].try_into().unwrap();
    let mut setup = MatchSetup::new(bots, Piles::parse(&[counters]).unwrap());
    setup.assigned = Some(AllianceMatrix::standard(setup.seats()));
    setup.terms.clock = Clock { initial: BANK, ..setup.terms.clock };
    setup
}

fn take(ply: u32) -> SeatAction {
    SeatAction::take(ply, 1, None)
}

impl Driver {
    fn new(durability: Durability) -> Self {
        let terms = MatchTerms {
            key: SigningKey::from_seed(&[7; SigningKey::SEED_BYTES]),
            durability,
            return_grace: Duration::from_secs(30),
            unread_per_seat: MAX_UNREAD,
        };
        Self {
            shard: Shard::new(terms),
            now: Timestamp::from_micros(1_000_000),
            effects: Vec::new(),
            unanswered: Vec::new(),
            stored: HashMap::new(),
            sent: HashMap::new(),
            idle_messages: 0,
            reached: Vec::new(),
            ends: HashMap::new(),
        }
    }

    /// Starts a match of two bots, whose sessions have the addresses 1 and 2.
    fn start(&mut self, id: MatchId, counters: u64) {
        let setup = setup(counters);
        let seats = BySeat::from_fn(setup.seats(), |seat| {
            (FIRST_BOT + seat.index() as u64, Some(session(1 + seat.index() as u64)))
        });
        let beginning = Beginning::New { setup: Box::new(setup), dealt: None, request: None };
        let (oracle, hold) = (OracleAccess::Open, Duration::ZERO);
        self.shard.prepare(PreparedMatch { id, beginning, seats, oracle, hold }, self.now);
        self.shard.start(id, self.now, &mut self.effects);
        self.apply_effects();
    }

    fn act(&mut self, id: MatchId, seat: u64, action: SeatAction) -> Result<(), ActionRefused> {
        let acted = self.shard.act((id, FIRST_BOT + seat), action, self.now, self.now, &mut self.effects);
        self.apply_effects();
        acted
    }

    fn send_input(&mut self, id: MatchId, input: MatchInput<u64>) -> bool {
        let is_open = self.shard.send_input(id, input, self.now, &mut self.effects);
        self.apply_effects();
        is_open
    }

    fn pass(&mut self, span: Duration) {
        self.now = self.now + span;
        while self.shard.tick(self.now, &mut self.effects) {
            self.apply_effects();
        }
    }

    /// Answers the oldest commit; returns whether there was one.
    fn answer(&mut self, result: Result<(), StoreError>) -> bool {
        if self.unanswered.is_empty() {
            return false;
        }
        let (id, changes) = self.unanswered.remove(0);
        if result.is_ok() {
            for change in changes {
                if let Change::MatchEvents { id, first, events } = change {
                    let stored = self.stored.entry(id).or_default();
                    assert_eq!(stored.len(), first, "events are stored in order, each exactly once");
                    stored.extend(events);
                }
            }
        }
        self.shard.note_committed(id, result, self.now, &mut self.effects);
        self.apply_effects();
        true
    }

    fn answer_all(&mut self) {
        while self.answer(Ok(())) {}
    }

    fn apply_effects(&mut self) {
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                ShardEffect::Commit { id, changes } => {
                    assert!(
                        !self.unanswered.iter().any(|(waiting, _)| *waiting == id),
                        "a match has one unanswered commit at a time"
                    );
                    self.unanswered.push((id, changes));
                }
                ShardEffect::Send { to, id, event } => {
                    self.sent.entry(to).or_default().push((id, event));
                }
                ShardEffect::CountIdleMessage { .. } | ShardEffect::CountLateMessage { .. } => {
                    self.idle_messages += 1;
                }
                ShardEffect::BarrierReached { waiter } => self.reached.push(waiter),
                ShardEffect::Over { id, end } => {
                    assert!(self.ends.insert(id, end).is_none(), "a match leaves the shard only once");
                }
                ShardEffect::ShowWatchers { .. }
                | ShardEffect::Begun { .. }
                | ShardEffect::EndSent { .. } => {}
            }
        }
    }

    fn taken_plies(&self, address: u64) -> Vec<u32> {
        let plies = self.sent.get(&address).into_iter().flatten().filter_map(|(_, event)| match event {
            MatchEvent::Took { ply, .. } => Some(*ply),
            _ => None,
        });
        plies.collect()
    }

    fn snapshots(&self, address: u64) -> usize {
        let sent = self.sent.get(&address).into_iter().flatten();
        sent.filter(|(_, event)| matches!(event, MatchEvent::Snapshot(_))).count()
    }
}

#[test]
fn nothing_is_announced_before_it_is_stored() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    assert!(driver.sent.is_empty());
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    assert!(driver.taken_plies(2).is_empty());
    assert!(driver.answer(Ok(())));
    assert_eq!((driver.taken_plies(1), driver.taken_plies(2)), (vec![0], vec![0]));
}

#[test]
fn other_matches_continue_while_one_waits_for_the_store() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.start(id(2), 9);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    driver.act(id(2), 0, take(0)).unwrap();
    assert_eq!(driver.unanswered.len(), 2, "the commits of both matches are unanswered");
    driver.answer_all();
    assert_eq!(driver.taken_plies(2), [0, 0]);
}

#[test]
fn inputs_during_a_commit_are_queued_up_to_a_limit() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    // These takes are too early now, but valid once the store has answered.
    driver.act(id(1), 1, take(1)).unwrap();
    for _ in 1..MAX_UNREAD {
        driver.act(id(1), 1, take(1)).unwrap();
    }
    let Err(ActionRefused::BacklogFull(full)) = driver.act(id(1), 1, take(1)) else {
        panic!("the queue is full")
    };
    assert_eq!(full.seat.index(), 1);
    assert!(full.example.contains("a take of 1 at ply 1"), "{}", full.example);
    driver.act(id(1), 0, take(2)).unwrap();
    driver.answer_all();
    assert_eq!(driver.taken_plies(1), [0, 1, 2]);
    assert_eq!(driver.act(id(9), 0, take(0)), Err(ActionRefused::UnknownMatch));
}

#[test]
fn clocks_stop_during_a_commit() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    driver.act(id(1), 1, take(0)).unwrap();
    assert_eq!(driver.unanswered.len(), 1, "the strike is being stored");
    driver.pass(3 * BANK);
    driver.answer_all();
    driver.pass(BANK / 2);
    driver.act(id(1), 0, take(0)).unwrap();
    driver.answer_all();
    let charged = driver.stored[&id(1)].iter().find_map(|timed| match timed.event {
        Event::Took { charged, mover: Mover::Bot, .. } => Some(charged),
        _ => None,
    });
    assert_eq!(charged, Some(BANK / 2));
}

#[test]
fn one_timer_ends_the_clocks_of_all_matches() {
    let mut driver = Driver::new(Durability::Match);
    for number in 1..=3 {
        driver.start(id(number), 9);
        driver.pass(Duration::from_secs(1));
    }
    driver.act(id(2), 0, take(0)).unwrap();
    assert!(driver.shard.next_alarm().is_some_and(|at| at <= Timestamp::from_micros(61_000_000)));
    driver.pass(BANK.saturating_sub(Duration::from_secs(3)));
    let is_lost = |driver: &Driver, number| {
        driver.sent[&1].iter().any(|(of, event)| {
            *of == id(number)
                && matches!(event, MatchEvent::Forfeited { reason: ForfeitReason::TimedOut, .. })
        })
    };
    assert_eq!([1, 2, 3].map(|number| is_lost(&driver, number)), [true, false, false]);
    driver.pass(Duration::from_secs(2));
    assert_eq!([1, 2, 3].map(|number| is_lost(&driver, number)), [true, false, true]);
}

#[test]
fn stale_alarms_do_not_pile_up() {
    let mut driver = Driver::new(Durability::Match);
    driver.start(id(1), 10_000);
    driver.act(id(1), 0, take(0)).unwrap();
    // From here on, the second seat has almost no time left and the first has a minute, so their alarms alternate.
    driver.pass(BANK.saturating_sub(Duration::from_millis(150)));
    driver.act(id(1), 1, take(1)).unwrap();
    for ply in 2..1_200 {
        driver.pass(Duration::from_millis(if ply % 2 == 0 { 160 } else { 100 }));
        driver.act(id(1), u64::from(ply % 2), take(ply)).unwrap();
    }
    assert!(driver.ends.is_empty());
    assert!(driver.shard.alarm_count() < 100, "{}", driver.shard.alarm_count());
}

#[test]
fn waiters_at_barriers_are_limited() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    for waiter in 0..100 {
        driver.send_input(id(1), MatchInput::Barrier { waiter });
    }
    let reached_at_once = driver.reached.len();
    assert!((1..100).contains(&reached_at_once), "{reached_at_once}");
    driver.answer_all();
    assert_eq!(driver.reached.len(), 100);
}

#[test]
fn only_the_newest_session_of_a_seat_stays_pending() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    let seat = Seat::FIRST;
    for address in 10..1_000 {
        let (at, is_excused) = (driver.now, false);
        assert!(driver.send_input(id(1), MatchInput::Joined { seat, session: session(address), at }));
        assert!(driver.send_input(id(1), MatchInput::Left { seat, session: address - 1, at, is_excused }));
    }
    driver.send_input(id(1), MatchInput::Barrier { waiter: 5 });
    assert!(driver.reached.is_empty());
    driver.answer_all();
    assert_eq!(driver.reached, [5]);
    assert_eq!((driver.snapshots(999), driver.snapshots(998)), (1, 0));
}

#[test]
fn a_bot_that_reconnects_while_the_end_is_stored_is_sent_the_end() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 1);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    driver.send_input(id(1), MatchInput::Joined { seat: Seat::FIRST, session: session(10), at: driver.now });
    driver.answer_all();
    let heard = &driver.sent[&10];
    assert!(
        matches!(heard.as_slice(), [(_, MatchEvent::Snapshot(_)), (_, MatchEvent::Ended { .. })]),
        "{heard:?}"
    );
    assert!(matches!(driver.ends[&id(1)], MatchExit::Stored(Some(_))));
    assert!(!driver.send_input(id(1), MatchInput::Cancel), "it is over");
}

#[test]
fn a_session_that_joins_at_a_timeout_gets_it_only_in_its_snapshot() {
    for durability in [Durability::Ply, Durability::Match] {
        for (counters, seat) in [(9, 0), (9, 1), (1, 0), (1, 1)] {
            let mut driver = Driver::new(durability);
            driver.start(id(1), counters);
            driver.answer_all();
            // The bank has run out, but the timer has not fired yet.
            driver.now = driver.now + BANK;
            let seat_of = setup(1).seats().seat(seat).unwrap();
            let joined = MatchInput::Joined { seat: seat_of, session: session(10), at: driver.now };
            driver.send_input(id(1), joined);
            driver.answer_all();
            let heard = &driver.sent[&10];
            let case = format!("{durability:?}, {counters} counters, seat {seat}: {heard:?}");
            let (MatchEvent::Snapshot(snapshot), rest) = (&heard[0].1, &heard[1..]) else { panic!("{case}") };
            assert!(snapshot.forfeited[Seat::FIRST].is_some(), "{case}");
            assert_eq!(snapshot.ply, 1, "{case}");
            let is_over = matches!(rest, [(_, MatchEvent::Ended { .. })]);
            assert_eq!((is_over, rest.len()), (counters == 1, usize::from(counters == 1)), "{case}");
        }
    }
}

#[test]
fn session_updates_during_a_commit_reach_only_their_own_seat() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    driver.act(id(1), 0, take(0)).unwrap();
    // Each bot numbers its own sessions, so sessions of two bots may have the same number.
    let second = setup(9).seats().seat_at_offset(Seat::FIRST, 1);
    for (seat, address) in [(Seat::FIRST, 10), (second, 11)] {
        let session = SeatSession { id: 7, ..session(address) };
        driver.send_input(id(1), MatchInput::Joined { seat, session, at: driver.now });
    }
    driver.send_input(id(1), MatchInput::Feed { seat: second, session: 7, feed: TakeFeed::OwnTurns });
    driver.answer_all();
    driver.act(id(1), 1, take(1)).unwrap();
    driver.answer_all();
    driver.act(id(1), 0, take(2)).unwrap();
    driver.answer_all();
    assert_eq!((driver.taken_plies(10), driver.taken_plies(11)), (vec![1, 2], vec![1]));
}

#[test]
fn a_match_announces_nothing_after_its_store_is_lost() {
    let mut driver = Driver::new(Durability::Ply);
    driver.start(id(1), 9);
    driver.answer_all();
    let before = driver.sent[&1].len();
    driver.act(id(1), 0, take(0)).unwrap();
    driver.answer(Err(StoreError::Taken("a newer one".to_owned())));
    assert_eq!(driver.sent[&1].len(), before);
    assert!(matches!(driver.ends[&id(1)], MatchExit::Refused(StoreError::Taken(_))));
}

#[derive(Debug, Clone)]
enum Step {
    Act { number: u8, seat: u64, ply: u32 },
    Return { number: u8, seat: u64 },
    Vanish { number: u8, seat: u64 },
    Freeze { number: u8, frozen: bool },
    Pass { millis: u64 },
    Answer,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (number, seat) = (1..=2_u8, 0..2_u64);
    let step = prop_oneof![
        8 => (number.clone(), seat.clone(), 0..12_u32).prop_map(|(number, seat, ply)| Step::Act { number, seat, ply }),
        2 => (number.clone(), seat.clone()).prop_map(|(number, seat)| Step::Return { number, seat }),
        1 => (number.clone(), seat).prop_map(|(number, seat)| Step::Vanish { number, seat }),
        1 => (number, any::<bool>()).prop_map(|(number, frozen)| Step::Freeze { number, frozen }),
        3 => (0..20_000_u64).prop_map(|millis| Step::Pass { millis }),
        8 => Just(Step::Answer),
    ];
    proptest::collection::vec(step, 0..120)
}

proptest! {
    #[test]
    fn announced_events_are_always_stored(steps in steps()) {
        let mut driver = Driver::new(Durability::Ply);
        driver.start(id(1), 12);
        driver.start(id(2), 12);
        let mut newest = 10;
        let mut open: HashMap<(u8, u64), u64> =
            [((1, 0), 1), ((1, 1), 2), ((2, 0), 1), ((2, 1), 2)].into_iter().collect();
        for step in steps {
            match step {
                Step::Act { number, seat, ply } => drop(driver.act(id(number), seat, take(ply))),
                Step::Return { number, seat } => {
                    newest += 1;
                    open.insert((number, seat), newest);
                    let (seat, at) = (setup(1).seats().seat(seat as usize).unwrap(), driver.now);
                    driver.send_input(id(number), MatchInput::Joined { seat, session: session(newest), at });
                }
                Step::Vanish { number, seat } => {
                    if let Some(session) = open.remove(&(number, seat)) {
                        let (seat, at) = (setup(1).seats().seat(seat as usize).unwrap(), driver.now);
                        driver.send_input(id(number), MatchInput::Left { seat, session, at, is_excused: false });
                    }
                }
                Step::Freeze { number, frozen } => {
                    driver.send_input(id(number), if frozen { MatchInput::Freeze } else { MatchInput::Thaw });
                }
                Step::Pass { millis } => driver.pass(Duration::from_millis(millis)),
                Step::Answer => drop(driver.answer(Ok(()))),
            }
            // Every take sent to a session has been stored, and each session was sent the steward's takes in order and
            // once.
            for (address, sent) in &driver.sent {
                for number in 1..=2 {
                    let mut last = None;
                    for (_, event) in sent.iter().filter(|(of, _)| *of == id(number)) {
                        let MatchEvent::Took { ply, seat, take, mover } = event else { continue };
                        let is_stored = driver.stored[&id(number)].iter().any(|timed| matches!(&timed.event,
                            Event::Took { ply: p, seat: s, take: t, mover: m, .. } if (p, s, t, m) == (ply, seat, take, mover)));
                        prop_assert!(is_stored, "session {address}: {event:?}");
                        // Takes by bots are exempt, because a bot's own take may be acknowledged more than once.
                        prop_assert!(last.is_none_or(|last| last < *ply) || *mover == Mover::Bot);
                        last = last.max(Some(*ply));
                    }
                }
            }
        }
        // Once the matches are resumed and all commits are answered, every match ends.
        for number in 1..=2 {
            driver.send_input(id(number), MatchInput::Thaw);
        }
        driver.answer_all();
        for _ in 0..40 {
            driver.pass(2 * BANK);
            driver.answer_all();
        }
        for number in 1..=2 {
            prop_assert!(matches!(driver.ends.get(&id(number)), Some(MatchExit::Stored(Some(_)))));
            let stored = driver.stored[&id(number)].clone();
            prop_assert!(Record::replay(id(number), stored).is_ok_and(|record| record.state().end().is_some()));
        }
    }
}
