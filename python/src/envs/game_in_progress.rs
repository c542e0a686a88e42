//! One game, played action by action.

use super::{
    GameSource, game_source::offset_lists, observed_rows::ObservedRows, regret_of_take, value_error,
};
use crate::numpy_import::require_numpy;
use lastnim_bots::HouseBot;
use lastnim_client::MatchView;
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Game, Piles, Position, Row, Seat, SeatCount},
    oracle::Solution,
};
use lastnim_tournament::{Scoring, SeededDraw};
use numpy::{IntoPyArray as _, PyArray1};
use pyo3::{exceptions::PyValueError, prelude::*};

/// A game played action by action: first the rows, if the seats declare them, then takes.
///
/// An action is a number of counters to take. While rows are declared, it is an offset: each seat names the offsets in
/// its row from the most preferred to the last but one, and the last one is added.
#[pyclass(module = "lastnim._lastnim")]
pub struct GameInProgress {
    source: Py<GameSource>,
    /// The seed from which the game was drawn.
    seed: u64,
    /// The rows declared in advance, by seat.
    declared: Vec<Option<Vec<u64>>>,
    actions: Vec<i64>,
    piles: Piles,
    stage: Stage,
}

/// The arguments of [`GameSource::replay_game`].
type ReplayArguments = (u64, Vec<Option<Vec<u64>>>, Vec<i64>);

#[derive(Clone)]
enum Stage {
    Declaring(Declaring),
    Playing(Box<Playing>),
}

/// Incomplete rows.
#[derive(Clone)]
struct Declaring {
    offsets: BySeat<Vec<u64>>,
    to_declare: Seat,
}

/// A game with known rows.
#[derive(Clone)]
struct Playing {
    game: Game,
    position: Position,
    takes: Vec<u64>,
    solution: Solution,
}

impl Declaring {
    fn seats(&self) -> SeatCount {
        self.offsets.seats()
    }

    fn is_complete(&self, seat: Seat) -> bool {
        self.offsets[seat].len() == self.seats().get()
    }

    /// Adds an offset. If only one offset is left then, adds that one too.
    fn add_offset(&mut self, offset: u64) {
        let (seat, seats) = (self.to_declare, self.seats().get());
        self.offsets[seat].push(offset);
        if self.offsets[seat].len() + 1 == seats {
            let left = (0..seats as u64).find(|offset| !self.offsets[seat].contains(offset));
            self.offsets[seat].extend(left);
        }
    }

    /// Returns the first seat with an incomplete row, counting from `seat` on.
    fn incomplete_seat(&self, seat: Seat) -> Option<Seat> {
        let seats = self.seats();
        (0..seats.get())
            .map(|offset| seats.seat_at_offset(seat, offset))
            .find(|&seat| !self.is_complete(seat))
    }

    fn matrix(&self) -> AllianceMatrix {
        AllianceMatrix::parse(self.offsets.as_slice()).expect("every row is complete")
    }
}

impl Playing {
    fn new(piles: Piles, matrix: AllianceMatrix, first: Seat, ending: Ending) -> Self {
        let game = Game::new(piles, matrix, first.index(), ending).expect("the first seat was checked");
        Self { position: game.first_position(), takes: Vec::new(), solution: Solution::new(&game), game }
    }

    fn winner(&self) -> Option<Seat> {
        self.position
            .is_over()
            .then(|| self.game.ending.winner(self.position.to_move(), self.position.seats()))
    }
}

impl GameInProgress {
    /// Draws a game. Rows declared in advance are ignored if rows are assigned.
    pub(super) fn start(
        source: Bound<'_, GameSource>,
        seed: u64,
        declared: Vec<Option<Vec<u64>>>,
    ) -> PyResult<Self> {
        let from = source.get();
        let mut draw = SeededDraw::from_numbers([seed]);
        let piles = from.draw_piles(&mut draw);
        let stage = if let Some(matrix) = from.draw_rows(&mut draw) {
            Stage::Playing(Box::new(Playing::new(piles.clone(), matrix, from.first, from.ending)))
        } else {
            let mut offsets = BySeat::filled(from.seats, &Vec::new());
            for (seat, row) in from.seats.iter().zip(&declared) {
                if let Some(row) = row {
                    Row::parse(row, from.seats).map_err(value_error)?;
                    offsets[seat].clone_from(row);
                }
            }
            Stage::Declaring(Declaring { offsets, to_declare: from.first })
        };
        let first = from.first;
        let mut game = Self { source: source.unbind(), seed, declared, actions: Vec::new(), piles, stage };
        game.advance_declaration(first);
        Ok(game)
    }

