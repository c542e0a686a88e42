//! Questions about all possible play: trees, graphs of states, explanations.

use super::asking::Unanswered;
use super::games::game_of;
use crate::oracle::tree::{PlayGraph, TreeError};
use crate::oracle::{Budget, Explanation};
use crate::wire::tree::{TreeForm, drawn_play, parse_max_plies, parse_tree_form, report_too_large};
use crate::wire::{Violations, pb};

/// The most nodes of a tree, and the most nodes and edges of a graph: together less than the 4 MiB that clients receive by
/// default, as a node has at most some 90 bytes and an edge 27.
const MAX_NODES: u64 = 32_768;

/// Draws all possible play of a game.
pub(super) fn build_tree(
    request: &pb::BuildTreeRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::BuildTreeResponse, Unanswered> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    let form = parse_tree_form(request, &mut violations);
    let (game, form) = violations.finish(game.zip(form))?;
    let (built, form) = match form {
        TreeForm::Tree { depth } => (PlayGraph::tree(&game, depth, MAX_NODES, budget), pb::TreeForm::Tree),
        TreeForm::Graph => (PlayGraph::merged(&game, None, MAX_NODES, budget), pb::TreeForm::Graph),
    };
    match built {
        Ok(graph) => Ok(drawn_play(&game, &graph, form)),
        Err(TreeError::Halt(halt)) => Err(halt.into()),
        Err(TreeError::TooLarge(too_large)) => {
            let mut violations = Violations::default();
            report_too_large(&too_large, &mut violations);
            Err(violations.into())
        }
    }
}

/// Explains why a seat wins.
pub(super) fn explain(request: &pb::ExplainRequest) -> Result<pb::ExplainResponse, Violations> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    let most_plies = parse_max_plies(request.max_plies, &mut violations);
    let (game, most_plies) = violations.finish(game.zip(most_plies))?;
    Ok((&Explanation::of(&game, most_plies)).into())
}
