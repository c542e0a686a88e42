//! Opening and losing sessions, and restarting the server and the program.

use super::Stage;
use crate::{
    bot_session::{Arrival, Inbound},
    scripted_match::ScriptedMatch,
    stage::{
        ScenarioResult,
        conversation::{BotMessage, describe_action},
    },
};
use lastnim_proto::{BotAction, ServerEvent, TakeFeed, pb};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::Status;

/// The pause before a connection is cut or goes silent, in which events that were already sent can arrive.
const DELIVERY_TIME: Duration = Duration::from_millis(40);

/// How long a bot may take to notice a silent connection. Bots should reconnect after 25 s without an event.
pub(crate) const SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// How a session is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionLoss {
    /// The server ends the stream, as it does when it stops.
    Unavailable,
    /// The connection is cut.
    Cut,
    /// The connection stays open, but no more bytes arrive.
    Frozen,
}

impl Stage {
    /// Waits for the bot to open a session.
    pub(crate) async fn accept(&mut self) -> ScenarioResult {
        let expected = format!(
            "a call to lastnim.v1.ArenaService/Play on {} within {} s",
            self.server.address(),
            self.patience.as_secs()
        );
        let deadline = Instant::now() + self.patience;
        let arrival = tokio::select! {
            arrival = timeout_at(deadline, self.arrivals.recv()) => arrival,
            end = self.bot.wait_until_ended() => {
                return Err(self.failure(expected, format!("the program ended ({})", end.description)));
            }
        };
        match arrival {
            Ok(Some(Arrival::Session(session))) => {
                self.session = Some(session);
                self.feed = TakeFeed::All;
                Ok(())
            }
            Ok(Some(Arrival::Refused(call))) => Err(self.failure(expected, call)),
            Ok(None) | Err(_) => {
                Err(self.failure(expected, "no call; if the program starts slowly, raise --patience"))
            }
        }
    }

    /// Waits for the bot to open a session, and sends the welcome and a ping, as the real server does.
    pub(crate) async fn welcome(&mut self, open_matches: usize) -> ScenarioResult {
        self.accept().await?;
        self.send(ServerEvent::Welcome { bot: self.name.clone(), open_matches });
        self.ping();
        Ok(())
    }

    /// Sends a ping, and returns its id.
    pub(crate) fn ping(&mut self) -> u64 {
        let id = self.next_ping;
        self.next_ping += 1;
        self.send(ServerEvent::Ping { id });
        id
    }

    /// Waits for the bot to open a session and to ask to join. Does not answer the request.
    pub(crate) async fn await_join(&mut self) -> ScenarioResult {
        self.welcome(0).await?;
        self.send(ServerEvent::CaughtUp { missed_ends: 0, left_out: 0 });
        self.await_join_request().await
    }

    /// Waits for the bot's request to join.
    async fn await_join_request(&mut self) -> ScenarioResult {
        let expected = self.join_text();
        loop {
            match self.next_message(&expected).await? {
                BotMessage::Pong(_) | BotMessage::Action(BotAction::Subscribe(_)) => {}
                BotMessage::Action(BotAction::Join(Ok(id))) if id == self.tournament => return Ok(()),
                BotMessage::Action(action) => return Err(self.failure(expected, describe_action(&action))),
            }
        }
    }

    /// Waits for another request to join, in this session or in a new one.
    pub(crate) async fn await_repeated_join(&mut self) -> ScenarioResult {
        let Some(session) = &mut self.session else { return self.await_join().await };
        let deadline = Instant::now() + self.patience;
        match timeout_at(deadline, session.next_inbound()).await {
            Ok(Inbound::Closed | Inbound::Broken(_)) => {
                self.session = None;
                self.await_join().await
            }
            Ok(Inbound::Request(request)) => {
                let expected = self.join_text();
                match self.read_request(&request, &expected)? {
                    BotMessage::Action(BotAction::Join(Ok(id))) if id == self.tournament => Ok(()),
                    _ => Box::pin(self.await_repeated_join()).await,
                }
            }
            Err(_) => {
                Err(self
                    .failure(self.join_text(), format!("no message within {} s", self.patience.as_secs())))
            }
        }
    }

    fn join_text(&self) -> String {
        format!("`join_tournament` with tournament_id {}", self.tournament)
    }

    /// Waits for the bot to open a session and to ask to join, and lets it join.
    pub(crate) async fn join(&mut self) -> ScenarioResult {
        self.await_join().await?;
        self.send_joined(pb::TournamentState::Running);
        Ok(())
    }

    /// Makes the bot lose its session. Messages from the bot that were not read yet are lost.
    pub(crate) async fn lose_session(&mut self, loss: SessionLoss) {
        self.held_actions.clear();
        match loss {
            SessionLoss::Unavailable => {
                self.note("the stream ends with UNAVAILABLE");
                if let Some(session) = self.session.take() {
                    session.end_with(Status::unavailable("the server is stopping: connect again later"));
                }
            }
            SessionLoss::Cut => {
                sleep(DELIVERY_TIME).await;
                self.note("the connection is cut");
                self.server.cut_connections();
                self.session = None;
            }
            SessionLoss::Frozen => {
                sleep(DELIVERY_TIME).await;
                self.note("the connection goes silent");
                self.server.freeze_connections();
                // The session is not dropped here, because its end could reach the bot before the network freezes.
            }
        }
    }

    /// Takes the server down for a while and restarts it on the same port.
    pub(crate) async fn restart_server(&mut self, down: Duration) -> ScenarioResult {
        self.note(format!("the server is down for {} ms", down.as_millis()));
        self.server.shut_down().await;
        self.session = None;
        sleep(down).await;
        self.server
            .restart_listening()
            .await
            .map_err(|error| self.failure("the server's port to be free again", error.to_string()))
    }

    /// Restarts the bot's program.
    pub(crate) async fn restart_bot(&mut self) -> ScenarioResult {
        self.note("the bot's program is stopped and restarted");
        self.bot.stop().await;
        self.session = None;
        // The stopped program may have opened a session that nothing has read yet.
        while self.arrivals.try_recv().is_ok() {}
        let launched = self.launcher.launch(&self.environment);
        self.bot = launched.map_err(|why| self.failure("a program that can be started", why))?;
        Ok(())
    }

    /// Waits for the bot to reconnect, and sends a snapshot of each open match, as the real server does.
    pub(crate) async fn reconnect(&mut self, matches: &mut [ScriptedMatch]) -> ScenarioResult {
        self.reconnect_without_catch_up(matches).await?;
        self.send(ServerEvent::CaughtUp { missed_ends: 0, left_out: 0 });
        Ok(())
    }

    /// Waits for the bot to notice that its connection is silent, and then does the same as [`Self::reconnect`].
    pub(crate) async fn reconnect_after_silence(&mut self, matches: &mut [ScriptedMatch]) -> ScenarioResult {
        self.patience += SILENCE_LIMIT;
        let reconnected = self.reconnect(matches).await;
        self.patience -= SILENCE_LIMIT;
        reconnected
    }

    /// Waits for the bot to reconnect, and sends a snapshot of each open match, but no `caught_up` event.
    pub(crate) async fn reconnect_without_catch_up(
        &mut self,
        matches: &mut [ScriptedMatch],
    ) -> ScenarioResult {
        let open = matches.iter().filter(|played| !played.is_over()).count();
        self.welcome(open).await?;
        for played in matches.iter_mut().filter(|played| !played.is_over()) {
            let snapshot = played.snapshot_for_new_session();
            self.send(snapshot);
        }
        Ok(())
    }
}
