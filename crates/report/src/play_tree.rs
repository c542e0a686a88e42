//! Reports on a tree or a graph of all play.

use super::{
    Report, ReportReader, Section, Tree,
    words::{count_with_noun, join_items},
};
use lastnim_analysis::tree::{Edge, Node, PlayGraph};

/// Reports a tree, one node per line: the take that led to it, marked if it was optimal, and the state. The line of
/// best play follows.
pub fn tree_report(tree: &PlayGraph, reader: ReportReader) -> Report {
    let mut depths = vec![0; tree.nodes().len()];
    let mut nodes = vec![(0, node_state(&tree.nodes()[0], reader))];
    nodes.extend(tree.edges().iter().map(|edge| {
        depths[edge.to] = depths[edge.from] + 1;
        (depths[edge.to], edge_label(edge, tree, reader))
    }));
    let head = Section::new()
        .paragraph(format!("The tree of all possible play: {}. {LEGEND}", node_count_text(tree)));
    [head, Section::new().tree(Tree { nodes })].into_iter().chain(best_line_section(tree, reader)).collect()
}

/// Reports a graph of states, each with its takes, and the line of best play.
pub fn graph_report(graph: &PlayGraph, reader: ReportReader) -> Report {
    let edges = count_with_noun(graph.edges().len(), "edge", "edges");
    let head = format!("The graph of all states: {}, {edges}. {LEGEND}", node_count_text(graph));
    let mut rest = graph.edges();
    let states = graph.nodes().iter().enumerate().map(|(index, node)| {
        let (own, others) = rest.split_at(rest.partition_point(|edge| edge.from <= index));
        rest = others;
        Section::with_heading(node_state(node, reader))
            .list(own.iter().map(|edge| edge_label(edge, graph, reader)))
    });
    [Section::new().paragraph(head)]
        .into_iter()
        .chain(states)
        .chain(best_line_section(graph, reader))
        .collect()
}

const LEGEND: &str = "Before each state is the take that leads to it, with a star if the take is optimal.";

fn best_line_section(graph: &PlayGraph, reader: ReportReader) -> Option<Section> {
    let line = graph.best_line();
    let end = &graph.nodes()[line.last()?.to];
    let and_so_on = if end.position.is_over() { "" } else { ", and so on" };
    let takes = join_items(line.iter().map(|edge| edge.take), ", ");
    let winner = reader.number(graph.nodes()[0].winner.index());
    Some(Section::new().paragraph(format!("Best play takes {takes}{and_so_on}; seat {winner} wins.")))
}

fn edge_label(edge: &Edge, graph: &PlayGraph, reader: ReportReader) -> String {
    let star = if edge.is_optimal { "*" } else { "" };
    format!("{}{star} {}", edge.take, node_state(&graph.nodes()[edge.to], reader))
}

fn node_state(node: &Node, reader: ReportReader) -> String {
    let (position, winner) = (reader.position_text(&node.position), reader.number(node.winner.index()));
    match node.cut {
        Some(below) => format!("{position}  seat {winner} wins, nodes below: {below}"),
        None => format!("{position}  seat {winner} wins"),
    }
}

fn node_count_text(graph: &PlayGraph) -> String {
    count_with_noun(graph.nodes().len(), "node", "nodes")
}
