//! Compares each message to and from bots with what is committed, at once.

use super::disk::{Disk, finish_at_once};
use super::talk;
use super::watched::WatchedEvents;
use super::world::lock;
use lastnim_client::{MatchView, SeenTake};
use lastnim_core::game::MatchId;
use lastnim_core::referee::Record;
use lastnim_proto::pb::{self, play_response::Event};
use lastnim_store::Store as _;
use prost::Message as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A broken promise: its name, and what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub promise: &'static str,
    pub how: String,
}

/// Counters of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeardCounts {
    pub messages: u64,
    pub takes: u64,
    pub ends: u64,
    pub sessions: u64,
    /// Messages between seats that were heard.
    pub talk: u64,
}

/// The messages to and from bots.
#[derive(Debug)]
pub struct History {
    disk: Arc<Disk>,
    heard: Mutex<HeardState>,
}

#[derive(Debug)]
struct HeardState {
    now: Duration,
    trace: blake3::Hasher,
    violations: Vec<Violation>,
    /// The takes that bots intended, and their shortest thinking times.
    sent: BTreeMap<SentTake, Duration>,
    /// By bot: the matches whose ends it was sent.
    match_ends: BTreeMap<String, BTreeSet<String>>,
    /// The ends that the SDK reported: the bot, the life of its program, and the match.
    sdk_ends: BTreeSet<(String, u64, MatchId)>,
    /// By bot: the tournaments whose ends it was sent.
    tournament_ends: BTreeMap<String, BTreeSet<String>>,
    sessions: BTreeMap<u64, SessionProgress>,
    /// Records read from the store, reused while they are long enough.
    records: BTreeMap<MatchId, Arc<Record>>,
    counts: HeardCounts,
}

/// A take that a bot intended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SentTake {
    pub bot: String,
    pub match_id: MatchId,
    pub ply: u32,
    pub take: u64,
}

/// How far a session has come, by the messages to it.
#[derive(Debug, Default)]
struct SessionProgress {
    /// By match: its seat, and the next ply to be sent.
    seats: BTreeMap<String, SeatProgress>,
    ended: BTreeSet<String>,
}

/// How far a match has come for a seat, by the messages to its session.
#[derive(Debug, Clone, Copy)]
struct SeatProgress {
    seat: u32,
    next_ply: u32,
    /// The next round of talk to be heard.
    next_round: u32,
}

impl History {
    pub fn new(seed: u64, disk: Arc<Disk>) -> Self {
        let mut trace = blake3::Hasher::new();
        trace.update(&seed.to_le_bytes());
        let heard = HeardState {
            now: Duration::ZERO,
            trace,
            violations: Vec::new(),
            sent: BTreeMap::new(),
            match_ends: BTreeMap::new(),
            sdk_ends: BTreeSet::new(),
            tournament_ends: BTreeMap::new(),
            sessions: BTreeMap::new(),
            records: BTreeMap::new(),
            counts: HeardCounts::default(),
        };
        Self { disk, heard: Mutex::new(heard) }
    }

    pub fn set_now(&self, now: Duration) {
        lock(&self.heard).now = now;
    }

    /// Notes a broken promise.
    pub fn note_violation(&self, promise: &'static str, how: impl AsRef<str>) {
        lock(&self.heard).note_violation(promise, how.as_ref());
    }

    /// Returns the promises broken so far.
    pub fn violations(&self) -> Vec<Violation> {
        lock(&self.heard).violations.clone()
    }

    pub fn is_clean(&self) -> bool {
        lock(&self.heard).violations.is_empty()
    }

    pub fn counts(&self) -> HeardCounts {
        lock(&self.heard).counts
    }

    /// Returns a hash of everything so far.
    pub fn trace(&self) -> String {
        lock(&self.heard).trace.finalize().to_hex().to_string()
    }

