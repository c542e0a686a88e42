//! `lastnim audit rationalise`.

use super::report::SeatCountReport;
use crate::{
    CommandExit, CommandResult, Failure,
    args::row_output::RowOutputArgs,
    audit::list_files,
    form::{OutputFormat, write_report},
    game_json::{self, PlayedGameJson},
    progress::matches_bar,
    record_input::{self, RecordDocument, RecordDocuments},
    screen,
};
use clap::Args;
use lastnim_analysis::{AddGameOutcome, KnowledgeReading, RationalisableRows};
use lastnim_core::{
    game::{BotName, Game, Seat, SeatCount},
    oracle::{Budget, PlayedTake},
    referee::{PublicKey, Record},
};
use lastnim_proto::{
    pb,
    record::{parse_record, verify_record},
    record_file::read_record,
    record_text::VERSION_LINE,
};
use lastnim_report::{Report, Section, words::count_with_noun};
use serde::{Deserialize, de::IgnoredAny};
use std::{
    collections::BTreeMap,
    fmt::Display,
    io::{self, Write as _},
    path::PathBuf,
};

/// The maximum number of steps for one game. This many steps take a few seconds.
const MAX_STEPS_PER_GAME: u64 = 10_000_000;

/// Finds the rows that explain every take of a bot
///
/// It tests two readings: the row is common knowledge, or the others believe the declared row. If no row explains all takes,
/// it shows the fewest takes that contradict each other.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RationaliseArgs {
    /// Files of records or games with takes, or folders of them (.json, .jsonl); - for standard input
    #[arg(value_name = "FILE|DIR|-", required = true)]
    files: Vec<PathBuf>,
    /// Counts only verified records signed by this key, as `lastnim record key` prints it
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<PublicKey>,
    #[command(flatten)]
    who: PlayerArgs,
    #[command(flatten)]
    shown: RowOutputArgs,
}

/// The player whose takes are explained.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PlayerArgs {
    /// The bot, at any seat; records without it are skipped
    #[arg(long, value_name = "NAME")]
    bot: Option<BotName>,
    /// The seat in every record or game
    #[arg(long, value_name = "SEAT")]
    seat: Option<usize>,
}

const EXAMPLES: &str = r#"Examples:
  lastnim audit rationalise --bot greedy records
  lastnim audit rationalise --bot greedy --key $(lastnim record key) records
  lastnim audit rationalise --bot greedy --json records.jsonl
  echo '{"piles":[3],"alliance_matrix":[[0,1],[0,1]],"takes":[1,2]}' | lastnim audit rationalise --seat 0 -

Rows are offsets from the seat. Matches with different numbers of seats are reported separately. Takes of the steward do not count.
Records that cannot be read, or do not match --key, are named and make the exit code 1. --max-time limits the search for the
fewest contradicting takes. In JSON, counts are strings, because some are too large for an exact number."#;

/// The maximum number of takes kept to show a contradiction. This many takes need about 100 MiB of memory.
const MAX_KEPT_TAKES: usize = 1 << 22;

/// Where a game came from.
#[derive(Debug)]
pub struct GameSource {
    pub file: u32,
    pub line: Option<u64>,
    pub seat: Seat,
    /// The game and its takes; `None` if keeping them would exceed `MAX_KEPT_TAKES`.
    pub played: Option<Box<(Game, Box<[PlayedTake]>)>>,
}

/// The findings for all matches with the same number of seats.
pub struct SeatCountFindings {
    pub readings: [RationalisableRows; 2],
    pub sources: Vec<GameSource>,
}

/// The findings for all games.
#[derive(Default)]
pub struct RationaliseFindings {
    pub by_seat_count: BTreeMap<SeatCount, SeatCountFindings>,
    /// The number of matches in which the bot had no seat.
    pub without_bot: u64,
    /// The number of matches that ended before the rows were revealed.
    pub without_rows: u64,
    /// The number of takes kept so far, in all games together.
    kept_takes: usize,
}

