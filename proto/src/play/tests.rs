//! Tests of which requests are accepted and which messages bots get.

use super::*;
use crate::{FromWire as _, JoinRefusal, tournament::settings_message};
use lastnim_core::game::{BySeat, Ending, Game, Pact, SeatCount};
use lastnim_core::oracle::PlayedTake;
use lastnim_core::referee::{
    Audience, Clock, DealHash, DealSecret, NoteHashError, OfferId, OfferedPact, SubmittedContent,
    TalkContent, TalkView, Terms, TimeBank, Timestamp,
};
use lastnim_tournament::TournamentState;
use pb::play_request as request;
use proptest::prelude::*;
use prost::Message as _;

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn id() -> MatchId {
    ID.parse().unwrap()
}

fn parse(action: request::Action) -> Result<BotAction, InvalidAction> {
    pb::PlayRequest { action: Some(action) }.try_into()
}

fn act(action: SeatAction) -> BotAction {
    BotAction::Act { match_id: id(), action }
}

fn message_of(event: ServerEvent) -> Wire {
    pb::PlayResponse::from(event).event.expect("every event has a message")
}

fn match_message_of(event: MatchEvent) -> Wire {
    message_of(ServerEvent::InMatch { match_id: id(), event })
}

fn three_seats() -> SeatCount {
    SeatCount::new(3).unwrap()
}

fn seat(index: usize) -> Seat {
    three_seats().seat(index).unwrap()
}

fn row(offsets: &[u64]) -> Row {
    Row::parse(offsets, three_seats()).unwrap()
}

fn setup() -> MatchSetup {
    let bots = ["a", "b", "c"].map(|name| name.parse().unwrap()).to_vec();
    MatchSetup::new(bots.try_into().unwrap(), lastnim_core::game::Piles::parse(&[4, 6]).unwrap())
}

#[test]
fn every_action_is_read() {
    let match_id = ID.to_owned();
    let row = Some(pb::Row { offsets: vec![1, u32::MAX, 0] });
    let declare = pb::Declare { match_id: match_id.clone(), row, note_hash: Vec::new() };
    let offsets = vec![1, u64::from(u32::MAX), 0];
    assert_eq!(
        parse(request::Action::Declare(declare)),
        Ok(act(SeatAction::Declare { offsets, note_hash: Ok(None) })),
        "the match, not the parser, checks whether it is a row"
    );
    let noted = vec![9; 32];
    let take = pb::Take { match_id: match_id.clone(), ply: u32::MAX, take: u64::MAX, note_hash: noted };
    let note_hash = Some(NoteHash::from_bytes([9; 32]));
    assert_eq!(parse(request::Action::Take(take)), Ok(act(SeatAction::take(u32::MAX, u64::MAX, note_hash))));
    assert_eq!(parse(request::Action::Resign(pb::Resign { match_id })), Ok(act(SeatAction::Resign)));
    for (feed, expected) in [(0, TakeFeed::All), (1, TakeFeed::All), (2, TakeFeed::OwnTurns)] {
        let subscribe = request::Action::Subscribe(pb::Subscribe { feed });
        assert_eq!(parse(subscribe), Ok(BotAction::Subscribe(expected)));
    }
    assert_eq!(parse(request::Action::Pong(pb::Pong { id: 7 })), Ok(BotAction::Pong { id: 7 }));
}

#[test]
fn a_bot_joins_a_tournament_by_its_id() {
    let join = |word: &str| {
        parse(request::Action::JoinTournament(pb::JoinTournament { tournament_id: word.to_owned() }))
    };
    assert_eq!(join(ID), Ok(BotAction::Join(Ok(ID.parse().unwrap()))));
    for word in ["", "cup", &"é".repeat(60_000)] {
        let Ok(BotAction::Join(Err(refused))) = join(word) else { panic!("{word:?} is not an id") };
        assert_eq!(refused.reason, JoinRefusal::UnknownTournament);
        assert!(word.starts_with(&refused.tournament));
        assert!(refused.message.starts_with("tournament id \""), "{}", refused.message);
        let answer = pb::PlayResponse::from(ServerEvent::NotJoined(Box::new(refused)));
        assert!(answer.encoded_len() < 1_000, "the reply is bounded");
    }
}

