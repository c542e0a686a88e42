//! The logs of one match.

use lastnim_proto::pb::{self, play_request::Action, play_response::Event};

/// The logs of one match: the sessions of all bots, the oldest session first.
#[derive(Debug, Clone, Default)]
pub struct MatchLog<'a> {
    pub(super) sessions: Vec<SessionOfMatch<'a>>,
}

/// The messages of one session about a match.
#[derive(Debug, Clone)]
pub(super) struct SessionOfMatch<'a> {
    /// The index of this session among all sessions.
    pub(super) place: usize,
    pub(super) bot: &'a str,
    /// The messages, in the order of their lines.
    pub(super) messages: Vec<LoggedMessage<'a>>,
}

/// A message and its place in the logs.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoggedMessage<'a> {
    pub(super) log: usize,
    pub(super) line: u64,
    pub(super) mono_us: u64,
    /// The number of gaps before this message in its session.
    pub(super) gaps: u32,
    pub(super) content: DirectedMessage<'a>,
}

/// A message and its direction.
#[derive(Debug, Clone, Copy)]
pub(super) enum DirectedMessage<'a> {
    Sent(&'a Action),
    Received(&'a Event),
}

impl MatchLog<'_> {
    /// Returns whether a bot received any message about the match that is not a refusal.
    pub fn has_server_reports(&self) -> bool {
        let mut messages = self.sessions.iter().flat_map(|session| &session.messages);
        messages.any(|message| message.received().is_some_and(|event| !matches!(event, Event::Refused(_))))
    }
}

impl<'a> LoggedMessage<'a> {
    /// Returns the take that the bot sent; `None` if this is another message.
    pub(super) fn sent_take(&self) -> Option<&'a pb::Take> {
        match self.content {
            DirectedMessage::Sent(Action::Take(take)) => Some(take),
            _ => None,
        }
    }

    /// Returns the row that the bot sent, with its note hash; `None` if this is another message.
    pub(super) fn sent_declaration(&self) -> Option<&'a pb::Declare> {
        match self.content {
            DirectedMessage::Sent(Action::Declare(declare)) => Some(declare),
            _ => None,
        }
    }

    /// Returns the event that the bot received; `None` if the bot sent this message.
    pub(super) fn received(&self) -> Option<&'a Event> {
        match self.content {
            DirectedMessage::Received(event) => Some(event),
            DirectedMessage::Sent(_) => None,
        }
    }

    /// Returns the ply that the match had certainly reached when the server sent this message; `u32::MAX` if the match
    /// had ended, and `None` if the message does not show a ply.
    pub(super) fn reached_ply(&self) -> Option<u32> {
        Some(match self.received()? {
            Event::MatchStarted(_) | Event::Revealed(_) => 0,
            Event::Snapshot(snapshot) => snapshot.ply,
            Event::Turn(turn) => turn.ply,
            Event::Took(took) => took.ply.saturating_add(1),
            Event::MatchEnded(_) => u32::MAX,
            _ => return None,
        })
    }

    /// Returns the time since an earlier message in the same session, in microseconds.
    pub(super) fn micros_since(&self, earlier: &Self) -> u64 {
        self.mono_us.saturating_sub(earlier.mono_us)
    }
}

/// Two messages in a session, one before and one after a step of the match. No log lines are missing between them, so
/// all messages that the bot sent for that step in this session are between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepBracket<'s, 'a> {
    pub(super) before: &'s LoggedMessage<'a>,
    pub(super) after: &'s LoggedMessage<'a>,
}

impl<'a> SessionOfMatch<'a> {
    /// Returns the messages around a ply: the first one of the session, which shows the whole match, and the first one
    /// that shows a later ply. `None` if the log does not cover the ply.
    pub(super) fn bracket_of_ply(&self, ply: u32) -> Option<StepBracket<'_, 'a>> {
        let opens = |event: &Event| matches!(event, Event::MatchStarted(_) | Event::Snapshot(_));
        let before = self.messages.first().filter(|first| first.received().is_some_and(opens))?;
        let is_later =
            |message: &LoggedMessage<'_>| message.reached_ply().is_some_and(|reached| reached > ply);
        let after = self.messages.iter().find(|message| is_later(message)).filter(|_| !is_later(before))?;
        (before.gaps == after.gaps).then_some(StepBracket { before, after })
    }

    /// Returns the messages before and after the rows were settled; `None` if the log does not cover that step.
    pub(super) fn bracket_of_rows(&self) -> Option<StepBracket<'_, 'a>> {
        let asks = |message: &&LoggedMessage<'_>| match message.received() {
            Some(Event::MatchStarted(_)) => true,
            Some(Event::Snapshot(snapshot)) => {
                snapshot.phase() == pb::Phase::Declaring && snapshot.declaration_left_ms > 0
            }
            _ => false,
        };
        let settled = |message: &&LoggedMessage<'_>| match message.received() {
            Some(Event::Revealed(_) | Event::Turn(_) | Event::Took(_) | Event::MatchEnded(_)) => true,
            Some(Event::Snapshot(snapshot)) => snapshot.alliance_matrix.is_some(),
            _ => false,
        };
        let before = self.messages.iter().find(asks)?;
        let after = self.messages.iter().find(settled)?;
        (before.line < after.line && before.gaps == after.gaps).then_some(StepBracket { before, after })
    }

    /// Returns the messages that the bot sent in this session before a given message; `None` if lines are missing
    /// before it.
    pub(super) fn sent_before(&self, message: &LoggedMessage<'a>) -> Option<Vec<&LoggedMessage<'a>>> {
        if message.gaps > 0 {
            return None;
        }
        let before = self.messages.iter().take_while(|other| other.line < message.line);
        Some(before.filter(|other| matches!(other.content, DirectedMessage::Sent(_))).collect())
    }
}
