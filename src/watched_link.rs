//! The connection to the server of a command that follows a match or a tournament.

use crate::{remote::RemoteServer, screen};
use lastnim_client::WatchNews;

/// Prints on standard error when the connection is lost, and when it is restored.
#[derive(Debug, Default)]
pub struct WatchedLink {
    is_lost: bool,
}

impl WatchedLink {
    /// Returns the message of an event, or prints the change of the connection.
    pub fn message_of<T>(&mut self, news: WatchNews<T>, remote: &RemoteServer) -> Option<T> {
        let server = remote.name();
        match news {
            WatchNews::Message(message) => return Some(message),
            WatchNews::Lost(reason) if !self.is_lost => {
                screen::print_note(format_args!(
                    "the connection to {server} was lost: {reason}: trying again"
                ));
                self.is_lost = true;
            }
            WatchNews::Opened if self.is_lost => {
                screen::print_note(format_args!("connected to {server} again"));
                self.is_lost = false;
            }
            WatchNews::Lost(_) | WatchNews::Opened => {}
        }
        None
    }
}
