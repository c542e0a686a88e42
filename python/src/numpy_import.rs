//! The optional dependency numpy.

use pyo3::{exceptions::PyImportError, prelude::*};

/// Checks that numpy can be imported: the crate `numpy` panics without it.
///
/// # Errors
/// An `ImportError` that names the extra.
pub fn require_numpy(py: Python<'_>) -> PyResult<()> {
    py.import("numpy").map(drop).map_err(|error| {
        PyImportError::new_err(format!(
            "this needs numpy: install it with pip install 'lastnim[numpy]' ({error})"
        ))
    })
}
