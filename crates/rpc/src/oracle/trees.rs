//! Questions about all possible play: trees, state graphs and explanations.

use super::question_scheduler::QuestionError;
use lastnim_analysis::tree::{PlayGraph, TreeError};
use lastnim_core::oracle::{Budget, Explanation};
use lastnim_proto::tree::{TreeForm, parse_max_plies, parse_tree_form, play_graph_message, report_too_large};
use lastnim_proto::{game::parse_game, parse_request, pb};

/// The limit on nodes in a tree, and on nodes and edges in a graph, which keeps responses below the 4 MiB that clients
/// accept by default: a node takes at most about 90 bytes, and an edge at most 27.
const MAX_NODES: u64 = 32_768;

/// Builds the tree of all possible play of a game.
pub(super) fn build_tree(
    request: &pb::BuildTreeRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::BuildTreeResponse, QuestionError> {
    let (game, form) = parse_request(|field| {
        let game = field.member("game").parse_required(request.game.as_ref(), parse_game);
        let form = parse_tree_form(request, field);
        game.zip(form)
    })?;
    let (built, form) = match form {
        TreeForm::Tree { depth } => {
            (PlayGraph::build_tree(&game, depth, MAX_NODES, budget), pb::TreeForm::Tree)
        }
        TreeForm::Graph => (PlayGraph::build_graph(&game, None, MAX_NODES, budget), pb::TreeForm::Graph),
    };
    match built {
        Ok(graph) => Ok(play_graph_message(&game, &graph, form)),
        Err(TreeError::Halt(halt)) => Err(halt.into()),
        Err(TreeError::TooLarge(too_large)) => Ok(parse_request(|field| {
            report_too_large(&too_large, field);
            None
        })?),
    }
}

/// Explains why a seat wins.
pub(super) fn explain_winner(
    request: &pb::ExplainRequest,
    _: &mut Budget<'_>,
) -> Result<pb::ExplainResponse, QuestionError> {
    let (game, max_plies) = parse_request(|field| {
        let game = field.member("game").parse_required(request.game.as_ref(), parse_game);
        let max_plies = parse_max_plies(request.max_plies, field.member("max_plies"));
        game.zip(max_plies)
    })?;
    Ok((&Explanation::of_game(&game, max_plies)).into())
}
