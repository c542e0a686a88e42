//! The checks at the end of a run: the store, and what bots were told.

use super::disk::finish_at_once;
use super::history::SentTake;
use super::plan::{BotKind, Setting};
use super::players::{MAX_THINKING, bot_name};
use super::run::{open_tournaments, tournament_ids};
use super::talk;
use super::tally::Tally;
use super::world::World;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{Event, ForfeitReason, Record};
use lastnim_store::{MemoryStore, Store as _, StoredResult};
use lastnim_tournament::Standing;
use std::collections::BTreeMap;
use std::time::Duration;

/// More matches than any run has.
const NO_LIMIT: usize = 100_000;

/// Returns whether every tournament is over, every listening bot was told everything, and nothing is left of it.
pub fn is_all_over(world: &World) -> bool {
    open_tournaments(world).is_empty() && unsent_ends(world).is_empty() && is_nothing_left(world)
}

fn is_nothing_left(world: &World) -> bool {
    world.held().is_some_and(|held| held.is_nothing_left(world.plan.setting.bots.len()))
}

/// Returns the ends that listening bots were not told.
fn unsent_ends(world: &World) -> Vec<String> {
    let tables = world.disk.tables();
    let listeners: Vec<BotName> = listening_bots(world).collect();
    let mut unsent = Vec::new();
    for id in tournament_ids(&world.plan) {
        for result in stored_results(&tables, id) {
            let match_id = result.id.to_string();
            let sitting = listeners.iter().filter(|bot| result.bots.iter().any(|other| other == *bot));
            let missing = sitting.filter(|bot| !world.history.was_told_of_match_end(bot.as_str(), &match_id));
            unsent.extend(missing.map(|bot| format!("{bot} of match {match_id}")));
        }
        let untold = listeners
            .iter()
            .filter(|bot| !world.history.was_told_of_tournament_end(bot.as_str(), &id.to_string()));
        unsent.extend(untold.map(|bot| format!("{bot} of tournament {id}")));
    }
    unsent
}

fn listening_bots(world: &World) -> impl Iterator<Item = BotName> {
    let bots = world.plan.setting.bots.iter().enumerate();
    bots.filter(|&(_, &kind)| kind != BotKind::Hostile).map(|(bot, _)| bot_name(&world.plan, bot))
}

fn stored_results(tables: &MemoryStore, id: TournamentId) -> Vec<StoredResult> {
    finish_at_once(tables.match_results(id, 0, NO_LIMIT)).expect("a store in memory reads")
}

/// Checks a finished run.
pub fn check_end(world: &World, tally: &mut Tally) {
    let open = open_tournaments(world);
    if world.history.is_clean() {
        if !open.is_empty() {
            world.history.note_violation("every match ends", format!("tournaments {open:?} are not over"));
        } else if let unsent = unsent_ends(world)
            && !unsent.is_empty()
        {
            world.history.note_violation("every bot is sent every end", format!("not told: {unsent:?}"));
        } else if !is_nothing_left(world) {
            world
                .history
                .note_violation("nothing is left of finished matches", format!("{:?}", world.held()));
        }
    }
    let tables = world.disk.tables();
    for id in tournament_ids(&world.plan) {
        let mut fold = BTreeMap::new();
        let results = stored_results(&tables, id);
        for result in &results {
            let stored = match finish_at_once(tables.match_record(result.id)) {
                Ok(Some(stored)) => stored,
                Ok(None) => {
                    world.history.note_violation("records are kept", format!("none of {}", result.id));
                    continue;
                }
                Err(error) => {
                    world.history.note_violation("records can be read", error.to_string());
                    continue;
                }
            };
            tally.matches += 1;
            tally.plies += u64::from(stored.record.state().ply());
            let is_sealed = stored.seal.is_some_and(|seal| seal.verifies(stored.record.last_hash()));
            if !is_sealed {
                world.history.note_violation("records are sealed", format!("{} is not", result.id));
            }
            check_record(world, &stored.record);
            fold_result(&mut fold, &stored.record);
            let winner = stored.record.state().end().and_then(|(_, winner)| winner);
            if winner != result.outcome.as_ref().map(|outcome| outcome.winner) {
                world
                    .history
                    .note_violation("results are those of records", format!("not that of {}", result.id));
            }
        }
        if !open.contains(&id) {
            check_standings(world, id, results.len(), &fold);
        }
    }
}

/// A bot's results, from records alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct BotFold {
    matches: u32,
    wins: u32,
    forfeits: u32,
    no_shows: u32,
}

