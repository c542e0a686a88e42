//! What bots were told and what they sent, held against what is committed: at once, message by message.

use super::disk::{Disk, finish_at_once};
use super::world::lock;
use lastnim_client::{MatchView, SeenTake};
use lastnim_core::game::MatchId;
use lastnim_core::referee::Record;
use lastnim_proto::pb::{self, play_response::Event, record_event::Event as RecordedEvent};
use lastnim_store::Store as _;
use prost::Message as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A promise that was broken, by its name, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub promise: &'static str,
    pub how: String,
}

/// What happened in a run, in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeardCounts {
    pub messages: u64,
    pub takes: u64,
    pub ends: u64,
    pub sessions: u64,
}

/// What bots were told and what they sent.
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
    /// What bots meant to take, and the shortest time that they thought about it.
    sent: BTreeMap<SentTake, Duration>,
    /// By bot: the matches of whose ends it was told.
    match_ends: BTreeMap<String, BTreeSet<String>>,
    /// What the SDK told bots of ends: which bot, in which life of its program, of which match.
    sdk_ends: BTreeSet<(String, u64, MatchId)>,
    /// By bot: the tournaments of whose ends it was told.
    tournament_ends: BTreeMap<String, BTreeSet<String>>,
    sessions: BTreeMap<u64, SessionLog>,
    /// What was read of the store, as long as it is enough.
    records: BTreeMap<MatchId, Arc<Record>>,
    counts: HeardCounts,
}

/// A take that a bot meant to make.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SentTake {
    pub bot: String,
    pub match_id: MatchId,
    pub ply: u32,
    pub take: u64,
}

/// What a watcher was shown of a match so far.
#[derive(Debug, Default)]
pub struct WatchedEvents {
    pub events: Vec<pb::RecordEvent>,
}

/// What a session was told.
#[derive(Debug, Default)]
struct SessionLog {
    /// By match: where it sits, and the next ply that it has to be told.
    seats: BTreeMap<String, SeatLog>,
    ended: BTreeSet<String>,
}

/// What a session was told of a match.
#[derive(Debug, Clone, Copy)]
struct SeatLog {
    seat: u32,
    next_ply: u32,
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

    /// Notes that a promise is broken.
    pub fn complain(&self, promise: &'static str, how: impl AsRef<str>) {
        lock(&self.heard).complain(promise, how.as_ref());
    }

    /// Returns the promises that were broken so far.
    pub fn violations(&self) -> Vec<Violation> {
        lock(&self.heard).violations.clone()
    }

    pub fn is_clean(&self) -> bool {
        lock(&self.heard).violations.is_empty()
    }

    pub fn counts(&self) -> HeardCounts {
        lock(&self.heard).counts
    }

    /// Returns a hash of all that happened so far.
    pub fn trace(&self) -> String {
        lock(&self.heard).trace.finalize().to_hex().to_string()
    }