#[test]
fn every_join_refusal_has_its_own_code() {
    for (reason, code) in JoinRefusal::ALL.into_iter().zip(1..) {
        let refused = JoinRefused { tournament: ID.to_owned(), reason, message: "no".to_owned() };
        let expected =
            pb::JoinRefused { tournament_id: ID.to_owned(), reason: code, message: "no".to_owned() };
        assert_eq!(message_of(ServerEvent::NotJoined(Box::new(refused))), Wire::JoinRefused(expected));
        assert_eq!(JoinRefusal::from_wire(code), Some(reason));
    }
    assert_eq!(JoinRefusal::from_wire(0), None);
}

proptest! {
    #[test]
    fn joined_tournament_is_sent_without_positions(
        settings in crate::testing::settings(),
        secret: [u8; 32],
        is_over: bool,
    ) {
        let secret = DealSecret::from_bytes(secret);
        let whole = settings_message(&settings, &Terms::default());
        let shown = PublicTournament {
            id: ID.parse().unwrap(),
            created_at: Timestamp::from_micros(7),
            settings: Arc::new(settings),
            terms: Terms::default(),
            state: TournamentState::Open,
            field: Arc::new(vec!["a".parse().unwrap()]),
            played: 1,
            total: 2,
            pause: None,
            damage: None,
            awaits_bots: false,
            deal_secret: Some(secret.publish(is_over)),
        };
        let Wire::JoinedTournament(joined) = message_of(ServerEvent::Joined(Box::new(shown.clone()))) else {
            panic!("`joined_tournament`")
        };
        let sent = joined.tournament.unwrap();
        prop_assert_eq!((sent.id.as_str(), sent.field.len(), sent.state()), (ID, 1, pb::TournamentState::Open));
        prop_assert_eq!(&sent.deal_secret_hash, &secret.hash().as_bytes().to_vec());
        let shown_secret = if is_over { secret.as_bytes().to_vec() } else { Vec::new() };
        prop_assert_eq!(&sent.deal_secret, &shown_secret, "the secret is shown at the end");
        let settings = sent.settings.unwrap();
        prop_assert!(settings.positions.is_empty());
        prop_assert_eq!(
            shown.to_message().settings.unwrap(),
            pb::TournamentSettings { positions: whole.positions, ..settings }
        );
    }
}

#[test]
fn a_declaration_without_a_row_is_an_empty_row() {
    let declare = pb::Declare { match_id: ID.to_owned(), ..pb::Declare::default() };
    let expected = SeatAction::Declare { offsets: vec![], note_hash: Ok(None) };
    assert_eq!(
        parse(request::Action::Declare(declare)),
        Ok(act(expected)),
        "the match, not the parser, refuses a wrong length"
    );
}

#[test]
fn the_match_refuses_note_hashes_of_wrong_length() {
    let match_id = ID.to_owned();
    let note_hash = vec![9; 31];
    let unusable = Err(NoteHashError { given: 31 });
    let declare = pb::Declare { match_id: match_id.clone(), row: None, note_hash: note_hash.clone() };
    assert_eq!(
        parse(request::Action::Declare(declare)),
        Ok(act(SeatAction::Declare { offsets: vec![], note_hash: unusable.clone() }))
    );
    assert_eq!(
        parse(request::Action::Take(pb::Take { match_id, ply: 1, take: 2, note_hash })),
        Ok(act(SeatAction::Take { ply: 1, take: 2, note_hash: unusable }))
    );
}

#[test]
fn a_request_without_an_action_is_malformed() {
    let refused = BotAction::try_from(pb::PlayRequest { action: None }).unwrap_err();
    assert_eq!(refused.reason, RefusalReason::Malformed);
    assert_eq!(
        refused.message,
        "unknown action: expected declare, take, resign, subscribe, pong, join_tournament, say or end_talk"
    );
    let unknown_field = [0xf8, 0x07, 0x01];
    let unknown = pb::PlayRequest::decode(unknown_field.as_slice()).unwrap();
    assert_eq!(BotAction::try_from(unknown), Err(refused), "unknown actions count as missing");
}

