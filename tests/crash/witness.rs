//! A stateless bot that reconnects after each crash and reports everything it is sent.

use super::ledger::Ledger;
use lastnim_client::{MAX_MESSAGE_BYTES, connect, token_authorization};
use lastnim_proto::pb::{
    self, PlayRequest, arena_service_client::ArenaServiceClient, play_request::Action, play_response::Event,
    tournament_service_client::TournamentServiceClient,
};
use lastnim_tournament::SeededDraw;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};

/// The pause before a reconnect.
const RETRY_INTERVAL: Duration = Duration::from_millis(15);
/// The maximum take, so that matches last.
const MAX_TAKE: u64 = 2;

/// A stateless bot. Without a habit, it draws its rows and takes at random each time it is asked, so that a server that
/// asks twice gets two answers, of which only one may count.
#[derive(Debug)]
pub struct Witness {
    pub name: String,
    pub token: String,
    pub address: String,
    pub ledger: Arc<Ledger>,
    pub draw: SeededDraw,
    /// The maximum thinking time for a take.
    pub thinks: Duration,
    /// The number that its rows and takes follow from, if it has fixed habits; otherwise they are random.
    pub habit: Option<u32>,
}

/// Running witnesses, stopped when this is dropped.
#[derive(Debug, Default)]
pub struct Witnesses {
    dismissed: watch::Sender<bool>,
    playing: Vec<JoinHandle<()>>,
}

impl Witnesses {
    /// Starts a witness.
    pub fn start(&mut self, witness: Witness) {
        self.playing.push(tokio::spawn(witness.play(self.dismissed.subscribe())));
    }

    /// Starts a watcher of a tournament.
    pub fn watch(&mut self, address: &str, tournament: &str, ledger: &Arc<Ledger>) {
        let (address, tournament, ledger) = (address.to_owned(), tournament.to_owned(), Arc::clone(ledger));
        let mut dismissed = self.dismissed.subscribe();
        self.playing.push(tokio::spawn(async move {
            let watching = async {
                loop {
                    // After any failure, it tries again.
                    let _ = watch_tournament(&address, &tournament, &ledger).await;
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            };
            tokio::select! {
                _ = dismissed.wait_for(|&dismissed| dismissed) => {}
                () = watching => {}
            }
        }));
    }

    /// Stops them, and waits until everything they were sent is recorded.
    pub async fn dismiss(self) {
        self.dismissed.send_replace(true);
        for playing in self.playing {
            playing.await.unwrap();
        }
    }
}

impl Witness {
    async fn play(mut self, mut dismissed: watch::Receiver<bool>) {
        let playing = async {
            loop {
                let status = match self.session().await {
                    Ok(()) => continue,
                    Err(status) => status,
                };
                let passing = [Code::Unavailable, Code::Unknown, Code::Cancelled, Code::Internal];
                if !passing.contains(&status.code()) {
                    self.ledger.note_contradiction(format!("{} was rejected: {status:?}", self.name));
                    return;
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        };
        tokio::select! {
            _ = dismissed.wait_for(|&dismissed| dismissed) => {}
            () = playing => {}
        }
    }

    /// Plays on one stream until it is lost.
    async fn session(&mut self) -> Result<(), Status> {
        let channel = connect(&self.address).await;
        let channel = channel.map_err(|error| Status::unavailable(error.to_string()))?;
        let mut client =
            ArenaServiceClient::with_interceptor(channel, token_authorization(&self.token).unwrap())
                .max_decoding_message_size(MAX_MESSAGE_BYTES);
        let (outbound, requests) = mpsc::channel(1_024);
        let mut inbound = client.play(ReceiverStream::new(requests)).await?.into_inner();
        let feed = Action::Subscribe(pb::Subscribe { feed: pb::Feed::All.into() });
        send_later(&outbound, feed, Duration::ZERO);
        while let Some(response) = inbound.message().await? {
            let event = response.event.expect("an event");
            self.ledger.hear(&self.name, &event);
            match event {
                Event::Ping(ping) => {
                    send_later(&outbound, Action::Pong(pb::Pong { id: ping.id }), Duration::ZERO);
                }
                Event::MatchStarted(started) => self.declare(&outbound, &started),
                Event::Turn(turn) => self.take(&outbound, &turn),
                Event::Snapshot(snapshot) => {
                    let started = snapshot.started.as_ref().expect("the start of the match");
                    if snapshot.phase() == pb::Phase::Declaring && snapshot.declaration_left_ms > 0 {
                        self.declare(&outbound, started);
                    }
                    if let Some(turn) = &snapshot.turn {
                        self.take(&outbound, turn);
                    }
                }
                _ => {}
            }
        }
        Err(Status::unavailable("the stream was closed"))
    }

    fn declare(&mut self, outbound: &mpsc::Sender<PlayRequest>, started: &pb::MatchStarted) {
        let setup = started.setup.as_ref().expect("a setup");
        if setup.assigned.is_some() {
            return;
        }
        let mut offsets: Vec<u32> = (0..setup.bots.len() as u32).collect();
        match self.habit {
            Some(habit) => offsets.rotate_left(habit as usize % setup.bots.len()),
            None => self.draw.shuffle(&mut offsets),
        }
        let row = Some(pb::Row { offsets });
        let thinks = self.think();
        send_later(
            outbound,
            Action::Declare(pb::Declare { match_id: started.match_id.clone(), row, ..Default::default() }),
            thinks,
        );
    }

    fn take(&mut self, outbound: &mpsc::Sender<PlayRequest>, turn: &pb::Turn) {
        let max_take = turn.counters.min(MAX_TAKE);
        let take = match self.habit {
            Some(habit) => 1 + u64::from(habit + turn.ply) % max_take,
            None => 1 + self.draw.number_below(max_take),
        };
        let thinks = self.think();
        send_later(
            outbound,
            Action::Take(pb::Take {
                match_id: turn.match_id.clone(),
                ply: turn.ply,
                take,
                ..Default::default()
            }),
            thinks,
        );
    }

    fn think(&mut self) -> Duration {
        Duration::from_micros(self.draw.number_below(self.thinks.as_micros() as u64 + 1))
    }
}

/// Sends a message after a delay, without blocking the caller.
fn send_later(outbound: &mpsc::Sender<PlayRequest>, action: Action, after: Duration) {
    let outbound = outbound.clone();
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        // The stream may be gone.
        let _ = outbound.send(PlayRequest { action: Some(action) }).await;
    });
}

async fn watch_tournament(address: &str, id: &str, ledger: &Ledger) -> Result<(), Status> {
    let channel = connect(address).await.map_err(|error| Status::unavailable(error.to_string()))?;
    let request = pb::WatchTournamentRequest { tournament_id: id.to_owned(), state_only: false };
    let mut states = TournamentServiceClient::new(channel).watch_tournament(request).await?.into_inner();
    while let Some(state) = states.message().await? {
        if let Some(tournament) = &state.tournament {
            ledger.hear_of_tournament(tournament);
        }
    }
    Ok(())
}
