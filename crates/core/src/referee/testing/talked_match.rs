//! Matches in which seats talk.

use crate::game::{BySeat, Game, MatchId, Seat};
use crate::referee::{
    Deal, DealHash, DealRule, DealtRows, MatchPhase, MatchSetup, Origin, Record, Referee, RefereeEffect,
    RefereeInput, SeatAction, SeatMessage, SubmittedContent, SubmittedMessage, TalkPrivacy, TalkTerms,
    Timestamp,
};
use std::time::Duration;

/// A match with two rounds of talk. In the first round its seats offer pacts and claim rows, in the second they accept.
/// Then they declare, and each take is one counter.
#[derive(Debug, Clone)]
pub struct TalkedMatch {
    /// The id.
    pub id: MatchId,
    /// When it begins.
    pub began: Timestamp,
    /// The tournament of the match, and its place there.
    pub origin: Option<Origin>,
    /// The names of the bots, by seat.
    pub bots: Vec<String>,
    /// The piles, the first seat and the ending of the match, with the dealt rows.
    pub game: Game,
    /// Whether the rows are dealt; if not, the rows of the game do not matter.
    pub is_dealt: bool,
    /// By seat: the row that it declares; `None` if it is late and gets the standard row.
    pub declared: Vec<Option<Vec<u64>>>,
    /// Whether seats can send private messages, and whether these are published once the match has a winner.
    pub privacy: TalkPrivacy,
    /// The pacts that are offered in the first round.
    pub pacts: Vec<OfferedTerms>,
    /// The pacts that are offered in the last round, too late to be accepted.
    pub late_pacts: Vec<OfferedTerms>,
    /// The claims: the seat, the claimed row, and the seats that hear it, or everyone if the list is empty.
    pub claims: Vec<(usize, Vec<u64>, Vec<u32>)>,
}

/// A pact that the first of its members offers.
#[derive(Debug, Clone)]
pub struct OfferedTerms {
    /// The members, each with the pairs of seats of which its row must put the first before the second.
    pub members: Vec<(usize, Vec<(usize, usize)>)>,
    /// The members that accept it.
    pub accepted: Vec<usize>,
}

impl OfferedTerms {
    /// Creates a pact that all members accept.
    pub fn signed(members: Vec<(usize, Vec<(usize, usize)>)>) -> Self {
        let accepted = members[1..].iter().map(|&(member, _)| member).collect();
        Self { members, accepted }
    }
}

