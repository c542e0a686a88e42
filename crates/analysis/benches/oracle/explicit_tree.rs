//! Builds a game as an explicit tree for the crate `extensive-form`, which solves any game tree by backward induction.

use extensive_form::{backward::backward_induction, node::NodeId, tree::GameTree};
use lastnim_analysis::tree::TreeSize;
use lastnim_core::game::{Game, Position, Seat};

/// Returns the winner that the crate finds in a tree with a node for every line of play; `None` if the tree would have
/// more than `max_nodes` nodes.
///
/// The payoff of a seat is the negated rank of the winner in its row. The labels and the names of actions are empty,
/// because nothing reads them.
pub(crate) fn winner(game: &Game, max_nodes: u64) -> Option<Seat> {
    TreeSize::of_piles(&game.piles).at_most(max_nodes)?;
    let mut tree = GameTree::with_players("", game.matrix.seats().get());
    let root = add_position(&mut tree, game, &game.first_position());
    let payoffs = &backward_induction(&tree).values[&root];
    let seats = game.matrix.seats();
    seats.iter().find(|&winner| *payoffs == payoffs_of(game, winner))
}

fn add_position(tree: &mut GameTree, game: &Game, position: &Position) -> NodeId {
    if position.is_over() {
        let winner = game.ending.winner(position.to_move(), game.matrix.seats());
        return tree.add_terminal(payoffs_of(game, winner), "");
    }
    let node = tree.add_decision(position.to_move().index(), "");
    for take in 1..=position.counters() {
        let mut after = position.clone();
        after.take(take).expect("the take is in range");
        let child = add_position(tree, game, &after);
        tree.add_action(node, "", child);
    }
    node
}

fn payoffs_of(game: &Game, winner: Seat) -> Vec<f64> {
    let seats = game.matrix.seats();
    seats.iter().map(|seat| -f64::from(game.matrix.rank(seat, winner) as u8)).collect()
}
