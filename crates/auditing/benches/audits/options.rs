//! What to simulate, and how much of it.

use std::{env, process, str::FromStr};

/// What the command line says.
const USAGE: &str = "usage: cargo bench --bench audits -- [coverage|level|honest|colluding|power].. [--seed N] \
                     [--count N] [--groups N,..] [--seats N,..] [--only WORD]";

/// What to simulate, and how much of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The parts that are asked for; none stands for all.
    pub parts: Vec<String>,
    /// What everything is drawn from. The rules were chosen with the seeds 0 to 99.
    pub seed: u64,
    /// Fields of each kind, or tournaments of each kind of errors.
    pub count: Option<u64>,
    /// The numbers of groups of a field.
    pub groups: Vec<u64>,
    /// The numbers of seats.
    pub seats: Vec<usize>,
    /// Only the fields whose name has this in it.
    pub only: String,
}

/// The parts that there are.
const PARTS: [&str; 5] = ["coverage", "level", "honest", "colluding", "power"];

impl Options {
    /// Reads the command line, or ends with what would be right.
    pub fn from_args() -> Self {
        Self::parse(env::args().skip(1)).unwrap_or_else(|wrong| {
            eprintln!("{wrong}\n{USAGE}");
            process::exit(2)
        })
    }

    /// Returns whether a part is asked for.
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }

    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            parts: vec![],
            seed: 1_000,
            count: None,
            groups: vec![40, 150, 600],
            seats: vec![3, 4],
            only: String::new(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                // What cargo passes to every benchmark.
                "--bench" => {}
                "--seed" => options.seed = number(&value()?)?,
                "--count" => options.count = Some(number(&value()?)?),
                "--groups" => options.groups = numbers(&value()?)?,
                "--seats" => options.seats = numbers(&value()?)?,
                "--only" => options.only = value()?,
                part if PARTS.contains(&part) => options.parts.push(arg),
                _ => return Err(format!("{arg} is neither a part nor an option")),
            }
        }
        Ok(options)
    }
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn numbers<T: FromStr>(text: &str) -> Result<Vec<T>, String> {
    text.split(',').map(number).collect()
}