    /// Notes something that happened, for the trace.
    pub fn note(&self, what: &str) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(what.as_bytes());
        tell_trace(heard.now, what);
    }

    /// Notes that a bot means to take, once it has thought about it for so long.
    pub fn note_sent(&self, take: SentTake, thinking: Duration) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(format!("{take:?}").as_bytes());
        let shortest = heard.sent.entry(take).or_insert(thinking);
        *shortest = thinking.min(*shortest);
    }

    /// Returns the shortest time that a bot thought about a take, if it sent that.
    pub fn thinking_of(&self, take: &SentTake) -> Option<Duration> {
        lock(&self.heard).sent.get(take).copied()
    }

    /// Returns whether a bot was told of the end of a match.
    pub fn was_told_of_match_end(&self, bot: &str, match_id: &str) -> bool {
        lock(&self.heard).match_ends.get(bot).is_some_and(|ends| ends.contains(match_id))
    }

    /// Returns whether a bot was told of the end of a tournament.
    pub fn was_told_of_tournament_end(&self, bot: &str, tournament: &str) -> bool {
        lock(&self.heard).tournament_ends.get(bot).is_some_and(|ends| ends.contains(tournament))
    }

    /// Notes that the SDK has told its bot of an end, which it does once.
    pub fn hear_sdk_end(&self, bot: &str, life: u64, match_id: MatchId) {
        let mut heard = lock(&self.heard);
        let id = match_id.to_string();
        heard.add_to_trace(format!("{bot} hears that {id} is over").as_bytes());
        heard.counts.ends += 1;
        heard.match_ends.entry(bot.to_owned()).or_default().insert(id.clone());
        if !heard.sdk_ends.insert((bot.to_owned(), life, match_id)) {
            heard.complain("an SDK tells of an end once", &format!("{bot} was told twice that {id} is over"));
        }
    }

    /// Notes that the SDK has told its bot of the end of a tournament.
    pub fn hear_sdk_tournament_end(&self, bot: &str, id: String) {
        let mut heard = lock(&self.heard);
        heard.add_to_trace(format!("{bot} hears that {id} is over").as_bytes());
        heard.tournament_ends.entry(bot.to_owned()).or_default().insert(id);
    }

    /// Checks that takes which the SDK shows its bot are committed.
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
            // Of the takes that it saw, none is left that the record has not.
            record.state().ply() >= ply && then.as_ref() == Some(position) && seen.next().is_none()
        });
        if !committed {
            let seen = view.seen_takes();
            let what = format!("{bot} was shown ply {ply} of {match_id} at {position:?} after {seen:?}");
            heard.complain(COMMITTED_FIRST, &what);
        }
    }

    /// Returns the matches of which anybody was told so far.
    pub fn known_matches(&self) -> Vec<MatchId> {
        lock(&self.heard).records.keys().copied().collect()
    }

    /// Holds what a watcher is shown of a match against what is committed. It is shown the events in their order, but for rows,
    /// which it is shown once all are in.
    pub fn watch(&self, id: MatchId, shown: &WatchedEvents) {
        let mut heard = lock(&self.heard);
        heard.counts.messages += 1;
        let Some(last) = shown.events.last() else { return };
        let bytes = last.encode_to_vec();
        heard.add_to_trace(&bytes);
        tell_trace(heard.now, &format!("a watcher of {id} {last:?}"));
        let count = shown.events.len();
        let record = heard.record(&self.disk, id, |record| record.events().len() >= count);
        let committed = record.is_some_and(|record| {
            let events: Vec<pb::RecordEvent> = record.events().iter().map(Into::into).collect();
            let is_row = |event: &&pb::RecordEvent| matches!(event.event, Some(RecordedEvent::Declared(_)));
            let others = |events: &[pb::RecordEvent]| -> Vec<_> {
                events.iter().filter(|event| !is_row(event)).cloned().collect()
            };
            let all_known = shown.events.iter().filter(is_row).all(|row| events.contains(row));
            all_known && others(&events).starts_with(&others(&shown.events))
        });
        if !committed {
            heard.complain(COMMITTED_FIRST, &format!("a watcher of {id} was shown event {count}: {last:?}"));
        }
    }

    /// Notes that a witness has opened a session.
    pub fn open_session(&self, bot: &str, session: u64) {
        let mut heard = lock(&self.heard);
        heard.counts.sessions += 1;
        heard.add_to_trace(format!("{bot} opens {session}").as_bytes());
        heard.sessions.insert(session, SessionLog::default());
    }

    /// Holds what a witness was told against what is committed.
    pub fn hear(&self, bot: &str, session: u64, event: &Event) {
        let mut heard = lock(&self.heard);
        heard.counts.messages += 1;
        let bytes = pb::PlayResponse { event: Some(event.clone()) }.encode_to_vec();
        heard.add_to_trace(bot.as_bytes());
        heard.add_to_trace(&bytes);
        tell_trace(heard.now, &format!("{bot} {session} {event:?}"));
        if let Err(Violation { promise, how }) = heard.check_event(&self.disk, bot, session, event) {
            heard.complain(promise, &format!("{bot} in session {session}: {how}; told {event:?}"));
        }
    }
}

