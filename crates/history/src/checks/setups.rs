//! Checks the setups sent to bots.

use crate::{
    FindingKind,
    finding::Findings,
    match_log::{LoggedMessage, MatchLog},
    replayed_match::ReplayedMatch,
};
use lastnim_proto::{
    json::message_to_json,
    pb::{self, play_response::Event},
};

pub(super) fn check_setups(log: &MatchLog<'_>, replayed: &ReplayedMatch<'_>, findings: &mut Findings) {
    let setup = pb::MatchSetup::from(replayed.setup());
    for session in &log.sessions {
        let seat = replayed.seat_of_bot(session.bot);
        for message in &session.messages {
            let started = match message.received() {
                Some(Event::MatchStarted(started)) => Some(started.as_ref()),
                Some(Event::Snapshot(snapshot)) => snapshot.started.as_ref(),
                Some(Event::MatchEnded(ended)) => ended.started.as_ref(),
                _ => None,
            };
            let Some(started) = started else { continue };
            if seat.is_none_or(|seat| u32::from(seat) != started.seat) {
                let sits = seat.map_or_else(|| "no seat".to_owned(), |seat| format!("seat {seat}"));
                let bot = session.bot;
                let detail = format!(
                    "the server gave {bot} seat {}, but according to the record, it has {sits}",
                    started.seat
                );
                findings.add(FindingKind::Setup, message, None, detail);
            }
            check_setup(started.setup.as_ref(), &setup, message, findings);
        }
    }
}

fn check_setup(
    reported: Option<&pb::MatchSetup>,
    recorded: &pb::MatchSetup,
    message: &LoggedMessage<'_>,
    findings: &mut Findings,
) {
    if reported == Some(recorded) {
        return;
    }
    let reported = message_to_json(&reported.cloned().unwrap_or_default());
    let recorded = message_to_json(recorded);
    let differing =
        reported.as_object().into_iter().flatten().find(|(key, value)| recorded[key.as_str()] != **value);
    let detail = differing.map_or_else(
        || "the match's setup differs from the record".to_owned(),
        |(key, value)| {
            format!("{key} in the setup is {value}, but the record says {}", recorded[key.as_str()])
        },
    );
    findings.add(FindingKind::Setup, message, None, detail);
}
