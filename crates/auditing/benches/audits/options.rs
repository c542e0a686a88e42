//! Command line options.

use std::{env, process, str::FromStr};

/// The usage line.
const USAGE: &str = "usage: cargo bench --bench audits -- [coverage|level|honest|colluding|power].. [--seed N] \
                     [--count N] [--groups N,..] [--seats N,..] [--only WORD]";

/// Command line options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The selected parts; empty for all.
    pub parts: Vec<String>,
    /// The seed. The seeds 0 to 99 were used to choose the rules of the audits.
    pub seed: u64,
    /// The number of simulated fields or tournaments of each kind; `None` for the default.
    pub count: Option<u64>,
    /// The numbers of groups per field that are simulated.
    pub groups: Vec<u64>,
    /// The numbers of seats that are simulated.
    pub seats: Vec<usize>,
    /// Only kinds of fields whose names contain this text are simulated.
    pub only: String,
}

/// The names of all parts.
const PARTS: [&str; 5] = ["coverage", "level", "honest", "colluding", "power"];

impl Options {
    /// Parses the command line; exits with a usage message if it is invalid.
    pub fn from_args() -> Self {
        Self::parse(env::args().skip(1)).unwrap_or_else(|wrong| {
            eprintln!("{wrong}\n{USAGE}");
            process::exit(2)
        })
    }

    /// Returns whether a part is selected.
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
                // Cargo passes this to every benchmark.
                "--bench" => {}
                "--seed" => options.seed = parse_number(&value()?)?,
                "--count" => options.count = Some(parse_number(&value()?)?),
                "--groups" => options.groups = parse_numbers(&value()?)?,
                "--seats" => options.seats = parse_numbers(&value()?)?,
                "--only" => options.only = value()?,
                part if PARTS.contains(&part) => options.parts.push(arg),
                _ => return Err(format!("unknown argument {arg}: expected a part or an option")),
            }
        }
        Ok(options)
    }
}

fn parse_number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text}: expected a whole number, such as 40"))
}

fn parse_numbers<T: FromStr>(text: &str) -> Result<Vec<T>, String> {
    text.split(',').map(parse_number).collect()
}
