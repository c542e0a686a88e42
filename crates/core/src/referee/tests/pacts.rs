//! Tests of pacts that seats sign while they talk.

use super::table::{Table, declared_match, events_in, refusal_message, refusals_in};
use super::talk::{accepted_in, resumed_referee, talk_match, text_content};
use crate::game::{BySeat, MAX_PACT_SEATS, Pact, Seat, SeatSet};
use crate::referee::{
    Audience, CanonicalBytesError, DealHash, Event, MAX_ROUND_MESSAGES, MatchSetup, MatchSetupError, OfferId,
    OfferedPact, OpenedContent, Record, RefereeEffect, RefusalReason, SubmittedContent, TalkContent,
    TalkMessage, TalkPrivacy, TalkTerms, TimedEvent, append_stored_bytes, canonical_bytes,
    parse_canonical_bytes,
};

/// A pact as numbers: each member with its relations.
type PactTerms = Vec<(usize, Vec<(usize, usize)>)>;

fn table_with_pacts(change: impl FnOnce(&mut TalkTerms)) -> Table {
    Table::open(talk_match(|talk| {
        talk.pacts = true;
        change(talk);
    }))
}

/// A pact in which seats 0 and 1 rank seat 1 before seat 2, and seat 0 also ranks seat 0 before seat 2.
fn pair_pact() -> PactTerms {
    vec![(0, vec![(1, 2), (0, 2)]), (1, vec![(1, 2)])]
}

/// A pact of all three seats, without relations.
fn trio_pact() -> PactTerms {
    (0..3).map(|seat| (seat, Vec::new())).collect()
}

impl Table {
    fn offer(&mut self, seat: usize, number: u32, pact: PactTerms) -> Vec<RefereeEffect> {
        self.say(seat, number, &[], SubmittedContent::Offer(pact))
    }

    fn accept(&mut self, seat: usize, number: u32, offer: (u32, u32, u32)) -> Vec<RefereeEffect> {
        self.say(seat, number, &[], acceptance_of(offer))
    }

    fn end_round(&mut self) {
        let round = self.record().state().rounds_heard();
        (0..3).for_each(|seat| drop(self.end_talk(seat, round)));
        assert_eq!(self.record().state().rounds_heard(), round + 1);
    }

    /// Returns the pacts in the snapshot of a seat: the sender of the offer, the seats that have accepted it, and
    /// whether it is signed.
    fn pacts(&mut self, seat: usize) -> Vec<(usize, Vec<usize>, bool)> {
        let pacts = self.join(seat).talk.unwrap().pacts;
        let acceptance_of = |offered: &OfferedPact| {
            let accepted = offered.accepted.iter().map(Seat::index).collect();
            (offered.offer.seat.index(), accepted, offered.is_signed())
        };
        pacts.iter().map(acceptance_of).collect()
    }
}

fn acceptance_of((seat, round, number): (u32, u32, u32)) -> SubmittedContent {
    SubmittedContent::Accept { seat, round, number }
}

#[test]
fn a_pact_binds_once_all_members_have_accepted() {
    let mut table = table_with_pacts(|talk| talk.rounds = 3);
    assert_eq!(accepted_in(&table.offer(0, 0, pair_pact())), [(0, Some(0), false)]);
    assert_eq!(accepted_in(&table.offer(2, 0, trio_pact())), [(0, Some(0), false)]);
    assert_eq!(table.pacts(0), [(0, vec![0], false)]);
    assert_eq!(table.pacts(1), [], "nobody hears of an offer before the round ends");
    table.end_round();
    let (pair, trio) = ((0, 0, 0), (2, 0, 0));
    assert_eq!(table.pacts(1), [(0, vec![0], false), (2, vec![2], false)]);
    assert_eq!(table.pacts(2), [(2, vec![2], false)], "seat 2 is not a member of the first pact");
    table.accept(1, 0, trio);
    table.accept(1, 1, pair);
    assert_eq!(table.pacts(1)[0], (0, vec![0, 1], true));
    assert_eq!(table.pacts(0)[0], (0, vec![0], false), "members hear of an acceptance when the round ends");
    table.end_round();
    assert_eq!(table.pacts(0), [(0, vec![0, 1], true), (2, vec![1, 2], false)]);
    assert_eq!(table.pacts(2), [(2, vec![1, 2], false)]);
    let heard_count = |seat| table.record().messages_heard(table.seat(seat), 1).count();
    assert_eq!(
        [heard_count(0), heard_count(1), heard_count(2)],
        [2, 0, 1],
        "only members hear an acceptance"
    );
    table.accept(0, 0, trio);
    table.end_round();
    assert_eq!(table.pacts(2), [(2, vec![0, 1, 2], true)]);
    assert!(table.record().state().pacts().iter().all(OfferedPact::is_signed));
}

