//! `lastnim solve --game`: the other games of the seeds.

use super::question::{Question, QuestionError, QuestionJson};
use crate::{
    cli::{
        Exit, Failure, Outcome,
        args::limits::{self, LimitArgs},
        batch::{RulesetAnswer, SolutionAnswer},
        form::Form,
        game_json,
        text::numbers,
    },
    game::{AllianceMatrix, Ending, Seat},
    oracle::general::{
        Answer, AnsweredOption, GameNumbers, GeneralGame, Grundy, NoGrundy, Ruleset, TwoPlayers,
    },
    wire::{json::message_to_json, pb, ruleset::solved_ruleset},
};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};

/// What a game needs besides piles, and what solving it may cost.
#[derive(Debug, Args)]
#[command(next_help_heading = "Other games")]
pub struct GeneralArgs {
    /// The game, one of those listed below; last-nim unless given
    #[arg(long, value_name = "NAME")]
    game: Option<Ruleset>,
    /// What may be taken from a pile of subtraction
    #[arg(long, value_name = "N,N,..")]
    set: Option<String>,
    /// How many neighbouring piles of circular-nim may be touched at once
    #[arg(long, value_name = "N")]
    window: Option<u64>,
    /// The most that may be taken next in fibonacci-nim; all but one unless given
    #[arg(long, value_name = "N")]
    most: Option<u64>,
    /// The edges of graph-nim, each as two vertices and a weight
    #[arg(long, value_name = "V-V:N,..")]
    edges: Option<String>,
    /// The vertex of graph-nim's token
    #[arg(long, value_name = "V")]
    vertex: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// The most moves that are printed in words.
const MAX_MOVES: usize = 20;

impl GeneralArgs {
    /// Reads the game and its position.
    pub fn game(&self, piles: Option<&str>) -> Result<GeneralGame, Failure> {
        let read = |text: Option<&str>, what: &str| numbers::read(text.unwrap_or_default(), what);
        let numbers = GameNumbers {
            piles: read(piles, "piles")?,
            set: read(self.set.as_deref(), "set")?,
            window: self.window,
            most: self.most,
            edges: edges(self.edges.as_deref().unwrap_or_default())?,
            vertex: self.vertex,
        };
        let ruleset = self.game.unwrap_or_default();
        let game = GeneralGame::parse(ruleset, &numbers)
            .map_err(|error| Failure::input(limits::numbers(&error, |name| format!("--{name}"))))?;
        match self.limits.flag() {
            Some(flag) if ruleset == Ruleset::LastNim => Err(Failure::input(format!(
                "{flag} is for a search, and last-nim is solved without one: leave it out"
            ))),
            _ => Ok(game),
        }
    }

    /// Returns whether the game is given by its name.
    pub fn is_named(&self) -> bool {
        self.game.is_some()
    }

    /// Solves a game within the bounds.
    pub fn solve(
        &self,
        game: &GeneralGame,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
    ) -> Result<Answer, String> {
        self.limits.within(|bounds, budget| game.solve(matrix, first, ending, bounds, budget))
    }
}

/// Reads edges such as `0-1:3,1-2:1`.
fn edges(text: &str) -> Result<Vec<[u64; 3]>, Failure> {
    let words = text.split(|char: char| char == ',' || char.is_whitespace()).filter(|word| !word.is_empty());
    let edge = |word: &str| {
        let (ends, weight) = word.split_once(':')?;
        let (one, other) = ends.split_once('-')?;
        Some([one.parse().ok()?, other.parse().ok()?, weight.parse().ok()?])
    };
    words
        .map(|word| {
            edge(word).ok_or_else(|| {
                Failure::input(format!("edges: {word:?} is no edge, two vertices and a weight as in 0-1:3"))
            })
        })
        .collect()
}

/// The answer to a line of a batch.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum LineAnswer {
    LastNim(SolutionAnswer),
    General(RulesetAnswer),
}

impl GeneralArgs {
    /// Answers a line of a batch, which names its game itself.
    pub fn answer_line(&self, line: &str) -> Result<LineAnswer, QuestionError> {
        match game_json::read_known::<QuestionJson>(line)?.question()? {
            Question::LastNim(game) => Ok(LineAnswer::LastNim(pb::SolveResponse::from(&game).into())),
            Question::General { game, matrix, first, ending } => {
                let answer = self.solve(&game, &matrix, first, ending).map_err(QuestionError::Unsolved)?;
                Ok(LineAnswer::General(solved_ruleset(&game, &answer, usize::MAX).into()))
            }
        }
    }