    /// Adds an event to the trace.
    pub fn note(&self, what: &str) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(what.as_bytes());
        print_if_traced(heard.now, what);
    }

    /// Notes that a bot intends a take after a thinking time.
    pub fn note_sent(&self, take: SentTake, thinking: Duration) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(format!("{take:?}").as_bytes());
        let shortest = heard.sent.entry(take).or_insert(thinking);
        *shortest = thinking.min(*shortest);
    }

    /// Returns the shortest thinking time of a bot for a take, if it sent that.
    pub fn thinking_of(&self, take: &SentTake) -> Option<Duration> {
        lock(&self.heard).sent.get(take).copied()
    }

    /// Returns whether a bot was sent the end of a match.
    pub fn was_told_of_match_end(&self, bot: &str, match_id: &str) -> bool {
        lock(&self.heard).match_ends.get(bot).is_some_and(|ends| ends.contains(match_id))
    }

    /// Returns whether a bot was sent the end of a tournament.
    pub fn was_told_of_tournament_end(&self, bot: &str, tournament: &str) -> bool {
        lock(&self.heard).tournament_ends.get(bot).is_some_and(|ends| ends.contains(tournament))
    }

    /// Notes that the SDK reported an end to its bot, which it does once.
    pub fn hear_sdk_end(&self, bot: &str, life: u64, match_id: MatchId) {
        let mut heard = lock(&self.heard);
        let id = match_id.to_string();
        heard.add_to_trace(format!("{bot} hears that {id} is over").as_bytes());
        heard.counts.ends += 1;
        heard.match_ends.entry(bot.to_owned()).or_default().insert(id.clone());
        if !heard.sdk_ends.insert((bot.to_owned(), life, match_id)) {
            heard.note_violation(
                "an SDK tells of an end once",
                &format!("{bot} was told twice that {id} is over"),
            );
        }
    }

    /// Notes that the SDK reported the end of a tournament to its bot.
    pub fn hear_sdk_tournament_end(&self, bot: &str, id: String) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(format!("{bot} hears that {id} is over").as_bytes());
        heard.tournament_ends.entry(bot.to_owned()).or_default().insert(id);
    }

    /// Checks that takes that the SDK shows to its bot are committed.
    pub fn hear_sdk_turn(&self, bot: &str, view: &MatchView) {
        let (match_id, ply, position) = (view.id, view.ply(), view.position());
        let mut heard = lock(&self.heard);
        heard.counts.messages += 1;
        heard.add_to_trace(format!("{bot} {match_id} {ply} {position:?}").as_bytes());
        let record = heard.record(&self.disk, match_id, |record| {
            record.state().game().is_some() && record.state().ply() >= ply
        });
        let committed = record.as_ref().is_some_and(|record| {
            let mut then = record.state().game().map(lastnim_core::game::Game::first_position);
            let takes = record.state().takes().iter().take(ply as usize);
            let mut seen = view.seen_takes().iter().peekable();
            if let Some(then) = &mut then {
                for (number, played) in (0..).zip(takes) {
                    let was = SeenTake {
                        ply: number,
                        before: then.clone(),
                        take: played.take,
                        mover: played.mover,
                    };
                    seen.next_if(|shown| **shown == was);
                    then.take(played.take).expect("a record replays");
                }
            }
            // The record has all takes that the bot saw.
            record.state().ply() >= ply && then.as_ref() == Some(position) && seen.next().is_none()
        });
        if !committed {
            let seen = view.seen_takes();
            let what = format!("{bot} was shown ply {ply} of {match_id} at {position:?} after {seen:?}");
            heard.note_violation(COMMITTED_FIRST, &what);
        }
    }

    /// Returns all matches announced so far.
    pub fn known_matches(&self) -> Vec<MatchId> {
        lock(&self.heard).records.keys().copied().collect()
    }

    /// Compares what a watcher sees of a match with what is committed. It sees events in order, except for rows and
    /// messages, which it sees later.
    pub fn watch(&self, id: MatchId, shown: &WatchedEvents) {
        let mut heard = lock(&self.heard);
        heard.counts.messages += 1;
        let Some(last) = shown.events.last() else { return };
        let bytes = last.encode_to_vec();
        heard.add_to_trace(&bytes);
        print_if_traced(heard.now, &format!("a watcher of {id} {last:?}"));
        let record = heard.record(&self.disk, id, |record| shown.newest_is_committed(record));
        let committed = record.is_some_and(|record| shown.are_committed(&record));
        if !committed {
            heard.note_violation(COMMITTED_FIRST, &format!("a watcher of {id} was shown {last:?}"));
        }
    }

    /// Notes that a witness has opened a session.
    pub fn open_session(&self, bot: &str, session: u64) {
        let mut heard = lock(&self.heard);
        heard.counts.sessions += 1;
        heard.add_to_trace(format!("{bot} opens {session}").as_bytes());
        heard.sessions.insert(session, SessionProgress::default());
    }

    /// Compares a message to a witness with what is committed.
    pub fn hear(&self, bot: &str, session: u64, event: &Event) {
        let mut heard = lock(&self.heard);
        heard.counts.messages += 1;
        let bytes = pb::PlayResponse { event: Some(event.clone()) }.encode_to_vec();
        heard.add_to_trace(bot.as_bytes());
        heard.add_to_trace(&bytes);
        print_if_traced(heard.now, &format!("{bot} {session} {event:?}"));
        if let Err(Violation { promise, how }) = heard.check_event(&self.disk, bot, session, event) {
            heard.note_violation(promise, &format!("{bot} in session {session}: {how}; told {event:?}"));
        }
    }
}

