//! A tree or a graph of play in words.

use crate::oracle::tree::{Edge, Node, PlayGraph};
use std::io::{self, Write};

/// Prints a tree, a node a line: what was taken, marked if that was optimal, and the state that it led to.
pub fn print_tree(output: &mut impl Write, tree: &PlayGraph) -> io::Result<()> {
    writeln!(
        output,
        "The tree of all play: {}. Before a state stands the take that leads to it, with a star if it is optimal.\n",
        count(tree)
    )?;
    writeln!(output, "{}", state(&tree.nodes()[0]))?;
    let mut last_of: Vec<usize> = vec![0; tree.nodes().len()];
    for edge in tree.edges() {
        last_of[edge.from] = edge.to;
    }
    // From the root's child down to the last node: whether more children of its parent follow.
    let mut above: Vec<(usize, bool)> = Vec::new();
    for edge in tree.edges() {
        while above.last().is_some_and(|&(node, _)| node != edge.from) {
            above.pop();
        }
        for &(_, more_follow) in &above {
            output.write_all(if more_follow { "│  " } else { "   " }.as_bytes())?;
        }
        let more_follow = last_of[edge.from] != edge.to;
        let branch = if more_follow { "├─" } else { "└─" };
        writeln!(output, "{branch} {} {}", take(edge), state(&tree.nodes()[edge.to]))?;
        above.push((edge.to, more_follow));
    }
    print_best_line(output, tree)
}

/// Prints a graph of states: each state, and where its takes lead.
pub fn print_graph(output: &mut impl Write, graph: &PlayGraph) -> io::Result<()> {
    let edges = graph.edges();
    writeln!(
        output,
        "The graph of all states: {}, {}. Before a state stands the take that leads to it, with a star if it is optimal.",
        count(graph),
        counted(edges.len(), "edge")
    )?;
    let mut rest = edges;
    for (index, node) in graph.nodes().iter().enumerate() {
        writeln!(output, "\n{}", state(node))?;
        let (own, others) = rest.split_at(rest.partition_point(|edge| edge.from <= index));
        for edge in own {
            writeln!(output, "  {} {}", take(edge), state(&graph.nodes()[edge.to]))?;
        }
        rest = others;
    }
    print_best_line(output, graph)
}

fn print_best_line(output: &mut impl Write, graph: &PlayGraph) -> io::Result<()> {
    let line = graph.best_line();
    let Some(last) = line.last() else { return Ok(()) };
    let takes: Vec<_> = line.iter().map(|edge| edge.take.to_string()).collect();
    let end = &graph.nodes()[last.to];
    let and_so_on = if end.position.is_over() { "" } else { ", and so on" };
    writeln!(
        output,
        "\nBest play takes {}{and_so_on}; seat {} wins.",
        takes.join(", "),
        graph.nodes()[0].winner
    )
}

fn take(edge: &Edge) -> String {
    format!("{}{}", edge.take, if edge.is_optimal { "*" } else { "" })
}

fn state(node: &Node) -> String {
    match node.cut {
        Some(below) => format!("{}  seat {} wins, {below} below", node.position, node.winner),
        None => format!("{}  seat {} wins", node.position, node.winner),
    }
}

fn count(graph: &PlayGraph) -> String {
    counted(graph.nodes().len(), "node")
}

fn counted(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}