/// The key that distinguishes a game from a record.
#[derive(Deserialize)]
struct GameKeys {
    piles: Option<IgnoredAny>,
}

/// A played game that was read from a document.
struct PlayedGame {
    game: Game,
    seat: Seat,
    takes: Vec<PlayedTake>,
}

pub fn run(args: &RationaliseArgs) -> CommandResult {
    let files = list_files(&args.files)?;
    let mut findings = RationaliseFindings::default();
    let bar = matches_bar(None);
    let mut left_out = 0_u64;
    for (number, file) in (0..).zip(&files) {
        let name = record_input::input_name(file);
        bar.set_message(name.clone());
        let mut leave_out = |line: Option<u64>, why: &dyn Display| {
            left_out += 1;
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            bar.suspend(|| {
                // A write error is ignored: the failure at the end also counts this document.
                let _ = writeln!(screen::stderr(), "left out: {name}{line}: {why}");
            });
        };
        let mut documents = match RecordDocuments::open(file) {
            Ok(documents) => documents,
            Err(error) => {
                leave_out(None, &error);
                continue;
            }
        };
        loop {
            match documents.next_document() {
                Ok(None) => break,
                Ok(Some(document)) if document.line.is_some() && document.text.trim().is_empty() => {}
                Ok(Some(document)) => {
                    if let Err(why) = findings.add_document(&document, number, args) {
                        leave_out(document.line, &why);
                    }
                    bar.inc(1);
                }
                Err(error) => {
                    let reads_on =
                        error.kind() == io::ErrorKind::InvalidData && documents.line_number().is_some();
                    leave_out(documents.line_number(), &error);
                    if !reads_on {
                        break;
                    }
                }
            }
        }
    }
    bar.finish_and_clear();
    if findings.by_seat_count.is_empty() {
        return Err(match left_out {
            0 => Failure::input(findings.nothing_found_message(&args.who)),
            _ => left_out_failure(left_out),
        });
    }
    let files: Vec<_> = files.iter().map(|file| record_input::input_name(file)).collect();
    let RationaliseArgs { shown, .. } = args;
    for (&seats, found) in &findings.by_seat_count {
        let contradictions = shown
            .time
            .run_within_limit(|budget| found.readings.each_ref().map(|rows| rows.contradiction(budget)));
        let rows = SeatCountReport { files: &files, findings: &findings, seats, found, contradictions };
        shown.form().print_report(|| rows.json(shown.row_set_limits()), || rows.report(shown.examples))?;
    }
    if shown.form() == OutputFormat::Text {
        write_report(&mut screen::stdout(), &uncounted_report(&findings)).map_err(Failure::Output)?;
    }
    if left_out == 0 { Ok(CommandExit::Done) } else { Err(left_out_failure(left_out)) }
}

fn left_out_failure(left_out: u64) -> Failure {
    let were = count_with_noun(left_out, "document was", "documents were");
    Failure::Runtime(anyhow::anyhow!("{were} left out; see the messages above"))
}

/// Reports how many matches were skipped, and why.
fn uncounted_report(findings: &RationaliseFindings) -> Report {
    let kinds = [
        (findings.without_bot, "without the bot"),
        (findings.without_rows, "that ended before the rows were revealed"),
    ];
    let some = kinds.into_iter().filter(|&(matches, _)| matches > 0);
    Section::new()
        .paragraphs(some.map(|(matches, why)| {
            format!("Skipped: {} {why}.", count_with_noun(matches, "match", "matches"))
        }))
        .into()
}

