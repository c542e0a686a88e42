//! Trees and graphs as SVG.

use super::{
    LayoutError, label,
    layout::{BoxPosition, GraphLayout, LayoutColumn},
};
use lastnim_analysis::tree::{Edge, Node, PlayGraph};
use lastnim_core::game::{Game, Seat};
use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

/// The maximum width of a character in the monospaced font.
const CHARACTER_WIDTH: f64 = 7.4;
const NODE_HEIGHT: f64 = 40.0;
const TAKE_HEIGHT: f64 = 16.0;
/// Space between a text and the edges of its box.
const PADDING: f64 = 8.0;
const MARGIN: f64 = 24.0;
/// The height of the title, the rules and the legend above the picture.
const HEADER_HEIGHT: f64 = 132.0;
/// The minimum width of the picture, so that the legend fits.
const MIN_WIDTH: f64 = 740.0;

const STYLE: &str = "\
text{font:12px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;fill:#1f2328}\
.title{font-size:18px;font-weight:bold}\
.verdict{font-weight:bold}\
.middle{text-anchor:middle}\
.node rect{stroke:#57606a;stroke-width:1}\
.best rect{stroke:#0550ae;stroke-width:3}\
.cut rect{stroke-dasharray:6 4}\
.take{fill:none;stroke:#a0a8b0;stroke-width:1.2}\
.optimal{stroke:#1f2328;stroke-width:3}\
.line{stroke:#0550ae;stroke-width:4}\
.counters{fill:#ffffff}\
.bold{font-weight:bold}";

/// Draws a tree or a graph of a game's play, from left to right.
///
/// Every node shows its state, and its winner in words and by colour. Every take is written on its line, and optimal
/// takes are bold. The tooltip of a node shows its whole state.
///
/// # Errors
/// If the picture would be too large, or if its layout fails.
pub fn draw_svg(game: &Game, graph: &PlayGraph) -> Result<String, LayoutError> {
    let node_sizes: Vec<_> = graph
        .nodes()
        .iter()
        .map(|node| {
            let characters = label::position_label(&node.position).len().max(label::winner_label(node).len());
            (text_width(characters) + 2.0 * PADDING, NODE_HEIGHT)
        })
        .collect();
    let take_sizes: Vec<_> = graph
        .edges()
        .iter()
        .map(|edge| (text_width(edge.take.to_string().len()) + PADDING, TAKE_HEIGHT))
        .collect();
    let layout = GraphLayout::of_graph(graph, &node_sizes, &take_sizes)?;
    let mut text = String::new();
    write_svg(&mut text, game, graph, &layout).expect("writing to a string does not fail");
    Ok(text)
}

fn text_width(characters: usize) -> f64 {
    CHARACTER_WIDTH * f64::from(u32::try_from(characters).unwrap_or(u32::MAX))
}

fn write_svg(text: &mut String, game: &Game, graph: &PlayGraph, layout: &GraphLayout) -> fmt::Result {
    let heading = [label::picture_title(game), label::rules_label(game)];
    let heading_width = text_width(heading[1].len()).max(1.6 * text_width(heading[0].len()));
    let width = layout.width.max(MIN_WIDTH).max(heading_width) + 2.0 * MARGIN;
    let height = layout.height + HEADER_HEIGHT + 2.0 * MARGIN;
    writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    )?;
    writeln!(text, "<title>{}</title>", heading[0])?;
    writeln!(text, "<style>{STYLE}</style>")?;
    writeln!(text, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    writeln!(text, "<g transform=\"translate({MARGIN} {MARGIN})\">")?;
    writeln!(text, "<text class=\"title\" y=\"16\">{}</text>", heading[0])?;
    writeln!(text, "<text y=\"38\">{}</text>", heading[1])?;
    let is_cut = graph.nodes().iter().any(|node| node.cut.is_some());
    write_legend(text, is_cut)?;
    writeln!(text, "</g>\n<g transform=\"translate({MARGIN} {})\">", MARGIN + HEADER_HEIGHT)?;
    // Optimal takes are drawn over others, and boxes over lines.
    let best_line = graph.best_line();
    let class = |edge: &Edge| {
        if best_line.contains(edge) {
            LineClass::BestLine
        } else if edge.is_optimal {
            LineClass::Optimal
        } else {
            LineClass::Other
        }
    };
    for drawn in [LineClass::Other, LineClass::Optimal, LineClass::BestLine] {
        for (edge, bends) in graph.edges().iter().zip(&layout.bends) {
            if class(edge) == drawn {
                write_line(text, edge, drawn, bends, layout)?;
            }
        }
    }
    for (edge, bends) in graph.edges().iter().zip(&layout.bends) {
        write_take(text, edge, &bends[0])?;
    }
    let on_best_line: BTreeSet<usize> =
        best_line.iter().map(|edge| edge.to).chain(std::iter::once(0)).collect();
    for (index, (node, place)) in graph.nodes().iter().zip(&layout.nodes).enumerate() {
        write_node(text, node, place, on_best_line.contains(&index))?;
    }
    writeln!(text, "</g>\n</svg>")
}

