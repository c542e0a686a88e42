//! The source of an environment's games.

use super::{GameInProgress, MAX_LARGEST_PILE, value_error};
use lastnim_core::game::{AllianceMatrix, Ending, MAX_PILES, Piles, Seat, SeatCount};
use lastnim_tournament::{AllianceSource, Scoring, SeededDraw, draw_matrix};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyTuple},
};

/// The source of rows, as passed from Python.
#[derive(FromPyObject)]
pub enum RowsArgument {
    /// `standard`, `random` or `declared`.
    Word(String),
    /// The rows themselves.
    Matrix(Vec<Vec<u64>>),
}

/// The source of an environment's games: their piles, rows, first seat and ending.
#[pyclass(frozen, module = "lastnim._lastnim")]
pub struct GameSource {
    pub(super) seats: SeatCount,
    /// The piles of every game; None if they are drawn.
    piles: Option<Piles>,
    pub(super) pile_count: usize,
    pub(super) largest_pile: u64,
    pub(super) rows: AllianceSource,
    pub(super) first: Seat,
    pub(super) ending: Ending,
}

impl GameSource {
    /// Draws the piles of a game.
    pub(super) fn draw_piles(&self, draw: &mut SeededDraw) -> Piles {
        if let Some(piles) = &self.piles {
            return piles.clone();
        }
        let counters: Vec<u64> =
            (0..self.pile_count).map(|_| 1 + draw.number_below(self.largest_pile)).collect();
        Piles::parse(&counters).expect("the limits of piles were checked")
    }

    /// Returns the assigned rows of a game; None if seats declare them.
    pub(super) fn draw_rows(&self, draw: &mut SeededDraw) -> Option<AllianceMatrix> {
        match &self.rows {
            AllianceSource::Declared | AllianceSource::Dealt(_) => None,
            AllianceSource::Standard => Some(AllianceMatrix::standard(self.seats)),
            AllianceSource::Random => Some(draw_matrix(self.seats, draw.next_bits(), 0)),
            AllianceSource::Given(matrix) => Some(matrix.clone()),
        }
    }

    /// Returns the scoring that tournaments with these rows have by default.
    pub(super) fn scoring(&self) -> Scoring {
        Scoring::default_for(&self.rows, self.seats)
    }
}

#[pymethods]
impl GameSource {
    #[new]
    #[pyo3(signature = (*, players, piles, pile_count, largest_pile, rows, first, ending))]
    fn new(
        players: usize,
        piles: Option<Vec<u64>>,
        pile_count: usize,
        largest_pile: u64,
        rows: RowsArgument,
        first: usize,
        ending: &str,
    ) -> PyResult<Self> {
        let seats =
            SeatCount::new(players).map_err(|error| PyValueError::new_err(format!("players: {error}")))?;
        let first = seats.seat(first).map_err(|error| PyValueError::new_err(format!("first: {error}")))?;
        let piles = piles.map(|piles| Piles::parse(&piles)).transpose();
        let piles = piles.map_err(|error| PyValueError::new_err(format!("piles: {error}")))?;
        let (pile_count, largest_pile) = match &piles {
            Some(piles) => (piles.len(), piles.as_slice().iter().copied().max().unwrap_or_default()),
            None => (pile_count, largest_pile),
        };
        if !(1..=MAX_PILES).contains(&pile_count) {
            return Err(PyValueError::new_err(format!(
                "pile_count: {pile_count}: expected 1 to {MAX_PILES}"
            )));
        }
        if !(1..=MAX_LARGEST_PILE).contains(&largest_pile) {
            return Err(PyValueError::new_err(format!(
                "largest_pile: {largest_pile}: expected 1 to {MAX_LARGEST_PILE}, because each take is an action"
            )));
        }
        let rows = parse_rows(rows, seats)?;
        Ok(Self {
            seats,
            piles,
            pile_count,
            largest_pile,
            rows,
            first,
            ending: ending.parse().map_err(value_error)?,
        })
    }

    /// The number of seats.
    #[getter]
    fn players(&self) -> usize {
        self.seats.get()
    }

    /// The number of piles at the start.
    #[getter]
    fn pile_count(&self) -> usize {
        self.pile_count
    }

    /// The maximum number of counters in a pile at the start of a game.
    #[getter]
    fn largest_pile(&self) -> u64 {
        self.largest_pile
    }