/// Prints events when a single seed is replayed.
fn print_if_traced(now: Duration, what: &str) {
    if std::env::var_os("SIMULATION_TRACE").is_some() {
        println!("{now:?} {what}");
    }
}

/// Announced events are committed, and equal to the committed ones.
const COMMITTED_FIRST: &str = "nothing is announced before it is committed";
/// A session gets every ply once, in order.
const IN_ORDER: &str = "a session receives each ply once and in order";
/// A session gets an end once.
const ENDS_ONCE: &str = "a session receives an end once";

/// A seat is told the row that was dealt to it, and all rows at the end.
const DEALT_ROWS: &str = "a seat is told its own dealt row, and all of them once the match has a winner";

fn check_dealt_row(record: &Record, started: &pb::MatchStarted) -> Result<(), Violation> {
    let dealt = record.state().dealt_rows().map(pb::AllianceMatrix::from);
    if started.dealt_row.as_ref() == dealt.as_ref().map(|matrix| &matrix.rows[started.seat as usize]) {
        return Ok(());
    }
    broken_promise(DEALT_ROWS, format!("its row differs from the committed one: {:?}", started.dealt_row))
}

fn broken_promise(promise: &'static str, how: impl Into<String>) -> Result<(), Violation> {
    Err(Violation { promise, how: how.into() })
}

impl HeardState {
    fn note_violation(&mut self, promise: &'static str, how: &str) {
        let how = format!("at {:?}: {how}", self.now);
        self.violations.push(Violation { promise, how });
    }

    fn add_to_trace(&mut self, bytes: &[u8]) {
        self.trace.update(&self.now.as_micros().to_le_bytes());
        self.trace.update(&(bytes.len() as u64).to_le_bytes());
        self.trace.update(bytes);
    }

    /// Returns the record of a match, reading the store again if the known part is too short.
    fn record(
        &mut self,
        disk: &Disk,
        id: MatchId,
        is_enough: impl Fn(&Record) -> bool,
    ) -> Option<Arc<Record>> {
        if let Some(known) = self.records.get(&id).filter(|known| is_enough(known)) {
            return Some(Arc::clone(known));
        }
        let stored = finish_at_once(disk.tables().match_record(id)).ok().flatten()?;
        let record = Arc::new(stored.record);
        if let Some(known) = self.records.get(&id) {
            let kept = record.events().starts_with(known.events());
            if !kept {
                self.note_violation(
                    "committed events do not change",
                    &format!("the record of {id} has changed"),
                );
            }
        }
        self.records.insert(id, Arc::clone(&record));
        Some(record)
    }

