//! The version of the tournament methods.

use thiserror::Error;

/// The version of the methods for pairing, rating and judging. It covers every method whose change could give a
/// different result for the same matches. Raise it with every change to such a method.
///
/// Settings contain this version, so the program either reproduces a tournament from its records exactly or refuses to
/// do so.
pub const METHODS_VERSION: u32 = 3;

/// An unknown version of the methods.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "methods version {0}: this program only knows version {known}; use a lastnim that knows version {0}",
    known = METHODS_VERSION
)]
pub struct MethodsVersionError(pub u32);

/// Checks that this program knows a version of the methods.
///
/// # Errors
/// If the version is unknown.
pub fn check_methods_version(version: u32) -> Result<(), MethodsVersionError> {
    if version == METHODS_VERSION { Ok(()) } else { Err(MethodsVersionError(version)) }
}