    /// Solves a game and prints the answer.
    pub fn run(
        &self,
        game: &GeneralGame,
        matrix: &AllianceMatrix,
        first: Seat,
        ending: Ending,
        form: Form,
        listed: Listed,
    ) -> Outcome {
        let answer = self.solve(game, matrix, first, ending).map_err(Failure::input)?;
        form.print(
            || message_to_json(&solved_ruleset(game, &answer, usize::MAX)),
            |output| self.print(output, game, first, &answer, listed),
        )?;
        Ok(Exit::Done)
    }

    fn print(
        &self,
        output: &mut impl Write,
        game: &GeneralGame,
        first: Seat,
        answer: &Answer,
        listed: Listed,
    ) -> io::Result<()> {
        let Answer { winner, value, options, states, .. } = answer;
        writeln!(output, "{game}: {}.", game.ruleset().rule())?;
        if options.is_empty() {
            writeln!(output, "Seat {first} has no move: seat {winner} wins (value {value}).")?;
        } else {
            writeln!(
                output,
                "Seat {winner} wins under optimal play (value {value}), with seat {first} to move."
            )?;
        }
        let by_first =
            answer.winner_by_first.enumerate().map(|(first, winner)| format!("{first} -> {winner}"));
        writeln!(output, "Winner by first seat: {}", by_first.collect::<Vec<_>>().join(", "))?;
        match listed {
            Listed::Optimal => print_optimal(output, first, answer)?,
            Listed::All => print_all(output, first, answer)?,
        }
        if let Some(two) = &answer.two_players {
            writeln!(output, "Outcome: {}, {}.", two.outcome, two.outcome.meaning())?;
            self.print_grundy(output, two)?;
        }
        let noun = if *states == 1 { "state" } else { "states" };
        writeln!(output, "Solved by {} in {states} {noun}.", answer.method)
    }

    fn print_grundy(&self, output: &mut impl Write, two: &TwoPlayers) -> io::Result<()> {
        write!(output, "Grundy value (of {} play): ", Grundy::ENDING)?;
        match &two.grundy {
            Ok(grundy) => {
                write!(output, "{}", grundy.value)?;
                if grundy.parts.len() > 1 {
                    let parts = grundy.parts.iter().map(|(part, value)| format!("{value} of {part}"));
                    write!(output, ", the exclusive or of {}", parts.collect::<Vec<_>>().join(", "))?;
                }
                writeln!(output, ".")
            }
            Err(NoGrundy::Stopped(stopped)) => {
                writeln!(output, "not found, as {}.", self.limits.stopped(*stopped))
            }
            Err(_) => writeln!(output, "none, as the moves depend on the seat."),
        }
    }
}

/// Which moves are printed in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    /// The optimal ones.
    Optimal,
    /// All, with the winners that they lead to and what they cost.
    All,
}

fn print_optimal(output: &mut impl Write, first: Seat, answer: &Answer) -> io::Result<()> {
    let optimal: Vec<_> = answer.options.iter().filter(|option| option.is_optimal()).collect();
    if optimal.is_empty() {
        return Ok(());
    }
    let kind = if answer.two_players.is_some() && answer.winner == first { "Winning" } else { "Optimal" };
    writeln!(output, "{kind} moves, {} of {}:", optimal.len(), answer.options.len())?;
    for option in optimal.iter().take(MAX_MOVES) {
        writeln!(output, "  {} -> {}", option.play, option.position)?;
    }
    print_more(output, optimal.len())
}

fn print_all(output: &mut impl Write, first: Seat, answer: &Answer) -> io::Result<()> {
    if answer.options.is_empty() {
        return Ok(());
    }
    writeln!(output, "What the {} moves of seat {first} lead to:", answer.options.len())?;
    // The optimal ones come first, so that they are not among those that are left out.
    let mut options: Vec<&AnsweredOption> = answer.options.iter().collect();
    options.sort_by_key(|option| option.regret);
    for option in options.iter().take(MAX_MOVES) {
        let AnsweredOption { play, position, winner, regret } = option;
        write!(output, "  {play} -> {position}: seat {winner} wins, ")?;
        match regret {
            0 => writeln!(output, "optimal")?,
            1 => writeln!(output, "regret 1 rank")?,
            ranks => writeln!(output, "regret {ranks} ranks")?,
        }
    }
    print_more(output, options.len())
}

fn print_more(output: &mut impl Write, moves: usize) -> io::Result<()> {
    match moves.saturating_sub(MAX_MOVES) {
        0 => Ok(()),
        more => writeln!(output, "  and {more} more, which --json lists"),
    }
}
