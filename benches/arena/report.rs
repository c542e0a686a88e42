//! The results of the runs, as tables or as JSON.

use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};

use crate::{
    Cell, SHARED_CONNECTIONS, Target,
    load::Measured,
    process::Log,
    tournament::{Seen, Size},
};

/// The share of one CPU below which a run that should keep it busy counts as disturbed.
const BUSY: f64 = 0.9;

/// All measurements.
#[derive(Serialize)]
pub(crate) struct Report {
    /// Worker threads of each server.
    pub(crate) threads: usize,
    /// Whether the server and the bots had one CPU each.
    pub(crate) is_pinned: bool,
    /// Runs of each load on each server.
    pub(crate) rounds: u32,
    /// The duration of a measurement.
    pub(crate) window_ms: u128,
    /// The server that is compared with the bare one.
    pub(crate) against: Target,
    /// The median time to write and sync two pages of a file, in microseconds.
    pub(crate) sync_us: f64,
    /// Every load.
    pub(crate) cells: Vec<Runs>,
    /// The memory of idle sessions.
    pub(crate) memory: Vec<Memory>,
    /// The costs of tournaments.
    pub(crate) tournaments: Vec<Tournament>,
    /// The duration of the benchmark.
    pub(crate) seconds: f64,
}

impl Report {
    /// Prints tables.
    pub(crate) fn print(&self) {
        let Self { threads, is_pinned, rounds, window_ms, against, cells, memory, tournaments, .. } = self;
        println!(
            "{threads} server threads; the bots run in another process, with one thread, {}; {rounds} rounds of {window_ms} ms; streams share {SHARED_CONNECTIONS} connections",
            if *is_pinned { "each pinned to its own CPUs" } else { "not pinned" },
        );
        if !cells.is_empty() {
            print_plies(cells, *against);
            print_stores(cells, self.sync_us);
        }
        if !memory.is_empty() {
            print_memory(memory);
        }
        if !tournaments.is_empty() {
            print_tournaments(tournaments);
        }
        println!("in {:.0} s", self.seconds);
    }
}

/// All runs of one load.
pub(crate) struct Runs {
    /// The load.
    pub(crate) cell: Cell,
    /// By server, in the order in which they were first measured.
    by_target: Vec<(Target, Vec<Measured>)>,
}

impl Runs {
    /// Creates a load without runs.
    pub(crate) fn new(cell: Cell) -> Self {
        Self { cell, by_target: Vec::new() }
    }

    /// Returns the runs on a server, mutably.
    pub(crate) fn of(&mut self, target: Target) -> &mut Vec<Measured> {
        let known = self.by_target.iter().position(|(known, _)| *known == target);
        let place = known.unwrap_or_else(|| {
            self.by_target.push((target, Vec::new()));
            self.by_target.len() - 1
        });
        &mut self.by_target[place].1
    }

    /// Returns the runs on a server.
    fn on(&self, target: Target) -> &[Measured] {
        let found = self.by_target.iter().find(|(known, _)| *known == target);
        found.map_or(&[], |(_, runs)| runs)
    }
}

impl Serialize for Runs {
    /// Writes the load, and for each server all runs, their medians, and the ratios of plies and CPU time to the bare
    /// server.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct OnServer<'a> {
            server: Target,
            median: &'a Middle,
            ratio_by_plies: f64,
            ratio_by_cpu: f64,
            runs: &'a [Measured],
        }
        let bare = Middle::of(&self.cell, self.on(Target::Bare));
        let medians: Vec<Middle> =
            self.by_target.iter().map(|(_, runs)| Middle::of(&self.cell, runs)).collect();
        let servers: Vec<OnServer<'_>> = self
            .by_target
            .iter()
            .zip(&medians)
            .map(|((server, runs), median)| OnServer {
                server: *server,
                median,
                ratio_by_plies: median.plies_a_second / bare.plies_a_second,
                ratio_by_cpu: bare.cpu_us_a_ply / median.cpu_us_a_ply,
                runs,
            })
            .collect();
        let mut all = serializer.serialize_struct("Runs", 2)?;
        all.serialize_field("cell", &self.cell)?;
        all.serialize_field("servers", &servers)?;
        all.end()
    }
}

/// The cost of idle sessions to a server.
#[derive(Serialize)]
pub(crate) struct Memory {
    /// The server.
    pub(crate) target: Target,
    /// Sessions opened.
    pub(crate) sessions: usize,
    /// Connections that carried them.
    pub(crate) connections: usize,
    /// KiB per session.
    pub(crate) kib_each: f64,
}

