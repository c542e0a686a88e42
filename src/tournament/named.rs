//! How a tournament is named on the command line: by its id, or by the file that `lastnim tournament run` plays.

use crate::{
    Failure,
    embedded_server::EmbeddedServer,
    remote::{RemoteServer, ServerArgs},
    runner::locate_run,
};
use clap::Args;
use lastnim_core::game::TournamentId;
use std::{fmt, path::PathBuf, str::FromStr};

/// The name of a tournament on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentName {
    /// The id of the tournament.
    Id(TournamentId),
    /// The file that `lastnim tournament run` plays.
    File(PathBuf),
}

impl FromStr for TournamentName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        if path.extension().is_some_and(|extension| extension == "toml") {
            return Ok(Self::File(path));
        }
        let id = text.parse().map(Self::Id);
        id.map_err(|error| format!("{error}; or the file of a running tournament, such as cup.toml"))
    }
}

impl fmt::Display for TournamentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::File(file) => file.display().fmt(f),
        }
    }
}

/// The argument that names a tournament.
#[derive(Debug, Args)]
pub struct TournamentArg {
    /// The id of the tournament, or the file of one that `lastnim tournament run` plays
    #[arg(value_name = "ID")]
    pub id: TournamentName,
}

impl TournamentName {
    /// Connects to the server of the tournament, and replaces a file with the tournament's id. For the file of a
    /// finished run this starts a server, which must be kept while it is used.
    ///
    /// # Errors
    /// If the file was never run, if its run has its own server and was stopped before its end, or if the server cannot
    /// be reached.
    pub async fn connect_and_resolve(
        &mut self,
        server: &ServerArgs,
    ) -> Result<(RemoteServer, Option<EmbeddedServer>), Failure> {
        let Self::File(file) = self else { return Ok((RemoteServer::connect(server).await?, None)) };
        let run = locate_run(file, server)?;
        let connected = run.connect().await?;
        *self = Self::Id(run.tournament);
        Ok(connected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_ids_are_distinguished() {
        assert_eq!("cups/a.toml".parse(), Ok(TournamentName::File("cups/a.toml".into())));
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        assert_eq!(id.parse::<TournamentName>().unwrap().to_string(), id);
        let refused = "cup.tml".parse::<TournamentName>().unwrap_err();
        assert!(refused.ends_with("; or the file of a running tournament, such as cup.toml"), "{refused}");
    }
}