    /// The seat that moves first.
    #[getter]
    fn first(&self) -> usize {
        self.first.index()
    }

    /// Whether seats declare their rows.
    #[getter]
    pub(super) fn declares_rows(&self) -> bool {
        self.rows == AllianceSource::Declared
    }

    /// The number of actions. They are numbered from 0 to the largest take, or to the highest offset if that is larger
    /// and rows are declared.
    #[getter]
    pub(super) fn action_count(&self) -> usize {
        let highest_offset = if self.declares_rows() { self.seats.get() - 1 } else { 0 };
        1 + highest_offset.max(self.largest_pile as usize)
    }

    /// The length of an observation.
    #[getter]
    pub(super) fn observation_length(&self) -> usize {
        self.pile_count + 1 + self.seats.get() * self.seats.get()
    }

    /// The minimum of each number in an observation.
    #[getter]
    fn observation_low(&self) -> Vec<i16> {
        let lowest_offset = if self.declares_rows() { -1 } else { 0 };
        let mut low = vec![0; self.pile_count + 1];
        low.resize(self.observation_length(), lowest_offset);
        low
    }

    /// The maximum of each number in an observation.
    #[getter]
    fn observation_high(&self) -> Vec<i16> {
        let mut high = vec![self.largest_pile as i16; self.pile_count];
        high.resize(self.observation_length(), i16::from(self.seats.get() as u8) - 1);
        high
    }

    /// Draws a game, with rows declared in advance by seat, if any.
    #[pyo3(signature = (seed, declared=None))]
    fn draw_game(
        slf: Bound<'_, Self>,
        seed: u64,
        declared: Option<Vec<Option<Vec<u64>>>>,
    ) -> PyResult<GameInProgress> {
        GameInProgress::start(slf, seed, declared.unwrap_or_default())
    }

    /// Draws a game and repeats its actions so far.
    fn replay_game(
        slf: Bound<'_, Self>,
        seed: u64,
        declared: Vec<Option<Vec<u64>>>,
        actions: Vec<i64>,
    ) -> PyResult<GameInProgress> {
        let mut game = GameInProgress::start(slf, seed, declared)?;
        actions.into_iter().try_for_each(|action| game.act(action))?;
        Ok(game)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let settings = PyDict::new(py);
        settings.set_item("players", self.seats.get())?;
        settings.set_item("piles", self.piles.as_ref().map(Piles::as_slice))?;
        settings.set_item("pile_count", self.pile_count)?;
        settings.set_item("largest_pile", self.largest_pile)?;
        match &self.rows {
            AllianceSource::Standard => settings.set_item("rows", "standard")?,
            AllianceSource::Random => settings.set_item("rows", "random")?,
            // No argument names dealt rows.
            AllianceSource::Declared | AllianceSource::Dealt(_) => settings.set_item("rows", "declared")?,
            AllianceSource::Given(matrix) => settings.set_item("rows", offset_lists(matrix))?,
        }
        settings.set_item("first", self.first.index())?;
        settings.set_item("ending", self.ending.name())?;
        Ok((PyTuple::empty(py), settings))
    }
}

/// Returns the offsets of each row.
pub(super) fn offset_lists(matrix: &AllianceMatrix) -> Vec<Vec<u32>> {
    matrix.rows().iter().map(|row| row.offsets().iter().copied().map(u32::from).collect()).collect()
}

fn parse_rows(rows: RowsArgument, seats: SeatCount) -> PyResult<AllianceSource> {
    match rows {
        RowsArgument::Word(word) => match word.as_str() {
            "standard" => Ok(AllianceSource::Standard),
            "random" => Ok(AllianceSource::Random),
            "declared" => Ok(AllianceSource::Declared),
            _ => Err(PyValueError::new_err(format!(
                "rows: {word:?}: expected \"standard\", \"random\", \"declared\", or a row of offsets for each seat"
            ))),
        },
        RowsArgument::Matrix(rows) => {
            let matrix = AllianceMatrix::parse(&rows)
                .map_err(|error| PyValueError::new_err(format!("rows: {error}")))?;
            if matrix.seats() != seats {
                let (given, seats) = (matrix.seats(), seats.get());
                return Err(PyValueError::new_err(format!(
                    "rows: {given} rows: expected {seats}, one for each player"
                )));
            }
            Ok(AllianceSource::Given(matrix))
        }
    }
}
