//! Vectorised games.

use super::{
    GameSource, game_in_progress::reward_of_seat, observed_rows::ObservedRows, regret_of_take, value_error,
};
use crate::numpy_import::require_numpy;
use lastnim_core::{
    game::{AllianceMatrix, Game, IllegalTake, Piles, Position},
    oracle::{Solution, TakeRange},
};
use lastnim_tournament::{AllianceSource, SeededDraw};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::sync::Arc;

/// Maximum number of games.
const MAX_GAMES: usize = 1 << 20;
/// Maximum total size of all observations, and likewise of all masks, in numbers.
const MAX_NUMBERS: usize = 1 << 28;

/// For each game: an observation, the rewards, and whether the game has ended.
type StepArrays<'py> = (Bound<'py, PyArray2<i16>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<bool>>);

/// Many games of one source, stepped at once. A game that ends is replaced by the next one in the same step.
#[pyclass(module = "lastnim._lastnim")]
pub struct VectorGames {
    source: Py<GameSource>,
    drawing: Drawing,
    games: Vec<RunningGame>,
    action_count: usize,
    observation_length: usize,
}

/// The seed and the shared rows from which the next games are drawn.
struct Drawing {
    seed: u64,
    /// The rows of all games, if they are the same.
    shared_rows: Option<Arc<ObservedRows>>,
}

/// A game that is being played in one of the slots.
struct RunningGame {
    position: Position,
    rows: Arc<ObservedRows>,
    /// Number of games before this one in its slot.
    number: u64,
    /// The solution of this game from one of its positions on; `None` until a label is requested.
    solution: Option<Box<Solution>>,
}

impl Drawing {
    /// Draws a game from the seed, its slot and its number.
    fn draw_game(&self, source: &GameSource, place: usize, number: u64) -> RunningGame {
        let mut draw = SeededDraw::from_numbers([self.seed, place as u64, number]);
        let piles = source.draw_piles(&mut draw);
        let rows = self.shared_rows.clone().unwrap_or_else(|| {
            let matrix = source.draw_rows(&mut draw).expect("declared rows have already been refused");
            Arc::new(ObservedRows::new(matrix))
        });
        let position = Position::new(piles, source.first, source.seats);
        RunningGame { position, rows, number, solution: None }
    }
}

impl RunningGame {
    /// Returns the solution of the game, and the position and rows that queries of the solution need.
    fn ensure_solved(&mut self, source: &GameSource) -> (&Solution, &Position, &AllianceMatrix) {
        let solution = self.solution.get_or_insert_with(|| {
            // The solution is valid for all later positions.
            let counters: Vec<u64> = self.position.piles().collect();
            let piles = Piles::parse_partly_emptied(&counters).expect("these piles come from a position");
            let first = self.position.to_move().index();
            let game = Game::new(piles, self.rows.matrix.clone(), first, source.ending)
                .expect("the seat to move is in the game");
            Box::new(Solution::new(&game))
        });
        (solution, &self.position, &self.rows.matrix)
    }

    /// Appends the observation of the seat to move.
    fn observe(&self, pile_count: usize, numbers: &mut Vec<i16>) {
        let untouched = self.position.untouched_piles();
        let end = numbers.len() + pile_count;
        numbers.extend(untouched.iter().map(|&counters| counters as i16));
        numbers.push(self.position.counters() as i16);
        // The empty piles are 0, and so is the seat to move, from its own view.
        numbers.resize(end + 1, 0);
        numbers.extend_from_slice(self.rows.rows_from(self.position.to_move()));
    }
}

