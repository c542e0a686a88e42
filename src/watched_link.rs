//! Reports changes of the connection while a command follows a match or a tournament on a server.

use crate::{remote::RemoteServer, screen};
use lastnim_client::WatchNews;

/// Prints a note on standard error when the connection is lost and when it is restored.
#[derive(Debug, Default)]
pub struct WatchedLink {
    is_lost: bool,
}

impl WatchedLink {
    /// Returns the message of an event. Prints a note if the event is a change of the connection.
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
