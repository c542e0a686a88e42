//! Tests of talk: rounds of messages that seats send before they declare rows, and that only their audience hears.

use super::table::{
    Table, declared_match, events_in, ms, refusal_message, refusals_in, reveals_rows, standard_match,
};
use crate::game::{MatchId, Seat};
use crate::referee::{
    Audience, DealHash, EndReason, Event, MAX_ROUND_MESSAGES, MatchPhase, MatchSetup, MatchSetupError,
    Record, Referee, RefereeEffect, RefereeInput, RefusalReason, SeatAction, SeatMessage, SigningKey,
    SubmittedContent, SubmittedMessage, TalkContent, TalkMessage, TalkPrivacy, TalkSecret, TalkTerms,
    TimedEvent, append_stored_bytes, canonical_bytes, parse_canonical_bytes,
};

/// The maximum length of a round of talk, in milliseconds.
const ROUND_MS: u64 = 2_000;

pub(super) fn talk_match(change: impl FnOnce(&mut TalkTerms)) -> MatchSetup {
    let mut setup = declared_match(3, &[2, 1]);
    let mut talk = TalkTerms { round_time: ms(ROUND_MS), text_chars: 5, ..TalkTerms::default() };
    change(&mut talk);
    setup.terms.talk = Some(talk);
    setup
}

fn talk_table() -> Table {
    Table::open(talk_match(|_| ()))
}

impl Table {
    pub(super) fn say(
        &mut self,
        seat: usize,
        number: u32,
        to: &[u32],
        content: SubmittedContent,
    ) -> Vec<RefereeEffect> {
        let round = self.record().state().rounds_heard();
        self.say_in(round, seat, number, to, content)
    }

    pub(super) fn say_in(
        &mut self,
        round: u32,
        seat: usize,
        number: u32,
        to: &[u32],
        content: SubmittedContent,
    ) -> Vec<RefereeEffect> {
        let message = SubmittedMessage { round, number, to: to.to_vec(), content: Some(content) };
        self.act(seat, SeatAction::Say(Box::new(message)))
    }

    pub(super) fn end_talk(&mut self, seat: usize, round: u32) -> Vec<RefereeEffect> {
        self.act(seat, SeatAction::EndTalk { round })
    }

    pub(super) fn play_to_end(&mut self) {
        (0..3).for_each(|seat| drop(self.declare(seat, &[0, 1, 2])));
        self.take(0, 0, 1);
        self.take(1, 1, 2);
        assert_eq!(self.phase(), MatchPhase::Ended);
    }

    /// Returns the texts that a seat has heard so far, each with its sender.
    fn heard(&mut self, seat: usize) -> Vec<(usize, String)> {
        let messages = self.join(seat).talk.unwrap().messages.into_iter();
        let heard = messages.filter(|message| message.seat.index() != seat);
        heard.map(|message| (message.seat.index(), text_of(&message))).collect()
    }
}

pub(super) fn text_content(words: &str) -> SubmittedContent {
    SubmittedContent::Text(words.to_owned())
}

fn text_of(message: &TalkMessage) -> String {
    match message.content() {
        Some(TalkContent::Text(text)) => text.clone(),
        other => panic!("expected a text, got {other:?}"),
    }
}

/// Returns what was accepted: round, number, and whether it was accepted before.
pub(super) fn accepted_in(effects: &[RefereeEffect]) -> Vec<(u32, Option<u32>, bool)> {
    let accepted = |effect: &RefereeEffect| match effect {
        RefereeEffect::SendToSeat { message: SeatMessage::TalkAccepted { round, number, again }, .. } => {
            Some((*round, *number, *again))
        }
        _ => None,
    };
    effects.iter().filter_map(accepted).collect()
}

fn rounds_ended(effects: &[RefereeEffect]) -> Vec<u32> {
    let ended_round = |event: &&Event| match event {
        Event::Heard { round } => Some(*round),
        _ => None,
    };
    events_in(effects).iter().filter_map(ended_round).collect()
}

