//! Many positions with the same rows, in arrays.

use crate::{interrupt::InterruptWatch, numpy_import::require_numpy};
use lastnim_core::{
    game::{AllianceMatrix, Ending, MAX_COUNTERS, Seat},
    oracle::{BatchSolver, WinnersByFirst},
};
use lastnim_proto::{game::parse_alliance_matrix, parse_request, pb};
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::num::NonZero;

/// The number of positions that are checked and then solved while they are in the CPU cache.
const BLOCK_POSITIONS: usize = 64;
/// The number of blocks between two checks for an interrupt.
const BLOCKS_PER_CHECK: usize = 256;

/// The seats that move first.
#[derive(FromPyObject)]
pub enum FirstSeats<'py> {
    /// The same seat in every position.
    One(usize),
    /// A seat for each position.
    Each(PyReadonlyArray1<'py, u8>),
}

/// The seats that move first, in memory readable without Python's lock.
enum FirstMovers<'a> {
    /// Every seat in turn.
    All,
    /// One seat in every position.
    One(Seat),
    /// A seat for each position.
    Each(&'a [u8]),
}

/// Returns the winner of each position, which is a row of `piles`. If `first` is None, returns a winner for each first seat.
#[pyfunction]
#[pyo3(signature = (piles, matrix, ending, first))]
pub fn solve_positions<'py>(
    py: Python<'py>,
    piles: Bound<'py, PyAny>,
    matrix: Vec<Vec<u32>>,
    ending: &str,
    first: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    // Without numpy, its types cannot be used as parameters of this function.
    require_numpy(py)?;
    let piles: PyReadonlyArray2<'py, u64> = piles.extract()?;
    let first: Option<FirstSeats<'py>> = first.map(|first| first.extract()).transpose()?;
    let columns = piles.as_array().ncols();
    let matrix = read_matrix(matrix)?;
    let ending = ending.parse::<Ending>().map_err(value_error)?;
    let seats = matrix.seats();
    let first = match &first {
        None => FirstMovers::All,
        Some(FirstSeats::One(seat)) => FirstMovers::One(seats.seat(*seat).map_err(value_error)?),
        Some(FirstSeats::Each(each)) => FirstMovers::Each(each.as_slice()?),
    };
    let counters = piles.as_slice()?;
    if let FirstMovers::Each(each) = first
        && each.len() != piles.as_array().nrows()
    {
        let (given, positions) = (each.len(), piles.as_array().nrows());
        return Err(PyValueError::new_err(format!(
            "first: length {given}: expected {positions} seats, one for each position"
        )));
    }
    let batch = BatchSolver::new(&matrix, ending);
    let winners = py.detach(|| solve_rows(batch, counters, columns, &first, &matrix))?;
    Ok(winners.into_pyarray(py))
}

fn read_matrix(rows: Vec<Vec<u32>>) -> PyResult<AllianceMatrix> {
    let matrix = pb::AllianceMatrix { rows: rows.into_iter().map(|offsets| pb::Row { offsets }).collect() };
    parse_request(|field| parse_alliance_matrix(&matrix, field.member("matrix"))).map_err(value_error)
}

/// Solves contiguous positions of `columns` piles each.
fn solve_rows(
    mut batch: BatchSolver,
    counters: &[u64],
    columns: usize,
    first: &FirstMovers<'_>,
    matrix: &AllianceMatrix,
) -> PyResult<Vec<u8>> {
    let Some(columns) = NonZero::new(columns) else {
        return Err(PyValueError::new_err("piles: 0 columns: expected at least one pile per position"));
    };
    let seats = matrix.seats();
    let positions = counters.len() / columns;
    let answers = if matches!(first, FirstMovers::All) { seats.get() } else { 1 };
    let mut winners = Vec::with_capacity(positions * answers);
    let watch = InterruptWatch::start();
    for (number, block) in counters.chunks(BLOCK_POSITIONS * columns.get()).enumerate() {
        check_counters(block, number * BLOCK_POSITIONS, columns.get())?;
        match first {
            FirstMovers::One(seat) => {
                batch.solve_rows(columns, block, |winner| winners.push(winner[*seat].index() as u8));
            }
            FirstMovers::All => batch.solve_rows(columns, block, |winner| {
                winners.extend(seats.iter().map(|seat| winner[seat].index() as u8));
            }),
            FirstMovers::Each(each) => {
                let mut wrong = None;
                let mut position = number * BLOCK_POSITIONS;
                batch.solve_rows(columns, block, |winner: WinnersByFirst<'_>| {
                    match seats.seat(usize::from(each[position])) {
                        Ok(seat) => winners.push(winner[seat].index() as u8),
                        Err(error) => wrong = wrong.take().or(Some((position, error))),
                    }
                    position += 1;
                });
                if let Some((position, error)) = wrong {
                    return Err(PyValueError::new_err(format!("first[{position}]: {error}")));
                }
            }
        }
        if number % BLOCKS_PER_CHECK == BLOCKS_PER_CHECK - 1 && !watch.may_continue() {
            break;
        }
    }
    match watch.into_error() {
        Some(interrupt) => Err(interrupt),
        None => Ok(winners),
    }
}

/// Checks that no pile is too large.
fn check_counters(block: &[u64], first_position: usize, columns: usize) -> PyResult<()> {
    // This needs no branch for each pile, so it is very fast.
    if block.iter().fold(0, |all, &counters| all | counters) <= MAX_COUNTERS {
        return Ok(());
    }
    let wrong = block.iter().position(|&counters| counters > MAX_COUNTERS).unwrap_or_default();
    let (position, pile, counters) = (first_position + wrong / columns, wrong % columns, block[wrong]);
    Err(PyValueError::new_err(format!(
        "piles[{position}, {pile}]: {counters} counters: expected at most {MAX_COUNTERS}"
    )))
}

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