#[test]
fn an_offer_or_acceptance_that_is_sent_again_counts_once() {
    let mut table = table_with_pacts(|_| ());
    table.offer(0, 0, pair_pact());
    let effects = table.offer(0, 0, pair_pact());
    assert_eq!((accepted_in(&effects), events_in(&effects).len()), (vec![(0, Some(0), true)], 0));
    assert_eq!(
        refusal_message(&table.offer(0, 0, trio_pact())),
        "a different message 0 of round 0 was already sent"
    );
    table.end_round();
    table.accept(1, 0, (0, 0, 0));
    let effects = table.accept(1, 0, (0, 0, 0));
    assert_eq!((accepted_in(&effects), events_in(&effects).len()), (vec![(1, Some(0), true)], 0));
    assert_eq!(refusal_message(&table.accept(1, 1, (0, 0, 0))), "seat 1 has already accepted this pact");
    table.end_round();
    let late = table.say_in(1, 1, 0, &[], acceptance_of((0, 0, 0)));
    assert_eq!(accepted_in(&late), [(1, Some(0), true)]);
    let late = table.say_in(1, 1, 1, &[], acceptance_of((0, 0, 0)));
    assert_eq!(refusal_message(&late), "round 1 of talk is over");
    assert_eq!(table.record().messages().count(), 2);
}

#[test]
fn an_invalid_offer_or_acceptance_is_refused_without_a_strike() {
    let mut table = table_with_pacts(|talk| talk.rounds = 4);
    let offer = SubmittedContent::Offer;
    let long: PactTerms = (0..100_000).map(|_| (0, Vec::new())).collect();
    let cycle = vec![(0, vec![(1, 2), (2, 1)]), (1, vec![])];
    let unknown = "message 0 of seat 1 in round 0 does not offer seat 0 a pact";
    for (to, content, expected) in [
        (&[][..], offer(vec![(1, vec![]), (2, vec![])]), "a pact without seat 0"),
        (&[], offer(vec![(0, vec![])]), "a pact with 1 member: expected 2 or more"),
        (&[], offer(vec![]), "a pact with 0 members: expected 2 or more"),
        (&[], offer(vec![(0, vec![]), (3, vec![])]), "a pact names seat 3: expected 0 to 2"),
        (&[], offer(vec![(0, vec![(1, 9)]), (1, vec![])]), "a pact names seat 9: expected 0 to 2"),
        (&[], offer(vec![(0, vec![]), (0, vec![])]), "seat 0 is a member twice"),
        (&[], offer(long), "seat 0 is a member twice"),
        (&[], offer(cycle), "seat 0 cannot put seat 2 before seat 1"),
        (&[1], offer(pair_pact()), "a pact with addressees: expected none"),
        (&[], acceptance_of((1, 0, 0)), unknown),
        (&[], acceptance_of((0, 0, 0)), "message 0 of seat 0 in round 0 does not offer seat 0 a pact"),
        (&[], acceptance_of((3, 0, 0)), "seat 3: expected 0 to 2"),
        (
            &[],
            acceptance_of((1, u32::MAX, u32::MAX)),
            "message 4294967295 of seat 1 in round 4294967295 does not offer",
        ),
    ] {
        let effects = table.say(0, 0, to, content);
        assert_eq!(refusals_in(&effects), [(0, RefusalReason::InvalidTalk)], "{expected}");
        let message = refusal_message(&effects);
        assert!(message.contains(expected), "{message}");
        assert_eq!(events_in(&effects).len(), 0);
    }
    // An acceptance cannot find out whether something was offered in this round, or to others.
    table.offer(1, 0, pair_pact());
    assert_eq!(refusal_message(&table.accept(0, 0, (1, 0, 0))), unknown);
    let stranger = "message 0 of seat 1 in round 0 does not offer seat 2 a pact";
    assert_eq!(refusal_message(&table.accept(2, 0, (1, 0, 0))), stranger);
    table.say(1, 1, &[], text_content("a"));
    table.end_round();
    assert_eq!(refusal_message(&table.accept(2, 0, (1, 0, 0))), stranger);
    assert_eq!(
        refusal_message(&table.accept(0, 0, (1, 0, 1))),
        "message 1 of seat 1 in round 0 does not offer seat 0 a pact"
    );
    assert_eq!(
        refusal_message(&table.say(0, 0, &[1], acceptance_of((1, 0, 0)))),
        "a pact with addressees: expected none, because it goes to its members"
    );
    table.accept(0, 0, (1, 0, 0));
    // Offers count as messages of the round.
    for number in 1..MAX_ROUND_MESSAGES {
        assert_eq!(accepted_in(&table.offer(0, number, pair_pact())).len(), 1);
    }
    assert_eq!(
        refusal_message(&table.offer(0, MAX_ROUND_MESSAGES, pair_pact())),
        "seat 0 has sent 4 messages in round 1, the maximum"
    );
    table.declare(2, &[0, 1, 2]);
    assert_eq!(refusal_message(&table.offer(2, 0, trio_pact())), "seat 2 has ended its talk in round 1");
    assert!(table.record().state().strikes().iter().all(|&strikes| strikes == 0));
    let mut table_without_pacts = Table::open(talk_match(|_| ()));
    for content in [offer(pair_pact()), acceptance_of((1, 0, 0))] {
        let effects = table_without_pacts.say(0, 0, &[], content);
        assert_eq!(refusal_message(&effects), "the seats of this match cannot sign pacts");
    }
}

