//! The time and memory of an audit of one bot over a million records.
//!
//! `cargo bench --bench audit` plays and signs a pool of matches, pipes their records to the audit of one bot
//! repeatedly until a million have passed, and prints the matches per second, the rate at which one thread parses and
//! verifies, and the peak memory of the process. `-- --matches N` uses fewer.

#[path = "records.rs"]
mod records;

use anyhow::{Context as _, ensure};
use clap::Parser;
use lastnim_proto::{
    record::{parse_record, read_record_json, verify_record},
    record_file::RecordForm,
};
use records::MadeUp;
use std::{
    fs,
    hint::black_box,
    io::Write as _,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Seats of every match.
const SEATS: usize = 4;
/// Number of matches played; their records are audited repeatedly.
const POOL: u32 = 4_000;

/// Measures the audit of many records.
#[derive(Debug, Parser)]
struct Options {
    /// Records to audit
    #[arg(long, default_value_t = 1_000_000)]
    matches: u32,
    /// Cargo passes this to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let began = Instant::now();
    let made_up = MadeUp::new(SEATS, 1);
    let pool: Vec<String> = (0..POOL)
        .map(|number| {
            let (record, seal) = made_up.play(number.into());
            RecordForm::Json.write(&record, Some(&seal))
        })
        .collect();
    let bytes = pool.iter().map(String::len).sum::<usize>() / pool.len();
    println!(
        "{POOL} matches of {SEATS} played and signed in {:.1} s, {bytes} bytes per record",
        seconds(began.elapsed())
    );

    let a_second = |took: Duration| f64::from(POOL) / seconds(took);
    let parsed = a_second(time_work(|| {
        for text in &pool {
            black_box(parse_record(&read_record_json(text)?)?);
        }
        Ok(())
    })?);
    let verified = a_second(time_work(|| {
        for text in &pool {
            black_box(verify_record(&read_record_json(text)?)?);
        }
        Ok(())
    })?);
    println!("one thread: {parsed:.0} records per second parsed and replayed, {verified:.0} also verified");
    audit(&pool, options.matches, parsed, verified)
}

/// Audits this many records with the program; prints its rate next to the rate of one thread that parses and verifies.
fn audit(pool: &[String], matches: u32, parsed: f64, verified: f64) -> anyhow::Result<()> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(["audit", "bot", "fair", "--json", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut auditor = command.spawn().context("cannot start the program")?;
    let mut input = auditor.stdin.take().context("the program has no input pipe")?;
    for (number, text) in (1..=matches).zip(pool.iter().cycle()) {
        input.write_all(text.as_bytes())?;
        if number == matches || number % (matches / 10).max(1) == 0 {
            println!(
                "{number:>9} records submitted after {:>6.1} s; peak memory {:.1} MiB",
                seconds(began.elapsed()),
                peak_kib(auditor.id())? / 1024.0
            );
        }
    }
    drop(input);
    let output = auditor.wait_with_output()?;
    let took = began.elapsed();
    ensure!(output.status.success(), "the audit failed: {}", output.status);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    ensure!(found["records"]["read"] == matches, "not every record was read: {}", found["records"]);
    let a_second = f64::from(matches) / seconds(took);
    println!(
        "{matches} records audited in {:.1} s: {a_second:.0} per second, {:.2} times as many as one thread parses, and {:.2} times as many as it parses and verifies",
        seconds(took),
        a_second / parsed,
        a_second / verified
    );
    Ok(())
}

fn time_work(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// Returns the peak resident memory of a process, in KiB.
fn peak_kib(pid: u32) -> anyhow::Result<f64> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("cannot read the process's memory use")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("the process status has no VmHWM line")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
