//! Runs a plan from start to end.

use super::bounds::watch_bounds;
use super::disk::{Defect, Disk, DiskBehaviour, finish_at_once};
use super::history::Violation;
use super::network::{HostLife, SimulatedListener};
use super::plan::{Direction, Fault, FaultKind, Plan, When};
use super::players::{play_bot, watch_matches};
use super::setup::{backend_of, first_changes, limits_of};
use super::tally::Tally;
use super::verdict::{check_end, is_all_over};
use super::world::{SERVERS, World};
use lastnim_arena::Arena;
use lastnim_core::game::TournamentId;
use lastnim_server::{Config, ServeError, run_server_on};
use lastnim_store::{Store as _, StoreError};
use std::cell::RefCell;
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::sleep;
use turmoil::Sim;

/// The maximum simulated time after the last fault.
const MAX_AFTERMATH: Duration = Duration::from_mins(8);
/// The interval between two checks whether everything is over.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// The interval at which a server checks whether it should stall.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// The maximum pause before a supervisor restarts a server that could not open its store.
const REOPEN_PAUSE: Duration = Duration::from_millis(300);

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub trace: String,
    pub violations: Vec<Violation>,
    pub tally: Tally,
}

thread_local! {
    /// Panics on this thread, which executes one run at a time.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Collects the panics of runs instead of printing them: panics in tasks would otherwise go unnoticed.
fn catch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if turmoil::in_simulation() || std::thread::current().name().is_some_and(|name| name == RUNNER) {
                PANICS.with_borrow_mut(|panics| panics.push(info.to_string()));
            } else {
                before(info);
            }
        }));
    });
}

/// The name of the threads that execute runs.
pub const RUNNER: &str = "simulation";

/// Returns the ids of the tournaments of a plan.
pub fn tournament_ids(plan: &Plan) -> Vec<TournamentId> {
    (0..plan.setting.tournaments.len() as u64)
        .map(|index| TournamentId::new(1_699_000_000_000 + index, &[index as u8; 10]))
        .collect()
}

/// Executes a plan.
pub fn run_plan(plan: &Plan) -> Outcome {
    run_on_defective_disk(plan, Defect::None)
}

/// Executes a plan on a disk that may have a defect.
pub fn run_on_defective_disk(plan: &Plan, defect: Defect) -> Outcome {
    catch_panics();
    PANICS.take();
    let disk = Arc::new(Disk::new(plan, defect, first_changes(plan)));
    let world = Arc::new(World::new(plan.clone(), disk));
    let mut driver = Driver::new(Arc::clone(&world));
    let ran = catch_unwind(AssertUnwindSafe(|| driver.run()));
    let mut tally = driver.tally;
    // The hosts must end inside the simulation, since they use its network.
    let dropped = catch_unwind(AssertUnwindSafe(move || drop(driver)));
    for panic in PANICS.take() {
        world.history.note_violation("nothing panics", panic);
    }
    if (ran.is_err() || dropped.is_err()) && world.history.is_clean() {
        world.history.note_violation("nothing panics", "the run panicked");
    }
    if catch_unwind(AssertUnwindSafe(|| check_end(&world, &mut tally))).is_err() {
        world.history.note_violation("the store can be read", format!("{:?}", PANICS.take()));
    }
    let heard = world.history.counts();
    let (writes, lost_replies) = world.disk.write_counts();
    tally.runs = 1;
    (tally.messages, tally.takes, tally.ends) = (heard.messages, heard.takes, heard.ends);
    (tally.sessions, tally.writes, tally.talk) = (heard.sessions, writes, heard.talk);
    tally.store_faults += lost_replies;
    Outcome { trace: world.history.trace(), violations: world.history.violations(), tally }
}

/// Runs one of the servers while it owns the store.
async fn serve(world: Arc<World>, me: usize) -> turmoil::Result {
    if world.owner() != me {
        return Ok(());
    }
    world.note_start(me);
    let watched = Arc::clone(&world);
    tokio::spawn(async move {
        loop {
            sleep(CHECK_INTERVAL).await;
            if let Some(lasts) = watched.take_stall(me) {
                tokio::time::advance(lasts).await;
            }
        }
    });
    let arena = loop {
        match Arena::open(limits_of(&world.plan), backend_of(&world, me), []).await {
            Ok(arena) => break arena,
            Err(error) => {
                world.history.note(&format!("{} cannot open its store: {error}", SERVERS[me]));
                sleep(REOPEN_PAUSE).await;
            }
        }
        if world.owner() != me {
            return Ok(());
        }
    };
    let listener = SimulatedListener::bind(Arc::clone(&world.server_connections[me])).await?;
    world.history.note(&format!("{} serves", SERVERS[me]));
    tokio::spawn(watch_bounds(Arc::clone(&world), me, arena.clone(), limits_of(&world.plan)));
    let config = Config {
        limits: limits_of(&world.plan),
        keepalive_interval: world.plan.setting.keepalive,
        keepalive_timeout: world.plan.setting.keepalive,
        // Pages would have the real date in their headers.
        no_web: true,
        ..Config::default()
    };
    match run_server_on(listener, arena, config, pending()).await {
        Err(ServeError::Store(StoreError::Taken(_))) if world.owner() != me => {
            world.history.note(&format!("{} has lost its store", SERVERS[me]));
        }
        ended => {
            let how = format!("{}: {:?}", SERVERS[me], ended.map_err(|error| error.to_string()));
            world.history.note_violation("a server runs until it is stopped", how);
        }
    }
    Ok(())
}

