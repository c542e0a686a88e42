use super::*;
use crate::{Answer, Question, read_answer};
use lastnim_client::{MatchView, OfferId, TalkContent, TalkMessage};
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, Row, SeatCount, SeatSet};

/// Returns round 1 of a match of three seats for seat 1. Seat 0 has offered it a pact, and seat 1 has offered pact 1.
fn second_round(terms: TalkTerms) -> TalkRound {
    let seats = SeatCount::new(3).unwrap();
    let matrix = AllianceMatrix::standard(seats);
    let game = Game::new(Piles::parse(&[3, 5]).unwrap(), matrix, 0, Ending::default()).unwrap();
    let mut info = MatchView::practice(&game, &[]).unwrap().info().clone();
    info.seat = seats.seat(1).unwrap();
    info.setup.terms.talk = Some(terms);
    let pact = |members: [usize; 2]| {
        Pact::parse(seats, &members.map(|seat| (seat, vec![(seat, 3 - members[0] - members[1])]))).unwrap()
    };
    for (seat, members) in [(0, [0, 1]), (1, [1, 2]), (2, [0, 2])] {
        info.messages.push(TalkMessage {
            seat: seats.seat(seat).unwrap(),
            round: 0,
            number: 0,
            to: SeatSet::default(),
            content: TalkContent::Offer(pact(members)),
        });
    }
    TalkRound::practice(&info, 1)
}

fn terms() -> TalkTerms {
    TalkTerms { text_chars: 10, pacts: true, ..TalkTerms::default() }
}

fn read(terms: TalkTerms, reply: &str) -> Result<Vec<Message>, String> {
    let round = second_round(terms);
    let answer = read_answer(&Question::Talk(&round), RowNotation::Seats, reply);
    match answer.map_err(|failure| format!("{}: {}", failure.class, failure.detail))?.answer {
        Answer::Talk(messages) => Ok(messages),
        other => panic!("no messages: {other:?}"),
    }
}