#[test]
fn a_match_with_pacts_has_at_most_8_seats() {
    let mut setup = declared_match(MAX_PACT_SEATS + 1, &[1]);
    setup.terms.talk = Some(TalkTerms { pacts: true, ..TalkTerms::default() });
    let errors = MatchSetup::validate(setup).unwrap_err();
    assert!(matches!(errors[..], [MatchSetupError::Pacts(_)]), "{errors:?}");
    assert_eq!(errors[0].to_string(), "a pact in a match of 9 seats: expected at most 8");
}

#[test]
fn a_pact_is_heard_by_its_members_or_by_everyone() {
    for (privacy, audience) in [
        (TalkPrivacy::Open, Audience::Everyone),
        (TalkPrivacy::Private, Audience::Seats { seats: seat_set([1]), published: false }),
        (TalkPrivacy::Published, Audience::Seats { seats: seat_set([1]), published: true }),
    ] {
        let mut table = table_with_pacts(|talk| talk.privacy = privacy);
        table.offer(0, 0, pair_pact());
        table.end_round();
        table.accept(1, 0, (0, 0, 0));
        let audiences: Vec<_> = table.record().messages().map(|message| message.audience).collect();
        let answer = match audience {
            Audience::Everyone => Audience::Everyone,
            Audience::Seats { published, .. } => Audience::Seats { seats: seat_set([0]), published },
        };
        assert_eq!(audiences, [audience, answer]);
        assert_eq!(table.pacts(2), [], "a seat that is not a member sees no pact");
        let stranger = table.accept(2, 0, (0, 0, 0));
        assert_eq!(refusal_message(&stranger), "message 0 of seat 0 in round 0 does not offer seat 2 a pact");
    }
}

fn seat_set<const N: usize>(seats: [usize; N]) -> SeatSet {
    let all = BySeat::from_fn(crate::game::SeatCount::new(3).unwrap(), |seat| seat);
    seats.into_iter().map(|index| all.as_slice()[index]).collect()
}

fn signed_table() -> Table {
    let mut table = table_with_pacts(|_| ());
    table.offer(0, 0, pair_pact());
    table.end_round();
    table.accept(1, 0, (0, 0, 0));
    table
}

#[test]
fn a_resumed_match_knows_its_pacts() {
    let table = signed_table();
    let mut table = Table { referee: resumed_referee(&table), now: table.now };
    assert_eq!(table.pacts(1), [(0, vec![0, 1], true)]);
    table.end_round();
    assert_eq!(table.pacts(0), [(0, vec![0, 1], true)]);
}

