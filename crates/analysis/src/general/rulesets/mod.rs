//! The rules of each game, one file each.

mod circular_nim;
mod digits;
mod end_nim;
mod fibonacci_nim;
mod graph_nim;
mod kayles;
mod last_nim;
mod nim;
mod small_nim;
mod stone_piles;
mod subtraction;
mod take;

pub use circular_nim::{CircleTake, CircularNim, MAX_CIRCLE_PILES};
pub use digits::{DigitMove, SubtractDigit};
pub use end_nim::EndNim;
pub use fibonacci_nim::{FibonacciNim, FibonacciPosition};
pub use graph_nim::{Edge, EdgeMove, GraphNim, GraphPosition, MAX_EDGES, MAX_VERTEX};
pub use kayles::{Kayles, StoneRemoval};
pub use last_nim::LastNim;
pub use nim::Nim;
pub use small_nim::SmallNim;
pub use stone_piles::{PileSplit, StonePiles};
pub use subtraction::SubtractionGame;
pub use take::PileTake;