/// Prints plies, latencies and CPU time side by side.
fn print_plies(all: &[Runs], against: Target) {
    let mut table = table(&[
        "matches",
        "a stream",
        "streams",
        "hears",
        "plies/s",
        "ratio",
        "p50 us",
        "p99 us",
        "CPU us/ply",
        "CPU ratio",
        "game us/ply",
        "server CPUs",
        "bots CPUs",
    ]);
    for runs in all {
        let cell = &runs.cell;
        let (bare, other) = (Middle::of(cell, runs.on(Target::Bare)), Middle::of(cell, runs.on(against)));
        let pair =
            |of: fn(&Middle) -> f64, digits| format!("{:.digits$} / {:.digits$}", of(&bare), of(&other));
        table.add_row([
            cell.matches.to_string(),
            cell.a_stream.to_string(),
            cell.stream_count().to_string(),
            cell.hearing.to_string(),
            pair(|m| m.plies_a_second, 0),
            format!(
                "{}{:.2}",
                if bare.steady && other.steady { "" } else { "~" },
                other.plies_a_second / bare.plies_a_second
            ),
            pair(|m| m.p50_us, 0),
            pair(|m| m.p99_us, 0),
            pair(|m| m.cpu_us_a_ply, 1),
            format!("{:.2}", bare.cpu_us_a_ply / other.cpu_us_a_ply),
            format!("{:+.1}", other.cpu_us_a_ply - bare.cpu_us_a_ply),
            pair(|m| m.server_cpus, 2),
            pair(|m| m.client_cpus, 2),
        ]);
    }
    println!("Plies per second: bare / {against} (ratio: {against} to bare; CPU: server only)\n{table}");
    let each = || all.iter().flat_map(|runs| runs.by_target.iter().map(|(_, of)| (&runs.cell, of)));
    let dropped: usize = each().map(|(cell, of)| disturbed_count(cell, of)).sum();
    let played: usize = each().map(|(_, of)| of.len()).sum();
    println!(
        "{dropped} of {played} runs were disturbed: neither process kept {BUSY} of a processor busy. They count only in\ncells without other runs; ~ marks the ratios of these cells: trust their CPU ratios instead."
    );
    for (cell, of) in each() {
        let followed: u64 = of.iter().map(|run| run.followed).sum();
        if followed > 0 {
            println!("{followed} of {} matches reached their ply limit in {} runs", cell.matches, of.len());
        }
    }
}

/// Prints the costs of the stores.
fn print_stores(all: &[Runs], sync_us: f64) {
    let mut table = table(&[
        "matches",
        "a stream",
        "store",
        "vs bare",
        "vs memory",
        "vs bare+db",
        "p50 us",
        "p99 us",
        "CPU us/ply",
        "takes/commit",
        "server CPUs",
    ]);
    for runs in all.iter().filter(|runs| runs.cell.is_for_stores()) {
        let middle_of = |target| Middle::of(&runs.cell, runs.on(target));
        let (bare, memory) = (middle_of(Target::Bare), middle_of(Target::Memory));
        for (target, measured) in &runs.by_target {
            if *target == Target::Bare {
                continue;
            }
            let one = middle_of(*target);
            let shares: Vec<f64> = measured.iter().filter_map(|run| run.takes_a_commit).collect();
            table.add_row([
                runs.cell.matches.to_string(),
                runs.cell.a_stream.to_string(),
                target.to_string(),
                format!("{:.2}", one.plies_a_second / bare.plies_a_second),
                format!("{:.2}", one.plies_a_second / memory.plies_a_second),
                target.bare_peer().map_or_else(
                    || "-".to_owned(),
                    |peer| format!("{:.2}", one.plies_a_second / middle_of(peer).plies_a_second),
                ),
                format!("{:.0}", one.p50_us),
                format!("{:.0}", one.p99_us),
                format!("{:.1}", one.cpu_us_a_ply),
                if shares.is_empty() { "-".to_owned() } else { format!("{:.1}", median(shares)) },
                format!("{:.2}", one.server_cpus),
            ]);
        }
    }
    println!(
        "Plies per second with each store, relative to the bare server, to a store in memory, and to a bare server that writes each take\n\
         to the same database\n{table}"
    );
    let alone = all.iter().find(|runs| runs.cell.matches == 1 && !runs.on(Target::Ply).is_empty());
    if let Some(alone) = alone {
        let p50_us = |target| Middle::of(&alone.cell, alone.on(target)).p50_us;
        println!(
            "A single match on SQLite with `--durability ply`: {:.0} us per ply at p50, {:.2} times a sync ({sync_us:.0} us) plus a ply on the bare server",
            p50_us(Target::Ply),
            p50_us(Target::Ply) / (sync_us + p50_us(Target::Bare)),
        );
    }
}

/// Prints the cost of idle sessions.
fn print_memory(all: &[Memory]) {
    let mut table = table(&["server", "sessions", "connections", "KiB/session"]);
    for Memory { target, sessions, connections, kib_each } in all {
        table.add_row([
            target.to_string(),
            sessions.to_string(),
            connections.to_string(),
            format!("{kib_each:.1}"),
        ]);
    }
    println!("Server memory per idle session (for the bare server: with a tokio channel)\n{table}");
}

