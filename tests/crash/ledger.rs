//! Everything that was announced to bots and watchers, over all crashes.

use lastnim_proto::pb::{self, play_response::Event};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An announced take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldTake {
    pub seat: u32,
    pub take: u64,
    pub steward: bool,
}

/// An announced end of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldEnd {
    pub reason: pb::EndReason,
    pub winner: Option<u32>,
}

/// Everything that was announced.
#[derive(Debug, Default)]
pub struct Told {
    /// By match and ply.
    pub takes: BTreeMap<(String, u32), ToldTake>,
    /// The acknowledged rows, by match and bot.
    pub rows: BTreeMap<(String, String), Vec<u32>>,
    /// The dealt rows, by match and bot.
    pub dealt: BTreeMap<(String, String), Vec<u32>>,
    /// The revealed rows, by match.
    pub matrices: BTreeMap<String, pb::AllianceMatrix>,
    /// By match.
    pub ends: BTreeMap<String, ToldEnd>,
    /// The announced matches, with their tournaments.
    pub started: BTreeMap<String, String>,
    /// By bot and match: the number of plies that the bot knows.
    heard: BTreeMap<(String, String), u32>,
    /// The bots that were sent the end of a match.
    pub ends_sent_to: BTreeSet<(String, String)>,
    /// The bots that were sent the end of a tournament.
    pub tournament_ends_sent_to: BTreeSet<(String, String)>,
    /// The newest state of a tournament, by its id.
    tournaments: BTreeMap<String, (pb::TournamentState, u64)>,
    /// Refused takes and rows.
    pub refused: Vec<pb::Refused>,
    /// Forfeited seats.
    pub forfeited: Vec<pb::Forfeited>,
    /// Sessions opened.
    pub sessions: usize,
    /// Contradictions to earlier announcements.
    pub contradictions: Vec<String>,
}

impl Told {
    /// Returns the number of finished matches of a tournament, from what its watchers were told. The end of a match may
    /// not have been announced if the server died just then.
    pub fn ended_of(&self, tournament: &str) -> usize {
        self.tournaments.get(tournament).map_or(0, |(_, played)| *played as usize)
    }

    fn add_contradiction(&mut self, what: String) {
        self.contradictions.push(what);
    }

    fn ply(&mut self, bot: &str, id: &str, plies: u32) {
        let heard = self.heard.entry((bot.into(), id.into())).or_default();
        *heard = (*heard).max(plies);
    }

    fn snapshot(&mut self, bot: &str, snapshot: &pb::Snapshot) {
        let started = snapshot.started.as_ref().expect("a snapshot has the start of the match");
        let id = &started.match_id;
        let before = self.heard.get(&(bot.to_owned(), id.clone())).copied().unwrap_or_default();
        if snapshot.ply < before {
            self.add_contradiction(format!("{id}: {bot} knew {before} plies, but is shown {}", snapshot.ply));
        }
        if self.ends_sent_to.contains(&(bot.to_owned(), id.clone())) {
            self.add_contradiction(format!("{bot} knew that {id} was over, but is shown it as open"));
        }
        self.ply(bot, id, snapshot.ply);
        if let Some(matrix) = &snapshot.alliance_matrix {
            self.matrix(id, matrix);
        }
    }

    fn matrix(&mut self, id: &str, matrix: &pb::AllianceMatrix) {
        let before = self.matrices.entry(id.into()).or_insert_with(|| matrix.clone()).clone();
        if before != *matrix {
            self.add_contradiction(format!("{id}: the rows were {before:?}, but now are {matrix:?}"));
        }
    }

    fn took(&mut self, bot: &str, took: &pb::Took) {
        let take = ToldTake { seat: took.seat, take: took.take, steward: took.steward };
        let before = *self.takes.entry((took.match_id.clone(), took.ply)).or_insert(take);
        if before != take {
            let at = format!("{} ply {}", took.match_id, took.ply);
            self.add_contradiction(format!("{at}: {before:?} was announced, but then {take:?}"));
        }
        self.ply(bot, &took.match_id, took.ply + 1);
    }

