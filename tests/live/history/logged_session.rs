//! A bot's session driven by the test, and logged like an SDK's.

use crate::{host::Host, session::BotSession};
use lastnim_proto::{
    pb::{self, PlayRequest, PlayResponse, play_request::Action, play_response::Event},
    session_log::{SESSION_LOG_VERSION, SessionLogEvent, SessionLogLine},
};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A growing log.
pub struct TestLog {
    began: Instant,
    session: u64,
    pub lines: Vec<SessionLogLine>,
}

impl TestLog {
    pub fn new() -> Self {
        let mut log = Self { began: Instant::now(), session: 0, lines: Vec::new() };
        let (sdk, server) = ("by hand".to_owned(), "127.0.0.1".to_owned());
        log.note(SessionLogEvent::RunBegan { version: SESSION_LOG_VERSION, sdk, server });
        log
    }

    fn note(&mut self, event: SessionLogEvent) {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        self.lines.push(SessionLogLine {
            at_us: at.as_micros() as u64,
            mono_us: self.began.elapsed().as_micros() as u64,
            run: "carol".into(),
            session: self.session,
            event,
        });
    }

    fn note_received(&mut self, event: &Event) {
        self.note(SessionLogEvent::Received(Box::new(PlayResponse { event: Some(event.clone()) })));
    }
}

/// A session and its log.
pub struct LoggedSession<'a> {
    line: BotSession,
    log: &'a mut TestLog,
}

impl<'a> LoggedSession<'a> {
    /// Opens a session that subscribes to all takes.
    pub async fn open(host: &Host, token: &str, log: &'a mut TestLog) -> Self {
        log.session += 1;
        let (line, welcome) = BotSession::open(host, token).await;
        log.note_received(&Event::Welcome(welcome));
        let mut logged = Self { line, log };
        logged.send(Action::Subscribe(pb::Subscribe { feed: pb::Feed::All.into() })).await;
        logged
    }

    pub async fn send(&mut self, action: Action) {
        let request = PlayRequest { action: Some(action.clone()) };
        self.log.note(SessionLogEvent::Sent(Box::new(request)));
        self.line.send(action).await;
    }

    pub async fn event(&mut self) -> Event {
        let event = self.line.event().await;
        self.log.note_received(&event);
        event
    }

    pub async fn take(&mut self, turn: &pb::Turn, take: u64) {
        let (match_id, ply) = (turn.match_id.clone(), turn.ply);
        self.send(Action::Take(pb::Take { match_id, ply, take, note_hash: vec![7; 32] })).await;
    }
}
