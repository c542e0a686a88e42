//! Reads and writes tournament manifests. A manifest consists of lines, the last of which is a signature.
//!
//! Each line is the canonical JSON of a [`pb::ManifestLine`]. The signature covers the text of the lines, so it can be
//! checked even if a newer server wrote fields that this version does not know.

mod listed_match;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use listed_match::{ListedMatch, ListedRecord};
pub use reader::{Manifest, ManifestFlaw, ManifestReadResult, ManifestReader, looks_like_manifest};
pub use writer::ManifestWriter;

use super::{RequestField, pb};

/// The version of the manifest format.
const VERSION: u32 = 1;
