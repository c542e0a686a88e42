//! What the runs showed, as tables.

use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};

use crate::{Cell, Target, load::Measured};

/// The share of one processor below which a run that should keep it busy was disturbed.
const BUSY: f64 = 0.9;

/// All runs of one cell.
pub(crate) struct Runs {
    /// What was played.
    pub(crate) cell: Cell,
    /// The runs on the bare server.
    pub(crate) bare: Vec<Measured>,
    /// The runs on the server held against it.
    pub(crate) other: Vec<Measured>,
}

/// What idle sessions cost a server.
pub(crate) struct Memory {
    /// The server.
    pub(crate) target: Target,
    /// Sessions opened.
    pub(crate) sessions: usize,
    /// Connections that carried them.
    pub(crate) connections: usize,
    /// KiB for each.
    pub(crate) kib_each: f64,
}

/// Prints plies, latencies and processor time, side by side.
pub(crate) fn plies(all: &[Runs], against: Target) {
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
    for Runs { cell, bare, other } in all {
        let (bare, other) = (Middle::of(cell, bare), Middle::of(cell, other));
        let pair =
            |of: fn(&Middle) -> f64, digits| format!("{:.digits$} / {:.digits$}", of(&bare), of(&other));
        table.add_row([
            cell.matches.to_string(),
            cell.a_stream.to_string(),
            cell.streams().to_string(),
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
    println!("Plies, bare / {against} (ratio: {against} of bare; CPU: of the server)\n{table}");
    let dropped: usize =
        all.iter().map(|runs| disturbed(&runs.cell, &runs.bare) + disturbed(&runs.cell, &runs.other)).sum();
    let played: usize = all.iter().map(|runs| runs.bare.len() + runs.other.len()).sum();
    println!(
        "{dropped} of {played} runs were disturbed: neither process kept {BUSY} of a processor busy. They count only \
         where a\ncell has no other; ~ marks its ratio, and the CPU ratio is the one to trust there."
    );
    for Runs { cell, other, .. } in all {
        let followed: u64 = other.iter().map(|run| run.followed).sum();
        if followed > 0 {
            println!(
                "{followed} of {} matches reached their ply limit in {} runs",
                cell.matches,
                other.len()
            );
        }
    }
}

/// Prints what idle sessions cost.
pub(crate) fn memory(all: &[Memory]) {
    let mut table = table(&["server", "sessions", "connections", "KiB a session"]);
    for Memory { target, sessions, connections, kib_each } in all {
        table.add_row([
            target.to_string(),
            sessions.to_string(),
            connections.to_string(),
            format!("{kib_each:.1}"),
        ]);
    }
    println!("Memory of the server for each idle session (of the bare one: with a tokio channel)\n{table}");
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
struct Middle {
    /// Whether they are of runs that nothing disturbed.
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
        let median = |of: fn(&Measured) -> f64| {
            let mut values: Vec<f64> = counted.iter().map(|run| of(run)).collect();
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = ((values.len().max(1) - 1) / 2, values.len() / 2);
            match (values.get(low), values.get(high)) {
                (Some(low), Some(high)) => f64::midpoint(*low, *high),
                _ => f64::NAN,
            }
        };
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

fn disturbed(cell: &Cell, runs: &[Measured]) -> usize {
    runs.iter().filter(|run| is_disturbed(cell, run)).count()
}

/// Tells whether neither side had a processor to itself, where one of them should have been the bottleneck.
fn is_disturbed(cell: &Cell, run: &Measured) -> bool {
    cell.matches >= Cell::SATURATING && run.server_cpus.max(run.client_cpus) < BUSY
}
