//! `lastnim rationalise`: the rows that explain how a bot played.

use super::report::FoundRows;
use crate::{
    cli::{
        CommandExit, CommandResult, Failure,
        args::shown_rows::RowOutputArgs,
        form::{OutputForm, write_report},
        game_json::{self, PlayedGameJson},
        progress::matches_bar,
        record_input::{self, RecordDocument, RecordDocuments},
    },
    game::{BotName, Game, Seat, SeatCount},
    oracle::{AddedGame, Budget, KnowledgeReading, PlayedTake, RationalisableRows},
    report::{Report, Section, words::count_words},
    wire::{record::parse_record, record_file::read_record, record_text::VERSION_LINE},
};
use clap::Args;
use serde::{Deserialize, de::IgnoredAny};
use std::{collections::BTreeMap, io, path::PathBuf};

/// The most steps that one game may take: some seconds.
const MAX_STEPS_A_GAME: u64 = 10_000_000;

/// Finds the rows under which every take of a bot was optimal, over one or many matches
///
/// There are two readings. If the row is common knowledge, a take is explained by a row if it is optimal in the game
/// with that row in place of the seat's. If the others believe the declared row, what each take leads to is what the
/// oracle says of the game as declared, and the row has to rank what the take led to before all else that it could
/// have led to. Where no row explains all takes, the fewest that contradict each other are shown.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RationaliseArgs {
    /// Files with a record or a game and its takes, or with one of JSON in each line; - for standard input
    #[arg(value_name = "FILE|-", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    who: PlayerArgs,
    #[command(flatten)]
    shown: RowOutputArgs,
}

/// Whose takes.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PlayerArgs {
    /// The bot, whichever seat it has in each record; records without it are passed over
    #[arg(long, value_name = "NAME")]
    bot: Option<BotName>,
    /// The seat, in every record or game
    #[arg(long, value_name = "SEAT")]
    seat: Option<usize>,
}

