//! `lastnim oracle tree`.

use crate::{
    CommandExit, CommandResult, Failure, args::game::GameArgs, batch, form::stdout_terminal,
    new_file::AtomicFile, screen,
};
use clap::{Args, ValueEnum};
use lastnim_analysis::tree::{PlayGraph, TreeError, TreeTooLarge};
use lastnim_core::{game::Game, oracle::Budget};
use lastnim_proto::{json::MessageJson, pb, tree::play_graph_message};
use lastnim_report::{
    ReportReader::CommandLine,
    play_tree::{graph_report, tree_report},
    render::Terminal,
    words::count_with_noun,
};
use std::{
    io::{BufWriter, Write},
    path::PathBuf,
};

/// Draws the tree or graph of all play, with the winner and optimal takes of every state
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct TreeArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Cuts the drawing after this many takes and shows how many states are below
    #[arg(long, value_name = "TAKES", allow_negative_numbers = true, value_parser = parse_depth)]
    depth: Option<u64>,
    /// Draws every state once instead of once for each path to it
    #[arg(long)]
    graph: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = TreeFormat::Text)]
    format: TreeFormat,
    /// Maximum number of nodes, and of edges, in the drawing
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    max_nodes: u64,
    /// Writes a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeFormat {
    /// One indented line for each node
    Text,
    /// The nodes, and edges that refer to them by index
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

const EXAMPLES: &str = "\
Examples:
  lastnim oracle tree --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim oracle tree --piles 3,4,5 --players 3 --depth 2
  lastnim oracle tree --piles 3,4,5 --players 3 --graph --format svg --output graph.svg
  lastnim oracle tree --piles 1,2,2 --players 3 --format dot --output tree.dot

A state is the seat to move and the counters of every pile: (0, [1,2,2]). If the drawing exceeds --max-nodes, the error
gives its size, a --depth that fits, and the size of the graph. docs/reference/oracle.md describes the JSON.";

/// Reads a depth.
fn parse_depth(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a depth is a whole number of takes, 0 to {}", u64::MAX))
}

pub fn run(args: &TreeArgs) -> CommandResult {
    let game = args.game.parse_game()?;
    let mut budget = Budget::unbounded();
    let graph = if args.graph {
        PlayGraph::build_graph(&game, args.depth, args.max_nodes, &mut budget)
    } else {
        PlayGraph::build_tree(&game, args.depth, args.max_nodes, &mut budget)
    };
    let graph = graph.map_err(|error| failure_of_tree_error(&error))?;
    match &args.output {
        None => {
            let mut output = BufWriter::new(screen::stdout_document());
            write_tree(&mut output, args, &game, &graph)?;
            output.flush().map_err(Failure::Output)?;
        }
        Some(path) => {
            let mut file = AtomicFile::create(path)?;
            write_tree(&mut file, args, &game, &graph).map_err(|failure| match failure {
                Failure::Output(error) => Failure::runtime(error, path.display()),
                other => other,
            })?;
            file.finish()?;
        }
    }
    Ok(CommandExit::Done)
}

fn write_tree(
    output: &mut impl Write,
    args: &TreeArgs,
    game: &Game,
    graph: &PlayGraph,
) -> Result<(), Failure> {
    let written = match args.format {
        TreeFormat::Text => {
            let report =
                if args.graph { graph_report(graph, CommandLine) } else { tree_report(graph, CommandLine) };
            // A file has no styles, even if standard output is a terminal.
            let terminal = if args.output.is_some() { Terminal::without_styles() } else { stdout_terminal() };
            output.write_all(terminal.report_text(&report).as_bytes())
        }
        TreeFormat::Json => {
            let form = if args.graph { pb::TreeForm::Graph } else { pb::TreeForm::Tree };
            return batch::print_json_line(output, &MessageJson::of(&play_graph_message(game, graph, form)));
        }
        TreeFormat::Dot => output.write_all(lastnim_drawing::draw_dot(game, graph).as_bytes()),
        TreeFormat::Svg => {
            let picture = lastnim_drawing::draw_svg(game, graph).map_err(|error| {
                Failure::input(format!("{error}; give a smaller --depth, or --format dot, json or text"))
            })?;
            output.write_all(picture.as_bytes())
        }
    };
    written.map_err(Failure::Output)
}

/// Converts an error to a failure, which suggests a smaller drawing if the drawing was too large.
fn failure_of_tree_error(error: &TreeError) -> Failure {
    match error {
        TreeError::TooLarge(too_large) => {
            Failure::input(format!("{error}: give {}", smaller_tree_suggestions(too_large).join(", or ")))
        }
        TreeError::Halt(_) => Failure::input(error),
    }
}

fn smaller_tree_suggestions(too_large: &TreeTooLarge) -> Vec<String> {
    let mut offers = Vec::new();
    let graph = too_large.graph;
    if too_large.tree.is_none() {
        offers.extend(too_large.graph_cut.map(|cut| format!("--depth {} ({})", cut.depth, cut.size)));
        offers.push("a higher --max-nodes".to_owned());
        return offers;
    }
    if let Some(cut) = too_large.cut {
        offers.push(format!("--depth {} ({})", cut.depth, count_with_noun(cut.nodes, "node", "nodes")));
    }
    if too_large.graph_fits() {
        offers.extend([format!("--graph ({graph})"), "a higher --max-nodes".to_owned()]);
    } else {
        if let Some(cut) = too_large.graph_cut {
            offers.push(format!("--graph --depth {} ({})", cut.depth, cut.size));
        }
        offers.push(format!("a higher --max-nodes (the whole graph has {graph})"));
    }
    offers
}