#[test]
fn messages_of_every_kind_are_read() {
    let seats = SeatCount::new(3).unwrap();
    let seat = |index: usize| seats.seat(index).unwrap();
    let claim = Message::claim(Row::parse(&[1, 2, 0], seats).unwrap());
    let pact = Pact::parse(seats, &[(0, vec![]), (1, vec![(2, 0), (0, 1)])]).unwrap();
    let first_offer = OfferId { seat: seat(0), round: 0, number: 0 };
    for (reply, expected) in [
        (r#"{"talk": []}"#, vec![]),
        (r#"{"talk": [{"text": "hello"}]}"#, vec![Message::text("hello")]),
        (r#"{"talk": [{"TO": null, "Text": "hello"}]}"#, vec![Message::text("hello")]),
        (r#"{"talk": [{"TO": [2], "Text": "hello"}]}"#, vec![Message::text("hello").to([seat(2)])]),
        (
            r#"So: {"Talk": [{"to": ["seat 2", 0], "text": "hello", "claim": null, "offer": [], "accept": null}]}"#,
            vec![Message::text("hello").to([seat(0), seat(2)])],
        ),
        // Several members count as several messages to the same seats.
        (
            r#"{"talk": [{"to": [2], "text": "ü", "claim": [2, 0, 1]}]}"#,
            vec![Message::text("ü").to([seat(2)]), claim.to([seat(2)])],
        ),
        (
            r#"{"talk": [{"text": "", "offer": [{"member": 1, "promises": [[2, 0], [0, 1]]}, {"member": 0, "promises": []}]}]}"#,
            vec![Message::offer(pact)],
        ),
        // The members of a pact hear it, whatever the model says.
        (r#"{"talk": [{"to": [2], "accept": 0}]}"#, vec![Message::accept(first_offer)]),
    ] {
        assert_eq!(read(terms(), reply), Ok(expected), "{reply}");
    }
}

#[test]
fn what_a_server_would_refuse_is_an_error_with_its_reason() {
    let long = format!(r#"{{"talk": [{{"text": "{}"}}]}}"#, "x".repeat(11));
    let five = format!(r#"{{"talk": [{}]}}"#, [r#"{"text": "a"}"#; 5].join(","));
    for (reply, why) in [
        (r#"{"take": 1}"#, "unparsable: no JSON object in the reply has the key \"talk\""),
        (r#"{"talk": "hi"}"#, "unparsable: talk is \"hi\": expected a list of messages"),
        (r#"{"talk": ["hi"]}"#, "unparsable: a message is \"hi\": expected an object"),
        (r#"{"talk": [{"text": 5}]}"#, "unparsable: \"text\" is 5: expected a text or null"),
        (
            r#"{"talk": [{"text": "a", "to": "all"}]}"#,
            "unparsable: \"to\" is \"all\": expected a list of seats, which is empty for everyone",
        ),
        (r#"{"talk": [{"text": "a", "to": ""}]}"#, "unparsable: \"to\" is \"\": expected a list of seats"),
        (r#"{"talk": [{"text": "a", "to": 2}]}"#, "unparsable: \"to\" is 2: expected a list of seats"),
        (r#"{"talk": [{"text": "a", "to": {}}]}"#, "unparsable: \"to\" is {}: expected a list of seats"),
        (
            r#"{"talk": [{"text": "a", "recipients": [2]}]}"#,
            "unparsable: a message has the member \"recipients\": \
             expected only \"to\", \"text\", \"claim\", \"offer\", \"accept\"",
        ),
        (r#"{"talk": [{"text": "a", "to": [3]}]}"#, "illegal: seat 3: expected 0 to 2"),
        (r#"{"talk": [{"text": "a", "to": [1]}]}"#, "illegal: a message to seat 1, your own seat"),
        (r#"{"talk": [{"to": [2]}]}"#, "illegal: a message without content"),
        (&long, "illegal: a text of 11 characters: write at most 10"),
        (&five, "illegal: 5 messages in a round: send at most 4"),
        (r#"{"talk": [{"claim": [0, 1]}]}"#, "illegal: a row of 2 seats"),
        (r#"{"talk": [{"claim": {}}]}"#, "unparsable: \"claim\" is {}: expected a list of whole numbers"),
        (r#"{"talk": [{"offer": [{"member": 0}]}]}"#, "unparsable: \"offer\" is [{\"member\":0}]"),
        (
            r#"{"talk": [{"offer": [{"member": 1, "promises": [[0]]}]}]}"#,
            "unparsable: a promise is [0]: expected two seats",
        ),
        (
            r#"{"talk": [{"offer": [{"member": 0, "promises": []}, {"member": 2, "promises": []}]}]}"#,
            "illegal: a pact without seat 1",
        ),
        (
            r#"{"talk": [{"offer": [{"member": 1, "promises": [[0, 2], [2, 0]]}, {"member": 2, "promises": []}]}]}"#,
            "illegal: seat 1 cannot put seat 2 before seat 0",
        ),
        (r#"{"talk": [{"accept": 1}]}"#, "illegal: you have already accepted pact 1"),
        (r#"{"talk": [{"accept": 2}]}"#, "illegal: pact 2 was not offered to you"),
        (r#"{"talk": [{"accept": -1}]}"#, "illegal: pact -1 was not offered to you"),
    ] {
        let error = read(terms(), reply).unwrap_err();
        assert!(error.starts_with(why), "{reply}: {error}");
    }
    let open = TalkTerms { privacy: TalkPrivacy::Open, pacts: false, ..terms() };
    for (reply, why) in [
        (r#"{"talk": [{"to": [0], "text": "a"}]}"#, "illegal: a message to some seats"),
        (r#"{"talk": [{"accept": 0}]}"#, "illegal: a pact: in this match"),
        (r#"{"talk": [{"offer": [{"member": 1, "promises": []}]}]}"#, "illegal: a pact: in this match"),
    ] {
        let error = read(open, reply).unwrap_err();
        assert!(error.starts_with(why), "{reply}: {error}");
    }
    assert_eq!(read(open, r#"{"talk": [{"to": [], "text": "a"}]}"#), Ok(vec![Message::text("a")]));
}