impl RationaliseFindings {
    /// Adds the game in a document to the findings.
    ///
    /// # Errors
    /// The error says what is wrong with the document.
    fn add_document(
        &mut self,
        document: &RecordDocument,
        file: u32,
        args: &RationaliseArgs,
    ) -> Result<(), Failure> {
        let Some(played) = self.parse_played_game(&document.text, args)? else { return Ok(()) };
        let seats = played.game.matrix.seats();
        let found = self.by_seat_count.entry(seats).or_insert_with(|| SeatCountFindings {
            readings: [KnowledgeReading::CommonKnowledge, KnowledgeReading::DeclaredBelieved]
                .map(|reading| RationalisableRows::new(seats, reading)),
            sources: Vec::new(),
        });
        let added = found.readings.iter_mut().try_for_each(|rows| {
            let mut budget = Budget::of_steps(MAX_STEPS_PER_GAME);
            // If a game takes too many steps, `rows` only counts it as left out, and the report says so.
            rows.add_game(&played.game, played.seat, &played.takes, &mut budget).map(|_: AddGameOutcome| ())
        });
        if let Err(error) = added {
            // Both readings refuse the same games, so neither of them has counted a take of this one.
            if found.sources.is_empty() {
                self.by_seat_count.remove(&seats);
            }
            return Err(Failure::input(error));
        }
        let kept = self.kept_takes + played.takes.len() <= MAX_KEPT_TAKES;
        self.kept_takes += if kept { played.takes.len() } else { 0 };
        let PlayedGame { game, seat, takes } = played;
        found.sources.push(GameSource {
            file,
            line: document.line,
            seat,
            played: kept.then(|| Box::new((game, takes.into_boxed_slice()))),
        });
        Ok(())
    }

    /// Finds the game and the seat in a document; returns `None` if the match does not count.
    fn parse_played_game(
        &mut self,
        document: &str,
        args: &RationaliseArgs,
    ) -> Result<Option<PlayedGame>, Failure> {
        let who = &args.who;
        let keys = |document| game_json::read_some_keys::<GameKeys, PlayedGameJson>(document);
        let is_game =
            !document.starts_with(VERSION_LINE) && keys(document).map_err(Failure::input)?.piles.is_some();
        if is_game {
            return match args.key {
                Some(_) => Err(Failure::input("a game has no signature: --key is only for records")),
                None => read_game(document, who).map(Some),
            };
        }
        let given = read_record(document).map_err(Failure::input)?;
        let record = match args.key {
            Some(key) => verify_signed_record(&given, key).map_err(Failure::input)?,
            None => parse_record(&given).map_err(Failure::input)?,
        };
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

    /// Explains why there is no answer.
    fn nothing_found_message(&self, who: &PlayerArgs) -> String {
        match (&who.bot, self.without_rows) {
            (Some(_), 0) if self.without_bot == 0 => "no match was read".to_owned(),
            (Some(bot), 0) if self.without_bot == 1 => format!("{bot} did not play in the only match read"),
            (Some(bot), 0) => format!("{bot} played in none of the {} matches read", self.without_bot),
            _ => "no match with revealed rows was read".to_owned(),
        }
    }
}

fn read_game(document: &str, who: &PlayerArgs) -> Result<PlayedGame, Failure> {
    let played = game_json::read_known_json(document).and_then(PlayedGameJson::parse_played);
    let (game, takes) = played.map_err(Failure::input)?;
    if let Some(bot) = &who.bot {
        return Err(Failure::input(format!("--bot {bot}: a game has no bot names: use --seat instead")));
    }
    let seat = parse_seat(game.matrix.seats(), who.seat)?;
    Ok(PlayedGame { game, seat, takes: takes.into_iter().map(PlayedTake::by_bot).collect() })
}

/// Verifies a record, and checks that it is signed by the given key.
fn verify_signed_record(given: &pb::MatchRecord, key: PublicKey) -> Result<Record, String> {
    let sealed = verify_record(given).map_err(|flaw| format!("it does not verify: {flaw}"))?;
    match sealed.seal().map(|seal| seal.signer) {
        None => Err("it is not signed".to_owned()),
        Some(signer) if signer != key => Err(format!("it is signed by another key: {signer}")),
        Some(_) => Ok(sealed.into_record()),
    }
}

fn parse_seat(seats: SeatCount, seat: Option<usize>) -> Result<Seat, Failure> {
    let seat = seat.unwrap_or_default();
    seats.seat(seat).map_err(|error| Failure::input(format!("--seat: {error}")))
}
