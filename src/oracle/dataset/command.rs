//! `lastnim oracle dataset`.

use crate::{
    CommandExit, CommandResult, Failure, batch, new_file::AtomicFile, progress::positions_bar, screen,
    text::numbers,
};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use lastnim_benchmark::{DistinctPositions, PositionDraw, PositionFilter, PositionKind, label_position};
use lastnim_core::game::{Ending, SeatCount};
use lastnim_proto::{json::MessageJson, pb::DatasetSplit};
use lastnim_report::words::count_with_noun;
use std::{
    io::{self, BufWriter, IsTerminal as _, Write},
    path::PathBuf,
};

/// The maximum number of positions in a dataset.
const MAX_POSITIONS: u64 = 10_000_000;

/// Writes positions labelled by the oracle as lines of JSON, to train models
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DatasetArgs {
    /// The number of different positions, 1 to 10,000,000
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_POSITIONS))]
    positions: u64,
    /// The set from which positions are drawn
    #[arg(long, value_enum, default_value_t = SplitArg::Train)]
    split: SplitArg,
    /// The numbers of seats, 2 to 32, each equally likely
    #[arg(long, default_value = "2,3,4,5", value_name = "N,N,..")]
    seats: String,
    /// Minimum and maximum number of piles, 1 to 1,024
    #[arg(long, default_value = "1,5", value_name = "MIN,MAX")]
    draw_piles: String,
    /// Minimum and maximum number of counters in a pile, 1 to 2^63 - 1
    #[arg(long, default_value = "1,9", value_name = "MIN,MAX")]
    draw_counters: String,
    /// Who wins when no counter is left
    #[arg(long, default_value = "to-move-wins", value_name = "to-move-wins|last-mover-wins")]
    ending: Ending,
    /// Leaves out positions where more than this share of takes is optimal, above 0 and up to 1
    #[arg(long, default_value_t = 1.0, value_name = "SHARE", value_parser = parse_share)]
    max_optimal_share: f64,
    /// The seed of the positions
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Writes a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// One of the two sets of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SplitArg {
    /// Nine of ten positions, meant for training
    Train,
    /// The other positions, meant for benchmarks: do not train on them
    Benchmark,
}

impl SplitArg {
    fn split(self) -> DatasetSplit {
        match self {
            Self::Train => DatasetSplit::Train,
            Self::Benchmark => DatasetSplit::Benchmark,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  lastnim oracle dataset --positions 10 --seats 3
  lastnim oracle dataset --positions 100 --seed 7 --max-optimal-share 0.5 --output train.jsonl
  lastnim oracle dataset --positions 20 --split benchmark --seats 2,3 --draw-counters 1,20 --output benchmark.jsonl

The id of a position alone decides to which set it belongs, so the two sets never overlap.
docs/reference/datasets.md describes the lines.";

pub fn run(args: &DatasetArgs) -> CommandResult {
    let kind = args.parse_position_kind()?;
    match &args.output {
        None => {
            let mut output = BufWriter::new(screen::stdout_document());
            args.write_positions(kind, &mut output)?;
            output.flush().map_err(Failure::Output)?;
        }
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            args.write_positions(kind, &mut file).map_err(|failure| match failure {
                Failure::Output(error) => Failure::runtime(error, path.display()),
                other => other,
            })?;
            file.finish()?;
        }
    }
    Ok(CommandExit::Done)
}

impl DatasetArgs {
    fn parse_position_kind(&self) -> Result<PositionKind, Failure> {
        let counts = numbers::read_numbers(&self.seats, "--seats")?;
        let seats = counts.iter().map(|&count| {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            SeatCount::new(count).map_err(|error| Failure::input(format!("--seats: {error}")))
        });
        let seats = seats.collect::<Result<Vec<_>, _>>()?;
        if seats.is_empty() {
            return Err(Failure::input("--seats: expected numbers from 2 to 32"));
        }
        if let Some(twice) = (1..seats.len()).find(|&place| seats[..place].contains(&seats[place])) {
            return Err(Failure::input(format!("--seats: {} appears twice", seats[twice].get())));
        }
        let piles = read_range(&self.draw_piles, "--draw-piles")?;
        let to_usize = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let kind = PositionKind {
            seats,
            piles: (to_usize(piles.0), to_usize(piles.1)),
            counters: read_range(&self.draw_counters, "--draw-counters")?,
            ending: self.ending,
        };
        kind.check().map_err(Failure::input)?;
        Ok(kind)
    }

    fn write_positions(&self, kind: PositionKind, output: &mut impl Write) -> Result<(), Failure> {
        let filter = PositionFilter { split: self.split.split(), max_optimal_share: self.max_optimal_share };
        let draw = PositionDraw::new(kind, self.seed);
        let mut positions = DistinctPositions::new(draw, filter, self.positions);
        // On a terminal the lines themselves show the progress.
        let shows_lines = self.output.is_none() && io::stdout().is_terminal();
        let bar = if shows_lines { ProgressBar::hidden() } else { positions_bar(self.positions) };
        for position in positions.by_ref() {
            let labelled = label_position(&position.game, &position.explanation);
            batch::print_json_line(output, &MessageJson::of(&labelled))?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        if positions.found() == self.positions {
            return Ok(());
        }
        Err(Failure::input(format!(
            "--positions {}: {} draws gave only {} with these settings: ask for fewer positions, allow more piles, counters or seats, or raise --max-optimal-share",
            self.positions,
            positions.max_draws(),
            count_with_noun(positions.found(), "different position", "different positions")
        )))
    }
}

/// Reads a share of takes, above 0 and at most 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "expected a share above 0 and at most 1, such as 0.5".to_owned())
}

/// Reads the minimum and the maximum of a range.
fn read_range(text: &str, what: &str) -> Result<(u64, u64), Failure> {
    match numbers::read_numbers(text, what)?.as_slice() {
        &[least, most] => Ok((least, most)),
        numbers => Err(Failure::input(format!(
            "{what} {text:?} has {}: expected a minimum and a maximum, such as 1,5",
            count_with_noun(numbers.len(), "number", "numbers")
        ))),
    }
}