const EXAMPLES: &str = r#"Examples:
  lastnim rationalise --bot greedy records/*.json
  lastnim rationalise --bot greedy --json records.jsonl
  echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim rationalise --seat 0 -

A row is one of offsets from the seat, the same in all matches; matches with different numbers of seats are told apart.
Only takes of the bot itself count, not those of its steward. --max-seconds bounds the proof that no fewer takes
contradict each other. With --json, there is a line for each number of seats, and counts are strings, as some are too large to be exact numbers."#;

/// Where a game was read, by its number.
#[derive(Debug, Clone, Copy)]
pub struct GameSource {
    pub file: u32,
    pub line: Option<u64>,
    pub seat: Seat,
}

/// What is found of matches with one number of seats.
pub struct SeatCountFindings {
    pub readings: [RationalisableRows; 2],
    pub sources: Vec<GameSource>,
}

/// All that is read.
#[derive(Default)]
pub struct RationaliseFindings {
    pub by_seats: BTreeMap<SeatCount, SeatCountFindings>,
    /// Matches in which the bot has no seat.
    pub without_bot: u64,
    /// Matches that ended before any row was known.
    pub without_rows: u64,
}

/// The key that tells a game from a record.
#[derive(Deserialize)]
struct GameKeys {
    piles: Option<IgnoredAny>,
}

/// A game that was played, as it stands in a document.
struct PlayedGame {
    game: Game,
    seat: Seat,
    takes: Vec<PlayedTake>,
}

pub fn run(args: &RationaliseArgs) -> CommandResult {
    let mut findings = RationaliseFindings::default();
    let bar = matches_bar(None);
    for (number, file) in (0..).zip(&args.files) {
        bar.set_message(record_input::input_name(file));
        let failed = |error: io::Error| {
            let refused = error.kind() == io::ErrorKind::InvalidData;
            let what = record_input::input_name(file);
            if refused { Failure::input(format!("{what}: {error}")) } else { Failure::runtime(error, what) }
        };
        let mut documents = RecordDocuments::open(file).map_err(failed)?;
        while let Some(document) = documents.next().map_err(failed)? {
            if document.line.is_some() && document.text.trim().is_empty() {
                continue;
            }
            findings.read_document(&document, number, &args.who).map_err(|error| {
                let line = document.line.map(|line| format!(":{line}")).unwrap_or_default();
                Failure::input(format!("{}{line}: {error}", record_input::input_name(file)))
            })?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if findings.by_seats.is_empty() {
        return Err(Failure::input(findings.nothing_found_message(&args.who)));
    }
    let files: Vec<_> = args.files.iter().map(|file| record_input::input_name(file)).collect();
    let RationaliseArgs { shown, .. } = args;
    for (&seats, found) in &findings.by_seats {
        let contradictions = shown
            .time
            .run_within_limit(|budget| found.readings.each_ref().map(|rows| rows.contradiction(budget)));
        let rows = FoundRows { files: &files, findings: &findings, seats, found, contradictions };
        shown.form().print_report(|| rows.json(shown.row_set_limits()), || rows.report(shown.examples))?;
    }
    if shown.form() == OutputForm::Text {
        write_report(&mut io::stdout().lock(), &uncounted_report(&findings)).map_err(Failure::Output)?;
    }
    Ok(CommandExit::Done)
}

/// Says which matches do not count.
fn uncounted_report(findings: &RationaliseFindings) -> Report {
    let kinds = [
        (findings.without_bot, "without it"),
        (findings.without_rows, "that ended before the rows were known"),
    ];
    let some = kinds.into_iter().filter(|&(matches, _)| matches > 0);
    Section::new()
        .paragraphs(some.map(|(matches, why)| {
            format!("Passed over: {} {why}.", count_words(matches, "match", "matches"))
        }))
        .into()
}

impl RationaliseFindings {
    /// Takes in a document.
    ///
    /// # Errors
    /// Says what is wrong with it.
    fn read_document(
        &mut self,
        document: &RecordDocument,
        file: u32,
        who: &PlayerArgs,
    ) -> Result<(), Failure> {
        let Some(played) = self.parse_played_game(&document.text, who)? else { return Ok(()) };
        let seats = played.game.matrix.seats();
        let found = self.by_seats.entry(seats).or_insert_with(|| SeatCountFindings {
            readings: [KnowledgeReading::CommonKnowledge, KnowledgeReading::DeclaredBelieved]
                .map(|reading| RationalisableRows::new(seats, reading)),
            sources: Vec::new(),
        });
        for rows in &mut found.readings {
            let mut budget = Budget::of_steps(MAX_STEPS_A_GAME);
            // A game that is left out is counted there, and the report says so.
            let _: AddedGame = rows
                .add_game(&played.game, played.seat, &played.takes, &mut budget)
                .map_err(Failure::input)?;
        }
        found.sources.push(GameSource { file, line: document.line, seat: played.seat });
        Ok(())
    }

    /// Finds the game and the seat in a document; nothing if the match does not count.
    fn parse_played_game(&mut self, document: &str, who: &PlayerArgs) -> Result<Option<PlayedGame>, Failure> {
        let is_record = document.starts_with(VERSION_LINE)
            || matches!(game_json::read_json(document).map_err(Failure::input)?, GameKeys { piles: None });
        if !is_record {
            return read_game(document, who).map(Some);
        }
        let record = read_record(document).map_err(Failure::input)?;
        let record = parse_record(&record).map_err(Failure::input)?;
        let state = record.state();
        let bots = &state.setup().bots;
        let seat = match (&who.bot, who.seat) {
            (Some(bot), _) => bots.enumerate().find_map(|(seat, other)| (other == bot).then_some(seat)),
            (None, seat) => Some(self::parse_seat(bots.seats(), seat)?),
        };
        let Some(seat) = seat else {
            self.without_bot += 1;
            return Ok(None);
        };
        let Some(game) = state.game() else {
            self.without_rows += 1;
            return Ok(None);
        };
        Ok(Some(PlayedGame { game: game.clone(), seat, takes: state.takes().to_vec() }))
    }

    /// Says why there is nothing to answer.
    fn nothing_found_message(&self, who: &PlayerArgs) -> String {
        match (&who.bot, self.without_rows) {
            (Some(bot), 0) => format!("no match of {bot} is among the {} that were read", self.without_bot),
            _ => "no match was read whose rows are known".to_owned(),
        }
    }
}

fn read_game(document: &str, who: &PlayerArgs) -> Result<PlayedGame, Failure> {
    let played = game_json::read_known_json(document).and_then(PlayedGameJson::parse_played);
    let (game, takes) = played.map_err(Failure::input)?;
    if let Some(bot) = &who.bot {
        return Err(Failure::input(format!("--bot {bot}: a game names no bots: give --seat instead")));
    }
    let seat = parse_seat(game.matrix.seats(), who.seat)?;
    Ok(PlayedGame { game, seat, takes: takes.into_iter().map(PlayedTake::by_bot).collect() })
}

fn parse_seat(seats: SeatCount, seat: Option<usize>) -> Result<Seat, Failure> {
    let seat = seat.unwrap_or_default();
    seats.seat(seat).map_err(|error| Failure::input(format!("--seat: {error}")))
}
