//! Talk of witnesses: what they say, and whether they hear what they should.

use lastnim_core::referee::{Event, Record, TalkMessage};
use lastnim_proto::pb::{self, play_request::Action, record_event::Event as RecordedEvent};

/// The rounds of talk of a match whose seats talk.
pub const ROUNDS: u32 = 2;
/// The messages of a witness in one round.
const MESSAGES: u32 = 3;

/// A seat hears all messages to it, and no others, when their round has ended.
pub const HEARD: &str = "a seat hears a message once, if it is addressed to it, when the round has ended";
/// Messages in a record were sent.
pub const SAID: &str = "a record has only messages that the bot of the seat has sent";

/// Returns the messages of a witness in a round, which are the same whenever it is asked: one to everyone, and others to
/// one seat each.
pub fn messages(bot: &str, seat: u32, seats: u32, round: u32) -> impl Iterator<Item = pb::TalkMessage> {
    let bot = bot.to_owned();
    (0..MESSAGES).map(move |number| {
        let text = format!("message {number} of {bot} in round {round}");
        let content = Some(pb::talk_content::Content::Text(text));
        let addressee = (seat + 1 + (round + number) % (seats - 1)) % seats;
        let to = if number == 0 { Vec::new() } else { vec![addressee] };
        pb::TalkMessage { seat, round, number, to, content: Some(pb::TalkContent { content }) }
    })
}

/// Returns the request that sends the message with a number in a round, or ends the talk after the last message.
pub fn next_action(bot: &str, started: &pb::MatchStarted, seats: u32, (round, number): (u32, u32)) -> Action {
    let match_id = started.match_id.clone();
    match messages(bot, started.seat, seats, round).nth(number as usize) {
        Some(pb::TalkMessage { to, content, .. }) => {
            Action::Say(pb::Say { match_id, round, number, to, content })
        }
        None => Action::EndTalk(pb::EndTalk { match_id, round }),
    }
}

/// Returns whether a record has what was accepted: a message of a seat, or the end of its talk.
pub fn has_accepted(record: &Record, seat: u32, accepted: &pb::TalkAccepted) -> bool {
    record.events().iter().any(|timed| match (&timed.event, accepted.number) {
        (Event::Said(message), Some(number)) => {
            (u32::from(message.seat), message.round, message.number) == (seat, accepted.round, number)
        }
        (Event::TalkEnded { seat: other, round }, None) => {
            (u32::from(*other), *round) == (seat, accepted.round)
        }
        (Event::Declared { seat: other, .. }, None) => u32::from(*other) == seat,
        (Event::Heard { round }, None) => *round == accepted.round,
        _ => false,
    })
}

/// Returns the messages in a record that a seat has heard when a number of rounds have ended.
fn heard_messages(record: &Record, seat: u32, rounds: u32) -> Vec<pb::TalkMessage> {
    let all = record.messages().map(pb::TalkMessage::from);
    let is_heard = |message: &pb::TalkMessage| {
        let is_addressed = message.to.is_empty() || message.to.contains(&seat);
        message.seat != seat && message.round < rounds && is_addressed
    };
    all.filter(is_heard).collect()
}

/// Compares what a seat hears when a round ends with the record.
pub fn check_round(record: &Record, seat: u32, heard: &pb::Heard) -> Result<(), String> {
    let expected = heard_messages(record, seat, heard.round + 1);
    let expected: Vec<_> = expected.into_iter().filter(|message| message.round == heard.round).collect();
    if heard.messages == expected { Ok(()) } else { Err(format!("expected {expected:?}")) }
}

/// Compares what a snapshot says about the talk with the record, which may have more messages of the seat itself.
/// Returns the number of rounds that have ended.
pub fn check_snapshot(record: &Record, seat: u32, talk: &pb::TalkState) -> Result<u32, String> {
    let rounds = talk.round.unwrap_or(ROUNDS);
    let (own, heard): (Vec<_>, Vec<_>) =
        talk.messages.iter().cloned().partition(|message| message.seat == seat);
    let expected = heard_messages(record, seat, rounds);
    if heard != expected {
        return Err(format!("expected {expected:?}"));
    }
    let committed = record.messages().map(pb::TalkMessage::from).filter(|message| message.seat == seat);
    let committed: Vec<_> = committed.collect();
    if committed.starts_with(&own) {
        Ok(rounds)
    } else {
        Err(format!("the seat itself committed {committed:?}"))
    }
}

/// Returns whether watchers may see an event at this time: a message when its round has ended, and a private one when
/// the match has a winner.
pub fn may_be_watched(record: &Record, event: &pb::RecordEvent) -> bool {
    match &event.event {
        Some(RecordedEvent::Said(said)) if said.to.is_empty() => said.round < record.state().rounds_heard(),
        Some(RecordedEvent::Said(_)) => record.state().end().is_some_and(|(_, winner)| winner.is_some()),
        _ => true,
    }
}

/// Returns whether a witness sends this message.
pub fn is_sent_by(bot: &str, seats: usize, message: &TalkMessage) -> bool {
    let sent = messages(bot, message.seat.into(), seats as u32, message.round).nth(message.number as usize);
    sent == Some(pb::TalkMessage::from(message))
}
