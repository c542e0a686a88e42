//! The baseline for `solve_many.py`: solves the positions in a file without Python. Prints the seconds of each round and the
//! sum of the winners.

use lastnim_core::{
    game::{AllianceMatrix, Ending, Seat, SeatCount},
    oracle::BatchSolver,
};
use std::{env, error::Error, fs, time::Instant};

const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [file, columns, seats] = arguments.as_slice() else {
        return Err("usage: rust_batch FILE COLUMNS SEATS; solve_many.py calls it".into());
    };
    let columns: usize = columns.parse()?;
    let bytes = fs::read(file)?;
    let counters: Vec<u64> = bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
    let positions: Vec<&[u64]> = counters.chunks_exact(columns).collect();
    let matrix = AllianceMatrix::standard(SeatCount::new(seats.parse()?)?);
    for _ in 0..ROUNDS {
        let mut winners: Vec<u8> = Vec::with_capacity(positions.len());
        let begun = Instant::now();
        let mut batch = BatchSolver::new(&matrix, Ending::ToMoveWins);
        batch.solve_positions(&positions, |winner| winners.push(winner[Seat::FIRST].index() as u8));
        let sum: u64 = winners.iter().map(|&winner| u64::from(winner)).sum();
        println!("{} {sum}", begun.elapsed().as_secs_f64());
    }
    Ok(())
}
