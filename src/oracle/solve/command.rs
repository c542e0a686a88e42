//! `lastnim oracle solve`: who wins under optimal play, and by which takes.

use super::{
    general::{LastNimSearch, ListedMoves, RulesetArgs},
    robustness::RobustnessArgs,
};
use crate::{CommandExit, CommandResult, args::game::GameArgs, batch, form::OutputForm};
use clap::Args;
use lastnim_core::oracle::Explanation;
use lastnim_proto::{json::message_to_json, pb};
use lastnim_report::{
    explanation::{MAX_PLIES, explanation_sections},
    robustness::{ReportReader, robustness_sections},
    solution::solution_section,
};
use std::io;

/// Solves a position: who wins under optimal play, and by which takes
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("piles", |piles| piles.required(false).required_unless_present_any(["batch", "edges", "vertex"])))]
#[command(mut_arg("ending", |ending| ending.help(ENDING_HELP)))]
pub struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Says why: what each take leads to and for whom it would be better, and the line of best play. With --game: every
    /// move, the winner that it leads to, and its regret, the ranks that it costs in the mover's row; for two players how the
    /// Grundy value comes about
    #[arg(long)]
    explain: bool,
    /// Reads positions from standard input, one in JSON a line, and prints one line of JSON for each
    #[arg(long, conflicts_with_all = ["piles", "matrix", "players", "first", "ending", "explain", "robust", "game", "set", "max", "window", "most", "edges", "vertex"])]
    batch: bool,
    #[command(flatten)]
    robustness: RobustnessArgs,
    #[command(flatten)]
    general: RulesetArgs,
}

const ENDING_HELP: &str = "Who wins when the seat to move has no move; unless given the game's own ending: to-move-wins for last-nim, \
    last-mover-wins for all other games";

const EXAMPLES: &str = r#"Examples:
  lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim oracle solve --piles 4,3 --matrix standard --players 4 --first 2
  lastnim oracle solve --piles 9,9,1,6 --players 4 --ending last-mover-wins --json
  lastnim oracle solve --piles 3,4,5 --players 3 --explain
  lastnim oracle solve --piles 3,4,5 --players 3 --robust
  lastnim oracle solve --piles 3,4,5 --players 3 --robust --error-rate 0.05
  lastnim oracle solve --game kayles --piles 5 --players 3
  lastnim oracle solve --game subtraction --set 1,3,4 --piles 21 --players 2
  lastnim oracle solve --game nim --piles 13,12,8 --players 2 --explain
  lastnim oracle solve --game graph-nim --edges 0-1:2,1-2:1 --vertex 0 --players 3
  echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]]}' | lastnim oracle solve --batch

A row such as '0 2 1' belongs to the seat of its place: itself first, then the seat two places on, then the next one.
The winner under optimal play is an equilibrium outcome: every seat plays for its own row. It is seldom a forced win.
The ending of a game is its own unless --ending is given, and is always printed: to-move-wins for last-nim, last-mover-wins
for all other games. The games are:
  last-nim       take any number from the last nonempty pile
  nim            take any number from one pile
  small-nim      take any number from a smallest nonempty pile
  circular-nim   take from piles in a circle, within a --window of so many neighbours
  fibonacci-nim  one pile: take at most twice what was taken before, and not all at first
  graph-nim      --edges and --vertex: lower an edge at the token and move it along
  kayles         remove one stone of a row or two neighbours; the row splits there (also advanced-nim)
  subtraction    take a number of the --set, or up to --max, from one pile (also take-away, bounded-nim)
  digits         subtract one of its nonzero digits from one number
  stone-piles    split one pile into two or more of pairwise different sizes
  end-nim        even seats take from the leftmost nonempty pile, odd seats from the rightmost

With --game last-nim the answer has the form of the other games: every run of takes with its winner and, for two seats, the
outcome and the Grundy value.

In a batch "first" is 0 and "ending" is the game's own default unless given, and "players":3 stands for the standard matrix of
three; other games say "game":"kayles", and "set", "max", "window", "most", "edges" (as [[0,1,2],[1,2,1]]) and "vertex" where they need
them. Any other key is refused. A bad line is answered by {"line":k,"error":".."}, the rest is still answered, and the exit
code is 3."#;

pub fn run(args: &SolveArgs) -> CommandResult {
    if args.batch {
        let answer = |line: &str| args.general.answer_batch_line(line);
        return batch::answer_lines(io::stdin().lock(), "standard input", io::stdout().lock(), answer);
    }
    let form = if args.json { OutputForm::Json } else { OutputForm::Text };
    let search = if args.robustness.is_asked() { LastNimSearch::Coalitions } else { LastNimSearch::None };
    let general = args.general.parse_game(args.game.piles(), search)?;
    if args.general.is_game_named() {
        let (matrix, first) = args.game.parse_matrix_and_first()?;
        let listed = if args.explain { ListedMoves::All } else { ListedMoves::Optimal };
        let ending = args.game.ending().unwrap_or(general.ruleset().default_ending());
        return args.general.solve_and_print(&general, &matrix, first, ending, form, listed);
    }
    let game = args.game.parse_game()?;
    let explained = args.explain.then(|| Explanation::of(&game, MAX_PLIES));
    let robustness = args
        .robustness
        .is_asked()
        .then(|| args.general.run_within_time(|budget| args.robustness.assess(&game, budget)));
    let robustness = robustness.transpose()?;
    let json = || {
        let mut solution = message_to_json(&pb::SolveResponse::from(&game));
        if let Some(explained) = &explained {
            solution["explanation"] = message_to_json(&pb::ExplainResponse::from(explained));
        }
        if let Some(robustness) = &robustness {
            solution["robustness"] = message_to_json(robustness);
        }
        solution
    };
    let report = || {
        let explained = explained.iter().flat_map(explanation_sections);
        let to_move = game.first_seat().index();
        let robustness = robustness
            .iter()
            .flat_map(|found| robustness_sections(found, to_move, ReportReader::CommandLine));
        [solution_section(&game)].into_iter().chain(explained).chain(robustness).collect()
    };
    form.print_report(json, report)?;
    Ok(CommandExit::Done)
}
