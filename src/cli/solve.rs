//! `lastnim solve`: who wins under optimal play, and by which takes.

use super::{
    Exit, Failure, Outcome, batch, form::Form, json::SolutionJson, numbers, solve_general::GeneralArgs,
};
use crate::{
    game::{AllianceMatrix, Ending, Game, SeatCount},
    oracle::{Solution, erratum, general::Ruleset},
};
use clap::Args;
use std::io::{self, Write};

/// Solves a position: who wins under optimal play, and by which takes
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SolveArgs {
    /// Counters of each pile; the last nonempty one is played
    #[arg(long, required_unless_present_any = ["batch", "edges", "vertex"], value_name = "N,N,..")]
    piles: Option<String>,
    /// Everybody's preferences, a row for each seat: offsets from the seat, the most preferred winner first
    #[arg(long, default_value = STANDARD, value_name = "ROW;ROW;..|standard")]
    matrix: String,
    /// The number of seats, which the standard matrix needs
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// The seat that moves first
    #[arg(long, default_value_t = 0, value_name = "SEAT")]
    first: usize,
    /// Who wins when no counter is left
    #[arg(long, default_value = "to-move-wins", value_name = "to-move-wins|last-mover-wins")]
    ending: Ending,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Reads positions from standard input, one in JSON a line, and prints one line of JSON for each
    #[arg(long, conflicts_with_all = ["piles", "matrix", "players", "first", "ending", "game", "set", "window", "most", "edges", "vertex"])]
    batch: bool,
    #[command(flatten)]
    general: GeneralArgs,
}

const STANDARD: &str = "standard";

const EXAMPLES: &str = r#"Examples:
  lastnim solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim solve --piles 4,3 --matrix standard --players 4 --first 2
  lastnim solve --piles 9,9,1,6 --players 4 --ending last-mover-wins --json
  lastnim solve --game kayles --piles 5 --players 3
  lastnim solve --game subtraction --set 1,3,4 --piles 21 --players 2 --ending last-mover-wins
  lastnim solve --game graph-nim --edges 0-1:2,1-2:1 --vertex 0 --players 3
  echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]]}' | lastnim solve --batch

A row such as '0 2 1' belongs to the seat of its place: itself first, then the seat two places on, then the next one.
With --game, --ending says who wins when the seat to move has no move; the games are:
  last-nim       take any number from the last nonempty pile
  nim            take any number from one pile
  small-nim      take any number from a smallest nonempty pile
  circular-nim   take from piles in a circle, within a --window of so many neighbours
  fibonacci-nim  one pile: take at most twice what was taken before, and not all at first
  graph-nim      --edges and --vertex: lower an edge at the token and move it along
  kayles         remove one stone of a row or two neighbours; the row splits there
  subtraction    take a number of the --set from one pile
  digits         subtract one of its nonzero digits from one number
  stone-piles    split one pile into two or more of pairwise different sizes
  end-nim        even seats take from the leftmost nonempty pile, odd seats from the rightmost

In a batch "first" is 0 and "ending" is "to_move_wins" unless given; other games say "game":"kayles", and
"set", "window", "most", "edges" (as [[0,1,2],[1,2,1]]) and "vertex" where they need them. A bad line is answered by
{"line":k,"error":".."}, the rest is still answered, and the exit code is 3."#;

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let mut output = io::stdout().lock();
    if args.batch {
        let answer = |line: &str| args.general.answer_line(line);
        return batch::answer(io::stdin().lock(), "standard input", output, answer);
    }
    let general = args.general.game(args.piles.as_deref())?;
    if general.ruleset() != Ruleset::LastNim {
        let matrix = AllianceMatrix::parse(&rows(args)?).map_err(Failure::input)?;
        let first = matrix.seats().seat(args.first);
        let first = first.map_err(|error| Failure::input(format!("first: {error}")))?;
        let form = if args.json { Form::Json } else { Form::Text };
        return args.general.run(&general, &matrix, first, args.ending, form);
    }
    let game = game(args)?;
    if args.json {
        batch::print_line(&mut output, &SolutionJson::of(&game))?;
    } else {
        print(&mut output, &game).map_err(Failure::Output)?;
    }
    Ok(Exit::Done)
}

fn game(args: &SolveArgs) -> Result<Game, Failure> {
    let piles = numbers::read(args.piles.as_deref().unwrap_or_default(), "piles")?;
    let rows = rows(args)?;
    Game::parse(&piles, &rows, args.first, args.ending).map_err(Failure::input)
}

fn rows(args: &SolveArgs) -> Result<Vec<Vec<u64>>, Failure> {
    if args.matrix.trim() == STANDARD {
        let players = args.players.ok_or_else(|| {
            Failure::input("the standard matrix needs --players, or give every row with --matrix")
        })?;
        let seats = SeatCount::new(players).map_err(|error| Failure::input(format!("players: {error}")))?;
        let offsets = |row: &crate::game::Row| row.offsets().iter().map(|&offset| offset.into()).collect();
        return Ok(AllianceMatrix::standard(seats).rows().iter().map(offsets).collect());
    }
    let rows = numbers::rows(&args.matrix)?;
    match args.players {
        Some(players) if players != rows.len() => Err(Failure::input(format!(
            "{players} players and a matrix of {} rows: it has one for each",
            rows.len()
        ))),
        _ => Ok(rows),
    }
}

fn print(output: &mut impl Write, game: &Game) -> io::Result<()> {
    let (solution, position) = (Solution::new(game), game.position());
    let winner = solution.winner(&position);
    let first = game.first();
    let value = game.matrix.seats().distance(first, winner);
    if position.is_over() {
        writeln!(
            output,
            "No counter is left: seat {winner} wins (value {value}), with seat {first} to move."
        )?;
    } else {
        writeln!(
            output,
            "Seat {winner} wins under optimal play (value {value}), with seat {first} to move."
        )?;
        let counters = position.counters();
        let last = if counters == 1 { "is 1".into() } else { format!("are {counters}") };
        writeln!(
            output,
            "Optimal takes: {} (there {last} in the last pile).",
            solution.optimal_takes(&position)
        )?;
    }
    write!(output, "Winner by first seat:")?;
    for (place, (first, winner)) in solution.winners(&position).enumerate().enumerate() {
        write!(output, "{} {first} -> {winner}", if place == 0 { "" } else { "," })?;
    }
    writeln!(output)?;
    if let Some(erratum) = erratum(game) {
        writeln!(output, "Erratum in the paper (El-Seidy, El Kady and Nassr 2019): {}.", erratum.text)?;
    }
    Ok(())
}