    fn committed(
        &mut self,
        disk: &Disk,
        match_id: &str,
        is_enough: impl Fn(&Record) -> bool,
    ) -> Result<Arc<Record>, Violation> {
        let id: MatchId = match_id
            .parse()
            .map_err(|error| Violation { promise: "ids are valid", how: format!("{error}") })?;
        match self.record(disk, id, &is_enough).filter(|record| is_enough(record)) {
            Some(record) => Ok(record),
            None => Err(Violation {
                promise: COMMITTED_FIRST,
                how: format!(
                    "{match_id} has {:?} events",
                    self.records.get(&id).map(|record| record.events().len())
                ),
            }),
        }
    }

    fn check_event(&mut self, disk: &Disk, bot: &str, session: u64, event: &Event) -> Result<(), Violation> {
        match event {
            Event::MatchStarted(started) => {
                let record = self.committed(disk, &started.match_id, |_| true)?;
                let setup = record.state().setup();
                if setup.bots.iter().nth(started.seat as usize).map(lastnim_core::game::BotName::as_str)
                    != Some(bot)
                {
                    return broken_promise("a bot has the seat that it is told", "another bot has this seat");
                }
                check_dealt_row(&record, started)?;
                let progress = SeatProgress { seat: started.seat, next_ply: 0, next_round: 0 };
                if self.progress(session).seats.insert(started.match_id.clone(), progress).is_some() {
                    return broken_promise(IN_ORDER, "it was told of this match before");
                }
                Ok(())
            }
            Event::Snapshot(snapshot) => {
                let id =
                    snapshot.started.as_ref().map(|started| started.match_id.clone()).unwrap_or_default();
                let record = self.committed(disk, &id, |record| record.state().ply() >= snapshot.ply)?;
                check_dealt_row(&record, &snapshot.started.clone().unwrap_or_default())?;
                let seat = snapshot.started.as_ref().map(|started| started.seat).unwrap_or_default();
                let next_round = self.check_talk(disk, &id, seat, snapshot)?;
                let progress = SeatProgress { seat, next_ply: snapshot.ply, next_round };
                self.progress(session).seats.insert(id, progress);
                Ok(())
            }
            Event::TalkAccepted(accepted) => {
                let id = &accepted.match_id;
                let seat = self.progress(session).seats.get(id).map_or(0, |progress| progress.seat);
                self.committed(disk, id, |record| talk::has_accepted(record, seat, accepted)).map(|_| ())
            }
            Event::Heard(heard) => self.check_heard(disk, session, heard),
            Event::Took(took) => self.check_take(disk, session, took),
            Event::Turn(turn) => {
                self.committed(disk, &turn.match_id, |record| record.state().ply() >= turn.ply).map(|_| ())
            }
            Event::Revealed(revealed) => {
                self.committed(disk, &revealed.match_id, |record| record.state().game().is_some()).map(|_| ())
            }
            Event::Forfeited(lost) => {
                let seat = lost.seat as usize;
                let is_lost =
                    |record: &Record| record.state().forfeits().iter().nth(seat).is_some_and(Option::is_some);
                self.committed(disk, &lost.match_id, is_lost).map(|_| ())
            }
            Event::MatchEnded(ended) => self.check_end(disk, bot, session, ended),
            Event::TournamentEnded(ended) => {
                let id = ended.tournament_id.clone();
                let stored = id
                    .parse()
                    .ok()
                    .and_then(|id| finish_at_once(disk.tables().tournament(id)).ok().flatten());
                if stored.is_none_or(|stored| stored.over.is_none()) {
                    return broken_promise(COMMITTED_FIRST, "the tournament is not over in the store");
                }
                self.tournament_ends.entry(bot.to_owned()).or_default().insert(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn progress(&mut self, session: u64) -> &mut SessionProgress {
        self.sessions.entry(session).or_default()
    }

    fn check_heard(&mut self, disk: &Disk, session: u64, heard: &pb::Heard) -> Result<(), Violation> {
        let has_ended = |record: &Record| record.state().rounds_heard() > heard.round;
        let record = self.committed(disk, &heard.match_id, has_ended)?;
        let Some(progress) = self.progress(session).seats.get_mut(&heard.match_id) else {
            return broken_promise(IN_ORDER, "it was not told of this match");
        };
        let expected = std::mem::replace(&mut progress.next_round, heard.round + 1);
        if expected != heard.round {
            return broken_promise(talk::HEARD, format!("round {expected} was expected"));
        }
        let checked = talk::check_round(&record, progress.seat, heard);
        self.counts.talk += heard.messages.len() as u64;
        checked.or_else(|how| broken_promise(talk::HEARD, how))
    }

    /// Compares the talk in a snapshot with what is committed. Returns the next round to be heard.
    fn check_talk(
        &mut self,
        disk: &Disk,
        id: &str,
        seat: u32,
        snapshot: &pb::Snapshot,
    ) -> Result<u32, Violation> {
        let Some(state) = &snapshot.talk else { return Ok(0) };
        let own = state.messages.iter().filter(|message| message.seat == seat).count();
        let record = self.committed(disk, id, |record| {
            let committed = record.messages().filter(|message| u32::from(message.seat) == seat).count();
            record.state().rounds_heard() >= state.round.unwrap_or(talk::ROUNDS) && committed >= own
        })?;
        let checked = talk::check_snapshot(&record, seat, state);
        checked.map_err(|how| Violation { promise: talk::HEARD, how })
    }

    fn check_take(&mut self, disk: &Disk, session: u64, took: &pb::Took) -> Result<(), Violation> {
        let record = self.committed(disk, &took.match_id, |record| record.state().ply() > took.ply)?;
        let played = &record.state().takes()[took.ply as usize];
        let seats = record.state().setup().seats();
        let first = record.state().setup().first;
        let mover = seats.seat_at_offset(first, took.ply as usize % seats.get());
        if played.take != took.take || mover.index() != took.seat as usize {
            return broken_promise(
                COMMITTED_FIRST,
                format!("the committed take is {played:?} by seat {mover}"),
            );
        }
        let Some(progress) = self.progress(session).seats.get_mut(&took.match_id) else {
            return broken_promise(IN_ORDER, "it was not told of this match");
        };
        if took.ply < progress.next_ply && took.seat == progress.seat {
            // It has repeated the take.
            return Ok(());
        }
        let expected = std::mem::replace(&mut progress.next_ply, took.ply + 1);
        if expected != took.ply {
            return broken_promise(IN_ORDER, format!("ply {expected} was expected"));
        }
        self.counts.takes += 1;
        Ok(())
    }

    fn check_end(
        &mut self,
        disk: &Disk,
        bot: &str,
        session: u64,
        ended: &pb::MatchEnded,
    ) -> Result<(), Violation> {
        let record = self.committed(disk, &ended.match_id, |record| record.state().end().is_some())?;
        let winner = record.state().end().and_then(|(_, winner)| winner).map(|winner| winner.index() as u32);
        if winner != ended.winner {
            return broken_promise(COMMITTED_FIRST, format!("the committed winner is {winner:?}"));
        }
        if record.state().opened_rows().map(pb::AllianceMatrix::from) != ended.dealt_rows {
            return broken_promise(DEALT_ROWS, "the end shows others, or shows those of a cancelled match");
        }
        self.match_ends.entry(bot.to_owned()).or_default().insert(ended.match_id.clone());
        self.counts.ends += 1;
        if !self.progress(session).ended.insert(ended.match_id.clone()) {
            return broken_promise(ENDS_ONCE, "again");
        }
        Ok(())
    }
}
