//! The calls that a bot makes, and the streams that it opens.

use super::play_service::EncodedEvent;
use lastnim_proto::pb;
use tokio::sync::mpsc;
use tonic::Status;

/// A call that the bot made.
#[derive(Debug)]
pub(super) enum Arrival {
    /// A call that opened a stream.
    Session(BotSession),
    /// A call that was refused, with a description of the refusal.
    Refused(String),
}

/// The next input from a bot on its stream.
#[derive(Debug)]
pub(super) enum Inbound {
    /// A message from the bot.
    Request(pb::PlayRequest),
    /// The bot closed its sending side, which closes the session.
    Closed,
    /// The stream broke for the given reason.
    Broken(String),
}

/// A stream that the bot opened. Dropping this value ends the stream.
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

    /// Sends an event. If the stream is gone, the event is lost, as on a real network.
    pub(super) fn send(&self, event: EncodedEvent) {
        let _ = self.outbound.send(Ok(event));
    }

    /// Ends the stream with a status.
    pub(super) fn end_with(self, status: Status) {
        let _ = self.outbound.send(Err(status));
    }

    /// Waits for the next input. Safe to cancel.
    pub(super) async fn next_inbound(&mut self) -> Inbound {
        self.inbound.recv().await.unwrap_or(Inbound::Closed)
    }
}
