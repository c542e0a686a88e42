//! The flags of `lastnim oracle dataset`, and the lines that it writes.

use crate::{CommandExit, CommandResult, Failure, batch, new_file::AtomicFile, text::numbers};
use clap::{Args, ValueEnum};
use lastnim_benchmark::{DistinctPositions, DrawnKind, PositionDraw, PositionFilter, label_position};
use lastnim_core::game::{Ending, SeatCount};
use lastnim_proto::{json::MessageJson, pb::DatasetSplit};
use lastnim_report::words::count_words;
use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};

/// The most positions of a dataset.
const MAX_POSITIONS: u64 = 10_000_000;

/// Writes positions labelled by the oracle as lines of JSON, to train models on
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DatasetArgs {
    /// How many positions are written, each once, 1 to 10,000,000
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_POSITIONS))]
    positions: u64,
    /// The set to draw from
    #[arg(long, value_enum, default_value_t = SplitArg::Train)]
    split: SplitArg,
    /// The numbers of seats, each equally likely and named once, 2 to 32
    #[arg(long, default_value = "2,3,4,5", value_name = "N,N,..")]
    seats: String,
    /// The fewest and the most piles, 1 to 1,024
    #[arg(long, default_value = "1,5", value_name = "MIN,MAX")]
    draw_piles: String,
    /// The fewest and the most counters of a pile, 1 to 2^63 - 1
    #[arg(long, default_value = "1,9", value_name = "MIN,MAX")]
    draw_counters: String,
    /// Who wins when no counter is left
    #[arg(long, default_value = "to-move-wins", value_name = "to-move-wins|last-mover-wins")]
    ending: Ending,
    /// The greatest share of takes that may be optimal, above 0 and up to 1; below 1, positions in which every take is optimal are left out
    #[arg(long, default_value_t = 1.0, value_name = "SHARE", value_parser = parse_share)]
    max_optimal_share: f64,
    /// What the positions derive from
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Writes a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// One of the two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SplitArg {
    /// Nine of ten positions
    Train,
    /// The tenth that is kept for benchmarks: do not train on it
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

A line has the \"id\" of the position, its \"split\", the \"game\", the \"winner\" under optimal play, \"options\" (all takes, with the winner
that they lead to and the ranks that they cost) and \"difficulty\" (the share of takes that are optimal, what a random take costs, how many
plies one has to see, and how often a search by 32 random games errs). Positions that differ in nothing but the numbers of
their seats count as one. Which set a position belongs to follows from its id alone, so that the two sets never overlap, whatever
the seeds. docs/datasets.md has every field.";

pub fn run(args: &DatasetArgs) -> CommandResult {
    let kind = args.drawn_kind()?;
    match &args.output {
        None => {
            let mut output = BufWriter::new(io::stdout().lock());
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
    fn drawn_kind(&self) -> Result<DrawnKind, Failure> {
        let counts = numbers::read_numbers(&self.seats, "--seats")?;
        let seats = counts.iter().map(|&count| {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            SeatCount::new(count).map_err(|error| Failure::input(format!("--seats: {error}")))
        });
        let seats = seats.collect::<Result<Vec<_>, _>>()?;
        if seats.is_empty() {
            return Err(Failure::input("--seats: none is given: a match has 2 to 32 seats"));
        }
        if let Some(twice) = (1..seats.len()).find(|&place| seats[..place].contains(&seats[place])) {
            return Err(Failure::input(format!(
                "--seats: {} stands twice: each number is named once",
                seats[twice].get()
            )));
        }
        let piles = read_range(&self.draw_piles, "--draw-piles")?;
        let whole = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let kind = DrawnKind {
            seats,
            piles: (whole(piles.0), whole(piles.1)),
            counters: read_range(&self.draw_counters, "--draw-counters")?,
            ending: self.ending,
        };
        kind.check().map_err(Failure::input)?;
        Ok(kind)
    }

    fn write_positions(&self, kind: DrawnKind, output: &mut impl Write) -> Result<(), Failure> {
        let filter = PositionFilter { split: self.split.split(), max_optimal_share: self.max_optimal_share };
        let draw = PositionDraw::new(kind, self.seed);
        let mut positions = DistinctPositions::new(draw, filter, self.positions);
        for position in positions.by_ref() {
            let labelled = label_position(&position.game, &position.explanation);
            batch::print_json_line(output, &MessageJson::of(&labelled))?;
        }
        if positions.found() == self.positions {
            return Ok(());
        }
        Err(Failure::input(format!(
            "--positions {}: {} draws have only {} different positions of this kind: ask for fewer positions, allow more piles, counters or seats, or raise --max-optimal-share",
            self.positions,
            positions.max_draws(),
            positions.found()
        )))
    }
}

/// Reads a share of takes.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "a share is above 0 and at most 1".to_owned())
}

/// Reads the two ends of a range.
fn read_range(text: &str, what: &str) -> Result<(u64, u64), Failure> {
    match numbers::read_numbers(text, what)?.as_slice() {
        &[least, most] => Ok((least, most)),
        numbers => Err(Failure::input(format!(
            "{what} {text:?} has {}: the fewest and the most were expected, such as 1,5",
            count_words(numbers.len(), "number", "numbers")
        ))),
    }
}