#[test]
fn an_acceptance_has_no_bytes_after_its_offer() {
    let table = signed_table();
    let record = table.record();
    let is_acceptance = |timed: &&TimedEvent| {
        let Event::Said(said) = &timed.event else { return false };
        said.opened.as_ref().is_some_and(|opened| matches!(opened.content, TalkContent::Accept(_)))
    };
    let accepted = record.events().iter().find(is_acceptance).unwrap();
    let mut stored = Vec::new();
    append_stored_bytes(accepted, &mut stored);
    // The length of the content is before its 9 bytes, at the end.
    let length = stored.len() - 9 - size_of::<u32>();
    assert_eq!(stored[length..][..4], 9_u32.to_le_bytes());
    stored[length] += 1;
    stored.push(0);
    let parsed = parse_canonical_bytes(&stored, Some(record.state().setup().seats()));
    assert_eq!(parsed, Err(CanonicalBytesError::TooLong(1)));
}

#[test]
fn the_hashes_of_a_record_do_not_depend_on_its_pacts() {
    let table = signed_table();
    let record = table.record();
    let mut events = record.events().to_vec();
    for timed in &mut events {
        let mut stored = Vec::new();
        append_stored_bytes(timed, &mut stored);
        let parsed = parse_canonical_bytes(&stored, Some(record.state().setup().seats()));
        assert_eq!(parsed.as_ref(), Ok(&*timed), "the store keeps the content");
        if let Event::Said(message) = &mut timed.event {
            for cut in canonical_bytes(&TimedEvent { event: Event::Said(message.clone()), at: timed.at })
                .len()
                + 1..stored.len()
            {
                assert!(parse_canonical_bytes(&stored[..cut], Some(record.state().setup().seats())).is_err());
            }
            message.opened = None;
        }
    }
    let replayed = Record::replay(record.id(), events).unwrap();
    assert_eq!(replayed.hashes(), record.hashes());
    assert_eq!(replayed.state().pacts(), []);
}

#[test]
fn a_record_with_an_impossible_offer_or_acceptance_is_rejected() {
    let table = signed_table();
    let record = table.record();
    let refusal = |index: usize, change: &dyn Fn(&mut TalkContent, &mut Audience)| {
        let mut events = record.events().to_vec();
        let places = events.iter().enumerate().filter(|(_, timed)| matches!(timed.event, Event::Said(_)));
        let place = places.map(|(place, _)| place).nth(index).unwrap();
        events.truncate(place + 1);
        if let Event::Said(message) = &mut events[place].event {
            let OpenedContent { salt, mut content } = message.opened.clone().unwrap();
            let mut audience = message.audience;
            change(&mut content, &mut audience);
            let at = (message.seat, message.round, message.number);
            **message = TalkMessage::new(at, audience, content, salt);
        }
        Record::replay(record.id(), events).map_err(|error| error.to_string()).unwrap_err()
    };
    let count = record.state().setup().seats();
    let offer_content =
        |terms: &[(usize, Vec<(usize, usize)>)]| TalkContent::Offer(Pact::parse(count, terms).unwrap());
    let offer = "event 1: a message from seat 0 whose content is invalid or does not match its commitment";
    assert_eq!(refusal(0, &|content, _| *content = offer_content(&[(1, vec![]), (2, vec![])])), offer);
    assert_eq!(refusal(0, &|_, audience| *audience = Audience::Everyone), offer);
    assert_eq!(
        refusal(0, &|content, _| *content = offer_content(&trio_pact())),
        offer,
        "the audience is all members"
    );
    let answer = "whose content is invalid or does not match its commitment";
    let other = |seat: usize, round, number| {
        let offer = OfferId { seat: count.seat(seat).unwrap(), round, number };
        move |content: &mut TalkContent, _: &mut Audience| *content = TalkContent::Accept(offer)
    };
    for (seat, round, number) in [(0, 0, 1), (0, 1, 0), (1, 0, 0), (2, 0, 0)] {
        assert!(refusal(1, &other(seat, round, number)).contains(answer));
    }
    assert!(refusal(1, &|_, audience| *audience = Audience::Everyone).contains(answer));
    // A second acceptance of the same pact does not fit either.
    let mut events = record.events().to_vec();
    let mut last = events.last().unwrap().clone();
    if let Event::Said(message) = &mut last.event {
        let content = message.content().unwrap().clone();
        let at = (message.seat, message.round, message.number + 1);
        **message = TalkMessage::new(at, message.audience, content, DealHash::from_bytes([1; 32]));
    }
    events.push(last);
    assert!(Record::replay(record.id(), events).unwrap_err().to_string().contains(answer));
}