/// A tournament that was played on a server.
#[derive(Serialize)]
pub(crate) struct Tournament {
    /// The server.
    pub(crate) target: Target,
    /// Its size.
    pub(crate) size: Size,
    /// The measurements of its bots and organiser.
    pub(crate) seen: Seen,
    /// The figures that the server logged.
    #[serde(skip)]
    pub(crate) log: Log,
}

/// Prints the cost of tournaments apart from their matches.
fn print_tournaments(all: &[Tournament]) {
    let mut speed = table(&[
        "store",
        "bots",
        "matches",
        "a bot",
        "join s",
        "plan s",
        "matches/s",
        "CPU us/match",
        "scheduler",
        "CPU us/match",
        "standings",
        "server CPUs",
        "bots CPUs",
    ]);
    let mut memory = table(&[
        "store",
        "MiB at 10%",
        "at 50%",
        "at 100%",
        "peak",
        "last rating s",
        "all ratings s",
        "updates",
        "KiB each",
    ]);
    for Tournament { target, size, seen, log } in all {
        let seconds = |chore| log.figure(chore).map_or(f64::NAN, |millis| millis / 1e3);
        let scheduler = seconds("pairing") + seconds("counting");
        let matches = f64::from(seen.matches);
        let (fewest, most) = seen.spread;
        speed.add_row([
            target.to_string(),
            size.bots.to_string(),
            seen.matches.to_string(),
            format!("{fewest} to {most}"),
            format!("{:.2}", seen.joining),
            format!("{:.2}", seconds("planning")),
            format!("{:.0}", matches / seen.playing),
            format!("{:.0}", seen.server_cpu * 1e6 / matches),
            format!("{:.2}%", 100.0 * scheduler / seen.server_runnable),
            format!("{:.1}", scheduler / seen.server_runnable * seen.server_cpu * 1e6 / matches),
            format!("{:.2}%", 100.0 * seconds("ranking") / seen.server_runnable),
            format!("{:.2}", seen.server_cpu / seen.playing),
            format!("{:.2}", seen.client_cpu / seen.playing),
        ]);
        let [tenth, half, whole] = seen.resident_kib.map(|kib| format!("{:.1}", kib / 1024.0));
        memory.add_row([
            target.to_string(),
            tenth,
            half,
            whole,
            format!("{:.1}", seen.peak_kib / 1024.0),
            format!("{:.1}", seen.ending),
            format!("{:.1}", seconds("rating")),
            seen.updates.to_string(),
            format!("{:.0}", f64::from(seen.update_bytes) / 1024.0),
        ]);
    }
    println!(
        "Tournaments: the shares of the server thread's runnable time that go to scheduling (finding the next match, and passing\n\
         results to the schedule and the standings) and to sorting the standings for a watcher\n{speed}"
    );
    println!("Server memory in these tournaments, and the cost of rating and watching\n{memory}");
}

fn table(heads: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(heads);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The medians of some runs.
#[derive(Serialize)]
struct Middle {
    /// Whether they are from undisturbed runs.
    steady: bool,
    plies_a_second: f64,
    p50_us: f64,
    p99_us: f64,
    cpu_us_a_ply: f64,
    server_cpus: f64,
    client_cpus: f64,
}

impl Middle {
    fn of(cell: &Cell, runs: &[Measured]) -> Self {
        let steady: Vec<&Measured> = runs.iter().filter(|run| !is_disturbed(cell, run)).collect();
        let is_steady = !steady.is_empty();
        let counted = if steady.is_empty() { runs.iter().collect() } else { steady };
        let median = |of: fn(&Measured) -> f64| median(counted.iter().map(|run| of(run)).collect());
        Self {
            steady: is_steady,
            plies_a_second: median(|run| run.plies_a_second),
            p50_us: median(|run| run.p50_us),
            p99_us: median(|run| run.p99_us),
            cpu_us_a_ply: median(|run| run.server_cpus * 1e6 / run.plies_a_second),
            server_cpus: median(|run| run.server_cpus),
            client_cpus: median(|run| run.client_cpus),
        }
    }
}

/// Returns the median of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = ((values.len().max(1) - 1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => f64::midpoint(*low, *high),
        _ => f64::NAN,
    }
}

fn disturbed_count(cell: &Cell, runs: &[Measured]) -> usize {
    runs.iter().filter(|run| is_disturbed(cell, run)).count()
}

/// Returns whether a run was disturbed: one side should have kept a processor busy, but neither did.
fn is_disturbed(cell: &Cell, run: &Measured) -> bool {
    cell.matches >= Cell::SATURATING && run.server_cpus.max(run.client_cpus) < BUSY
}
