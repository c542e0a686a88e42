//! Answers the lines of a batch.

use super::lines::NumberedLines;
use crate::{CommandExit, CommandResult, Failure};
use serde::Serialize;
use std::{
    fmt::Display,
    io::{self, BufWriter, Read, Write},
};

const BUFFER_BYTES: usize = 64 << 10;

/// The answer to a line that was refused.
#[derive(Debug, Serialize)]
struct RefusedLine {
    /// The number of the line, from 1.
    line: u64,
    error: String,
}

/// Answers every line that is not blank; the answer to a bad line is its number and the error.
///
/// The answers are flushed before this function waits for more input, so that a program can read each answer before it
/// sends the next line.
pub fn answer_lines<A: Serialize, E: Display>(
    input: impl Read,
    what: &str,
    output: impl Write,
    mut answer: impl FnMut(&str) -> Result<A, E>,
) -> CommandResult {
    let mut lines = NumberedLines::new(input);
    let mut output = BufWriter::with_capacity(BUFFER_BYTES, output);
    let mut exit = CommandExit::Done;
    loop {
        if lines.may_block() {
            output.flush().map_err(Failure::Output)?;
        }
        let Some((number, line)) = lines.next().map_err(|error| Failure::runtime(error, what))? else {
            break;
        };
        let answered = match line {
            Ok("") => continue,
            Ok(line) => answer(line).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match answered {
            Ok(answer) => print_json_line(&mut output, &answer)?,
            Err(error) => {
                exit = CommandExit::SomeRefused;
                print_json_line(&mut output, &RefusedLine { line: number, error })?;
            }
        }
    }
    output.flush().map_err(Failure::Output)?;
    Ok(exit)
}

/// Prints a value as a line of JSON.
pub fn print_json_line(output: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *output, value).map_err(|error| Failure::Output(io::Error::from(error)))?;
    output.write_all(b"\n").map_err(Failure::Output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_lines_do_not_stop_the_batch() {
        let mut output = Vec::new();
        let exit = answer_lines(&b"1\n\n x \n3"[..], "input", &mut output, str::parse::<u64>).unwrap();
        assert_eq!(exit, CommandExit::SomeRefused);
        let expected = "1\n{\"line\":3,\"error\":\"invalid digit found in string\"}\n3\n";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }
}