    fn ended(&mut self, bot: &str, ended: &pb::MatchEnded) {
        self.ends_sent_to.insert((bot.to_owned(), ended.match_id.clone()));
        let end = ToldEnd { reason: ended.reason(), winner: ended.winner };
        let before = *self.ends.entry(ended.match_id.clone()).or_insert(end);
        if before != end {
            self.add_contradiction(format!("{}: {before:?} was announced, but then {end:?}", ended.match_id));
        }
    }

    fn started(&mut self, bot: &str, started: &pb::MatchStarted) {
        if let Some(row) = &started.dealt_row {
            let key = (started.match_id.clone(), bot.to_owned());
            let before = self.dealt.entry(key).or_insert_with(|| row.offsets.clone()).clone();
            if before != row.offsets {
                let (id, now) = (&started.match_id, &row.offsets);
                self.add_contradiction(format!("{id}: {bot} was dealt {before:?}, and later {now:?}"));
            }
        }
        let setup = started.setup.as_ref().expect("a match has a setup");
        self.started.insert(started.match_id.clone(), setup.tournament_id.clone());
    }
}

/// Records what was announced, and notes contradictions at once.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<Told>);

impl Ledger {
    pub fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event sent to a bot.
    pub fn hear(&self, bot: &str, event: &Event) {
        let mut told = self.told();
        match event {
            Event::Welcome(welcome) => {
                told.sessions += 1;
                if welcome.bot != bot {
                    told.add_contradiction(format!("{bot} is welcomed as {}", welcome.bot));
                }
            }
            Event::MatchStarted(started) => told.started(bot, started),
            Event::Snapshot(snapshot) => {
                told.started(bot, snapshot.started.as_ref().expect("a snapshot has the start of the match"));
                told.snapshot(bot, snapshot);
            }
            Event::Declared(declared) => {
                let row = declared.row.as_ref().expect("a row").offsets.clone();
                let key = (declared.match_id.clone(), bot.to_owned());
                let before = told.rows.entry(key).or_insert_with(|| row.clone()).clone();
                if before != row {
                    told.add_contradiction(format!(
                        "{}: {bot} declared {before:?} and {row:?}",
                        declared.match_id
                    ));
                }
            }
            Event::Revealed(revealed) => {
                let matrix = revealed.alliance_matrix.as_ref().expect("the rows");
                told.matrix(&revealed.match_id, matrix);
            }
            Event::Took(took) => told.took(bot, took),
            Event::Refused(refused) => told.refused.push(refused.clone()),
            Event::Forfeited(forfeited) => told.forfeited.push(forfeited.clone()),
            Event::MatchEnded(ended) => {
                if let Some(started) = &ended.started {
                    told.started(bot, started);
                }
                told.ended(bot, ended);
            }
            Event::TournamentEnded(ended) => {
                told.tournament_ends_sent_to.insert((bot.to_owned(), ended.tournament_id.clone()));
            }
            Event::Turn(_)
            | Event::TalkAccepted(_)
            | Event::Heard(_)
            | Event::Ping(_)
            | Event::Draining(_)
            | Event::Suspended(_)
            | Event::CaughtUp(_)
            | Event::JoinedTournament(_)
            | Event::JoinRefused(_) => {}
        }
    }

    /// Records an update sent to a watcher of a tournament.
    pub fn hear_of_tournament(&self, tournament: &pb::Tournament) {
        let mut told = self.told();
        let now = (tournament.state(), tournament.matches_played);
        let before = *told.tournaments.get(&tournament.id).unwrap_or(&now);
        let is_over = |state| matches!(state, pb::TournamentState::Finished | pb::TournamentState::Cancelled);
        let fits = if is_over(before.0) { now == before } else { before.0 as i32 <= now.0 as i32 };
        if !fits || now.1 < before.1 {
            told.add_contradiction(format!(
                "tournament {}: it was {before:?}, but now is {now:?}",
                tournament.id
            ));
        }
        told.tournaments.insert(tournament.id.clone(), now);
    }

    /// Notes a contradiction, which must never occur.
    pub fn note_contradiction(&self, what: String) {
        self.told().add_contradiction(what);
    }

    /// Returns the number of announced takes.
    pub fn take_count(&self) -> usize {
        self.told().takes.len()
    }
}
