//! The house bots: somebody to practise against, and somebody to be robust against.
//!
//! One bot a file. All but [`hostile`] are written against the SDK's [`Bot`](crate::client::Bot) and see nothing that
//! another author's bot would not see.

mod greedy;
pub mod hostile;
mod house_bot;
mod loyal;
mod oracle;
mod random;
mod timid;
mod traitor;

pub use greedy::Greedy;
pub use house_bot::{HouseBot, HouseBotError};
pub use loyal::Loyal;
pub use oracle::Oracle;
pub use random::Random;
pub use timid::Timid;
pub use traitor::Traitor;
