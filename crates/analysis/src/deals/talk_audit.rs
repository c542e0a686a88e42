//! Compares the talk of a match with the rows that its seats declared and were dealt.

use super::{Deal, DoubleDealing, PactMeasures, PactMemberMeasures, kendall_distance};
use lastnim_core::{
    game::{BySeat, Game, Pact, PactMember, Row, Seat, SeatSet},
    oracle::{Budget, HaltReason},
    referee::{Event, OfferId, OfferedPact, Record, TalkContent, TalkMessage, Timestamp},
};

/// The talk of a match, as far as everybody can read it, compared with the rows that the seats declared and were dealt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkAudit {
    /// When the match began.
    pub began: Timestamp,
    /// When the rows were revealed, and with them who broke a pact.
    pub revealed: Timestamp,
    /// The number of rounds.
    pub rounds: u32,
    /// Whether the seats could sign pacts.
    pub allows_pacts: bool,
    /// The offered pacts, signed or not, in the order in which they were offered.
    pub offered: Vec<OfferedPact>,
    /// The signed pacts, in the order in which they were offered.
    pub pacts: Vec<PactAudit>,
    /// The promises in signed pacts that contradict earlier ones. The indices are those of `pacts`.
    pub double_dealing: Vec<DoubleDealing>,
    /// The claims, in the order in which they were sent.
    pub claims: Vec<ClaimAudit>,
    /// By seat: the number of its messages that stay private. Any of them can be a claim, an offer or an acceptance.
    pub hidden_messages: BySeat<u32>,
    /// Whether private rows were dealt.
    pub has_dealt_rows: bool,
}

/// A signed pact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PactAudit {
    /// The message that offered it.
    pub offer: OfferId,
    /// The pact.
    pub pact: Pact,
    /// The value to each seat, in ranks, -(n-1) to n-1: [`PactMeasures::values`]; `None` if no rows were dealt.
    pub values: Option<BySeat<i32>>,
    /// What its members did, in seat order.
    pub members: Vec<PactMemberAudit>,
}

/// What a member of a signed pact did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PactMemberAudit {
    /// The member.
    pub seat: Seat,
    /// Whether it kept the pact.
    pub word: WordKept,
    /// The temptation to break the pact, in ranks, 0 to n-1: [`PactMemberMeasures::temptation`]; `None` if no rows were
    /// dealt.
    pub temptation: Option<Result<u32, HaltReason>>,
    /// The harm of the breach to each seat, in ranks, -(n-1) to n-1: [`PactMemberMeasures::harms`]; `None` unless the
    /// member broke the pact and rows were dealt.
    pub harms: Option<BySeat<i32>>,
}

/// Whether a member kept a pact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordKept {
    /// It declared a row that keeps the pact.
    Kept,
    /// It declared a row that breaks the pact.
    Broken,
    /// It declared no valid row in time and got the standard row, whether or not that row keeps the pact.
    Defaulted,
}

/// A claim: a message that says which row the sender wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimAudit {
    /// The sender.
    pub seat: Seat,
    /// The round, from 0.
    pub round: u32,
    /// The number of the message among those of the sender in this round, from 0.
    pub number: u32,
    /// The claimed row.
    pub row: Row,
    /// The Kendall distance between the claimed and the dealt row, in pairs; 0 means that the claim is true. `None` if
    /// no rows were dealt.
    pub from_dealt: Option<usize>,
    /// The Kendall distance between the claimed and the declared row, in pairs; `None` if the seat declared no valid
    /// row in time.
    pub from_declared: Option<usize>,
}

/// The rows of a finished match.
struct FinalRows<'a> {
    game: &'a Game,
    /// The game with the dealt rows, if rows were dealt.
    dealt: Option<Game>,
    /// The seats that declared no valid row in time.
    defaulted: SeatSet,
}

impl TalkAudit {
    /// A limit for the budget of the audit of one match: a few milliseconds for all temptations. The rest of the audit
    /// has no limit, because its work grows only with the talk. Audits agree only if they have the same limit.
    pub const STEP_LIMIT: u64 = 500_000;