#[test]
fn unknown_feed_is_malformed() {
    for feed in [3, -1, i32::MIN] {
        let refused = parse(request::Action::Subscribe(pb::Subscribe { feed })).unwrap_err();
        assert_eq!((refused.reason, refused.match_id.as_str()), (RefusalReason::Malformed, ""));
        assert_eq!(
            refused.message,
            format!("subscribe.feed of {feed}: expected FEED_ALL (1) or FEED_OWN_TURNS (2)")
        );
    }
}

#[test]
fn invalid_match_id_is_refused_and_quoted() {
    let long = "é".repeat(60_000);
    for word in ["", "x", "01890a5dac96774bbcceb302099a8057", "{01890a5d-ac96-774b-bcce-b302099a805}", &long]
    {
        let match_id = word.to_owned();
        let actions = [
            request::Action::Declare(pb::Declare { match_id: match_id.clone(), ..Default::default() }),
            request::Action::Take(pb::Take { match_id: match_id.clone(), ..Default::default() }),
            request::Action::Resign(pb::Resign { match_id }),
        ];
        for action in actions {
            let refused = parse(action).unwrap_err();
            assert_eq!(refused.reason, RefusalReason::UnknownMatch);
            assert!(word.starts_with(&refused.match_id));
            assert!(refused.message.starts_with("match id \""), "{}", refused.message);
            let answer = pb::PlayResponse::from(ServerEvent::InvalidAction(Box::new(refused)));
            assert!(answer.encoded_len() < 1_000, "the reply is bounded");
        }
    }
}