#[test]
fn a_round_delivers_each_message_only_to_its_audience() {
    let mut table = talk_table();
    table.say(0, 0, &[], text_content("all"));
    table.say(0, 1, &[2], text_content("you"));
    table.say(1, 0, &[0, 2], text_content("both"));
    for seat in 0..3 {
        assert_eq!(table.heard(seat), [], "nobody hears a message before the round ends");
    }
    assert_eq!(table.join(0).talk.unwrap().messages.len(), 2, "a seat knows what it has said");
    assert_eq!(rounds_ended(&table.end_talk(0, 0)), []);
    assert_eq!(rounds_ended(&table.end_talk(1, 0)), []);
    assert_eq!(rounds_ended(&table.end_talk(2, 0)), [0]);
    let pair = |seat, words: &str| (seat, words.to_owned());
    assert_eq!(table.heard(0), [pair(1, "both")]);
    assert_eq!(table.heard(1), [pair(0, "all")]);
    assert_eq!(table.heard(2), [pair(0, "all"), pair(0, "you"), pair(1, "both")]);
    let heard_texts =
        |seat| table.record().messages_heard(table.seat(seat), 0).map(text_of).collect::<Vec<_>>();
    assert_eq!(
        [heard_texts(0), heard_texts(1), heard_texts(2)].map(|heard| heard.join(" ")),
        ["both", "all", "all you both"]
    );
    assert_eq!(table.join(1).talk.unwrap().round, Some(1));
}

#[test]
fn a_round_ends_when_its_time_is_up_and_costs_no_bank() {
    let mut table = talk_table();
    table.say(0, 0, &[], text_content("hi"));
    table.wait(ROUND_MS / 2);
    let talk = table.join(1).talk.unwrap();
    assert_eq!((talk.round, talk.left, talk.is_done), (Some(0), Some(ms(ROUND_MS / 2)), false));
    assert_eq!(rounds_ended(&table.wait_for_deadline()), [0]);
    assert_eq!(rounds_ended(&table.wait_for_deadline()), [1]);
    let snapshot = table.join(1);
    assert_eq!((snapshot.phase, snapshot.talk.unwrap().round), (MatchPhase::Declaring, None));
    assert_eq!(snapshot.declaration_left, Some(ms(500)), "the time to declare begins when the talk ends");
    assert!(reveals_rows(&table.wait_for_deadline()));
    assert_eq!(table.bank(0), ms(super::table::BANK_MS));
}

#[test]
fn a_seat_that_declares_or_is_forfeited_has_ended_its_talk() {
    let mut table = talk_table();
    assert_eq!(refusals_in(&table.declare(0, &[0, 2, 1])), []);
    let effects = table.say(0, 0, &[], text_content("late"));
    assert_eq!(refusal_message(&effects), "seat 0 has ended its talk in round 0");
    table.resign(1);
    assert_eq!(table.phase(), MatchPhase::Talking);
    assert_eq!(rounds_ended(&table.end_talk(2, 0)), [0]);
    assert_eq!(table.phase(), MatchPhase::Talking, "the last seat may still declare after another round");
    let effects = table.declare(2, &[0, 1, 2]);
    assert_eq!(rounds_ended(&effects), [1]);
    assert!(reveals_rows(&effects), "the rows are revealed once no seat can talk");
}

#[test]
fn a_repeated_message_is_recorded_once() {
    let mut table = talk_table();
    assert_eq!(accepted_in(&table.say(0, 0, &[1], text_content("a"))), [(0, Some(0), false)]);
    let effects = table.say(0, 0, &[1], text_content("a"));
    assert_eq!((accepted_in(&effects), events_in(&effects).len()), (vec![(0, Some(0), true)], 0));
    for (to, words) in [([1].as_slice(), "b"), (&[], "a"), (&[1, 2], "a")] {
        let effects = table.say(0, 0, to, text_content(words));
        assert_eq!(refusal_message(&effects), "a different message 0 of round 0 was already sent");
    }
    (0..3).for_each(|seat| drop(table.end_talk(seat, 0)));
    assert_eq!(accepted_in(&table.say_in(0, 0, 0, &[1], text_content("a"))), [(0, Some(0), true)]);
    assert_eq!(accepted_in(&table.end_talk(0, 0)), [(0, None, true)]);
    assert_eq!(table.record().messages().count(), 1);
}

