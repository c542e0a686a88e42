//! `lastnim oracle solve --game`: solves games other than Last Nim.

use super::grundy_steps::grundy_steps_section;
use super::question::{GameQuestion, GameQuestionError, GameQuestionJson};
use crate::{
    CommandExit, CommandResult, Failure,
    args::limits::{self, LimitArgs},
    batch::{RulesetAnswer, SolutionAnswer},
    form::OutputFormat,
    game_json,
    text::numbers,
};
use clap::Args;
use lastnim_analysis::general::{
    GameNumbers, GeneralAnswer, GeneralGame, GrundyDecomposition, MoveOutcome, NoGrundyReason, Ruleset,
    TwoPlayerAnswer,
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Seat},
    oracle::Budget,
};
use lastnim_proto::{json::MessageJson, pb, ruleset::ruleset_solution_message};
use lastnim_report::{
    Column, NumberUnit, ReportReader, Section, Table,
    robustness::ruleset_robustness_sections,
    winner_words::{ending_text, optimal_play_sentence, winners_by_first_seat},
    words::{count_with_noun, join_items},
};
use serde::Serialize;

/// Flags for a game's numbers other than its piles, and for the limits on solving it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Other games")]
pub struct RulesetArgs {
    /// The game, one of those listed below [default: last-nim]
    #[arg(long, value_name = "NAME")]
    game: Option<Ruleset>,
    /// subtraction: the numbers that may be taken
    #[arg(long, value_name = "N,N,..")]
    set: Option<String>,
    /// subtraction: the largest number that may be taken, instead of --set (bounded Nim)
    #[arg(long, value_name = "N", conflicts_with = "set")]
    max: Option<u64>,
    /// circular-nim: how many neighbouring piles a move may change
    #[arg(long, value_name = "N")]
    window: Option<u64>,
    /// fibonacci-nim: the largest next take [default: all but one counter]
    #[arg(long, value_name = "N")]
    most: Option<u64>,
    /// graph-nim: the edges, each as two vertices and a weight
    #[arg(long, value_name = "V-V:N,..")]
    edges: Option<String>,
    /// graph-nim: the vertex of the token
    #[arg(long, value_name = "V")]
    vertex: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The kind of search that a question about Last Nim needs. It determines which limits the user may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastNimSearch {
    /// No search: the game is solved directly.
    None,
    /// A search with a time limit that does not store positions: robustness and variants.
    WithinTime,
}

/// The maximum number of moves printed as text.
const MAX_MOVES: usize = 20;

impl RulesetArgs {
    /// Reads the game and its position.
    pub fn parse_game(&self, piles: Option<&str>, search: LastNimSearch) -> Result<GeneralGame, Failure> {
        let numbers_in =
            |text: Option<&str>, what: &str| numbers::read_numbers(text.unwrap_or_default(), what);
        let numbers = GameNumbers {
            piles: numbers_in(piles, "piles")?,
            set: numbers_in(self.set.as_deref(), "set")?,
            max: self.max,
            window: self.window,
            most: self.most,
            edges: parse_edges(self.edges.as_deref().unwrap_or_default())?,
            vertex: self.vertex,
        };
        let ruleset = self.game.unwrap_or_default();
        let game = GeneralGame::parse(ruleset, &numbers).map_err(|error| {
            Failure::input(limits::describe_number_error(&error, |name| format!("--{name}")))
        })?;
        let unused = match search {
            LastNimSearch::None => self.limits.first_given_flag(),
            LastNimSearch::WithinTime => self.limits.first_given_memory_flag(),
        };
        match unused {
            Some(flag) if ruleset == Ruleset::LastNim => Err(Failure::input(format!(
                "{flag} limits a search{}: leave it out",
                match search {
                    LastNimSearch::None => ", but last-nim is solved without one",
                    LastNimSearch::WithinTime => " that stores positions, but this question stores none",
                }
            ))),
            _ => Ok(game),
        }
    }

