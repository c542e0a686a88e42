//! Trees and graphs in the Graphviz language.

use super::label;
use lastnim_analysis::tree::PlayGraph;
use lastnim_core::game::{Game, Seat};
use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

/// Draws a tree or a graph of a game's play in the Graphviz language, from left to right.
///
/// Each node shows its state and its winner, and each edge shows its take. Optimal takes are bold.
pub fn draw_dot(game: &Game, graph: &PlayGraph) -> String {
    let mut text = String::new();
    write_dot_graph(&mut text, game, graph).expect("writing to a string does not fail");
    text
}

fn write_dot_graph(text: &mut String, game: &Game, graph: &PlayGraph) -> fmt::Result {
    let on_best_line: BTreeSet<usize> = graph.best_line().iter().map(|edge| edge.to).collect();
    writeln!(text, "digraph last_nim {{")?;
    writeln!(text, "  label=\"{}\\n{}\";", label::picture_title(game), label::rules_label(game))?;
    writeln!(text, "  labelloc=t;\n  rankdir=LR;\n  ordering=out;")?;
    writeln!(text, "  node [shape=box, style=\"rounded,filled\", fontname=monospace];")?;
    writeln!(text, "  edge [color=gray50];")?;
    for (index, node) in graph.nodes().iter().enumerate() {
        write!(
            text,
            "  n{index} [label=\"{}\\n{}\", fillcolor=\"{}\"",
            label::position_label(&node.position),
            label::winner_label(node),
            winner_colour(node.winner)
        )?;
        if index == 0 || on_best_line.contains(&index) {
            write!(text, ", penwidth=3")?;
        }
        if node.cut.is_some() {
            write!(text, ", style=\"rounded,filled,dashed\"")?;
        }
        writeln!(text, "];")?;
    }
    for edge in graph.edges() {
        write!(text, "  n{} -> n{} [label=\"{}\"", edge.from, edge.to, edge.take)?;
        if edge.is_optimal {
            write!(text, ", penwidth=3, color=black")?;
        }
        writeln!(text, "];")?;
    }
    writeln!(text, "}}")
}

/// Returns the colour of a winner, as hue, saturation and value.
fn winner_colour(winner: Seat) -> String {
    format!("{:.3} 0.250 1.000", f64::from(u32::from(winner)) * 137.5 % 360.0 / 360.0)
}
