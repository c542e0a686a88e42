//! The tree of a Monte Carlo search.

use super::{Playouts, candidate_takes::CandidateTakes};
use lastnim_core::game::{Game, Position, Seat};
use lastnim_tournament::SeededDraw;
use std::cmp::Ordering;

/// The exploration constant of UCB1: the square root of 2, as in the paper.
const EXPLORATION: f64 = std::f64::consts::SQRT_2;
/// Maximum number of plies in a playout beyond the tree.
const MAX_PLAYOUT_PLIES: u32 = 1_024;
/// The number of plies, in all playouts together, after which no further playout starts.
const MAX_SEARCH_PLIES: u32 = 2_000_000;

/// A tree search with upper confidence bounds (UCT) for any number of seats: each seat prefers the takes with the
/// highest mean satisfaction by its own row (max^n).
///
/// A playout descends the tree by UCB1, adds a position, and continues with uniformly random takes. After 1,024 of
/// these takes it stops, and every seat is half satisfied. The search ends after the given number of playouts, or after
/// 2,000,000 plies in total. The tree grows by one position per playout.
///
/// Source: Kocsis and Szepesvári, "Bandit Based Monte-Carlo Planning" (2006); Sturtevant, "An Analysis of UCT in
/// Multi-Player Games" (2008).
#[derive(Debug)]
pub(super) struct SearchTree<'a> {
    game: &'a Game,
    start: &'a Position,
    nodes: Vec<Node>,
    draw: SeededDraw,
    plies: u32,
}

/// A position in the tree.
#[derive(Debug)]
struct Node {
    to_move: Seat,
    candidates: CandidateTakes,
    /// The indexes of untried candidates.
    untried: Vec<u8>,
    tried: Vec<Edge>,
    visits: u32,
}

/// A take that was tried.
#[derive(Debug)]
struct Edge {
    take: u64,
    /// The index of the resulting node.
    node: usize,
    visits: u32,
    /// The satisfaction of the seat that makes the take, added up over all visits.
    satisfaction: f64,
}

impl Edge {
    fn mean_satisfaction(&self) -> f64 {
        self.satisfaction / f64::from(self.visits)
    }

    /// Returns the UCB1 bound, given the logarithm of the number of visits to the node that the edge leaves.
    fn upper_bound(&self, log_visits: f64) -> f64 {
        self.mean_satisfaction() + EXPLORATION * (log_visits / f64::from(self.visits)).sqrt()
    }
}

impl Node {
    fn of_position(position: &Position) -> Self {
        let candidates = CandidateTakes::of_pile(position.counters());
        Self {
            to_move: position.to_move(),
            candidates,
            untried: candidates.indices().collect(),
            tried: Vec::new(),
            visits: 0,
        }
    }

    /// Returns the index of the edge with the highest bound, the oldest on ties; `None` if the game is over.
    fn most_promising_edge(&self) -> Option<usize> {
        let log_visits = f64::from(self.visits).ln();
        let bounds = self.tried.iter().map(|edge| edge.upper_bound(log_visits)).enumerate();
        bounds.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(index, _)| index)
    }
}

impl<'a> SearchTree<'a> {
    /// Creates a tree whose root is `start`, in which the game must not be over.
    pub(super) fn new(game: &'a Game, start: &'a Position, draw: SeededDraw) -> Self {
        Self { game, start, nodes: vec![Node::of_position(start)], draw, plies: 0 }
    }

    /// Runs the playouts and returns the take tried most often; on ties, the one with the highest satisfaction, then
    /// the smallest.
    pub(super) fn search_take(mut self, playouts: Playouts) -> u64 {
        self.run_playouts(playouts);
        self.best_take()
    }

    /// Runs the playouts, or fewer if the limit on plies is reached.
    fn run_playouts(&mut self, playouts: Playouts) {
        for _ in 0..playouts.get() {
            self.play_out();
            if self.plies >= MAX_SEARCH_PLIES {
                break;
            }
        }
    }

    fn best_take(&self) -> u64 {
        let by_worth = |one: &&Edge, other: &&Edge| -> Ordering {
            let visits = one.visits.cmp(&other.visits);
            let satisfaction = one.satisfaction.total_cmp(&other.satisfaction);
            visits.then(satisfaction).then(other.take.cmp(&one.take))
        };
        self.nodes[0].tried.iter().max_by(by_worth).expect("each playout tries a take").take
    }

    /// Runs one playout: descends the tree, adds one position to it, and then makes random takes.
    fn play_out(&mut self) {
        let mut position = self.start.clone();
        let mut path = Vec::new();
        let mut at = 0;
        loop {
            let node = &mut self.nodes[at];
            let count = node.untried.len();
            let is_new = count > 0;
            let edge = if is_new {
                let place = node.untried.swap_remove(self.draw.number_below(count as u64) as usize);
                let take = node.candidates.take_at(place);
                self.add_edge(at, &position, take)
            } else {
                let Some(edge) = node.most_promising_edge() else { break };
                edge
            };
            let Edge { take, node, .. } = self.nodes[at].tried[edge];
            path.push((at, edge));
            make_take(&mut position, take);
            self.plies += 1;
            at = node;
            if is_new {
                break;
            }
        }
        let winner = self.play_at_random(position);
        self.record_result(&path, at, winner);
    }

