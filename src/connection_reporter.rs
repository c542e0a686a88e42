//! Reports changes of the connection while a command follows a match or a tournament on a server.

use crate::{remote::RemoteServer, screen};
use lastnim_client::WatchUpdate;

/// Prints a note on standard error when the connection is lost and when it is restored.
#[derive(Debug, Default)]
pub struct ConnectionReporter {
    is_lost: bool,
}

impl ConnectionReporter {
    /// Returns the message in an update; `None` if the update is about the connection. Prints a note when the
    /// connection is lost and when it is restored.
    pub fn extract_message<T>(&mut self, update: WatchUpdate<T>, remote: &RemoteServer) -> Option<T> {
        let server = remote.name();
        match update {
            WatchUpdate::Message(message) => return Some(message),
            WatchUpdate::Lost(reason) if !self.is_lost => {
                screen::print_note(format_args!(
                    "the connection to {server} was lost: {reason}: trying again"
                ));
                self.is_lost = true;
            }
            WatchUpdate::Opened if self.is_lost => {
                screen::print_note(format_args!("connected to {server} again"));
                self.is_lost = false;
            }
            WatchUpdate::Lost(_) | WatchUpdate::Opened => {}
        }
        None
    }
}