/// The style of a take's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineClass {
    /// A thin line.
    Other,
    /// A bold line.
    Optimal,
    /// A bold, coloured line.
    BestLine,
}

impl LineClass {
    /// Returns the CSS classes of the line.
    fn css_classes(self) -> &'static str {
        match self {
            Self::Other => "take",
            Self::Optimal => "take optimal",
            Self::BestLine => "take optimal line",
        }
    }
}

fn write_legend(text: &mut String, is_cut: bool) -> fmt::Result {
    let entries = [("take optimal", "an optimal take, with its counters"), ("take", "any other take")];
    for (row, (class, words)) in entries.iter().enumerate() {
        let y = 62 + 20 * row;
        writeln!(
            text,
            "<path class=\"{class}\" d=\"M0 {y}H36\"/><text x=\"46\" y=\"{}\">{words}</text>",
            y + 4
        )?;
    }
    let entries =
        [("node best", "on the line of best play"), ("node cut", "cut off here: there are more nodes below")];
    for (row, (class, words)) in entries[..if is_cut { 2 } else { 1 }].iter().enumerate() {
        let y = 62 + 20 * row;
        writeln!(
            text,
            "<g class=\"{class}\"><rect x=\"330\" y=\"{}\" width=\"34\" height=\"13\" rx=\"4\" fill=\"#ffffff\"/></g>\
             <text x=\"374\" y=\"{}\">{words}</text>",
            y - 7,
            y + 4
        )?;
    }
    writeln!(
        text,
        "<text y=\"106\">At a node: the seat to move, the counters of every pile, \
         and the seat that wins under optimal play.</text>"
    )
}

fn write_line(
    text: &mut String,
    edge: &Edge,
    class: LineClass,
    bends: &[BoxPosition],
    layout: &GraphLayout,
) -> fmt::Result {
    let class = class.css_classes();
    let (from, to) = (&layout.nodes[edge.from], &layout.nodes[edge.to]);
    let (mut x, mut y) = (from.x + from.width / 2.0, from.y);
    write!(text, "<path class=\"{class}\" d=\"M{x:.1} {y:.1}H{:.1}", layout.columns[from.column].right)?;
    x = layout.columns[from.column].right;
    for bend in bends.iter().chain(std::iter::once(to)) {
        let LayoutColumn { left, right } = layout.columns[bend.column];
        let middle = f64::midpoint(x, left);
        write!(text, "C{middle:.1} {y:.1} {middle:.1} {:.1} {left:.1} {:.1}", bend.y, bend.y)?;
        (x, y) = (right, bend.y);
        let end = if bend.column == to.column { to.x - to.width / 2.0 } else { right };
        write!(text, "H{end:.1}")?;
    }
    writeln!(text, "\"/>")
}

fn write_take(text: &mut String, edge: &Edge, place: &BoxPosition) -> fmt::Result {
    let BoxPosition { x, y, width, height, .. } = *place;
    let class = if edge.is_optimal { "middle bold" } else { "middle" };
    writeln!(
        text,
        "<rect class=\"counters\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\
         <text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
        x - width / 2.0,
        y - height / 2.0,
        y + 4.0,
        edge.take
    )
}

fn write_node(text: &mut String, node: &Node, place: &BoxPosition, is_on_best_line: bool) -> fmt::Result {
    let BoxPosition { x, y, width, height, .. } = *place;
    let mut class = "node".to_owned();
    if is_on_best_line {
        class.push_str(" best");
    }
    if node.cut.is_some() {
        class.push_str(" cut");
    }
    writeln!(
        text,
        "<g class=\"{class}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" rx=\"7\" fill=\"{}\"/><text class=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>\
         <text class=\"middle verdict\" x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
        node.position,
        x - width / 2.0,
        y - height / 2.0,
        winner_colour(node.winner),
        y - 4.0,
        label::position_label(&node.position),
        y + 12.0,
        label::winner_label(node)
    )
}

/// Returns the colour of a winner. The colours of adjacent seats are far apart on the colour wheel.
fn winner_colour(winner: Seat) -> String {
    format!("hsl({:.0} 85% 84%)", f64::from(u32::from(winner)) * 137.5 % 360.0)
}