    /// Passes the turn to the first seat with an incomplete row, counting from `seat` on. If all rows are complete,
    /// play begins.
    fn advance_declaration(&mut self, seat: Seat) {
        let Stage::Declaring(declaring) = &mut self.stage else { return };
        if let Some(next) = declaring.incomplete_seat(seat) {
            declaring.to_declare = next;
        } else {
            let source = self.source.get();
            let playing = Playing::new(self.piles.clone(), declaring.matrix(), source.first, source.ending);
            self.stage = Stage::Playing(Box::new(playing));
        }
    }

    fn seats(&self) -> SeatCount {
        match &self.stage {
            Stage::Declaring(declaring) => declaring.seats(),
            Stage::Playing(playing) => playing.position.seats(),
        }
    }

    fn seat_to_move(&self) -> Seat {
        match &self.stage {
            Stage::Declaring(declaring) => declaring.to_declare,
            Stage::Playing(playing) => playing.position.to_move(),
        }
    }

    fn parse_seat(&self, seat: usize) -> PyResult<Seat> {
        self.seats().seat(seat).map_err(value_error)
    }

    /// Returns the legal actions in ascending order.
    fn actions(&self) -> Vec<u64> {
        match &self.stage {
            Stage::Declaring(declaring) => {
                let named = &declaring.offsets[declaring.to_declare];
                (0..declaring.seats().get() as u64).filter(|offset| !named.contains(offset)).collect()
            }
            Stage::Playing(playing) => (1..=playing.position.counters()).collect(),
        }
    }

    fn playing(&self) -> PyResult<&Playing> {
        match &self.stage {
            Stage::Declaring(_) => {
                Err(PyValueError::new_err("optimal play is undefined until all rows are declared"))
            }
            Stage::Playing(playing) => Ok(playing),
        }
    }
}

#[pymethods]
impl GameInProgress {
    /// The seat that must take counters, or declare its next offset.
    #[getter]
    fn to_move(&self) -> usize {
        self.seat_to_move().index()
    }

    /// Whether rows are being declared.
    #[getter]
    fn is_declaring(&self) -> bool {
        matches!(self.stage, Stage::Declaring(_))
    }

    /// Whether no counter is left.
    #[getter]
    fn is_over(&self) -> bool {
        self.winner().is_some()
    }

    /// The winner; None until the game is over.
    #[getter]
    fn winner(&self) -> Option<usize> {
        match &self.stage {
            Stage::Declaring(_) => None,
            Stage::Playing(playing) => playing.winner().map(Seat::index),
        }
    }

    /// The current piles; empty ones are 0.
    #[getter]
    fn piles(&self) -> Vec<u64> {
        match &self.stage {
            Stage::Declaring(_) => self.piles.as_slice().to_vec(),
            Stage::Playing(playing) => playing.position.piles().collect(),
        }
    }

    /// The row of each seat; None while rows are being declared.
    #[getter]
    fn rows(&self) -> Option<Vec<Vec<u32>>> {
        let Stage::Playing(playing) = &self.stage else { return None };
        Some(offset_lists(&playing.game.matrix))
    }

    /// Returns whether an action is legal.
    fn allows(&self, action: i64) -> bool {
        u64::try_from(action).is_ok_and(|action| match &self.stage {
            Stage::Declaring(_) => self.actions().contains(&action),
            Stage::Playing(playing) => playing.position.check_take(action).is_ok(),
        })
    }

    /// Returns the legal actions in ascending order; empty when the game is over.
    fn legal_actions(&self) -> Vec<u64> {
        self.actions()
    }

    /// Takes counters or declares an offset.
    pub(super) fn act(&mut self, action: i64) -> PyResult<()> {
        let allowed = u64::try_from(action);
        match &mut self.stage {
            Stage::Playing(playing) => {
                let take = allowed.map_err(|_| {
                    PyValueError::new_err(format!(
                        "a take of {action}: take 1 to {}",
                        playing.position.counters()
                    ))
                })?;
                playing.position.take(take).map_err(value_error)?;
                playing.takes.push(take);
            }
            Stage::Declaring(declaring) => {
                let seat = declaring.to_declare;
                let left: Vec<u64> = (0..declaring.seats().get() as u64)
                    .filter(|offset| !declaring.offsets[seat].contains(offset))
                    .collect();
                let Some(offset) = allowed.ok().filter(|offset| left.contains(offset)) else {
                    return Err(PyValueError::new_err(format!(
                        "offset {action} cannot come next in the row of seat {seat}: expected one of {left:?}"
                    )));
                };
                declaring.add_offset(offset);
                let next = declaring.seats().next(seat);
                self.advance_declaration(next);
            }
        }
        self.actions.push(action);
        Ok(())
    }

