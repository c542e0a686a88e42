//! Tests that trees and graphs agree with a reference tree and with their predicted sizes.

use lastnim_analysis::tree::{GraphSize, PlayGraph, TreeCut, TreeError, TreeSize};
use lastnim_core::game::testing::games;
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, MAX_COUNTERS, MAX_PILES, MAX_SEATS, Piles, SeatCount},
    oracle::{Budget, HaltReason, Solution, reference::GameTree},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const MAX_NODES: u64 = 1 << 20;

fn build_tree(game: &Game, depth: Option<u64>) -> PlayGraph {
    PlayGraph::build_tree(game, depth, MAX_NODES, &mut Budget::unbounded()).unwrap()
}

fn build_graph(game: &Game) -> PlayGraph {
    PlayGraph::build_graph(game, None, MAX_NODES, &mut Budget::unbounded()).unwrap()
}

fn figure_1_game() -> Game {
    let rows = [vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
    Game::parse(&[1, 2, 2], &rows, 0, Ending::ToMoveWins).unwrap()
}

fn game_of_four_seats(piles: &[u64]) -> Game {
    let matrix = AllianceMatrix::standard(SeatCount::new(4).unwrap());
    Game::new(Piles::parse(piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap()
}

/// Returns the depth of every node in a tree.
fn node_depths(tree: &PlayGraph) -> Vec<u64> {
    let mut depths = vec![0; tree.nodes().len()];
    for edge in tree.edges() {
        depths[edge.to] = depths[edge.from] + 1;
    }
    depths
}

proptest! {
    #[test]
    fn the_tree_agrees_with_the_reference(game in games(2..=5, 1..=4, 1..=5)) {
        let tree = build_tree(&game, None);
        let reference = GameTree::build(&game, MAX_NODES as usize).unwrap();
        prop_assert_eq!(TreeSize::of_piles(&game.piles), TreeSize::Exactly(tree.nodes().len() as u128));
        prop_assert_eq!(tree.nodes().len(), reference.len());
        let winners = reference.winners(&game.matrix, game.ending);
        for ((node, (mover, piles)), winner) in tree.nodes().iter().zip(reference.states()).zip(winners) {
            prop_assert_eq!(node.position.to_move(), mover);
            prop_assert_eq!(node.position.piles().collect::<Vec<_>>(), piles);
            prop_assert_eq!((node.winner, node.cut), (winner, None));
        }
        for (index, edge) in tree.edges().iter().enumerate() {
            let (from, to) = (&tree.nodes()[edge.from], &tree.nodes()[edge.to]);
            let mut after = from.position.clone();
            after.take(edge.take).unwrap();
            prop_assert_eq!((edge.to, &after), (index + 1, &to.position));
            prop_assert_eq!(edge.is_optimal, from.winner == to.winner);
        }
    }

    #[test]
    fn a_tree_cut_at_a_depth_equals_the_top_of_the_whole_tree(
        game in games(2..=4, 1..=4, 1..=5),
        depth in 0..=12_u64,
    ) {
        let (whole, top) = (build_tree(&game, None), build_tree(&game, Some(depth)));
        let depths = node_depths(&whole);
        let kept: Vec<_> = whole.nodes().iter().zip(&depths).filter(|(_, of)| **of <= depth).collect();
        prop_assert_eq!(TreeSize::to_depth(&game.piles, depth), TreeSize::Exactly(kept.len() as u128));
        prop_assert_eq!(top.nodes().len(), kept.len());
        let mut below = 0;
        for (node, (original, &of)) in top.nodes().iter().zip(kept) {
            prop_assert_eq!((&node.position, node.winner), (&original.position, original.winner));
            prop_assert_eq!(node.cut.is_some(), of == depth && !node.position.is_over());
            below += node.cut.map_or(0, |cut| cut.at_most(u64::MAX).unwrap());
        }
        prop_assert_eq!(top.nodes().len() as u64 + below, whole.nodes().len() as u64);
    }

    #[test]
    fn the_graph_has_every_state_of_the_tree_once(game in games(2..=6, 1..=4, 1..=5)) {
        let (tree, graph) = (build_tree(&game, None), build_graph(&game));
        let state = |index: usize| graph.nodes()[index].position.to_string();
        let states: BTreeSet<_> = tree.nodes().iter().map(|node| (node.position.to_string(), node.winner)).collect();
        let merged: BTreeSet<_> = graph.nodes().iter().map(|node| (node.position.to_string(), node.winner)).collect();
        prop_assert_eq!(&states, &merged);
        prop_assert_eq!(merged.len(), graph.nodes().len());

        let takes: BTreeSet<_> = tree
            .edges()
            .iter()
            .map(|edge| {
                let [from, to] = [edge.from, edge.to].map(|node| tree.nodes()[node].position.to_string());
                (from, edge.take, to, edge.is_optimal)
            })
            .collect();
        let merged: BTreeSet<_> = graph
            .edges()
            .iter()
            .map(|edge| (state(edge.from), edge.take, state(edge.to), edge.is_optimal))
            .collect();
        prop_assert_eq!(&takes, &merged);
        prop_assert_eq!(merged.len(), graph.edges().len());
        prop_assert!(graph.edges().iter().all(|edge| edge.from < edge.to));
        prop_assert!(graph.edges().is_sorted_by_key(|edge| (edge.from, edge.take)));
    }

    #[test]
    fn the_size_of_a_graph_is_predicted_exactly(game in games(2..=MAX_SEATS, 1..=5, 1..=60)) {
        let graph = build_graph(&game);
        let edges = TreeSize::Exactly(graph.edges().len() as u128);
        prop_assert_eq!(GraphSize::of_game(&game), GraphSize { nodes: graph.nodes().len() as u128, edges });
        let solution = Solution::new(&game);
        for node in graph.nodes() {
            prop_assert_eq!(node.winner, solution.winner(&node.position));
        }
    }

    #[test]
    fn a_graph_cut_at_a_depth_equals_the_top_of_the_whole_graph(
        game in games(2..=6, 1..=4, 1..=6),
        depth in 0..=9_u64,
    ) {
        let (whole, mut budget) = (build_graph(&game), Budget::unbounded());
        let top = PlayGraph::build_graph(&game, Some(depth), MAX_NODES, &mut budget).unwrap();
        let mut takes = vec![u64::MAX; whole.nodes().len()];
        takes[0] = 0;
        for edge in whole.edges() {
            takes[edge.to] = takes[edge.to].min(takes[edge.from] + 1);
        }
        let kept: Vec<_> = whole.nodes().iter().zip(&takes).filter(|(_, takes)| **takes <= depth).collect();
        prop_assert_eq!(top.nodes().len(), kept.len());
        for (node, (original, &takes)) in top.nodes().iter().zip(kept) {
            prop_assert_eq!((&node.position, node.winner), (&original.position, original.winner));
            prop_assert_eq!(node.cut.is_some(), takes == depth && !node.position.is_over());
        }
        let edges = whole.edges().iter().filter(|edge| takes[edge.from] < depth).count();
        prop_assert_eq!(top.edges().len(), edges);
        let size = GraphSize { nodes: top.nodes().len() as u128, edges: TreeSize::Exactly(edges as u128) };
        prop_assert_eq!(GraphSize::to_depth(&game, depth), size);
        if depth == 0 && !game.first_position().is_over() {
            let cut_size = TreeSize::Exactly(whole.nodes().len() as u128 - 1);
            prop_assert_eq!(top.nodes()[0].cut, Some(cut_size));
        }
    }

    #[test]
    fn the_best_line_keeps_the_winner_to_the_end(game in games(2..=6, 1..=4, 1..=5)) {
        let (tree, graph) = (build_tree(&game, None), build_graph(&game));
        let takes = |graph: &PlayGraph| graph.best_line().iter().map(|edge| edge.take).collect::<Vec<_>>();
        prop_assert_eq!(takes(&tree), takes(&graph));
        let end = &tree.nodes()[tree.best_line().last().unwrap().to];
        prop_assert!(end.position.is_over());
        prop_assert_eq!(end.winner, tree.nodes()[0].winner);
    }

    #[test]
    fn the_suggested_cut_is_the_deepest_that_fits(
        game in games(2..=4, 1..=5, 1..=9),
        limit in 1..=200_u64,
    ) {
        let mut budget = Budget::unbounded();
        match PlayGraph::build_tree(&game, None, limit, &mut budget) {
            Ok(tree) => prop_assert!(tree.nodes().len() as u64 <= limit),
            Err(TreeError::TooLarge(too_large)) => {
                let TreeCut { depth, nodes } = too_large.cut.unwrap();
                let top = PlayGraph::build_tree(&game, Some(depth), limit, &mut budget).unwrap();
                prop_assert_eq!(top.nodes().len() as u64, nodes);
                prop_assert!(PlayGraph::build_tree(&game, Some(depth + 1), limit, &mut budget).is_err());
                let graph = PlayGraph::build_graph(&game, None, limit, &mut budget);
                prop_assert_eq!(too_large.graph_fits(), graph.is_ok());
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
}

#[test]
fn figure_1_is_reproduced() {
    let tree = build_tree(&figure_1_game(), None);
    assert_eq!(tree.nodes().len(), 14);
    let line = tree.best_line();
    let states: Vec<_> = std::iter::once(0)
        .chain(line.iter().map(|edge| edge.to))
        .map(|node| tree.nodes()[node].position.to_string())
        .collect();
    let paper =
        ["(0, [1,2,2])", "(1, [1,2,1])", "(2, [1,2,0])", "(0, [1,1,0])", "(1, [1,0,0])", "(2, [0,0,0])"];
    assert_eq!(states, paper);
    assert_eq!(tree.nodes()[0].winner.index(), 2);
    // Each of these takes is the only optimal one, so ties do not matter.
    let optimal =
        |node: usize| tree.edges().iter().filter(|edge| edge.from == node && edge.is_optimal).count();
    assert!(line.iter().all(|edge| optimal(edge.from) == 1));
}

#[test]
fn figure_1_as_a_graph_has_each_state_once() {
    let mut times = BTreeMap::new();
    for node in build_tree(&figure_1_game(), None).nodes() {
        *times.entry(node.position.to_string()).or_insert(0) += 1;
    }
    let graph = build_graph(&figure_1_game());
    assert_eq!(graph.nodes().len(), times.len());
    assert!(times.values().any(|&times| times > 1), "{times:?}");
}

#[test]
fn huge_sizes_are_estimated() {
    let size = |piles: &[u64]| TreeSize::of_piles(&Piles::parse(piles).unwrap()).to_string();
    assert_eq!(size(&[9, 9, 1, 6]), "4202560");
    assert_eq!(size(&[1; MAX_PILES]), "1025");
    assert_eq!(size(&[127]), (1_u128 << 127).to_string());
    assert_eq!(size(&[128]), "about 2^128 (10^39)");
    assert_eq!(
        size(&[1, 100, 300]),
        "about 2^400 (10^120)",
        "3 * 2^99 * 2^299 is nearer to 2^400 than to 2^399"
    );
    assert_eq!(size(&[MAX_COUNTERS; MAX_PILES]), "about 2^9444732965739290425345");
    let size_to_depth =
        |piles: &[u64], depth| TreeSize::to_depth(&Piles::parse(piles).unwrap(), depth).to_string();
    assert_eq!(size_to_depth(&[MAX_COUNTERS; MAX_PILES], 1), "9223372036854775808");
    assert_eq!(size_to_depth(&[MAX_COUNTERS; MAX_PILES], 9), "at least 2^128 (10^39)");
    assert_eq!(size_to_depth(&[9, 9, 1, 6], u64::MAX), "4202560");
    assert_eq!(
        size_to_depth(&[127], u64::MAX),
        (1_u128 << 127).to_string(),
        "binomials near 2^128 are exact"
    );
    let graph = |piles: &[u64]| GraphSize::of_game(&game_of_four_seats(piles)).to_string();
    assert_eq!(
        graph(&[MAX_COUNTERS]),
        "36893488147419103223 nodes and 170141183460469231630230211310481571859 edges"
    );
    assert!(graph(&[MAX_COUNTERS; MAX_PILES]).ends_with(" nodes and at least 2^128 (10^39) edges"));
}

#[test]
fn too_large_trees_and_graphs_suggest_what_fits() {
    let refusal = |piles: &[u64], depth| match PlayGraph::build_tree(
        &game_of_four_seats(piles),
        depth,
        10_000,
        &mut Budget::of_steps(0),
    ) {
        Err(TreeError::TooLarge(too_large)) => too_large,
        other => panic!("{other:?}"),
    };
    let whole = refusal(&[9, 9, 1, 6], None);
    assert_eq!(whole.to_string(), "the tree has 4202560 nodes, more than 10000");
    assert_eq!(whole.cut, Some(TreeCut { depth: 6, nodes: 2_951 }));
    assert!(whole.graph_fits());
    let cut = refusal(&[9, 9, 1, 6], Some(7));
    assert!(cut.to_string().starts_with("the tree down to depth 7 has "), "{cut}");
    let giant = refusal(&[MAX_COUNTERS; MAX_PILES], None);
    assert_eq!(giant.cut, Some(TreeCut { depth: 0, nodes: 1 }));
    assert!(!giant.graph_fits());
    let graph = PlayGraph::build_graph(&game_of_four_seats(&[1000]), None, 10_000, &mut Budget::unbounded())
        .unwrap_err();
    assert!(
        graph.to_string().starts_with("the graph of states has 3995 nodes and 1993010 edges, more"),
        "{graph}"
    );
}

#[test]
fn building_stops_when_the_budget_is_spent() {
    let game = game_of_four_seats(&[4, 4]);
    for steps in [0, 1, 20, 40] {
        let halt = TreeError::Halt(HaltReason::OutOfSteps { limit: steps });
        assert_eq!(
            PlayGraph::build_tree(&game, None, MAX_NODES, &mut Budget::of_steps(steps)),
            Err(halt.clone())
        );
        assert_eq!(PlayGraph::build_graph(&game, None, MAX_NODES, &mut Budget::of_steps(steps)), Err(halt));
    }
}

#[test]
fn a_game_that_is_over_is_one_node() {
    let game = Game::parse(&[0], &[vec![0, 1], vec![1, 0]], 1, Ending::LastMoverWins).unwrap();
    for graph in [build_tree(&game, None), build_tree(&game, Some(0)), build_graph(&game)] {
        assert_eq!((graph.nodes().len(), graph.edges().len()), (1, 0));
        assert_eq!((graph.nodes()[0].winner.index(), graph.nodes()[0].cut), (0, None));
        assert!(graph.best_line().is_empty());
    }
    assert_eq!(TreeSize::of_piles(&game.piles), TreeSize::Exactly(1));
}
