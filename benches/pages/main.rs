//! The time to the first byte of every page, as a ratio to the smallest page.
//!
//! A SQLite store is filled with a million matches: a sample of 1,000 bots, a long sample of twelve, a ladder of 1,000
//! bots that is paused, a gauntlet, a Swiss tournament and a knockout. A server in a separate process shows them.
//! Requests for each page alternate with requests for the smallest one, as a browser makes them, so their ratio is
//! meaningful even on machines on which the absolute figures are not.
//!
//! `cargo bench --bench pages` takes some minutes, mostly to fill the store. `-- --store FILE` keeps the store and reuses
//! it, `--matches`, `--rounds` and `--seconds` set the amount of work, `--json` prints one object per line. `--played`
//! plays a ladder during the measurement.

mod connection;
mod filling;
mod kinds;
mod playing;
mod server;

use anyhow::{Context as _, ensure};
use clap::Parser;
use connection::Connection;
use kinds::{PageKind, live_kinds, page_kinds};
use server::Server;
use std::{
    env, fs,
    path::PathBuf,
    process, thread,
    time::{Duration, Instant},
};

/// A page is marked if its 99th percentile, divided by that of the smallest page, is above this.
const MAX_RATIO: f64 = 5.0;

/// The pause after the first requests, so that the work that they started can finish.
const SETTLING_TIME: Duration = Duration::from_secs(4);

/// The amount of work.
#[derive(Debug, Parser)]
struct Options {
    /// Stored matches.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(10_000..=10_000_000))]
    matches: u64,
    /// Number of times that each page is requested.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,
    /// Maximum number of seconds for a page.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    seconds: u64,
    /// Keeps the store in this file, and reuses it if it exists.
    #[arg(long)]
    store: Option<PathBuf>,
    /// The program to measure, by default the one that was built with this benchmark.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_lastnim"))]
    program: PathBuf,
    /// Plays matches during the measurement, so that pages are rendered again once a second.
    #[arg(long)]
    played: bool,
    /// Prints JSON, one object per line.
    #[arg(long)]
    json: bool,
    /// The argument that cargo passes to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A folder that is deleted after the benchmark.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // An error is ignored: files that cannot be removed stay in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The measurements of one page.
#[derive(Debug, serde::Serialize)]
struct PageTimes {
    page: &'static str,
    bytes: usize,
    samples: usize,
    /// The time of the first request after the start of the server, in milliseconds.
    first_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    /// The times of the smallest page, which was requested alternately with this one.
    smallest_p50_ms: f64,
    smallest_p99_ms: f64,
    /// The 99th percentile, divided by that of the smallest page.
    ratio: f64,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let folder = Folder(env::temp_dir().join(format!("lastnim-pages-{}", process::id())));
    fs::create_dir_all(&folder.0)?;
    let store = options.store.clone().unwrap_or_else(|| folder.0.join("pages.db"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_filled = store.exists();
    let mut kinds = runtime.block_on(async {
        if !is_filled {
            filling::fill_store(&store, options.matches).await?;
        }
        page_kinds(&store).await
    })?;
    let server = Server::start(&options.program, &store, &folder.0.join("lastnim.key"))?;
    if options.played {
        kinds.extend(live_kinds(&server.begin_ladder()?));
    }
    let mut connection = Connection::open(&server.address)?;
    let first_looks = look_at_all(&mut connection, &kinds)?;
    thread::sleep(SETTLING_TIME);
    let looks = look_at_all(&mut connection, &kinds)?;
    let pages = (0..kinds.len()).filter(|&kind| kinds[kind].is_html());
    let smallest = pages.min_by_key(|&kind| looks[kind].1).context("there are no pages to measure")?;
    if !options.json {
        println!("the smallest page: {} with {} bytes", kinds[smallest].name, looks[smallest].1);
        println!(
            "{:>30} {:>8} {:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>6}",
            "page", "bytes", "samples", "first ms", "p50 ms", "p99 ms", "small p50", "small p99", "ratio"
        );
    }
    let mut too_slow = Vec::new();
    for (kind, (&(first_ms, _), &(_, bytes))) in kinds.iter().zip(first_looks.iter().zip(&looks)) {
        let [smallest_times, times] =
            measure_alternately(&mut connection, [&kinds[smallest].path, &kind.path], &options)?;
        let [smallest_p50_ms, smallest_p99_ms] = percentiles(smallest_times);
        let samples = times.len();
        let [p50_ms, p99_ms] = percentiles(times);
        let ratio = p99_ms / smallest_p99_ms;
        let page = kind.name;
        let shown = PageTimes {
            page,
            bytes,
            samples,
            first_ms,
            p50_ms,
            p99_ms,
            smallest_p50_ms,
            smallest_p99_ms,
            ratio,
        };
        if options.json {
            println!("{}", serde_json::to_string(&shown)?);
        } else {
            println!(
                "{page:>30} {bytes:>8} {samples:>8} {first_ms:>10.2} {p50_ms:>9.2} {p99_ms:>9.2} {smallest_p50_ms:>9.2} {smallest_p99_ms:>9.2} {ratio:>6.1}"
            );
        }
        if ratio > MAX_RATIO {
            too_slow.push(page);
        }
    }
    if !options.json {
        println!(
            "above {MAX_RATIO}: {}",
            if too_slow.is_empty() { "none".to_owned() } else { too_slow.join(", ") }
        );
    }
    Ok(())
}

/// Requests every page once; returns the time until its first byte, in milliseconds, and its number of bytes.
fn look_at_all(connection: &mut Connection, kinds: &[PageKind]) -> anyhow::Result<Vec<(f64, usize)>> {
    let look = |kind: &PageKind| {
        let answer = connection.get(&kind.path)?;
        ensure!(answer.status == 200, "{} at {} returned {}", kind.name, kind.path, answer.status);
        Ok((milliseconds(answer.first_byte), answer.bytes))
    };
    kinds.iter().map(look).collect()
}

/// Requests two pages alternately; returns the times of their first bytes.
fn measure_alternately(
    connection: &mut Connection,
    paths: [&str; 2],
    options: &Options,
) -> anyhow::Result<[Vec<Duration>; 2]> {
    let (began, most) = (Instant::now(), Duration::from_secs(options.seconds));
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..options.rounds {
        for (path, times) in paths.iter().zip(&mut times) {
            let answer = connection.get(path)?;
            ensure!(answer.status == 200, "{path} returned {}", answer.status);
            times.push(answer.first_byte);
        }
        if began.elapsed() > most {
            break;
        }
    }
    Ok(times)
}

/// Returns the median and the 99th percentile, in milliseconds.
fn percentiles(mut times: Vec<Duration>) -> [f64; 2] {
    times.sort_unstable();
    [50, 99].map(|percent| {
        let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
        milliseconds(times[place])
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