    /// Returns the reward of each seat, 0 to 1; 0 until the game is over.
    fn rewards(&self) -> Vec<f64> {
        let seats = self.seats();
        let Stage::Playing(playing) = &self.stage else { return vec![0.0; seats.get()] };
        let Some(winner) = playing.winner() else { return vec![0.0; seats.get()] };
        let scoring = self.source.get().scoring();
        seats.iter().map(|seat| reward_of_seat(scoring, &playing.game.matrix, seat, winner)).collect()
    }

    /// Returns a seat's observation (docs/reference/environments.md).
    fn observation<'py>(&self, py: Python<'py>, observer: usize) -> PyResult<Bound<'py, PyArray1<i16>>> {
        require_numpy(py)?;
        let observer = self.parse_seat(observer)?;
        let (source, seats) = (self.source.get(), self.seats());
        let mut numbers: Vec<i16> = self.piles().into_iter().map(|counters| counters as i16).collect();
        numbers.resize(source.pile_count, 0);
        numbers.push(i16::from(seats.distance_between(observer, self.seat_to_move()) as u8));
        match &self.stage {
            Stage::Playing(playing) => {
                numbers.extend_from_slice(ObservedRows::new(playing.game.matrix.clone()).rows_from(observer));
            }
            Stage::Declaring(declaring) => {
                let own = &declaring.offsets[observer];
                numbers.extend(own.iter().map(|&offset| offset as i16));
                numbers.resize(source.observation_length(), -1);
            }
        }
        Ok(numbers.into_pyarray(py))
    }

    /// Returns 1 for each legal action of the seat and 0 for others; all 0 if another seat is to move.
    fn action_mask<'py>(&self, py: Python<'py>, seat: usize) -> PyResult<Bound<'py, PyArray1<i8>>> {
        require_numpy(py)?;
        let mut mask = vec![0; self.source.get().action_count()];
        if self.parse_seat(seat)? == self.seat_to_move() {
            for action in self.actions() {
                mask[action as usize] = 1;
            }
        }
        Ok(mask.into_pyarray(py))
    }

    /// Returns the winner under optimal play from here on.
    fn predicted_winner(&self) -> PyResult<usize> {
        let playing = self.playing()?;
        Ok(playing.solution.winner(&playing.position).index())
    }

    /// Returns the optimal takes of the seat to move as at most two ranges, both ends included.
    fn optimal_takes(&self) -> PyResult<Vec<(u64, u64)>> {
        let playing = self.playing()?;
        let takes = playing.solution.optimal_takes(&playing.position);
        Ok(takes.iter().map(|range| (range.lo, range.hi)).collect())
    }

    /// Returns the ranks, 0 to n-1, that a take would cost the seat to move in its own row.
    fn regret(&self, take: i64) -> PyResult<usize> {
        let playing = self.playing()?;
        regret_of_take(
            &playing.solution,
            &playing.game.matrix,
            &playing.position,
            take.max(0).cast_unsigned(),
        )
        .map_err(value_error)
    }

    /// Returns the take of a house bot in the seat to move.
    fn house_take(&self, bot: &str, seed: u64) -> PyResult<u64> {
        let playing = self.playing()?;
        let view = MatchView::practice(&playing.game, &playing.takes).map_err(value_error)?;
        Ok(bot.parse::<HouseBot>().map_err(value_error)?.build_bot(seed).play(&view))
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        Self {
            source: self.source.clone_ref(py),
            seed: self.seed,
            declared: self.declared.clone(),
            actions: self.actions.clone(),
            piles: self.piles.clone(),
            stage: self.stage.clone(),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ReplayArguments)> {
        let replay = self.source.bind(py).getattr("replay_game")?;
        Ok((replay, (self.seed, self.declared.clone(), self.actions.clone())))
    }
}

/// Returns the reward of a seat.
pub(super) fn reward_of_seat(scoring: Scoring, matrix: &AllianceMatrix, seat: Seat, winner: Seat) -> f64 {
    match scoring {
        Scoring::Win => f64::from(u8::from(seat == winner)),
        Scoring::Satisfaction => {
            let last_rank = matrix.seats().get() - 1;
            1.0 - f64::from(matrix.rank(seat, winner) as u8) / f64::from(last_rank as u8)
        }
    }
}

/// Returns the row that a house bot declares with this number of seats.
#[pyfunction]
pub fn house_row(bot: &str, players: usize) -> PyResult<Vec<u32>> {
    let mut bot = bot.parse::<HouseBot>().map_err(value_error)?.build_bot(0);
    let seats = SeatCount::new(players).map_err(value_error)?;
    let piles = Piles::parse(&[1]).map_err(value_error)?;
    let game =
        Game::new(piles, AllianceMatrix::standard(seats), 0, Ending::default()).map_err(value_error)?;
    let view = MatchView::practice(&game, &[]).map_err(value_error)?;
    Ok(bot.declare(view.info()).offsets().iter().copied().map(u32::from).collect())
}