fn fold_result(fold: &mut BTreeMap<BotName, BotFold>, record: &Record) {
    let state = record.state();
    let Some((_, Some(winner))) = state.end() else { return };
    for (seat, bot) in state.setup().bots.enumerate() {
        let line = fold.entry(bot.clone()).or_default();
        line.matches += 1;
        let lost = state.forfeits()[seat];
        line.wins += u32::from(winner == seat && lost.is_none());
        line.forfeits += u32::from(lost.is_some());
        line.no_shows += u32::from(lost == Some(ForfeitReason::NoShow));
    }
}

fn check_standings(world: &World, id: TournamentId, results: usize, fold: &BTreeMap<BotName, BotFold>) {
    let promise = "standings follow from the records";
    let tables = world.disk.tables();
    let lines = finish_at_once(tables.standings(id)).expect("a store in memory reads");
    let stored = finish_at_once(tables.tournament(id)).expect("a store in memory reads");
    let result = stored.and_then(|stored| stored.over);
    let counts = result.map(|result| (result.played, result.total));
    if counts != Some((results as u64, results as u64)) {
        world
            .history
            .note_violation(promise, format!("{id}: {results} results, but its end says {counts:?}"));
    }
    for Standing { bot, matches, wins, forfeits, no_shows, .. } in &lines {
        let shown = BotFold { matches: *matches, wins: *wins, forfeits: *forfeits, no_shows: *no_shows };
        let folded = fold.get(bot).copied().unwrap_or_default();
        if shown != folded {
            world
                .history
                .note_violation(promise, format!("{id}, {bot}: shown {shown:?}, by records {folded:?}"));
        }
    }
    if lines.len() != world.plan.setting.bots.len() {
        world.history.note_violation(promise, format!("{id}: {} lines", lines.len()));
    }
}

/// Compares a record with what bots sent, and its clocks with what they may have been charged.
fn check_record(world: &World, record: &Record) {
    let state = record.state();
    let id = record.id();
    // While a strike or a forfeit is written, the clock of the seat to move stands still.
    let is_undisturbed = world.plan.has_no_server_fault()
        && !record
            .events()
            .iter()
            .any(|timed| matches!(timed.event, Event::Struck { .. } | Event::Forfeited { .. }));
    for timed in record.events() {
        match &timed.event {
            Event::Took { ply, seat, take, mover, charged, credited, .. } if *mover == Mover::Bot => {
                let bot = &state.setup().bots[*seat];
                if is_hostile(world, bot) {
                    continue;
                }
                let sent = SentTake { bot: bot.to_string(), match_id: id, ply: *ply, take: *take };
                let Some(thinking) = world.history.thinking_of(&sent) else {
                    world
                        .history
                        .note_violation("a seat is moved by its own bot", format!("nobody sent {sent:?}"));
                    continue;
                };
                let least = thinking.saturating_sub(2 * world.plan.setting.tick);
                if is_undisturbed && *charged + *credited < least {
                    let how = format!(
                        "{bot} thought for {thinking:?} about ply {ply} of {id}, but was charged {charged:?} with {credited:?} refunded"
                    );
                    world.history.note_violation("a clock is charged for its bot's time", how);
                }
                let max = max_charge(&world.plan.setting);
                if world.plan.has_no_network_fault() && *charged > max {
                    let how = format!(
                        "{bot} was charged {charged:?} for ply {ply} of {id}, of which at most {max:?} is its own"
                    );
                    world.history.note_violation("no clock is charged for the server's time", how);
                }
            }
            Event::Said(message) => {
                let bot = state.setup().bots[message.seat].as_str();
                if !talk::is_sent_by(bot, state.setup().seats().get(), message) {
                    let (round, number) = (message.round, message.number);
                    world
                        .history
                        .note_violation(talk::SAID, format!("{id}: {bot}, round {round}, number {number}"));
                }
            }
            Event::Declared { seat, defaulted: Some(why), .. } => {
                let bot = &state.setup().bots[*seat];
                if world.plan.has_no_network_fault() && !is_hostile(world, bot) {
                    let how = format!("the row of {bot} in {id} is the standard one: {why:?}");
                    world.history.note_violation("no row is lost by the server's faults", how);
                }
            }
            Event::Forfeited { seat, reason } => {
                let bot = &state.setup().bots[*seat];
                if world.plan.has_no_network_fault() && !is_hostile(world, bot) {
                    let how = format!("{bot} lost its seat of {id}: {reason}");
                    world.history.note_violation("no seat is lost by the server's faults", how);
                }
            }
            _ => {}
        }
    }
}

fn is_hostile(world: &World, bot: &BotName) -> bool {
    !listening_bots(world).any(|other| other == *bot)
}

/// Returns the maximum time that a bot needs for a take without network faults.
fn max_charge(setting: &Setting) -> Duration {
    MAX_THINKING + 2 * setting.latency.1 + 8 * setting.tick + setting.stall_threshold
}
