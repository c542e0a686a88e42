//! The layout of nodes, takes and lines.

use lastnim_analysis::tree::PlayGraph;
use rust_sugiyama::{
    configure::{Config, RankingType},
    from_vertices_and_edges,
};
use std::{io, iter, thread};
use thiserror::Error;

/// The maximum number of boxes in a picture: one for each node, and one for each column that a take passes. The layout
/// of this many boxes takes a few seconds.
const MAX_BOXES: usize = 20_000;
/// The stack size per box, in bytes. The layout recurses as deep as a column has boxes, and each call needs at most
/// this much.
const STACK_BYTES_PER_BOX: usize = 8 << 10;
/// The additional stack size, in bytes, which does not depend on the number of boxes.
const BASE_STACK_BYTES: usize = 4 << 20;
/// The vertical gap between boxes.
const ROW_GAP: f64 = 4.0;
/// The additional vertical gap around nodes.
const NODE_GAP: f64 = 10.0;
/// The horizontal gap between columns.
const COLUMN_GAP: f64 = 30.0;
/// The height reserved for a line in a column that it passes.
const LINE_HEIGHT: f64 = 4.0;

/// The reason why a layout failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The picture would be too large.
    #[error(
        "the picture would have {boxes} boxes, more than {MAX_BOXES}: draw it to a smaller depth, or use Graphviz"
    )]
    TooLarge {
        /// The number of boxes: one for each node, and one for each column that a take passes.
        boxes: usize,
    },
    /// The thread that computes the layout could not be started, usually for lack of memory.
    #[error("cannot start the thread that lays out the picture: {0}")]
    ThreadStart(#[from] io::Error),
    /// The layout library failed.
    #[error(
        "a picture with {boxes} boxes could not be laid out: draw it to a smaller depth, or use Graphviz"
    )]
    Failed {
        /// The number of boxes: one for each node, and one for each column that a take passes.
        boxes: usize,
    },
}

/// A positioned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoxPosition {
    /// The distance of the centre from the left edge of the picture.
    pub(super) x: f64,
    /// The distance of the centre from the top of the picture.
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The index of the column that contains the box.
    pub(super) column: usize,
}

/// A column of boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LayoutColumn {
    pub(super) left: f64,
    pub(super) right: f64,
}

