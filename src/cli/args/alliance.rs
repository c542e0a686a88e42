//! How rows come about, from the command line.

use crate::{
    cli::{Failure, text::numbers},
    wire::pb,
};
use clap::{Args, ValueEnum};

/// How rows come about.
#[derive(Debug, Args)]
pub struct AllianceArgs {
    /// How rows come about: each seat declares its own, all have the standard one, they are drawn, or given by --matrix
    /// [default: declared, or given where there is a --matrix]
    #[arg(long)]
    alliance: Option<AllianceArg>,
    /// Everybody's row, for each seat: offsets from the seat, the most preferred winner first
    #[arg(long, value_name = "ROW;ROW;..")]
    matrix: Option<String>,
    /// What everything random derives from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllianceArg {
    Declared,
    Standard,
    Random,
    Given,
}

impl AllianceArgs {
    /// Returns how rows come about.
    pub fn mode(&self) -> pb::AllianceMode {
        let unless_given =
            if self.matrix.is_some() { pb::AllianceMode::Given } else { pb::AllianceMode::Declared };
        self.alliance.map_or(unless_given, |alliance| match alliance {
            AllianceArg::Declared => pb::AllianceMode::Declared,
            AllianceArg::Standard => pb::AllianceMode::Standard,
            AllianceArg::Random => pb::AllianceMode::Random,
            AllianceArg::Given => pb::AllianceMode::Given,
        })
    }

    /// Reads the matrix, where there is one.
    ///
    /// # Errors
    /// Names a word that is no number, or an offset that no row has.
    pub fn matrix(&self) -> Result<Option<pb::AllianceMatrix>, Failure> {
        self.matrix.as_deref().map(matrix).transpose()
    }

    /// Returns what everything random derives from.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

fn matrix(text: &str) -> Result<pb::AllianceMatrix, Failure> {
    let offset = |offset: u64| {
        u32::try_from(offset)
            .map_err(|_| Failure::input(format!("offset {offset} in the matrix: it is below 32")))
    };
    let row =
        |row: Vec<u64>| Ok(pb::Row { offsets: row.into_iter().map(offset).collect::<Result<_, Failure>>()? });
    Ok(pb::AllianceMatrix {
        rows: numbers::rows(text)?.into_iter().map(row).collect::<Result<_, Failure>>()?,
    })
}