    /// Asks a question about Last Nim within the time limit.
    pub fn run_within_time<A>(&self, ask: impl FnOnce(&mut Budget<'_>) -> A) -> A {
        self.limits.run_within_time(ask)
    }

    /// Describes how the time limit stopped a search, and names its flag.
    pub fn describe_timeout(&self) -> String {
        self.limits.describe_timeout()
    }

    /// Returns whether `--game` is given.
    pub fn is_game_named(&self) -> bool {
        self.game.is_some()
    }

    /// Solves a game within the limits.
    pub fn solve(
        &self,
        game: &GeneralGame,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
    ) -> Result<GeneralAnswer, String> {
        self.limits.solve_within_limits(|bounds, budget| game.solve(matrix, first, ending, bounds, budget))
    }
}

/// Reads edges such as `0-1:3,1-2:1`.
fn parse_edges(text: &str) -> Result<Vec<[u64; 3]>, Failure> {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    let edge = |word: &str| {
        let (ends, weight) = word.split_once(':')?;
        let (one, other) = ends.split_once('-')?;
        Some([one.parse().ok()?, other.parse().ok()?, weight.parse().ok()?])
    };
    words
        .map(|word| {
            edge(word).ok_or_else(|| {
                Failure::input(format!(
                    "edges: {word:?} is not an edge: expected two vertices and a weight, as in 0-1:3"
                ))
            })
        })
        .collect()
}

/// The answer to a line of a batch.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum BatchLineAnswer {
    LastNim(SolutionAnswer),
    General(RulesetAnswer),
}

impl RulesetArgs {
    /// Answers a line of a batch; the line itself says which game it is about.
    pub fn answer_batch_line(&self, line: &str) -> Result<BatchLineAnswer, GameQuestionError> {
        match game_json::read_known_json::<GameQuestionJson>(line)?.parse_question()? {
            GameQuestion::LastNim(game) => {
                Ok(BatchLineAnswer::LastNim(pb::SolveResponse::from(&game).into()))
            }
            GameQuestion::General { game, matrix, first, ending } => {
                let answer =
                    self.solve(&game, &matrix, first, ending).map_err(GameQuestionError::Unsolved)?;
                let message = ruleset_solution_message(&game, ending, &answer, None, usize::MAX);
                Ok(BatchLineAnswer::General(message.into()))
            }
        }
    }

    /// Solves a game and prints the answer.
    pub fn solve_and_print(
        &self,
        game: &GeneralGame,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
        form: OutputFormat,
        GeneralDetail { listed, max_coalition }: GeneralDetail,
    ) -> CommandResult {
        let solved = self.limits.solve_within_limits(|bounds, budget| {
            let (mut answer, robustness) = match max_coalition {
                Some(max_coalition) => {
                    let solved =
                        game.solve_and_assess(matrix, first, ending, max_coalition, bounds, budget)?;
                    (solved.0, Some(solved.1))
                }
                None => (game.solve(matrix, first, ending, bounds, budget)?, None),
            };
            if listed == ListedMoves::All {
                game.explain_grundy(&mut answer, bounds, budget)?;
            }
            Ok((answer, robustness))
        });
        let (answer, robustness) = solved.map_err(Failure::input)?;
        let message = ruleset_solution_message(game, ending, &answer, robustness.as_ref(), usize::MAX);
        form.print_report(
            || MessageJson::of(&message),
            || {
                let steps = grundy_steps_section(&answer).filter(|_| listed == ListedMoves::All);
                let robustness = ruleset_robustness_sections(&message, first.index(), MAX_MOVES);
                [self.section(game, first, ending, &answer, listed)]
                    .into_iter()
                    .chain(steps)
                    .chain(robustness)
                    .collect()
            },
        )?;
        Ok(CommandExit::Done)
    }

