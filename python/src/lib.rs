//! The module `lastnim._lastnim`: the Rust part of the Python package. Its stubs are in `lastnim/_lastnim.pyi`.
//!
//! The public API is in `lastnim/*.py`, along with the parts for which Python is better suited: dataclasses, asyncio,
//! logging. Long computations run without Python's lock.

// Arguments from Python are passed by value.
#![allow(clippy::needless_pass_by_value)]

mod bot_link;
mod dataset_positions;
mod envs;
mod interrupt;
mod log_layer;
mod model_question;
mod notice_queue;
mod numpy_import;
mod oracle;
mod positions;
mod program;
mod question;
mod records;
mod rehearsal;
mod server;
mod session;

use pyo3::{prelude::*, wrap_pyfunction};

/// The Rust part of the Python package.
#[pymodule]
fn _lastnim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("OracleStopped", module.py().get_type::<oracle::OracleStopped>())?;
    module.add_class::<model_question::ModelQuestion>()?;
    module.add_class::<model_question::ModelReply>()?;
    module.add_class::<records::RecordReader>()?;
    module.add_class::<rehearsal::HousePlayer>()?;
    module.add_class::<rehearsal::MatchInProcess>()?;
    module.add_class::<server::Server>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<envs::GameSource>()?;
    module.add_class::<envs::GameInProgress>()?;
    module.add_class::<envs::VectorGames>()?;
    module.add_function(wrap_pyfunction!(dataset_positions::draw_positions, module)?)?;
    module.add_function(wrap_pyfunction!(dataset_positions::parse_position, module)?)?;
    module.add_function(wrap_pyfunction!(envs::house_row, module)?)?;
    module.add_function(wrap_pyfunction!(oracle::answer_question, module)?)?;
    module.add_function(wrap_pyfunction!(oracle::message_descriptors, module)?)?;
    module.add_function(wrap_pyfunction!(records::audit_record_text, module)?)?;
    module.add_function(wrap_pyfunction!(records::record_of_message, module)?)?;
    module.add_function(wrap_pyfunction!(records::record_of_text, module)?)?;
    module.add_function(wrap_pyfunction!(records::verify_record_text, module)?)?;
    module.add_function(wrap_pyfunction!(positions::solve_positions, module)?)?;
    module.add_function(wrap_pyfunction!(program::run_program, module)?)?;
    Ok(())
}