/// The end of a temporary fault.
#[derive(Debug, Clone, Copy)]
enum Recovery {
    Restart(usize),
    StoreAnswers,
    Repair(usize),
    Release(usize),
    ReadAgain(usize),
    RestartBot(usize),
}

/// Advances the simulated time, and triggers the faults.
struct Driver<'a> {
    world: Arc<World>,
    sim: Sim<'a>,
    faults: Vec<(Duration, FaultKind)>,
    recoveries: Vec<(Duration, Recovery)>,
    quiet_since: Duration,
    /// When to check next whether everything is over.
    next_look: Duration,
    tally: Tally,
}

fn bot_host(bot: usize) -> String {
    format!("bot-{bot}")
}

impl Driver<'_> {
    fn new(world: Arc<World>) -> Self {
        let setting = &world.plan.setting;
        let mut sim = turmoil::Builder::new()
            .rng_seed(world.plan.seed)
            .epoch(UNIX_EPOCH)
            .tick_duration(setting.tick)
            .min_message_latency(setting.latency.0)
            .max_message_latency(setting.latency.1)
            .simulation_duration(Duration::from_hours(24))
            .tcp_capacity(1_024)
            .enable_random_order()
            .build();
        for (me, server) in SERVERS.into_iter().enumerate() {
            let world = Arc::clone(&world);
            sim.host(server, move || {
                let (life, world) = (HostLife::begin(&world.server_connections[me]), Arc::clone(&world));
                async move {
                    let _life = life;
                    serve(world, me).await
                }
            });
        }
        for bot in 0..setting.bots.len() {
            let (world, lives) = (Arc::clone(&world), Rc::new(AtomicU64::new(0)));
            sim.host(bot_host(bot), move || {
                let (life, world) = (HostLife::begin(&world.bot_connections[bot]), Arc::clone(&world));
                let number = lives.fetch_add(1, Ordering::Relaxed);
                async move {
                    let _life = life;
                    play_bot(world, bot, number).await
                }
            });
        }
        let watched = Arc::clone(&world);
        sim.host("watcher", move || watch_matches(Arc::clone(&watched)));
        let mut faults: Vec<_> = world.plan.faults.iter().filter_map(fault_at_time).collect();
        faults.sort_by_key(|&(at, _)| std::cmp::Reverse(at));
        Self {
            world,
            sim,
            faults,
            recoveries: Vec::new(),
            quiet_since: Duration::ZERO,
            next_look: Duration::ZERO,
            tally: Tally::default(),
        }
    }

    /// Advances until everything is over, a promise is broken, or it takes too long.
    fn run(&mut self) {
        loop {
            let now = self.sim.elapsed();
            self.world.set_now(now);
            self.tally.simulated = now;
            self.apply_due_recoveries(now);
            while let Some(&(at, what)) = self.faults.last()
                && at <= now
            {
                self.faults.pop();
                self.apply(now, what);
            }
            if let Err(error) = self.sim.step() {
                return self.world.history.note_violation("nothing panics", error.to_string());
            }
            for (server, down) in self.world.disk.take_crashes() {
                self.crash_server(now, server, down);
            }
            for violation in self.world.disk.take_violations() {
                self.world
                    .history
                    .note_violation("one writer at a time, and no write is rejected", violation);
            }
            if !self.world.history.is_clean() || PANICS.with_borrow(|panics| !panics.is_empty()) {
                return;
            }
            let is_quiet = self.faults.is_empty() && self.recoveries.is_empty();
            if !is_quiet {
                self.quiet_since = now;
            } else if now > self.quiet_since + MAX_AFTERMATH {
                if self.is_served_by_both() {
                    let how = format!("{} still serves", SERVERS[1 - self.world.owner()]);
                    self.world.history.note_violation("a server that has lost its store stops", how);
                }
                return;
            } else if now >= self.next_look {
                self.next_look = now + END_CHECK_INTERVAL;
                if is_all_over(&self.world) && !self.is_served_by_both() {
                    return;
                }
            }
        }
    }

    /// Returns whether the previous owner of the store still runs.
    fn is_served_by_both(&mut self) -> bool {
        let old = 1 - self.world.owner();
        self.sim.is_host_running(SERVERS[old])
    }

    fn crash_server(&mut self, now: Duration, server: usize, down: Duration) {
        self.world.history.note(&format!("{} dies", SERVERS[server]));
        self.tally.server_crashes += 1;
        self.world.server_connections[server].begin_crash();
        self.sim.crash(SERVERS[server]);
        self.schedule_recovery(now + down, Recovery::Restart(server));
    }

    fn schedule_recovery(&mut self, at: Duration, recovery: Recovery) {
        self.recoveries.push((at, recovery));
    }

    fn apply_due_recoveries(&mut self, now: Duration) {
        let due: Vec<_> = self.recoveries.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, recovery) in due {
            self.world.history.note(&format!("{recovery:?}"));
            match recovery {
                Recovery::Restart(server) => {
                    if self.world.owner() == server && !self.sim.is_host_running(SERVERS[server]) {
                        self.world.server_connections[server].begin_crash();
                        self.sim.bounce(SERVERS[server]);
                    }
                }
                Recovery::StoreAnswers => self.world.disk.set_behaviour(DiskBehaviour::Answers),
                Recovery::Repair(bot) => {
                    for server in SERVERS {
                        self.sim.repair(server, bot_host(bot));
                    }
                }
                Recovery::Release(bot) => {
                    for server in SERVERS {
                        self.sim.release(server, bot_host(bot));
                    }
                }
                Recovery::ReadAgain(bot) => self.world.links[bot].read_again(),
                Recovery::RestartBot(bot) => self.sim.bounce(bot_host(bot)),
            }
        }
    }

    fn apply(&mut self, now: Duration, what: FaultKind) {
        self.world.history.note(&format!("{what:?}"));
        let owner = self.world.owner();
        let end = now + what.lasts();
        match what {
            FaultKind::Crash { down } => {
                if self.sim.is_host_running(SERVERS[owner]) {
                    self.crash_server(now, owner, down);
                }
            }
            // These happen in a write.
            FaultKind::CrashInWrite { .. } | FaultKind::LostReply => {}
            FaultKind::StoreFails { .. } | FaultKind::StoreHangs { .. } => {
                let fails = matches!(what, FaultKind::StoreFails { .. });
                self.world.disk.set_behaviour(if fails {
                    DiskBehaviour::Fails
                } else {
                    DiskBehaviour::Hangs
                });
                self.tally.store_faults += 1;
                self.schedule_recovery(end, Recovery::StoreAnswers);
            }
            FaultKind::Stall { lasts } => {
                self.tally.stalls += 1;
                self.world.order_stall(owner, lasts);
            }
            FaultKind::Takeover => {
                self.tally.takeovers += 1;
                let next = self.world.change_owner();
                self.world.server_connections[next].begin_crash();
                self.sim.bounce(SERVERS[next]);
            }
            FaultKind::Partition { bot, .. } => {
                self.tally.partitions += 1;
                for server in SERVERS {
                    self.sim.partition(server, bot_host(bot));
                }
                self.schedule_recovery(end, Recovery::Repair(bot));
            }
            FaultKind::OneWayPartition { bot, lost, .. } => {
                self.tally.partitions += 1;
                for server in SERVERS {
                    match lost {
                        Direction::ToServer => self.sim.partition_oneway(bot_host(bot), server),
                        Direction::ToBot => self.sim.partition_oneway(server, bot_host(bot)),
                    }
                }
                self.schedule_recovery(end, Recovery::Repair(bot));
            }
            FaultKind::Hold { bot, .. } => {
                self.tally.partitions += 1;
                for server in SERVERS {
                    self.sim.hold(server, bot_host(bot));
                }
                self.schedule_recovery(end, Recovery::Release(bot));
            }
            FaultKind::Cut { bot } => {
                self.tally.cuts += 1;
                self.world.links[bot].cut();
            }
            FaultKind::SlowReader { bot, .. } => {
                self.tally.bot_faults += 1;
                self.world.links[bot].stop_reading();
                self.schedule_recovery(end, Recovery::ReadAgain(bot));
            }
            FaultKind::SecondSession { bot } => {
                self.tally.bot_faults += 1;
                self.world.links[bot].want_second_session();
            }
            FaultKind::BotCrash { bot } => {
                self.tally.bot_faults += 1;
                self.world.bot_connections[bot].begin_crash();
                self.sim.crash(bot_host(bot));
                self.schedule_recovery(now, Recovery::RestartBot(bot));
            }
        }
    }
}

fn fault_at_time(fault: &Fault) -> Option<(Duration, FaultKind)> {
    match fault.at {
        When::Time(at) => Some((at, fault.what)),
        When::Write(_) => None,
    }
}

/// Returns the unfinished tournaments on a run's disk.
pub fn open_tournaments(world: &World) -> Vec<TournamentId> {
    let tables = world.disk.tables();
    tournament_ids(&world.plan)
        .into_iter()
        .filter(|&id| {
            let stored = finish_at_once(tables.tournament(id)).expect("a store in memory reads");
            stored.is_none_or(|stored| stored.over.is_none())
        })
        .collect()
}