/// A picture from left to right: columns of nodes alternate with columns of takes.
#[derive(Debug)]
pub(super) struct GraphLayout {
    pub(super) nodes: Vec<BoxPosition>,
    /// For each edge, the box of its take, followed by one box for every further column that the edge passes.
    pub(super) bends: Vec<Vec<BoxPosition>>,
    /// The columns, from left to right.
    pub(super) columns: Vec<LayoutColumn>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl GraphLayout {
    /// Lays out a graph, given the width and height of each node and edge label.
    ///
    /// Boxes do not overlap, and lines only bend between columns, so no line crosses a box.
    pub(super) fn of_graph(
        graph: &PlayGraph,
        nodes: &[(f64, f64)],
        takes: &[(f64, f64)],
    ) -> Result<Self, LayoutError> {
        let mut column_of = vec![0; nodes.len()];
        for edge in graph.edges() {
            column_of[edge.to] = column_of[edge.to].max(column_of[edge.from] + 2);
        }
        let passed_columns = |from: usize, to: usize| column_of[from] + 1..column_of[to];
        let places = nodes.len()
            + graph.edges().iter().map(|edge| passed_columns(edge.from, edge.to).len()).sum::<usize>();
        if places > MAX_BOXES {
            return Err(LayoutError::TooLarge { boxes: places });
        }
        let box_in = |column, (width, height)| BoxPosition { x: 0.0, y: 0.0, width, height, column };
        let mut boxes: Vec<BoxPosition> =
            column_of.iter().zip(nodes).map(|(&column, &size)| box_in(column, size)).collect();
        let mut lines = Vec::new();
        let mut ways = Vec::with_capacity(takes.len());
        for (edge, &take) in graph.edges().iter().zip(takes) {
            let first = boxes.len();
            let sizes = iter::once(take).chain(iter::repeat((0.0, LINE_HEIGHT)));
            boxes.extend(
                passed_columns(edge.from, edge.to).zip(sizes).map(|(column, size)| box_in(column, size)),
            );
            let way = iter::once(edge.from).chain(first..boxes.len()).chain(iter::once(edge.to));
            lines.extend(way.clone().zip(way.skip(1)).map(|(from, to)| (from as u32, to as u32)));
            ways.push(first..boxes.len());
        }
        let gaps = iter::repeat_n(NODE_GAP, nodes.len()).chain(iter::repeat(0.0));
        let heights: Vec<f64> = boxes.iter().zip(gaps).map(|(place, gap)| place.height + gap).collect();
        for (place, y) in boxes.iter_mut().zip(place_rows(&heights, &lines)?) {
            place.y = y;
        }
        let columns = place_columns(&boxes);
        for place in &mut boxes {
            let LayoutColumn { left, right } = columns[place.column];
            place.x = f64::midpoint(left, right);
        }
        let bottoms = boxes.iter().map(|place| place.y + place.height / 2.0);
        Ok(Self {
            height: bottoms.fold(0.0, f64::max),
            width: columns.last().map_or(0.0, |last| last.right),
            bends: ways.into_iter().map(|way| boxes[way].to_vec()).collect(),
            nodes: boxes[..nodes.len()].to_vec(),
            columns,
        })
    }
}

/// Makes columns as wide as their widest boxes.
fn place_columns(boxes: &[BoxPosition]) -> Vec<LayoutColumn> {
    let mut widths: Vec<f64> = Vec::new();
    for place in boxes {
        if widths.len() <= place.column {
            widths.resize(place.column + 1, 0.0);
        }
        widths[place.column] = widths[place.column].max(place.width);
    }
    let mut right = -COLUMN_GAP;
    let column = |width| {
        let left = right + COLUMN_GAP;
        right = left + width;
        LayoutColumn { left, right }
    };
    widths.into_iter().map(column).collect()
}

/// Stacks boxes with these heights in their columns so that lines cross and bend little. Returns the centre of each
/// box, as its distance from the top.
///
/// The library lays a graph out from top to bottom, so heights here are widths for the library.
fn place_rows(heights: &[f64], lines: &[(u32, u32)]) -> Result<Vec<f64>, LayoutError> {
    let boxes: Vec<_> = (0..).zip(heights).map(|(place, &height)| (place, (height, 1.0))).collect();
    // Each box is in the first possible column, as in the input. Crossings are not optimised: that would take most of
    // the time and improve almost nothing.
    let config = Config {
        vertex_spacing: ROW_GAP,
        dummy_vertices: false,
        ranking_type: RankingType::Up,
        transpose: false,
        ..Config::default()
    };
    let places = heights.len();
    let stack = BASE_STACK_BYTES + places * STACK_BYTES_PER_BOX;
    let lay_out = || from_vertices_and_edges(&boxes, lines, &config);
    let parts = thread::scope(|scope| -> Result<_, LayoutError> {
        let thread = thread::Builder::new().stack_size(stack).spawn_scoped(scope, lay_out)?;
        thread.join().map_err(|_| LayoutError::Failed { boxes: places })
    })?;
    let mut rows = vec![0.0; places];
    for (place, (row, _)) in parts.into_iter().flat_map(|(part, ..)| part) {
        // The library processes the last edges first, so without the minus sign the first take would be at the bottom.
        rows[place] = -row;
    }
    let top = rows.iter().zip(heights).map(|(row, height)| row - height / 2.0).fold(f64::INFINITY, f64::min);
    Ok(rows.into_iter().map(|row| row - top).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::{
        game::{AllianceMatrix, Ending, Game, Piles, SeatCount},
        oracle::Budget,
    };

    const NODE: (f64, f64) = (100.0, 40.0);
    const TAKE: (f64, f64) = (20.0, 16.0);

    fn game(piles: &[u64], seats: usize) -> Game {
        let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
        Game::new(Piles::parse_partly_emptied(piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap()
    }

    fn lay_out(graph: &PlayGraph) -> GraphLayout {
        let (nodes, takes) = (vec![NODE; graph.nodes().len()], vec![TAKE; graph.edges().len()]);
        GraphLayout::of_graph(graph, &nodes, &takes).unwrap()
    }

    fn graphs() -> Vec<PlayGraph> {
        let games: [(&[u64], usize); 7] =
            [(&[0], 2), (&[1], 2), (&[1, 2, 2], 3), (&[3, 4, 5], 3), (&[7, 2], 4), (&[12], 5), (&[1; 40], 3)];
        let mut graphs = Vec::new();
        for (piles, seats) in games {
            let (game, mut budget) = (game(piles, seats), Budget::unbounded());
            graphs.push(PlayGraph::build_tree(&game, Some(4), 1000, &mut budget).unwrap());
            graphs.push(PlayGraph::build_graph(&game, None, 1000, &mut budget).unwrap());
        }
        graphs
    }

    #[test]
    fn boxes_do_not_overlap_and_are_inside_the_picture() {
        for graph in graphs() {
            let layout = lay_out(&graph);
            let boxes: Vec<&BoxPosition> = layout.nodes.iter().chain(layout.bends.iter().flatten()).collect();
            for (index, one) in boxes.iter().enumerate() {
                assert!(one.y >= one.height / 2.0 && one.y + one.height / 2.0 <= layout.height, "{one:?}");
                assert!(one.x >= one.width / 2.0 && one.x + one.width / 2.0 <= layout.width, "{one:?}");
                for other in &boxes[..index] {
                    let apart = one.column != other.column
                        || (one.y - other.y).abs() >= f64::midpoint(one.height, other.height);
                    assert!(apart, "{one:?} {other:?}");
                }
            }
            let columns = layout.columns.windows(2);
            assert!(columns.into_iter().all(|pair| pair[0].right < pair[1].left));
        }
    }

    #[test]
    fn every_take_runs_from_left_to_right() {
        for graph in graphs() {
            let layout = lay_out(&graph);
            for (edge, bends) in graph.edges().iter().zip(&layout.bends) {
                let [from, to] = [edge.from, edge.to].map(|node| layout.nodes[node].column);
                let passed: Vec<_> = bends.iter().map(|bend| bend.column).collect();
                assert_eq!(passed, (from + 1..to).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn smaller_takes_are_higher_in_a_tree() {
        let tree = PlayGraph::build_tree(&game(&[3, 4], 3), None, 1000, &mut Budget::unbounded()).unwrap();
        let layout = lay_out(&tree);
        for (index, edge) in tree.edges().iter().enumerate() {
            let smaller = tree.edges()[..index].iter().filter(|other| other.from == edge.from);
            for other in smaller {
                assert!(layout.nodes[other.to].y < layout.nodes[edge.to].y, "{other:?} {edge:?}");
            }
        }
    }

    #[test]
    fn too_large_pictures_are_rejected() {
        let graph = PlayGraph::build_graph(&game(&[60], 3), None, 100_000, &mut Budget::unbounded()).unwrap();
        let (nodes, takes) = (vec![NODE; graph.nodes().len()], vec![TAKE; graph.edges().len()]);
        let refused = GraphLayout::of_graph(&graph, &nodes, &takes).unwrap_err().to_string();
        assert!(
            refused.ends_with("more than 20000: draw it to a smaller depth, or use Graphviz"),
            "{refused}"
        );
    }
}