impl TalkedMatch {
    /// Creates a match with dealt rows that every seat declares, without messages. Messages are published.
    pub fn of_game(game: Game) -> Self {
        let seats = game.matrix.seats();
        let rows = game.matrix.rows().iter();
        let declared = rows.map(|row| Some(row.offsets().iter().map(|&offset| offset.into()).collect()));
        Self {
            id: MatchId::new(1_700_000_000_000, &[1; 10]),
            began: Timestamp::from_micros(1_700_000_000_000_000),
            origin: None,
            bots: (0..seats.get()).map(|seat| format!("bot-{seat}")).collect(),
            declared: declared.collect(),
            game,
            is_dealt: true,
            privacy: TalkPrivacy::Published,
            pacts: Vec::new(),
            late_pacts: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// Plays the match and returns its record.
    ///
    /// # Panics
    /// If a message, a row or a setting is invalid.
    pub fn play(&self) -> Record {
        let bots: Vec<_> = self.bots.iter().map(|bot| bot.parse().expect("a name")).collect();
        let bots = bots.try_into().expect("a bot for each seat");
        let mut setup = MatchSetup::new(bots, self.game.piles.clone());
        (setup.first, setup.ending, setup.origin) =
            (self.game.first_seat(), self.game.ending, self.origin.clone());
        setup.terms.talk = Some(TalkTerms { privacy: self.privacy, pacts: true, ..TalkTerms::default() });
        let seats = setup.seats();
        let dealt = self.is_dealt.then(|| {
            let salts = BySeat::from_fn(seats, |seat| DealHash::from_bytes([seat.index() as u8; 32]));
            let dealt = DealtRows { matrix: self.game.matrix.clone(), salts };
            setup.deal = Some(Box::new(Deal::of_rows(DealRule::All, &dealt)));
            Box::new(dealt)
        });
        let setup = setup.validate().expect("a valid setup");
        let now = self.began;
        let present = BySeat::filled(seats, &true);
        let (referee, _) = Referee::begin_dealt(self.id, setup, dealt, present, now);
        let mut table = Table { referee, now };
        table.referee.mark_effects_announced(now);
        let offers: Vec<_> = self.pacts.iter().map(|pact| table.offer(pact)).collect();
        for (seat, row, to) in &self.claims {
            table.say(*seat, to.clone(), SubmittedContent::Claim(row.clone()));
        }
        table.end_round();
        for (pact, (seat, round, number)) in self.pacts.iter().zip(offers) {
            for &member in &pact.accepted {
                table.say(member, Vec::new(), SubmittedContent::Accept { seat, round, number });
            }
        }
        for pact in &self.late_pacts {
            table.offer(pact);
        }
        table.end_round();
        table.declare_and_take(&self.declared);
        table.referee.record().clone()
    }
}

/// A referee and the current time.
struct Table {
    referee: Referee,
    now: Timestamp,
}

impl Table {
    fn seat(&self, index: usize) -> Seat {
        self.referee.record().state().setup().seats().seat(index).expect("a seat of the match")
    }

    fn handle_input(&mut self, input: RefereeInput) {
        let effects = self.referee.handle_input(input, self.now);
        let refused = effects.iter().find(|effect| {
            matches!(effect, RefereeEffect::SendToSeat { message: SeatMessage::Refused(_), .. })
        });
        assert_eq!(refused, None);
        self.referee.mark_effects_announced(self.now);
    }

    fn act(&mut self, seat: usize, action: SeatAction) {
        self.handle_input(RefereeInput::Act { seat: self.seat(seat), action });
    }

    /// Sends the next message of a seat and returns its number.
    fn say(&mut self, seat: usize, to: Vec<u32>, content: SubmittedContent) -> u32 {
        let state = self.referee.record().state();
        let (round, number) = (state.rounds_heard(), state.messages_in_round(self.seat(seat)));
        let message = SubmittedMessage { round, number, to, content: Some(content) };
        self.act(seat, SeatAction::Say(Box::new(message)));
        number
    }

    /// Offers a pact and returns the place of the message.
    fn offer(&mut self, pact: &OfferedTerms) -> (u32, u32, u32) {
        let (seat, _) = pact.members[0];
        let number = self.say(seat, Vec::new(), SubmittedContent::Offer(pact.members.clone()));
        (seat as u32, 0, number)
    }

    fn end_round(&mut self) {
        let state = self.referee.record().state();
        let (round, seats) = (state.rounds_heard(), state.setup().seats().get());
        (0..seats).for_each(|seat| self.act(seat, SeatAction::EndTalk { round }));
    }

    fn declare_and_take(&mut self, declared: &[Option<Vec<u64>>]) {
        for (seat, row) in declared.iter().enumerate() {
            if let Some(offsets) = row.clone() {
                self.act(seat, SeatAction::Declare { offsets, note_hash: Ok(None) });
            }
        }
        if self.referee.record().state().phase() == MatchPhase::Declaring {
            self.now = self.referee.deadline().expect("the match waits for rows") + Duration::from_millis(1);
            self.handle_input(RefereeInput::Tick);
        }
        while self.referee.record().state().end().is_none() {
            let state = self.referee.record().state();
            let (ply, seat) = (state.ply(), state.position().to_move().index());
            self.act(seat, SeatAction::take(ply, 1, None));
        }
    }
}