#[test]
fn an_invalid_message_is_refused_without_a_strike() {
    let mut table = talk_table();
    let long = "\u{e9}".repeat(6);
    for (round, number, to, content, expected) in [
        (0, 0, [].as_slice(), text_content(""), "a text of 0 characters: expected 1 to 5"),
        (0, 0, &[], text_content(&long), "a text of 6 characters: expected 1 to 5"),
        (0, 1, &[], text_content("a"), "message 1 of round 0: the next message has number 0"),
        (1, 0, &[], text_content("a"), "round 1 of talk has not begun: round 0 is open"),
        (2, 0, &[], text_content("a"), "round 2 of talk: expected 0 to 1"),
        (0, 0, &[0], text_content("a"), "a message to seat 0, your own seat"),
        (0, 0, &[3], text_content("a"), "seat 3: expected 0 to 2"),
        (0, 0, &[], SubmittedContent::Claim(vec![0, 1]), "a row of 2 offsets: expected 3"),
    ] {
        let effects = table.say_in(round, 0, number, to, content);
        assert_eq!(refusals_in(&effects), [(0, RefusalReason::InvalidTalk)], "{expected}");
        let message = refusal_message(&effects);
        assert!(message.contains(expected), "{message}");
        assert_eq!(events_in(&effects).len(), 0);
    }
    let nothing = SubmittedMessage { round: 0, number: 0, to: Vec::new(), content: None };
    let effects = table.act(0, SeatAction::Say(Box::new(nothing)));
    assert_eq!(
        refusal_message(&effects),
        "a message without content: expected a text, a claim, an offer or an acceptance"
    );
    assert_eq!(accepted_in(&table.say(0, 0, &[], text_content(&long[..10]))).len(), 1);
    for number in 1..MAX_ROUND_MESSAGES {
        assert_eq!(accepted_in(&table.say(0, number, &[], text_content("a"))).len(), 1);
    }
    let effects = table.say(0, MAX_ROUND_MESSAGES, &[], text_content("a"));
    assert_eq!(refusal_message(&effects), "seat 0 has sent 4 messages in round 0, the maximum");
    let mut open = Table::open(talk_match(|talk| talk.privacy = TalkPrivacy::Open));
    let effects = open.say(0, 0, &[1], text_content("a"));
    assert_eq!(refusal_message(&effects), "a message to some seats: in this match, messages go to everyone");
    let mut silent = Table::open(declared_match(3, &[1]));
    for effects in [silent.say(0, 0, &[], text_content("a")), silent.end_talk(0, 0)] {
        assert_eq!(refusal_message(&effects), "the seats of this match cannot talk");
    }
}

#[test]
fn talk_is_refused_if_rows_are_assigned() {
    let mut setup = standard_match(3, &[1]);
    setup.terms.talk = Some(TalkTerms::default());
    assert_eq!(setup.validate(), Err(vec![MatchSetupError::AssignedAndTalk]));
}

#[test]
fn a_private_message_is_shown_after_a_win_and_its_content_only_if_published() {
    for (privacy, publish) in [(TalkPrivacy::Private, false), (TalkPrivacy::Published, true)] {
        let mut table = Table::open(talk_match(|talk| (talk.rounds, talk.privacy) = (1, privacy)));
        table.say(0, 0, &[], text_content("all"));
        table.say(0, 1, &[2], text_content("you"));
        let shown_messages = |table: &Table| {
            let messages = table.record().public_events().filter_map(|timed| match &timed.event {
                Event::Said(message) => Some(message.public_content().is_some()),
                _ => None,
            });
            messages.collect::<Vec<_>>()
        };
        assert_eq!(shown_messages(&table), []);
        (0..3).for_each(|seat| drop(table.end_talk(seat, 0)));
        assert_eq!(shown_messages(&table), [true]);
        assert!(table.record().public_head().is_some());
        let mut cancelled = Table { referee: resumed_referee(&table), now: table.now };
        cancelled.handle_input(RefereeInput::Cancel);
        assert_eq!(
            (cancelled.end(), shown_messages(&cancelled)),
            (Some((EndReason::Cancelled, None)), vec![true])
        );
        let public: Vec<_> = cancelled.record().public_events().cloned().collect();
        let replayed = Record::replay(cancelled.record().id(), public).unwrap();
        assert_eq!(replayed.public_head(), cancelled.record().public_head());
        table.play_to_end();
        assert_eq!(shown_messages(&table), [true, publish]);
        assert_eq!(table.record().public_head(), None);
    }
}

pub(super) fn resumed_referee(table: &Table) -> Referee {
    let record = table.record().clone();
    let present = record.state().setup().bots.map(|_| true);
    Referee::resume(record, present, table.now, ms(0)).0
}

