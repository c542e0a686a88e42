//! Finds the run of a file from another terminal.

use super::{
    finished_run::serve_finished_run, folder::RunPaths, resumption::other_server_failure, saved_run::SavedRun,
};
use crate::{
    Failure,
    credentials::read_token_file,
    embedded_server::EmbeddedServer,
    remote::{RemoteServer, ServerArgs, Target},
};
use lastnim_client::ServerAddress;
use lastnim_core::game::TournamentId;
use std::path::{Path, PathBuf};

/// The tournament of a run, and the server on which it is played.
#[derive(Debug)]
pub struct LocatedRun {
    /// The tournament.
    pub tournament: TournamentId,
    place: RunPlace,
}

/// Where the server of a run is.
#[derive(Debug)]
enum RunPlace {
    /// Another process runs the server.
    Elsewhere(Target),
    /// The run has its own server. It is at the target if there is one and the run is active.
    OwnServer { file: PathBuf, target: Option<Target> },
}

/// Finds the tournament of a file whose run has started.
///
/// # Errors
/// If the file has no run, the run uses a server other than the named one, or a file of the run cannot be read.
pub fn locate_run(file: &Path, server: &ServerArgs) -> Result<LocatedRun, Failure> {
    let paths = RunPaths::of_file(file);
    let shown = file.display();
    let not_begun_failure = || {
        Failure::input(format!(
            "{shown}: this tournament has not started: `lastnim tournament run {shown}` starts it"
        ))
    };
    let kept = SavedRun::read(&paths.saved_run_file())?.ok_or_else(not_begun_failure)?;
    let tournament = kept.tournament.as_deref().ok_or_else(not_begun_failure)?;
    let tournament =
        tournament.parse().map_err(|error| Failure::runtime(error, paths.saved_run_file().display()))?;
    if server.given_server().is_some() && server.given_server() != kept.server.as_deref() {
        return Err(other_server_failure(file, kept.server.as_deref(), "to reach it"));
    }
    if let Some(address) = &kept.server {
        return Ok(LocatedRun { tournament, place: RunPlace::Elsewhere(server.target_at(address)?) });
    }
    let token_file = paths.admin_token_file();
    let target = match kept.listened_on {
        Some(listens) if token_file.exists() => {
            let token = match server.token_from_flags()? {
                Some(token) => token,
                None => read_token_file(&token_file)?,
            };
            let address = ServerAddress::new(lastnim_server::local_address(listens).to_string());
            Some(Target { address, token: Some(token) })
        }
        _ => None,
    };
    Ok(LocatedRun { tournament, place: RunPlace::OwnServer { file: file.to_owned(), target } })
}

impl LocatedRun {
    /// Connects to the server of the run. If a finished run has stopped its own server, this starts another one, which
    /// runs until it is stopped or dropped.
    ///
    /// # Errors
    /// If the server cannot be reached, or the run has its own server and was stopped before its end.
    pub async fn connect(&self) -> Result<(RemoteServer, Option<EmbeddedServer>), Failure> {
        let connect =
            async |target: &Target| RemoteServer::connect_to(&target.address, target.token.as_deref()).await;
        match &self.place {
            RunPlace::Elsewhere(target) => Ok((connect(target).await?, None)),
            RunPlace::OwnServer { file, target } => {
                if let Some(target) = target
                    && let Ok(remote) = connect(target).await
                {
                    return Ok((remote, None));
                }
                let finished = serve_finished_run(&RunPaths::of_file(file), self.tournament).await?;
                let server = finished.ok_or_else(|| stopped_run_failure(file))?;
                let address = ServerAddress::new(server.connect_address());
                let remote = RemoteServer::connect_to(&address, Some(server.admin_token())).await?;
                Ok((remote, Some(server)))
            }
        }
    }
}

/// Explains that a run's own server exists only during the run.
fn stopped_run_failure(file: &Path) -> Failure {
    let file = file.display();
    Failure::Runtime(anyhow::Error::msg(format!(
        "{file}: its tournament is not being run, and its server exists only during a run: `lastnim tournament run {file}` continues it"
    )))
}
