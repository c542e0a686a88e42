//! The version of the methods by which tournaments are paired, rated and judged.

use thiserror::Error;

/// The version of the methods by which tournaments are paired, rated and judged: whatever could be worked out in another way,
/// with another result, from the same matches. What changes such a method raises it.
///
/// Settings state it, so that a tournament is reproduced from its records as it was, or not at all.
pub const METHODS_VERSION: u32 = 2;

/// A version of the methods that this program does not know.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("version {0} of the methods: this program knows version {known}", known = METHODS_VERSION)]
pub struct MethodsVersionError(pub u32);

/// Checks that a tournament is played by the methods of this program.
///
/// # Errors
/// If it is played by those of another version.
pub fn check_methods_version(version: u32) -> Result<(), MethodsVersionError> {
    if version == METHODS_VERSION { Ok(()) } else { Err(MethodsVersionError(version)) }
}
