//! Checks the order of the messages about a match: the ply never decreases, and nothing follows the end.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog, SessionOfMatch},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::play_response::Event;
use std::collections::HashMap;

/// The highest ply that was shown to a bot, and the log line that shows it.
type HighestPly<'s, 'a> = (u32, &'s LoggedMessage<'a>);

pub(super) fn check_order(log: &MatchLog<'_>, findings: &mut Findings) {
    let mut by_bot: HashMap<&str, HighestPly<'_, '_>> = HashMap::new();
    for session in &log.sessions {
        check_end_is_last(session, findings);
        for message in &session.messages {
            let Some(event) = message.received() else { continue };
            let shown = match event {
                Event::Turn(turn) => turn.ply,
                Event::Snapshot(snapshot) => snapshot.ply,
                // If a bot sends a take again, the server acknowledges it again, whatever ply the match has reached.
                Event::Took(took) if !has_sent_take(log, session.bot, took.ply) => took.ply,
                _ => continue,
            };
            match by_bot.get(session.bot) {
                Some(&(reached, reported)) if reached > shown => {
                    let detail = format!(
                        "the match is at take {} here, but had already reached take {} in line {}",
                        shown_number(shown),
                        shown_number(reached),
                        reported.line
                    );
                    findings.add(FindingKind::WentBack, message, shown, detail);
                }
                _ => {
                    let reached = message.reached_ply().unwrap_or(shown);
                    by_bot.insert(session.bot, (reached, message));
                }
            }
        }
    }
}

fn has_sent_take(log: &MatchLog<'_>, bot: &str, ply: u32) -> bool {
    let own = log.sessions.iter().filter(|session| session.bot == bot);
    let mut messages = own.flat_map(|session| &session.messages);
    messages.any(|message| message.sent_take().is_some_and(|take| take.ply == ply))
}

fn check_end_is_last(session: &SessionOfMatch<'_>, findings: &mut Findings) {
    let mut ended: Option<&LoggedMessage<'_>> = None;
    for message in &session.messages {
        let Some(event) = message.received() else { continue };
        let what = match event {
            Event::MatchEnded(_) => "a second end",
            Event::Turn(_) => "a turn",
            Event::Took(_) => "a take",
            Event::Snapshot(_) => "a snapshot",
            Event::Revealed(_) => "the rows",
            Event::Forfeited(_) => "a report of a lost seat",
            Event::MatchStarted(_) => "the match's start",
            _ => continue,
        };
        if let Some(ended) = ended {
            let detail = format!(
                "the server sent {what} after the end of the match (line {} of the same session)",
                ended.line
            );
            findings.add(FindingKind::AfterEnd, message, None, detail);
        } else if matches!(event, Event::MatchEnded(_)) {
            ended = Some(message);
        }
    }
}