    fn section(
        &self,
        game: &GeneralGame,
        first: Seat,
        ending: Ending,
        answer: &GeneralAnswer,
        listed: ListedMoves,
    ) -> Section {
        let GeneralAnswer { winner, value, options, states, .. } = answer;
        let who = if options.is_empty() {
            format!("Seat {first} has no move: seat {winner} wins (value {value}).")
        } else {
            optimal_play_sentence(*winner, *value, first, ReportReader::CommandLine)
        };
        let section = Section::new()
            .paragraph(format!("{game}: {}.", game.ruleset().move_rule()))
            .paragraph(ending_text(ending, ReportReader::CommandLine))
            .paragraph(who)
            .paragraph(winners_by_first_seat(&answer.winner_by_first, ReportReader::CommandLine));
        let section = match listed {
            ListedMoves::Optimal => with_optimal_moves(section, first, answer),
            ListedMoves::All => with_all_moves(section, first, answer),
        };
        let two_players = answer.two_players.iter().flat_map(|two| {
            [format!("Outcome: {}, {}.", two.outcome, two.outcome.meaning()), self.grundy_text(two)]
        });
        let solved = format!("Solved by {}; states solved: {states}.", answer.method);
        section.paragraphs(two_players).paragraph(solved)
    }

    fn grundy_text(&self, two: &TwoPlayerAnswer) -> String {
        let value = match &two.grundy {
            Ok(grundy) if grundy.parts.len() > 1 => {
                let parts = grundy.parts.iter().map(|part| format!("{} of {}", part.value, part.part));
                format!("{}, the exclusive or of {}", grundy.value, join_items(parts, ", "))
            }
            Ok(grundy) => grundy.value.to_string(),
            Err(NoGrundyReason::Stopped(stopped)) => {
                format!("not found, because {}", self.limits.describe_exceeded_limit(*stopped))
            }
            Err(_) => "none, because the moves depend on the seat".to_owned(),
        };
        format!("Grundy value (under {} play): {value}.", GrundyDecomposition::ENDING)
    }
}

/// The optional parts of an answer that the user asked for.
#[derive(Debug, Clone, Copy)]
pub struct GeneralDetail {
    /// The moves that the text lists.
    pub listed: ListedMoves,
    /// The largest coalition to search, if the answer includes the robustness of the winner.
    pub max_coalition: Option<usize>,
}

/// The moves that the text lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedMoves {
    /// The optimal moves.
    Optimal,
    /// All moves, with their winners and costs.
    All,
}

fn with_optimal_moves(section: Section, first: Seat, answer: &GeneralAnswer) -> Section {
    let optimal: Vec<_> = answer.options.iter().filter(|option| option.is_optimal()).collect();
    if optimal.is_empty() {
        return section;
    }
    let kind = if answer.two_players.is_some() && answer.winner == first { "Winning" } else { "Optimal" };
    section
        .paragraph(format!("{kind} moves, {} of {}:", optimal.len(), answer.options.len()))
        .list(optimal.iter().take(MAX_MOVES).map(|option| format!("{} -> {}", option.play, option.position)))
        .list(more_moves_text(optimal.len()))
}

fn with_all_moves(section: Section, first: Seat, answer: &GeneralAnswer) -> Section {
    if answer.options.is_empty() {
        return section;
    }
    // The optimal moves come first, so that they are shown even if the table is cut.
    let mut options: Vec<&MoveOutcome> = answer.options.iter().collect();
    options.sort_by_key(|option| option.regret);
    let table = Table::of_items(&options)
        .column(Column::text("move"), |option| option.play.clone())
        .column(Column::text("leads to"), |option| option.position.clone())
        .column(Column::text("winner"), |option| format!("seat {}", option.winner))
        .column(Column::number("regret", NumberUnit::Ranks, 0), |option| option.regret)
        .into_table();
    section
        .paragraph(format!("Seat {first} has {}:", count_with_noun(options.len(), "move", "moves")))
        .table(Table { max_shown: Some(MAX_MOVES), ..table })
        .list(more_moves_text(options.len()))
}

fn more_moves_text(moves: usize) -> Option<String> {
    let more = moves.checked_sub(MAX_MOVES).filter(|&more| more > 0)?;
    Some(format!("and {more} more, which --json lists"))
}
