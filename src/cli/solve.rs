//! `lastnim solve`: who wins under optimal play, and by which takes.

use super::{
    Exit, Failure, Outcome, batch,
    game_args::GameArgs,
    json::{self, GameJson, JsonError, SolutionJson},
};
use crate::{
    game::Game,
    oracle::{Solution, erratum},
};
use clap::Args;
use std::io::{self, Write};

/// Solves a position: who wins under optimal play, and by which takes
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("piles", |piles| piles.required(false).required_unless_present("batch")))]
pub(super) struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Reads positions from standard input, one in JSON a line, and prints one line of JSON for each
    #[arg(long, conflicts_with_all = ["piles", "matrix", "players", "first", "ending"])]
    batch: bool,
}

const EXAMPLES: &str = r#"Examples:
  lastnim solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim solve --piles 4,3 --matrix standard --players 4 --first 2
  lastnim solve --piles 9,9,1,6 --players 4 --ending last-mover-wins --json
  echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]]}' | lastnim solve --batch

A row such as '0 2 1' belongs to the seat of its place: itself first, then the seat two places on, then the next one.
In a batch "first" is 0 and "ending" is "to_move_wins" unless given. A bad line is answered by
{"line":k,"error":".."}, the rest is still answered, and the exit code is 3."#;

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let mut output = io::stdout().lock();
    if args.batch {
        let solve = |line: &str| -> Result<_, JsonError> {
            Ok(SolutionJson::of(&json::read::<GameJson>(line)?.game()?))
        };
        return batch::answer(io::stdin().lock(), "standard input", output, solve);
    }
    let game = args.game.game()?;
    if args.json {
        batch::print_line(&mut output, &SolutionJson::of(&game))?;
    } else {
        print(&mut output, &game).map_err(Failure::Output)?;
    }
    Ok(Exit::Done)
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
