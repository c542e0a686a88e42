//! The house bots, to practise against.
//!
//! One bot a file, written against the SDK's [`Bot`](crate::client::Bot): they see nothing that another author's bot would
//! not see.

mod greedy;
mod house_bot;
mod loyal;
mod oracle;
mod quiet_bot;
mod random;
mod timid;
mod traitor;

pub use greedy::Greedy;
pub use house_bot::{HouseBot, HouseBotError};
pub use loyal::Loyal;
pub use oracle::Oracle;
pub use quiet_bot::QuietBot;
pub use random::Random;
pub use timid::Timid;
pub use traitor::Traitor;
