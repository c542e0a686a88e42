//! A game as a tree for the crate `extensive-form`, which solves any tree of decisions by backward induction.

use extensive_form::{backward::backward_induction, node::NodeId, tree::GameTree};
use lastnim_analysis::tree::TreeSize;
use lastnim_core::game::{Game, Position, Seat};

/// Returns the winner from the crate's solution, by a tree with a node for every line of play; none if that would
/// have more nodes than `most`.
///
/// A seat's payoff is minus the place of the winner in its row. Labels and names of actions are left empty, as nobody reads them.
pub(crate) fn winner(game: &Game, most: u64) -> Option<Seat> {
    TreeSize::of_piles(&game.piles).at_most(most)?;
    let mut tree = GameTree::with_players("", game.matrix.seats().get());
    let root = add(&mut tree, game, &game.first_position());
    let payoffs = &backward_induction(&tree).values[&root];
    let seats = game.matrix.seats();
    seats.iter().find(|&winner| *payoffs == payoffs_of(game, winner))
}

fn add(tree: &mut GameTree, game: &Game, position: &Position) -> NodeId {
    if position.is_over() {
        let winner = game.ending.winner(position.to_move(), game.matrix.seats());
        return tree.add_terminal(payoffs_of(game, winner), "");
    }
    let node = tree.add_decision(position.to_move().index(), "");
    for take in 1..=position.counters() {
        let mut after = position.clone();
        after.take(take).expect("there are so many counters");
        let child = add(tree, game, &after);
        tree.add_action(node, "", child);
    }
    node
}

fn payoffs_of(game: &Game, winner: Seat) -> Vec<f64> {
    let seats = game.matrix.seats();
    seats.iter().map(|seat| -f64::from(game.matrix.rank(seat, winner) as u8)).collect()
}