    /// Audits the talk of a match; `None` if its seats could not talk, or it has no winner.
    ///
    /// It ignores messages that stay private, even if the record has their content, so everybody gets the same audit.
    /// Temptations are found by lazy branching, as in [`DealMeasures::measure`](super::DealMeasures::measure). If the
    /// budget is spent, the remaining ones are unknown.
    pub fn of_record(record: &Record, budget: &mut Budget<'_>) -> Option<Self> {
        let state = record.state();
        let talk = state.setup().terms.talk?;
        let (_, Some(_)) = state.end()? else { return None };
        let rows = FinalRows::of_record(record)?;
        let seats = rows.game.matrix.seats();
        let (mut hidden_messages, mut claims) = (BySeat::filled(seats, &0), Vec::new());
        let is_public = |message: &&TalkMessage| message.public_content().is_some();
        for message in record.messages() {
            match message.public_content().map(|opened| &opened.content) {
                None => hidden_messages[message.seat] += 1,
                Some(TalkContent::Claim(row)) => claims.push(rows.audit_claim(message, row)),
                Some(TalkContent::Text(_) | TalkContent::Offer(_) | TalkContent::Accept(_)) => {}
            }
        }
        let offered = OfferedPact::collect(
            record.messages().filter(is_public).filter_map(TalkMessage::place_and_content),
        );
        let (ids, pacts): (Vec<_>, Vec<_>) = offered
            .iter()
            .filter(|offered| offered.is_signed())
            .map(|OfferedPact { offer, pact, .. }| (*offer, pact.clone()))
            .unzip();
        let events = record.events();
        let revealed = events.iter().find(|timed| matches!(timed.event, Event::Revealed { .. }))?;
        Some(Self {
            began: events.first()?.at,
            revealed: revealed.at,
            rounds: talk.rounds,
            allows_pacts: talk.pacts,
            offered,
            double_dealing: DoubleDealing::find_all(&pacts),
            pacts: rows.audit_pacts(ids, pacts, budget),
            claims,
            hidden_messages,
            has_dealt_rows: rows.dealt.is_some(),
        })
    }

    /// Returns the number of pacts that a seat offered.
    pub fn offer_count(&self, seat: Seat) -> u32 {
        self.offered.iter().filter(|offered| offered.offer.seat == seat).count() as u32
    }

    /// Returns whether private messages may have offered or signed pacts that this audit does not contain.
    pub fn may_hide_pacts(&self) -> bool {
        self.allows_pacts && self.hidden_messages.iter().any(|&messages| messages > 0)
    }
}

impl<'a> FinalRows<'a> {
    fn of_record(record: &'a Record) -> Option<Self> {
        let state = record.state();
        let game = state.game()?;
        let defaulted = record.events().iter().filter_map(|timed| match &timed.event {
            Event::Declared { seat, defaulted: Some(_), .. } => Some(*seat),
            _ => None,
        });
        let dealt = state.opened_rows().map(|matrix| {
            let mut dealt = game.clone();
            dealt.matrix = matrix.clone();
            dealt
        });
        Some(Self { game, dealt, defaulted: defaulted.collect() })
    }

    fn audit_claim(&self, message: &TalkMessage, row: &Row) -> ClaimAudit {
        let &TalkMessage { seat, round, number, .. } = message;
        let declared = (!self.defaulted.contains(seat)).then(|| &self.game.matrix[seat]);
        ClaimAudit {
            seat,
            round,
            number,
            row: row.clone(),
            from_dealt: self.dealt.as_ref().map(|dealt| kendall_distance(row, &dealt.matrix[seat])),
            from_declared: declared.map(|declared| kendall_distance(row, declared)),
        }
    }

    fn audit_pacts(&self, ids: Vec<OfferId>, pacts: Vec<Pact>, budget: &mut Budget<'_>) -> Vec<PactAudit> {
        let deal = self.dealt.as_ref().map(|dealt| {
            Deal::new(dealt.clone(), self.game.matrix.clone(), Vec::new()).expect("each seat has both rows")
        });
        let game_steps = self.game.piles.len() * self.game.matrix.seats().get().pow(2);
        let audits = ids.into_iter().zip(pacts).map(|(offer, pact)| {
            // Values and harms are always found: these games are few.
            let steps = (game_steps * (2 + 2 * pact.members().len())) as u64;
            let _ = budget.spend(steps.min(budget.steps_left()));
            let measures = deal.as_ref().map(|deal| PactMeasures::measure(deal, &pact, budget));
            let audit_of = |(place, member)| {
                self.audit_member(member, measures.as_ref().map(|measures| &measures.members[place]))
            };
            let members = pact.members().iter().enumerate().map(audit_of).collect();
            PactAudit { offer, values: measures.as_ref().map(|found| found.values.clone()), members, pact }
        });
        audits.collect()
    }

    fn audit_member(&self, member: &PactMember, measures: Option<&PactMemberMeasures>) -> PactMemberAudit {
        let word = if self.defaulted.contains(member.seat) {
            WordKept::Defaulted
        } else if member.is_kept_by(&self.game.matrix[member.seat]) {
            WordKept::Kept
        } else {
            WordKept::Broken
        };
        PactMemberAudit {
            seat: member.seat,
            word,
            temptation: measures.map(|measures| measures.temptation),
            harms: measures.filter(|_| word == WordKept::Broken).map(|measures| measures.harms.clone()),
        }
    }
}

impl WordKept {
    /// Returns the word that reports use for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Defaulted => "defaulted",
        }
    }
}
