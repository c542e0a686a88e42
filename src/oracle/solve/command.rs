//! `lastnim oracle solve`.

use super::{
    general::{GeneralDetail, LastNimSearch, ListedMoves, RulesetArgs},
    robustness::RobustnessArgs,
    variant::{self, VariantArgs},
};
use crate::{CommandExit, CommandResult, Failure, args::game::GameArgs, batch, form::OutputFormat, screen};
use clap::Args;
use lastnim_analysis::variants::VariantGame;
use lastnim_client::text_input::TextInput;
use lastnim_core::oracle::Explanation;
use lastnim_proto::{json::message_to_json, pb};
use lastnim_report::{
    ReportReader,
    explanation::{MAX_BEST_LINE_PLIES, explanation_sections},
    robustness::robustness_sections,
    solution::solution_section,
};
use std::io;

/// Solves a position: the winner under optimal play and the optimal takes
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
    /// Explains the result of each take, and the line of best play
    ///
    /// With --game it lists every move with its winner and its regret (the ranks that it costs the mover), and for two players
    /// the Grundy value.
    #[arg(long)]
    explain: bool,
    /// Reads positions in JSON from standard input, one per line, and prints one line of JSON for each
    #[arg(long, conflicts_with_all = ["piles", "matrix", "players", "first", "ending", "explain", "robust", "game", "set", "max", "window", "most", "edges", "vertex"])]
    batch: bool,
    #[command(flatten)]
    robustness: RobustnessArgs,
    #[command(flatten)]
    variant: VariantArgs,
    #[command(flatten)]
    general: RulesetArgs,
}

const ENDING_HELP: &str =
    "Who wins when no move is left [default: to-move-wins for last-nim, otherwise last-mover-wins]";

const EXAMPLES: &str = r#"Examples:
  lastnim oracle solve --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim oracle solve --piles 4,3 --matrix standard --players 4 --first 2
  lastnim oracle solve --piles 3,4,5 --players 3 --explain
  lastnim oracle solve --piles 3,4,5 --players 3 --robust --error-rate 0.05
  lastnim oracle solve --piles 3,4,5 --matrix '0 1=2; 0 1=2; 0 1=2'
  lastnim oracle solve --piles 3,4,5 --players 4 --alliances 0,2
  lastnim oracle solve --game kayles --piles 5 --players 3
  lastnim oracle solve --game nim --piles 2,3 --players 3 --robust
  lastnim oracle solve --game subtraction --set 1,3,4 --piles 21 --players 2
  lastnim oracle solve --game graph-nim --edges 0-1:2,1-2:1 --vertex 0 --players 3
  echo '{"piles":[1,2,2],"alliance_matrix":[[0,2,1],[0,1,2],[0,2,1]]}' | lastnim oracle solve --batch

The first row belongs to seat 0, the second to seat 1, and so on. In '0 2 1' the seat prefers itself, then the seat two
places on, then the next one. The winner under optimal play is an equilibrium outcome, seldom a forced win. In '0 1=2' the
seat does not mind which of the two others wins.

The games are last-nim, nim, small-nim, circular-nim, fibonacci-nim, graph-nim, kayles (also advanced-nim), subtraction
(also take-away, bounded-nim), digits, stone-piles and end-nim; docs/reference/games.md has their rules.

In a batch "first" defaults to 0, and "players":3 means the standard matrix of three. Other games need "game" and the
numbers that their flags give, such as "set" or "edges" (as [[0,1,2],[1,2,1]]). A bad line is answered by
{"line":k,"error":".."} and makes the exit code 3."#;

impl SolveArgs {
    /// Parses a variant, if one is given by a flag or by ties in the rows.
    fn parse_variant(&self) -> Result<Option<VariantGame>, Failure> {
        if self.explain || self.robustness.is_requested() || self.general.is_game_named() {
            // `--explain`, `--robust` and `--game` cannot be combined with the flags of variants, and do not allow
            // ties.
            return Ok(None);
        }
        self.variant.parse_variant(&self.game)
    }
}

pub fn run(args: &SolveArgs) -> CommandResult {
    if args.batch {
        let answer = |line: &str| args.general.answer_batch_line(line);
        return batch::answer_lines(
            TextInput::new(io::stdin().lock()),
            "standard input",
            screen::stdout(),
            answer,
        );
    }
    let form = if args.json { OutputFormat::Json } else { OutputFormat::Text };
    let variant = args.parse_variant()?;
    let is_search = variant.is_some() || args.robustness.is_requested();
    let search = if is_search { LastNimSearch::WithinTime } else { LastNimSearch::None };
    let general = args.general.parse_game(args.game.piles(), search)?;
    if let Some(variant) = variant {
        return variant::solve_and_print(&variant, &args.general, form);
    }
    if args.general.is_game_named() {
        let (matrix, first) = args.game.parse_matrix_and_first()?;
        let listed = if args.explain { ListedMoves::All } else { ListedMoves::Optimal };
        let ending = args.game.ending().unwrap_or(general.ruleset().default_ending());
        let max_coalition = args.robustness.is_requested().then(|| args.robustness.max_coalition());
        let detail = GeneralDetail { listed, max_coalition };
        return args.general.solve_and_print(&general, &matrix, first, ending, form, detail);
    }
    let game = args.game.parse_game()?;
    let explained = args.explain.then(|| Explanation::of_game(&game, MAX_BEST_LINE_PLIES));
    let robustness = args
        .robustness
        .is_requested()
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
        let explained = explained
            .iter()
            .flat_map(|explanation| explanation_sections(explanation, ReportReader::CommandLine));
        let to_move = game.first_seat().index();
        let robustness = robustness
            .iter()
            .flat_map(|found| robustness_sections(found, to_move, ReportReader::CommandLine));
        [solution_section(&game, ReportReader::CommandLine)]
            .into_iter()
            .chain(explained)
            .chain(robustness)
            .collect()
    };
    form.print_report(json, report)?;
    Ok(CommandExit::Done)
}
