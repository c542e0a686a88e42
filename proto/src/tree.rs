//! Converts trees, graphs and explanations of play to messages.

use super::{RequestField, pb};
use lastnim_analysis::tree::{Edge, Node, PlayGraph, TreeCut, TreeSize, TreeTooLarge};
use lastnim_core::{
    game::{Game, Position},
    oracle::{Explanation, RankChange, TakeOption},
};

/// The number of plies in a line of best play, unless the request states another number.
const DEFAULT_LINE_PLIES: u32 = 100;
/// Maximum number of plies in a line of best play.
const MAX_LINE_PLIES: u32 = 1_024;

/// The form in which all possible play is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeForm {
    /// A tree, which may be cut at some depth.
    Tree {
        /// The depth at which to cut the tree, if any.
        depth: Option<u64>,
    },
    /// The graph of states, in which each state appears once.
    Graph,
}

/// Reads the form in which to draw all possible play.
pub fn parse_tree_form(request: &pb::BuildTreeRequest, field: RequestField<'_>) -> Option<TreeForm> {
    let depth = request.depth;
    match field.member("form").known_enum(request.form)? {
        pb::TreeForm::Unspecified | pb::TreeForm::Tree => Some(TreeForm::Tree { depth }),
        pb::TreeForm::Graph => match depth {
            None => Some(TreeForm::Graph),
            Some(depth) => {
                field
                    .member("depth")
                    .report(format_args!("{depth}: a graph of states has no depth: leave it out"));
                None
            }
        },
    }
}

/// Reads the maximum length of a line of best play, in plies.
pub fn parse_max_plies(plies: u32, field: RequestField<'_>) -> Option<usize> {
    match plies {
        0 => Some(DEFAULT_LINE_PLIES as usize),
        1..=MAX_LINE_PLIES => Some(plies as usize),
        _ => {
            field.report(format_args!("{plies}: expected 1 to {MAX_LINE_PLIES} plies in a line"));
            None
        }
    }
}

/// Reports that a tree or graph is too large. The message states its size, and a request that would fit.
pub fn report_too_large(too_large: &TreeTooLarge, field: RequestField<'_>) {
    let game_field = field.member("game");
    let field = if too_large.depth.is_some() { field.member("depth") } else { game_field.member("piles") };
    let mut fitting = Vec::new();
    if let Some(TreeCut { depth, nodes }) = too_large.cut {
        fitting.push(format!("the tree down to depth {depth} with {nodes} nodes"));
    }
    if too_large.graph_fits() {
        fitting.push(format!("the graph of states with {}", too_large.graph));
    }
    let fits = if fitting.is_empty() {
        "no smaller tree fits".into()
    } else {
        format!("these fit: {}", fitting.join(", and "))
    };
    field.report(format_args!("{too_large}; {fits}"));
}

/// Writes all possible play of a game as a tree or graph.
pub fn play_graph_message(game: &Game, graph: &PlayGraph, form: pb::TreeForm) -> pb::BuildTreeResponse {
    let line = graph.best_line();
    let state = |node: usize| &graph.nodes()[node].position;
    pb::BuildTreeResponse {
        nodes: graph.nodes().iter().map(pb::TreeNode::from).collect(),
        edges: graph.edges().iter().map(pb::TreeEdge::from).collect(),
        game: Some(game.into()),
        form: form.into(),
        line_is_whole: state(line.last().map_or(0, |last| last.to)).is_over(),
        line: line.iter().map(|edge| line_ply_message(state(edge.from), edge.take)).collect(),
    }
}

impl From<&Node> for pb::TreeNode {
    fn from(node: &Node) -> Self {
        let position = &node.position;
        Self {
            to_move: position.to_move().into(),
            pile: position.pile_index() as u32,
            counters: position.counters(),
            winner: node.winner.into(),
            below: node.cut.map(|below| below.to_string()),
            below_log2: node.cut.map(log2_of_size),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the 53 bits of a double are precise enough for a logarithm")]
fn log2_of_size(size: TreeSize) -> f64 {
    match size {
        TreeSize::Exactly(nodes) => (nodes as f64).log2(),
        TreeSize::ApproxPowerOf2(log2) | TreeSize::AtLeastPowerOf2(log2) => log2 as f64,
    }
}

impl From<&Edge> for pb::TreeEdge {
    fn from(edge: &Edge) -> Self {
        let &Edge { from, to, take, is_optimal } = edge;
        Self { from: from as u32, to: to as u32, take, optimal: is_optimal }
    }
}

impl From<&Explanation> for pb::ExplainResponse {
    fn from(explanation: &Explanation) -> Self {
        Self {
            winner: explanation.winner.into(),
            options: explanation.options.iter().map(pb::TakeOption::from).collect(),
            line: explanation
                .line
                .plies
                .iter()
                .map(|(position, take)| line_ply_message(position, *take))
                .collect(),
            line_is_whole: explanation.line.end.is_over(),
        }
    }
}

impl From<&TakeOption> for pb::TakeOption {
    fn from(option: &TakeOption) -> Self {
        let changes = |changes: &[RankChange]| {
            changes
                .iter()
                .map(|change| pb::RankChange { seat: change.seat.into(), ranks: change.ranks })
                .collect()
        };
        Self {
            takes: Some((&option.takes).into()),
            winner: option.winner.into(),
            regret: option.regret,
            better_for: changes(&option.better_for),
            worse_for: changes(&option.worse_for),
            optimal: option.is_optimal(),
        }
    }
}

fn line_ply_message(position: &Position, take: u64) -> pb::LinePly {
    pb::LinePly {
        seat: position.to_move().into(),
        pile: position.pile_index() as u32,
        counters: position.counters(),
        take,
    }
}
