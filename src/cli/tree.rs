//! `lastnim tree`: all possible play of a game.

use super::{
    Exit, Failure, Outcome, batch, game_args::GameArgs, json::PlayGraphJson, new_file::NewFile, tree_report,
};
use crate::{
    drawing,
    game::Game,
    oracle::{
        Budget,
        tree::{PlayGraph, TooLarge, TreeError},
    },
};
use clap::{Args, ValueEnum};
use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
};

/// Draws all possible play of a game: who wins at every state, and by which takes
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TreeArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Cuts the tree after so many takes, and says how much lies below
    #[arg(long, value_name = "TAKES", conflicts_with = "graph")]
    depth: Option<u64>,
    /// Draws every state once, with all takes that lead to it, instead of once for each way to it
    #[arg(long)]
    graph: bool,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The most nodes, and edges, that are drawn
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    max_nodes: u64,
    /// Writes a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A node a line, indented
    Text,
    /// Nodes, and edges between their indices
    Json,
    /// For Graphviz
    Dot,
    /// A picture
    Svg,
}

const EXAMPLES: &str = "\
Examples:
  lastnim tree --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'
  lastnim tree --piles 3,4,5 --players 3 --depth 2
  lastnim tree --piles 3,4,5 --players 3 --graph --format svg --output graph.svg
  lastnim tree --piles 1,2,2 --players 3 --format dot --output tree.dot

A state is written as the seat to move and the counters of every pile: (0, [1,2,2]). The tree of piles x1..xN has T_N
nodes: T_0 = 1, T_j = 2^(x_j - 1) (1 + T_(j-1)). If that is more than --max-nodes, nothing is drawn: the error says how
many there are, which --depth would fit, and how large the graph of --graph is. In JSON node 0 is the start, the edges
name nodes by their index, and a node that was cut says how many nodes lie below, or their binary logarithm.";

pub(super) fn run(args: &TreeArgs) -> Outcome {
    let game = args.game.game()?;
    let mut budget = Budget::unbounded();
    let graph = if args.graph {
        PlayGraph::merged(&game, args.max_nodes, &mut budget)
    } else {
        PlayGraph::tree(&game, args.depth, args.max_nodes, &mut budget)
    };
    let graph = graph.map_err(|error| refusal(&error))?;
    match &args.output {
        None => {
            let mut output = BufWriter::new(io::stdout().lock());
            write(&mut output, args, &game, &graph)?;
            output.flush().map_err(Failure::Output)?;
        }
        Some(path) => {
            let mut file = NewFile::create(path)?;
            write(&mut file, args, &game, &graph).map_err(|failure| match failure {
                Failure::Output(error) => Failure::runtime(error, path.display()),
                other => other,
            })?;
            file.finish()?;
        }
    }
    Ok(Exit::Done)
}

fn write(output: &mut impl Write, args: &TreeArgs, game: &Game, graph: &PlayGraph) -> Result<(), Failure> {
    let written = match args.format {
        Format::Text if args.graph => tree_report::print_graph(output, graph),
        Format::Text => tree_report::print_tree(output, graph),
        Format::Json => return batch::print_line(output, &PlayGraphJson::from(graph)),
        Format::Dot => output.write_all(drawing::dot(game, graph).as_bytes()),
        Format::Svg => {
            let picture = drawing::svg(game, graph).map_err(|error| {
                Failure::input(format!("{error}, or give a smaller --depth, or --format dot, json or text"))
            })?;
            output.write_all(picture.as_bytes())
        }
    };
    written.map_err(Failure::Output)
}

/// Says what would fit instead of what is too large.
fn refusal(error: &TreeError) -> Failure {
    match error {
        TreeError::TooLarge(too_large) => {
            Failure::input(format!("{error}: {}", offers(too_large).join(", or ")))
        }
        _ => Failure::input(error),
    }
}

fn offers(too_large: &TooLarge) -> Vec<String> {
    let mut offers = Vec::new();
    if let Some(cut) = too_large.cut {
        offers.push(format!("give --depth {} ({} nodes)", cut.depth, cut.nodes));
    }
    let graph = format!("--graph ({})", too_large.graph);
    match too_large.tree {
        Some(_) if too_large.graph_fits() => offers.extend([graph, "a higher --max-nodes".to_owned()]),
        Some(_) => offers.push(format!("a higher --max-nodes, which {graph} needs as well")),
        None => offers.push("a higher --max-nodes".to_owned()),
    }
    offers
}