    /// Adds the position after a take and returns the index of its edge.
    fn add_edge(&mut self, from: usize, position: &Position, take: u64) -> usize {
        let mut after = position.clone();
        make_take(&mut after, take);
        let node = self.nodes.len();
        self.nodes.push(Node::of_position(&after));
        let tried = &mut self.nodes[from].tried;
        tried.push(Edge { take, node, visits: 0, satisfaction: 0.0 });
        tried.len() - 1
    }

    /// Makes random takes until the game is over and returns the winner; `None` if the ply limit is reached first.
    fn play_at_random(&mut self, mut position: Position) -> Option<Seat> {
        for _ in 0..MAX_PLAYOUT_PLIES {
            if position.is_over() {
                break;
            }
            let take = 1 + self.draw.number_below(position.counters());
            make_take(&mut position, take);
            self.plies += 1;
        }
        position.is_over().then(|| self.game.ending.winner(position.to_move(), position.seats()))
    }

    /// Updates every edge on the path of a playout.
    fn record_result(&mut self, path: &[(usize, usize)], last: usize, winner: Option<Seat>) {
        for &(node, edge) in path {
            let satisfaction = self.satisfaction_of(self.nodes[node].to_move, winner);
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.tried[edge].visits += 1;
            node.tried[edge].satisfaction += satisfaction;
        }
        self.nodes[last].visits += 1;
    }

    /// Returns the satisfaction of a seat: 1 if the first seat in its row wins, 0 if the last one does, and 0.5 if
    /// there is no winner.
    fn satisfaction_of(&self, seat: Seat, winner: Option<Seat>) -> f64 {
        let worst = self.game.matrix.seats().get() as u32 - 1;
        let rank = |winner| self.game.matrix.rank(seat, winner) as u32;
        winner.map_or(0.5, |winner| 1.0 - f64::from(rank(winner)) / f64::from(worst))
    }
}

fn make_take(position: &mut Position, take: u64) {
    position.take(take).expect("the take is legal");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice_games::random_game;
    use lastnim_core::game::{AllianceMatrix, Ending, MAX_COUNTERS, MAX_PILES, Piles, SeatCount};

    fn search(game: &Game, playouts: u32) -> (u64, usize, u32) {
        let start = game.first_position();
        let mut tree = SearchTree::new(game, &start, SeededDraw::new(1, 2));
        tree.run_playouts(playouts.to_string().parse().unwrap());
        (tree.best_take(), tree.nodes.len(), tree.plies)
    }

    #[test]
    fn the_visits_of_a_position_add_up_to_those_of_its_takes() {
        let game = random_game(1, 3, 3, 4);
        let start = game.first_position();
        let mut tree = SearchTree::new(&game, &start, SeededDraw::new(1, 2));
        for _ in 0..500 {
            tree.play_out();
        }
        assert_eq!(tree.nodes[0].visits, 500);
        for node in &tree.nodes {
            let tried: u32 = node.tried.iter().map(|edge| edge.visits).sum();
            // The visit that adds a position tries no take in it, and neither does a visit to a final position.
            assert!(tried == node.visits || tried + 1 == node.visits || node.tried.is_empty());
            for edge in &node.tried {
                assert_eq!(edge.visits, tree.nodes[edge.node].visits);
                assert!((0.0..=1.0).contains(&edge.mean_satisfaction()));
            }
        }
    }

    #[test]
    fn the_search_finds_the_winning_take_in_a_short_game() {
        // Taking all 3 counters lets the next seat win; leaving one counter wins.
        let game = Game::parse(&[3], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        assert_eq!(search(&game, 200).0, 2);
    }

    #[test]
    fn one_playout_adds_one_position() {
        let game = Game::parse(&[MAX_COUNTERS; 3], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        let (take, nodes, plies) = search(&game, 100);
        assert_eq!(nodes, 101);
        assert!((1..=MAX_COUNTERS).contains(&take));
        assert!(plies < 100 * MAX_PLAYOUT_PLIES);
    }

    #[test]
    fn a_search_stops_at_its_ply_limit() {
        let seats = SeatCount::new(32).unwrap();
        let piles = Piles::parse(&[MAX_COUNTERS; MAX_PILES]).unwrap();
        let game = Game::new(piles, AllianceMatrix::standard(seats), 0, Ending::ToMoveWins).unwrap();
        let (take, nodes, plies) = search(&game, Playouts::MAX.get());
        // The last playout may exceed the limit by the depth of the tree and its own plies.
        assert!((MAX_SEARCH_PLIES..MAX_SEARCH_PLIES + 2 * MAX_PLAYOUT_PLIES).contains(&plies), "{plies}");
        assert!(nodes < 4_000, "{nodes}");
        assert!((1..=MAX_COUNTERS).contains(&take));
    }
}
