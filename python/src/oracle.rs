//! Requests to the oracle in the JSON of its service.

use crate::interrupt::InterruptWatch;
use lastnim_core::oracle::Budget;
use lastnim_proto::{json::parse_document, pb};
use lastnim_rpc::{OracleQuestionError, QuestionError, answer_oracle_question};
use pyo3::{
    create_exception,
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};

create_exception!(
    lastnim,
    OracleStopped,
    PyRuntimeError,
    "A request exceeded a limit on work or memory, which the message names."
);

/// Answers a request to a method of the oracle's service within `max_steps`. The request and the answer are JSON.
#[pyfunction]
pub fn answer_question(py: Python<'_>, method: &str, question: &str, max_steps: u64) -> PyResult<String> {
    let answered = py.detach(|| {
        let question = parse_document(question).map_err(PyValueError::new_err)?;
        let watch = InterruptWatch::start();
        let may_continue = || watch.may_continue();
        let answer =
            answer_oracle_question(method, &question, &mut Budget::interruptible(max_steps, &may_continue));
        match watch.into_error() {
            Some(interrupt) => Err(interrupt),
            None => answer.map_err(|error| question_exception(&error)),
        }
    });
    answered.map(|answer| answer.to_string())
}

fn question_exception(error: &OracleQuestionError) -> PyErr {
    let message = error.to_string();
    match error {
        OracleQuestionError::Unanswered(QuestionError::TooLong(_) | QuestionError::TooLarge(_)) => {
            OracleStopped::new_err(message)
        }
        _ => PyValueError::new_err(message),
    }
}

/// Returns the descriptors of all messages: a serialized `google.protobuf.FileDescriptorSet`.
#[pyfunction]
pub fn message_descriptors() -> &'static [u8] {
    pb::DESCRIPTORS
}
