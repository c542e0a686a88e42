//! Finds the run of a file from another terminal.

use super::{folder::RunPaths, resumption::other_server_failure, saved_run::SavedRun};
use crate::{
    Failure,
    credentials::read_token_file,
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
    target: Target,
    /// The tournament file, if the run has its own server.
    own: Option<PathBuf>,
}

/// Finds the tournament of a file whose run has started.
///
/// # Errors
/// If the file has no run, the run uses a server other than the named one, or the run's own server is not running.
pub fn locate_run(file: &Path, server: &ServerArgs) -> Result<LocatedRun, Failure> {
    let paths = RunPaths::of_file(file);
    let shown = file.display();
    let not_begun = || {
        Failure::input(format!(
            "{shown}: this tournament has not started: `lastnim tournament run {shown}` starts it"
        ))
    };
    let kept = SavedRun::read(&paths.saved_run_file())?.ok_or_else(not_begun)?;
    let tournament = kept.tournament.as_deref().ok_or_else(not_begun)?;
    let tournament =
        tournament.parse().map_err(|error| Failure::runtime(error, paths.saved_run_file().display()))?;
    if server.given_server().is_some() && server.given_server() != kept.server.as_deref() {
        return Err(other_server_failure(file, kept.server.as_deref(), "to reach it"));
    }
    if let Some(address) = &kept.server {
        return Ok(LocatedRun { tournament, target: server.target_at(address)?, own: None });
    }
    let token_file = paths.admin_token_file();
    let (Some(listens), true) = (kept.listened_on, token_file.exists()) else {
        return Err(stopped_run_failure(file));
    };
    let token = match server.token_from_flags()? {
        Some(token) => token,
        None => read_token_file(&token_file)?,
    };
    let address = ServerAddress::new(lastnim_server::local_address(listens).to_string());
    Ok(LocatedRun { tournament, target: Target { address, token: Some(token) }, own: Some(file.to_owned()) })
}

impl LocatedRun {
    /// Connects to the server of the run.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub async fn connect(&self) -> Result<RemoteServer, Failure> {
        let Target { address, token } = &self.target;
        let connected = RemoteServer::connect_to(address, token.as_deref()).await;
        match &self.own {
            Some(file) => connected.map_err(|_| stopped_run_failure(file)),
            None => connected,
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