/// Prints what happens, for whoever replays one seed.
fn tell_trace(now: Duration, what: &str) {
    if std::env::var_os("SIMULATION_TRACE").is_some() {
        println!("{now:?} {what}");
    }
}

/// What is announced is committed, and is what was committed.
const COMMITTED_FIRST: &str = "nothing is announced before it is committed";
/// A session hears every ply once, in order.
const IN_ORDER: &str = "a session is told of each ply once and in order";
/// A session hears an end once.
const ENDS_ONCE: &str = "a session is told of an end once";

fn broken(promise: &'static str, how: impl Into<String>) -> Result<(), Violation> {
    Err(Violation { promise, how: how.into() })
}

impl HeardState {
    fn complain(&mut self, promise: &'static str, how: &str) {
        let how = format!("at {:?}: {how}", self.now);
        self.violations.push(Violation { promise, how });
    }

    fn add_to_trace(&mut self, bytes: &[u8]) {
        self.trace.update(&self.now.as_micros().to_le_bytes());
        self.trace.update(&(bytes.len() as u64).to_le_bytes());
        self.trace.update(bytes);
    }

    /// Returns the record of a match, read from the store again if what is known of it is not enough.
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
                self.complain("what is committed stays", &format!("the record of {id} is another one"));
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
            .map_err(|error| Violation { promise: "ids are ids", how: format!("{error}") })?;
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
                    return broken("a bot sits where it is told", "another bot has this seat");
                }
                let log = SeatLog { seat: started.seat, next_ply: 0 };
                if self.log(session).seats.insert(started.match_id.clone(), log).is_some() {
                    return broken(IN_ORDER, "it was told of this match before");
                }
                Ok(())
            }
            Event::Snapshot(snapshot) => {
                let id =
                    snapshot.started.as_ref().map(|started| started.match_id.clone()).unwrap_or_default();
                self.committed(disk, &id, |record| record.state().ply() >= snapshot.ply)?;
                let seat = snapshot.started.as_ref().map(|started| started.seat).unwrap_or_default();
                self.log(session).seats.insert(id, SeatLog { seat, next_ply: snapshot.ply });
                Ok(())
            }
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
                    return broken(COMMITTED_FIRST, "the tournament is not over in the store");
                }
                self.tournament_ends.entry(bot.to_owned()).or_default().insert(id);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn log(&mut self, session: u64) -> &mut SessionLog {
        self.sessions.entry(session).or_default()
    }

    fn check_take(&mut self, disk: &Disk, session: u64, took: &pb::Took) -> Result<(), Violation> {
        let record = self.committed(disk, &took.match_id, |record| record.state().ply() > took.ply)?;
        let played = &record.state().takes()[took.ply as usize];
        let seats = record.state().setup().seats();
        let first = record.state().setup().first;
        let mover = seats.seat_at_offset(first, took.ply as usize % seats.get());
        if played.take != took.take || mover.index() != took.seat as usize {
            return broken(COMMITTED_FIRST, format!("committed is {played:?} by seat {mover}"));
        }
        let Some(log) = self.log(session).seats.get_mut(&took.match_id) else {
            return broken(IN_ORDER, "it was not told of this match");
        };
        if took.ply < log.next_ply && took.seat == log.seat {
            // It has sent the take again.
            return Ok(());
        }
        let expected = std::mem::replace(&mut log.next_ply, took.ply + 1);
        if expected != took.ply {
            return broken(IN_ORDER, format!("ply {expected} was to come"));
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
            return broken(COMMITTED_FIRST, format!("committed is winner {winner:?}"));
        }
        self.match_ends.entry(bot.to_owned()).or_default().insert(ended.match_id.clone());
        self.counts.ends += 1;
        if !self.log(session).ended.insert(ended.match_id.clone()) {
            return broken(ENDS_ONCE, "again");
        }
        Ok(())
    }
}