#[test]
fn session_events_are_written() {
    let welcome = ServerEvent::Welcome { bot: "a".parse().unwrap(), open_matches: 3 };
    let expected = pb::Welcome {
        bot: "a".to_owned(),
        open_matches: 3,
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    assert_eq!(message_of(welcome), Wire::Welcome(expected));
    assert_eq!(message_of(ServerEvent::Ping { id: u64::MAX }), Wire::Ping(pb::Ping { id: u64::MAX }));
    let draining = ServerEvent::Draining { within: Duration::from_micros(1_999) };
    assert_eq!(message_of(draining), Wire::Draining(pb::Draining { within_ms: 1 }));
    let bot = "a".parse().unwrap();
    let suspension = Suspension { bot, from_round: 3, lost: 6, no_shows: 6, last: 17 };
    let message = suspension.to_string();
    assert!(message.ends_with("it was absent from all of them"), "{message}");
    let notice = pb::Suspended {
        tournament_id: ID.to_owned(),
        reason: pb::SuspensionReason::NeverCame.into(),
        message,
        from_round: 3,
        lost: 6,
        no_shows: 6,
        last: 17,
    };
    let tournament = ID.parse().unwrap();
    assert_eq!(message_of(ServerEvent::Suspended { tournament, suspension }), Wire::Suspended(notice));
    let invalid = InvalidAction {
        match_id: "x".to_owned(),
        reason: RefusalReason::UnknownMatch,
        message: "no".to_owned(),
    };
    let Wire::Refused(refused) = message_of(ServerEvent::InvalidAction(Box::new(invalid))) else {
        panic!("a refusal")
    };
    assert_eq!((refused.match_id.as_str(), refused.message.as_str()), ("x", "no"));
    assert_eq!(refused.reason(), pb::RefusalReason::UnknownMatch);
}

#[test]
fn match_start_is_written() {
    let Wire::MatchStarted(started) = match_message_of(MatchEvent::Started {
        seat: seat(2),
        setup: Arc::new(setup()),
        dealt_row: Some(row(&[2, 0, 1])),
    }) else {
        panic!("`match_started`")
    };
    assert_eq!((started.match_id.as_str(), started.seat), (ID, 2));
    assert_eq!(started.setup, Some((&setup()).into()));
    assert_eq!(started.dealt_row, Some(pb::Row { offsets: vec![2, 0, 1] }));
}

#[test]
fn rows_are_acknowledged_and_revealed() {
    let declared = match_message_of(MatchEvent::Declared { row: row(&[2, 0, 1]) });
    let expected = pb::Declared { match_id: ID.to_owned(), row: Some(pb::Row { offsets: vec![2, 0, 1] }) };
    assert_eq!(declared, Wire::Declared(expected));
    let matrix = AllianceMatrix::parse(&[vec![2, 0, 1], vec![0, 1, 2], vec![1, 0, 2]]).unwrap();
    let revelation = RevealedRows { matrix: matrix.clone(), defaulted: vec![seat(1)] };
    let expected =
        pb::Revealed { match_id: ID.to_owned(), alliance_matrix: Some((&matrix).into()), defaulted: vec![1] };
    assert_eq!(match_message_of(MatchEvent::Revealed(Arc::new(revelation))), Wire::Revealed(expected));
}

#[test]
fn turns_and_takes_are_written() {
    let turn = Turn { ply: 4, pile: 1, counters: 6, bank: Duration::from_millis(1_500) };
    let expected = pb::Turn { match_id: ID.to_owned(), ply: 4, pile: 1, counters: 6, bank_ms: 1_500 };
    assert_eq!(match_message_of(MatchEvent::Turn(turn)), Wire::Turn(expected.clone()));
    let endless = Turn { bank: Duration::MAX, ..turn };
    assert_eq!(
        match_message_of(MatchEvent::Turn(endless)),
        Wire::Turn(pb::Turn { bank_ms: u32::MAX, ..expected })
    );
    for (mover, steward) in [(Mover::Bot, false), (Mover::Steward, true)] {
        let took = MatchEvent::Took { ply: 4, seat: seat(1), take: 3, mover };
        let expected = pb::Took { match_id: ID.to_owned(), ply: 4, seat: 1, take: 3, steward };
        assert_eq!(match_message_of(took), Wire::Took(expected));
    }
}

#[test]
fn every_refusal_and_loss_has_its_own_code() {
    let mut codes = Vec::new();
    for reason in RefusalReason::ALL {
        let refusal = Refusal { reason, message: "no".to_owned(), ply: 5, strikes: 1, strikes_left: 2 };
        let Wire::Refused(refused) = match_message_of(MatchEvent::Refused(Box::new(refusal))) else {
            panic!("a refusal")
        };
        assert_eq!(RefusalReason::from_wire(refused.reason), Some(reason));
        assert_eq!((refused.match_id.as_str(), refused.message.as_str()), (ID, "no"));
        assert_eq!((refused.ply, refused.strikes, refused.strikes_left), (5, 1, 2));
        codes.push(refused.reason);
    }
    assert_eq!(codes, (1..=12).collect::<Vec<_>>());
    for (reason, code) in ForfeitReason::ALL.into_iter().zip(1..) {
        let expected = pb::Forfeited { match_id: ID.to_owned(), seat: 2, reason: code };
        assert_eq!(
            match_message_of(MatchEvent::Forfeited { seat: seat(2), reason }),
            Wire::Forfeited(expected)
        );
    }
}

#[test]
fn match_end_has_the_audit_unless_cancelled() {
    let cancelled =
        MatchEvent::Ended { reason: EndReason::Cancelled, winner: None, audit: None, dealt: None };
    let expected = pb::MatchEnded {
        match_id: ID.to_owned(),
        reason: pb::EndReason::Cancelled.into(),
        winner: None,
        audit: None,
        ..Default::default()
    };
    assert_eq!(match_message_of(cancelled), Wire::MatchEnded(Box::new(expected)));
    let game = Game::parse(&[2], &[vec![0, 1], vec![0, 1]], 0, Ending::default()).unwrap();
    let audit = Arc::new(Audit::of_finished(&game, &[PlayedTake::by_bot(2)]).unwrap());
    let finished = MatchEvent::Ended {
        reason: EndReason::Finished,
        winner: Some(Seat::FIRST),
        audit: Some(Arc::clone(&audit)),
        dealt: Some(Box::new(game.matrix.clone())),
    };
    let Wire::MatchEnded(ended) = match_message_of(finished) else { panic!("`match_ended`") };
    assert_eq!(
        (ended.reason(), ended.winner),
        (pb::EndReason::Finished, Some(0)),
        "winner 0 is not an absent winner"
    );
    assert_eq!(ended.audit, Some(audit.as_ref().into()));
    assert_eq!(ended.dealt_rows, Some((&game.matrix).into()));
}

#[test]
fn audit_of_a_long_match_is_sent_without_its_plies() {
    let rows = vec![vec![0, 1], vec![0, 1]];
    for plies in [4_096, 4_097] {
        let game = Game::parse(&[plies], &rows, 0, Ending::default()).unwrap();
        let takes = vec![PlayedTake::by_bot(1); plies as usize];
        let audit = Arc::new(Audit::of_finished(&game, &takes).unwrap());
        let whole = pb::Audit::from(audit.as_ref());
        assert_eq!(whole.plies.len(), plies as usize);
        let (reason, winner) = (EndReason::Finished, Some(audit.winner));
        let ended = match_message_of(MatchEvent::Ended { reason, winner, audit: Some(audit), dealt: None });
        let Wire::MatchEnded(ended) = ended else { panic!("`match_ended`") };
        let sent = ended.audit.as_ref().unwrap();
        let plies_sent = if plies == 4_096 { whole.plies.clone() } else { vec![] };
        assert_eq!(sent, &pb::Audit { plies: plies_sent, ..whole });
        assert!(ended.encoded_len() < 4 << 20);
    }
}

#[test]
fn a_snapshot_is_written_with_every_field() {
    let bank = TimeBank::new(&Clock::default()).left();
    let turn = Turn { ply: 3, pile: 1, counters: 2, bank };
    let matrix = AllianceMatrix::standard(three_seats());
    let snapshot = MatchSnapshot {
        seat: seat(1),
        setup: setup(),
        dealt_row: Some(row(&[2, 0, 1])),
        phase: MatchPhase::Playing,
        talk: Some(TalkView {
            round: None,
            left: None,
            is_done: true,
            messages: vec![talk_message()],
            pacts: vec![offered_pact()],
        }),
        declaration_left: None,
        matrix: Some(matrix.clone()),
        ply: 3,
        pile: 1,
        counters: 2,
        to_move: seat(1),
        banks: BySeat::try_from(vec![Duration::ZERO, bank, Duration::from_micros(2_999)]).unwrap(),
        strikes: BySeat::try_from(vec![0, 2, 3]).unwrap(),
        forfeited: BySeat::try_from(vec![None, None, Some(ForfeitReason::Strikes)]).unwrap(),
        turn: Some(turn),
    };
    let expected = pb::Snapshot {
        started: Some(pb::MatchStarted {
            match_id: ID.to_owned(),
            seat: 1,
            setup: Some((&setup()).into()),
            dealt_row: Some(pb::Row { offsets: vec![2, 0, 1] }),
        }),
        phase: pb::Phase::Playing.into(),
        declaration_left_ms: 0,
        alliance_matrix: Some((&matrix).into()),
        ply: 3,
        pile: 1,
        counters: 2,
        to_move: 1,
        banks_ms: vec![0, 10_000, 2],
        strikes: vec![0, 2, 3],
        forfeited: vec![2],
        turn: Some(pb::Turn { match_id: ID.to_owned(), ply: 3, pile: 1, counters: 2, bank_ms: 10_000 }),
        talk: Some(pb::TalkState {
            round: None,
            left_ms: 0,
            ended: true,
            messages: vec![(&talk_message()).into()],
            pacts: vec![pb::OfferedPact {
                offer: Some(pb::OfferId { seat: 0, round: 1, number: 2 }),
                pact: Some(pact_message()),
                accepted: vec![0, 2],
                signed: true,
            }],
        }),
    };
    assert_eq!(
        match_message_of(MatchEvent::Snapshot(Box::new(snapshot.clone()))),
        Wire::Snapshot(Box::new(expected))
    );
    let declaring = MatchSnapshot {
        phase: MatchPhase::Declaring,
        declaration_left: Some(Duration::from_micros(1)),
        matrix: None,
        turn: None,
        ..snapshot
    };
    let Wire::Snapshot(sent) = match_message_of(MatchEvent::Snapshot(Box::new(declaring))) else {
        panic!("a snapshot")
    };
    assert_eq!((sent.phase(), sent.alliance_matrix, sent.turn), (pb::Phase::Declaring, None, None));
    assert_eq!(sent.declaration_left_ms, 1, "0 would mean that the row was received");
}

proptest! {
    #[test]
    fn any_bytes_are_an_action_or_refused_with_a_short_message(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        if let Ok(request) = pb::PlayRequest::decode(bytes.as_slice())
            && let Err(refused) = BotAction::try_from(request)
        {
            let sent = pb::PlayResponse::from(ServerEvent::InvalidAction(Box::new(refused)));
            prop_assert!(sent.encoded_len() < 1_000);
        }
    }
}

fn talk_message() -> TalkMessage {
    let audience = Audience::Seats { seats: [seat(1)].into_iter().collect(), published: false };
    let content = TalkContent::Claim(row(&[2, 0, 1]));
    TalkMessage::new((seat(0), 1, 2), audience, content, DealHash::from_bytes([5; 32]))
}

/// Seat 0 ranks seat 1 before seat 0; seat 2 may declare any row.
fn pact_message() -> pb::Pact {
    let relations = vec![pb::PactRelation { before: 1, after: 0 }];
    let members = [(0, relations), (2, Vec::new())];
    pb::Pact { members: members.map(|(seat, relations)| pb::PactMember { seat, relations }).to_vec() }
}

fn offered_pact() -> OfferedPact {
    let pact = Pact::parse(SeatCount::new(3).unwrap(), &[(0, vec![(1, 0)]), (2, vec![])]).unwrap();
    OfferedPact {
        offer: OfferId { seat: seat(0), round: 1, number: 2 },
        pact,
        accepted: [seat(0), seat(2)].into_iter().collect(),
    }
}

#[test]
fn offers_and_acceptances_are_read() {
    for (content, expected) in [
        (
            pb::talk_content::Content::Offer(pact_message()),
            SubmittedContent::Offer(vec![(0, vec![(1, 0)]), (2, vec![])]),
        ),
        (
            pb::talk_content::Content::Accept(pb::OfferId { seat: 9, round: 1, number: 2 }),
            SubmittedContent::Accept { seat: 9, round: 1, number: 2 },
        ),
    ] {
        let say = pb::Say {
            match_id: ID.to_owned(),
            round: 1,
            content: Some(pb::TalkContent { content: Some(content) }),
            ..pb::Say::default()
        };
        let message = SubmittedMessage { round: 1, number: 0, to: Vec::new(), content: Some(expected) };
        assert_eq!(parse(request::Action::Say(say)), Ok(act(SeatAction::Say(Box::new(message)))));
    }
}

#[test]
fn talk_is_read_and_written() {
    let to = vec![0, 7];
    let content = Some(SubmittedContent::Text("hi".to_owned()));
    let say = pb::Say {
        match_id: ID.to_owned(),
        round: 1,
        number: 2,
        to: to.clone(),
        content: Some(pb::TalkContent { content: Some(pb::talk_content::Content::Text("hi".to_owned())) }),
    };
    let message = SubmittedMessage { round: 1, number: 2, to, content };
    assert_eq!(parse(request::Action::Say(say.clone())), Ok(act(SeatAction::Say(Box::new(message.clone())))));
    let empty = SubmittedMessage { content: None, ..message };
    let say = pb::Say { content: None, ..say };
    assert_eq!(parse(request::Action::Say(say)), Ok(act(SeatAction::Say(Box::new(empty)))));
    let end = pb::EndTalk { match_id: ID.to_owned(), round: 1 };
    assert_eq!(parse(request::Action::EndTalk(end)), Ok(act(SeatAction::EndTalk { round: 1 })));
    let heard = pb::TalkMessage {
        seat: 0,
        round: 1,
        number: 2,
        to: vec![1],
        content: Some(pb::TalkContent {
            content: Some(pb::talk_content::Content::Claim(pb::Row { offsets: vec![2, 0, 1] })),
        }),
    };
    assert_eq!(
        match_message_of(MatchEvent::Heard { round: 1, messages: vec![talk_message()] }),
        Wire::Heard(pb::Heard { match_id: ID.to_owned(), round: 1, messages: vec![heard] })
    );
    assert_eq!(
        match_message_of(MatchEvent::TalkAccepted { round: 1, number: Some(2) }),
        Wire::TalkAccepted(pb::TalkAccepted { match_id: ID.to_owned(), round: 1, number: Some(2) })
    );
}