#[test]
fn the_hashes_of_a_record_do_not_depend_on_the_content() {
    let mut table = talk_table();
    table.say(0, 0, &[1], text_content("you"));
    table.say(0, 1, &[], SubmittedContent::Claim(vec![1, 0, 2]));
    let record = table.record();
    let mut events = record.events().to_vec();
    let seats = Some(record.state().setup().seats());
    for timed in &mut events {
        let mut stored = Vec::new();
        append_stored_bytes(timed, &mut stored);
        assert_eq!(
            parse_canonical_bytes(&stored, seats).as_ref(),
            Ok(&*timed),
            "the store keeps the content"
        );
        if let Event::Said(message) = &mut timed.event {
            message.opened = None;
            assert!(stored.starts_with(&canonical_bytes(timed)));
        }
    }
    let replayed = Record::replay(record.id(), events).unwrap();
    assert_eq!(replayed.hashes(), record.hashes());
}

#[test]
fn a_record_with_content_that_was_not_committed_is_rejected() {
    let mut table = talk_table();
    table.say(0, 0, &[1], text_content("you"));
    let record = table.record();
    let refusal = |change: &dyn Fn(&mut TalkMessage)| {
        let mut events = record.events().to_vec();
        if let Some(TimedEvent { event: Event::Said(message), .. }) = events.last_mut() {
            change(message);
        }
        Record::replay(record.id(), events).unwrap_err().to_string()
    };
    let content = "event 1: a message from seat 0 whose content is invalid or does not match its commitment";
    let text_content = |words: &str| TalkContent::Text(words.to_owned());
    assert_eq!(refusal(&|message| message.opened.as_mut().unwrap().content = text_content("me")), content);
    assert_eq!(
        refusal(&|message| message.opened.as_mut().unwrap().salt = DealHash::from_bytes([1; 32])),
        content
    );
    assert_eq!(refusal(&|message| message.commitment = DealHash::from_bytes([1; 32])), content);
    let too_long = |message: &mut TalkMessage| {
        let salt = message.opened.as_ref().unwrap().salt;
        *message = TalkMessage::new((Seat::FIRST, 0, 0), message.audience, text_content("too long"), salt);
    };
    assert_eq!(refusal(&too_long), content);
    assert_eq!(
        refusal(&|message| message.audience =
            Audience::Seats { seats: [Seat::FIRST].into_iter().collect(), published: false }),
        "event 1: a message from seat 0 to seats that it cannot address"
    );
    assert_eq!(
        refusal(&|message| message.round = 1),
        "event 1: message 0 of seat 0 in round 1 is out of order, or follows the end of the seat's talk"
    );
}

#[test]
fn a_resumed_match_continues_in_the_same_round() {
    let mut table = talk_table();
    (0..3).for_each(|seat| drop(table.end_talk(seat, 0)));
    table.say(0, 0, &[1], text_content("you"));
    table.end_talk(0, 1);
    let mut table = Table { referee: resumed_referee(&table), now: table.now };
    let talk = table.join(0).talk.unwrap();
    assert_eq!((talk.round, talk.is_done, talk.messages.len()), (Some(1), true, 1));
    assert_eq!(accepted_in(&table.say(0, 0, &[1], text_content("you"))), [(1, Some(0), true)]);
    let ends: Vec<_> = (0..3).map(|seat| rounds_ended(&table.end_talk(seat, 1))).collect();
    assert_eq!(ends, [vec![], vec![], vec![1]]);
    assert_eq!(table.phase(), MatchPhase::Declaring);
}

#[test]
fn salts_depend_on_the_key_the_match_and_the_place() {
    let secret = |seed: u8, number| {
        TalkSecret::of_match(&SigningKey::from_seed(&[seed; 32]), MatchId::new(number, &[1; 10]))
    };
    let one = secret(1, 1);
    let salts = [
        one.salt(Seat::FIRST, 0, 0),
        one.salt(Seat::FIRST, 0, 1),
        one.salt(Seat::FIRST, 1, 0),
        secret(2, 1).salt(Seat::FIRST, 0, 0),
        secret(1, 2).salt(Seat::FIRST, 0, 0),
        TalkSecret::default().salt(Seat::FIRST, 0, 0),
    ];
    for (index, salt) in salts.iter().enumerate() {
        assert!(!salts[..index].contains(salt));
    }
    let mut table = talk_table();
    table.referee.set_talk_secret(one);
    table.say(0, 0, &[], text_content("a"));
    let salt = table.record().messages().next().and_then(|message| message.opened.as_ref()).unwrap().salt;
    assert_eq!(salt, salts[0]);
}
