//! One stream of the bot, with nothing decided about it.

use super::play_service::EncodedEvent;
use lastnim_proto::pb;
use tokio::sync::mpsc;
use tonic::Status;

/// A call of the bot.
#[derive(Debug)]
pub(super) enum Arrival {
    /// It has opened a stream.
    Session(BotSession),
    /// It was not let in; what it called with.
    Refused(String),
}

/// What comes from a bot.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A message.
    Request(pb::PlayRequest),
    /// It has closed its sending side, which closes the session.
    Closed,
    /// Its stream cannot be read any more, and why.
    Broken(String),
}

/// One stream of the bot. The stream ends when this is dropped.
#[derive(Debug)]
pub(super) struct BotSession {
    outbound: mpsc::UnboundedSender<Result<EncodedEvent, Status>>,
    inbound: mpsc::Receiver<Inbound>,
}

impl BotSession {
    pub(super) fn new(
        outbound: mpsc::UnboundedSender<Result<EncodedEvent, Status>>,
        inbound: mpsc::Receiver<Inbound>,
    ) -> Self {
        Self { outbound, inbound }
    }

    /// Sends an event; a stream that is gone swallows it, as a network would.
    pub(super) fn send(&self, event: EncodedEvent) {
        let _ = self.outbound.send(Ok(event));
    }

    /// Ends the stream with a status.
    pub(super) fn end_with(self, status: Status) {
        let _ = self.outbound.send(Err(status));
    }

    /// Waits for what the bot sends next. Safe to cancel.
    pub(super) async fn next_inbound(&mut self) -> Inbound {
        self.inbound.recv().await.unwrap_or(Inbound::Closed)
    }
}