impl VectorGames {
    fn check_takes(&self, takes: &[i64]) -> PyResult<()> {
        if takes.len() != self.games.len() {
            let (given, games) = (takes.len(), self.games.len());
            return Err(PyValueError::new_err(format!(
                "actions: length {given}: expected {games} actions, one for each game"
            )));
        }
        let is_legal = |(game, &take): (&RunningGame, &i64)| {
            // If the take is 0 or negative, this wraps to a huge number.
            take.wrapping_sub(1).cast_unsigned() < game.position.counters()
        };
        if self.games.iter().zip(takes).fold(true, |all, pair| all & is_legal(pair)) {
            return Ok(());
        }
        let wrong = self.games.iter().zip(takes).position(|pair| !is_legal(pair)).unwrap_or_default();
        let (take, counters) = (takes[wrong], self.games[wrong].position.counters());
        Err(PyValueError::new_err(format!("actions[{wrong}]: a take of {take}: take 1 to {counters}")))
    }

    /// Returns the observations of all games, concatenated.
    fn observe_all(&self, pile_count: usize) -> Vec<i16> {
        let mut numbers = Vec::with_capacity(self.games.len() * self.observation_length);
        for game in &self.games {
            game.observe(pile_count, &mut numbers);
        }
        numbers
    }

    fn observations_array<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<i16>,
    ) -> PyResult<Bound<'py, PyArray2<i16>>> {
        numbers.into_pyarray(py).reshape([self.games.len(), self.observation_length])
    }
}

#[pymethods]
impl VectorGames {
    #[new]
    fn new(source: Bound<'_, GameSource>, count: usize, seed: u64) -> PyResult<Self> {
        require_numpy(source.py())?;
        if !(1..=MAX_GAMES).contains(&count) {
            return Err(PyValueError::new_err(format!("count: {count}: expected 1 to {MAX_GAMES}")));
        }
        let from = source.get();
        let width = from.observation_length().max(from.action_count());
        if count * width > MAX_NUMBERS {
            return Err(PyValueError::new_err(format!(
                "count: {count}: expected at most {} games, because an observation or mask has {width} numbers",
                MAX_NUMBERS / width
            )));
        }
        let shared = match &from.rows {
            AllianceSource::Declared | AllianceSource::Dealt(_) => {
                return Err(PyValueError::new_err(
                    "rows: \"declared\": vectorised games need assigned rows: \"standard\", \"random\" or a matrix",
                ));
            }
            AllianceSource::Random => None,
            AllianceSource::Standard => Some(AllianceMatrix::standard(from.seats)),
            AllianceSource::Given(matrix) => Some(matrix.clone()),
        };
        let drawing = Drawing { seed, shared_rows: shared.map(ObservedRows::new).map(Arc::new) };
        let games = (0..count).map(|place| drawing.draw_game(from, place, 0)).collect();
        let (action_count, observation_length) = (from.action_count(), from.observation_length());
        Ok(Self { source: source.unbind(), drawing, games, action_count, observation_length })
    }

