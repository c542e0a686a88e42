//! Files in TOML, read so that every mistake in them is found at once, with its line.

mod mistake;
mod reading;
mod section;

pub use mistake::{Mistake, read_or_complain};
pub use reading::Reading;
pub use section::{Entry, Section};
