//! wire
/// pb
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod pb {
    tonic::include_proto!("lastnim.v1");
    include!(concat!(env!("OUT_DIR"), "/lastnim.v1.serde.rs"));
}
mod audit;
mod codec;
mod field;
pub mod game;
#[cfg(test)]
mod testing;
pub mod tournament;
mod violation;
pub use codec::SmallBufferCodec;
pub use field::Field;
pub use violation::{Violation, Violations};