    /// Restarts every game, from a seed or with the next draw. Returns the observations.
    #[pyo3(signature = (seed=None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<u64>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        self.drawing.seed = seed.unwrap_or(self.drawing.seed);
        let source = self.source.get();
        for (place, game) in self.games.iter_mut().enumerate() {
            let number = if seed.is_some() { 0 } else { game.number + 1 };
            *game = self.drawing.draw_game(source, place, number);
        }
        self.observations(py)
    }

    /// Returns the observation of the seat to move in each game.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        let pile_count = self.source.get().pile_count;
        let numbers = py.detach(|| self.observe_all(pile_count));
        self.observations_array(py, numbers)
    }

    /// Makes a take in each game. If one is illegal, no game changes.
    fn step<'py>(&mut self, py: Python<'py>, takes: PyReadonlyArray1<'py, i64>) -> PyResult<StepArrays<'py>> {
        let takes = takes.as_slice()?;
        self.check_takes(takes)?;
        let source = self.source.get();
        let (seats, scoring) = (source.seats, source.scoring());
        let (numbers, rewards, ended) = py.detach(|| {
            let mut numbers = Vec::with_capacity(self.games.len() * self.observation_length);
            let mut rewards = vec![0.0_f32; self.games.len() * seats.get()];
            let mut ended = vec![false; self.games.len()];
            for (place, (game, &take)) in self.games.iter_mut().zip(takes).enumerate() {
                game.position.take(take.cast_unsigned()).expect("all takes were checked");
                if game.position.is_over() {
                    ended[place] = true;
                    let winner = source.ending.winner(game.position.to_move(), seats);
                    let rewards = &mut rewards[place * seats.get()..][..seats.get()];
                    for (reward, seat) in rewards.iter_mut().zip(seats.iter()) {
                        *reward = reward_of_seat(scoring, &game.rows.matrix, seat, winner) as f32;
                    }
                    *game = self.drawing.draw_game(source, place, game.number + 1);
                }
                game.observe(source.pile_count, &mut numbers);
            }
            (numbers, rewards, ended)
        });
        let rewards = rewards.into_pyarray(py).reshape([self.games.len(), seats.get()])?;
        Ok((self.observations_array(py, numbers)?, rewards, ended.into_pyarray(py)))
    }

    /// Returns the seat to move in each game.
    fn to_move<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let seats: Vec<u8> = self.games.iter().map(|game| game.position.to_move().index() as u8).collect();
        seats.into_pyarray(py)
    }

    /// Returns the counters in the last nonempty pile of each game, which is the largest legal take.
    fn counters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let counters: Vec<i64> =
            self.games.iter().map(|game| game.position.counters().cast_signed()).collect();
        counters.into_pyarray(py)
    }

    /// Returns 1 for each legal action of each game, and 0 for others.
    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let mut masks = vec![0; self.games.len() * self.action_count];
        for (mask, game) in masks.chunks_exact_mut(self.action_count).zip(&self.games) {
            mask[1..=game.position.counters() as usize].fill(1);
        }
        masks.into_pyarray(py).reshape([self.games.len(), self.action_count])
    }

    /// Draws a uniformly random legal take for each game.
    fn draw_takes<'py>(&self, py: Python<'py>, seed: u64) -> Bound<'py, PyArray1<i64>> {
        let mut draw = SeededDraw::from_numbers([seed]);
        let takes: Vec<i64> = self
            .games
            .iter()
            .map(|game| 1 + draw.number_below(game.position.counters()).cast_signed())
            .collect();
        takes.into_pyarray(py)
    }

    /// Returns the winner of each game under optimal play from here on.
    fn predicted_winners<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        let source = self.source.get();
        let winners: Vec<u8> = py.detach(|| {
            let winner = |game: &mut RunningGame| {
                let (solution, position, _) = game.ensure_solved(source);
                solution.winner(position).index() as u8
            };
            self.games.iter_mut().map(winner).collect()
        });
        winners.into_pyarray(py)
    }

    /// Returns the optimal takes of each game as two ranges, both ends included; a missing second range is zeros.
    fn optimal_takes<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u16>>> {
        let source = self.source.get();
        let ranges: Vec<u16> = py.detach(|| {
            let mut ranges = Vec::with_capacity(self.games.len() * 4);
            for game in &mut self.games {
                let (solution, position, _) = game.ensure_solved(source);
                let takes = solution.optimal_takes(position);
                for number in 0..2 {
                    let none = TakeRange { lo: 0, hi: 0 };
                    let range = takes.as_slice().get(number).copied().unwrap_or(none);
                    ranges.extend([range.lo as u16, range.hi as u16]);
                }
            }
            ranges
        });
        ranges.into_pyarray(py).reshape([self.games.len(), 4])
    }

    /// Returns the ranks that a take would cost the seat to move in each game. The games do not change.
    fn regrets<'py>(
        &mut self,
        py: Python<'py>,
        takes: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let takes = takes.as_slice()?;
        self.check_takes(takes)?;
        let source = self.source.get();
        let regrets: Result<Vec<u8>, IllegalTake> = py.detach(|| {
            let regret = |(game, &take): (&mut RunningGame, &i64)| {
                let (solution, position, matrix) = game.ensure_solved(source);
                Ok(regret_of_take(solution, matrix, position, take.cast_unsigned())? as u8)
            };
            self.games.iter_mut().zip(takes).map(regret).collect()
        });
        Ok(regrets.map_err(value_error)?.into_pyarray(py))
    }
}
