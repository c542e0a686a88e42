//! Manifests of tournaments: a text of signed lines, both ways.
//!
//! Each line is the canonical JSON of a [`pb::ManifestLine`], and what is signed is the text of the lines as it stands. So a
//! reader can check the signature also where it does not know all that a newer server writes.

mod listed_match;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use listed_match::{ListedMatch, ListedRecord};
pub use reader::{Manifest, ManifestFlaw, ManifestReader, ReadManifest, begins_manifest};
pub use writer::ManifestWriter;

use super::{RequestField, pb};

/// The version of the form that is written and read.
const VERSION: u32 = 1;
