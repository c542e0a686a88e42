//! The wire: generated protobuf, its codec, and its conversions.
//!
//! Protobuf stops here. What comes in is parsed once into the types of the floors below, to its end, so that every
//! mistake of a request is named at once; repeated fields are refused by their length before anything is made of them.
//! What goes out is converted by `From`.

mod audit;
mod codec;
mod field;
pub mod game;
#[cfg(test)]
mod testing;
pub mod tournament;
mod violation;

/// The messages and services of the package `lastnim.v1`, as generated from `proto/`, with their JSON mapping.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod pb {
    tonic::include_proto!("lastnim.v1");
    include!(concat!(env!("OUT_DIR"), "/lastnim.v1.serde.rs"));
}

pub use codec::SmallBufferCodec;
pub use field::Field;
pub use violation::{Violation, Violations};
