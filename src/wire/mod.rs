//! wire
/// pb
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod pb {
    tonic::include_proto!("lastnim.v1");
    include!(concat!(env!("OUT_DIR"), "/lastnim.v1.serde.rs"));
}
mod codec;
pub use codec::SmallBufferCodec;
