//! Random matches for property tests, and matches in which seats talk.

mod talked_match;

pub use talked_match::{OfferedTerms, TalkedMatch};

use super::{
    Clock, Deal, DealRule, DealSecret, DealtRows, Event, MAX_TALK_ROUNDS, MatchPhase, MatchSetup, MatchState,
    NoteHash, NoteHashError, Origin, Record, Referee, RefereeEffect, RefereeInput, SeatAction, SeatMessage,
    SubmittedContent, SubmittedMessage, TalkPrivacy, TalkTerms, Terms, TimedEvent, Timestamp,
};
use crate::game::{
    AllianceMatrix, BySeat, Ending, MAX_COUNTERS, MatchId, Piles, Row, Seat, SeatCount, TournamentId,
};
use proptest::prelude::*;
use std::time::Duration;

/// A random match and the inputs that it will receive.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The settings of the match.
    pub setup: MatchSetup,
    /// The dealt rows, if the setup has a deal.
    pub dealt: Option<Box<DealtRows>>,
    /// The bots that are connected at the start.
    pub present: BySeat<bool>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    time: StepTime,
    what: StepAction,
    /// The note hash that is sent with a row or take.
    note_hash: Result<Option<NoteHash>, NoteHashError>,
    /// Whether the effects are announced after the step.
    announced: bool,
}

#[derive(Debug, Clone)]
enum StepTime {
    Passes(u64),
    GoesBack(u64),
    ReachesDeadline,
    MissesDeadline,
}

#[derive(Debug, Clone)]
enum StepAction {
    Join(usize),
    Leave(usize),
    /// The seat and the offsets of its row.
    Declare(usize, Vec<u64>),
    /// The seat to move makes a legal take, chosen by this number.
    LegalTake(u64),
    /// The seat, the offset from the current ply, and the number of counters.
    Take(usize, i64, u64),
    /// The take that was made this many plies ago, sent again.
    TakeAgain(u32),
    Resign(usize),
    /// The seat, the distance of its message from the next number, the seats that hear it, and the content.
    Say(usize, u32, Vec<u32>, SubmittedContent),
    /// The seat, another member, and the relations of both.
    Offer(usize, usize, Vec<(usize, usize)>),
    /// The seat, and the offered pact that it accepts.
    Accept(usize, prop::sample::Index),
    /// The seat and the distance from the current round.
    EndTalk(usize, u32),
    Disqualify(usize),
    Tick,
    Cancel,
    /// The seat and its lag in nanoseconds.
    Lag(usize, u64),
}

/// One input and its consequences.
pub struct Observation<'a> {
    /// The state before the input.
    pub before: &'a MatchState,
    /// The deadline before the input.
    pub deadline: Option<Timestamp>,
    /// The input.
    pub input: &'a RefereeInput,
    /// The latest time that the referee has seen.
    pub now: Timestamp,
    /// The effects.
    pub effects: &'a [RefereeEffect],
    /// The record after the input.
    pub after: &'a Record,
}

impl Scenario {
    /// Gives every seat more time than it can use, and makes every seat that is not forfeited declare and take until
    /// the match is over.
    #[must_use]
    pub fn without_time_pressure(mut self) -> Self {
        let clock = &mut self.setup.terms.clock;
        clock.initial = Duration::from_hours(24);
        clock.declaration = Duration::from_hours(1);
        clock.return_within = clock.return_within.map(|_| Duration::from_hours(24));
        if let Some(talk) = &mut self.setup.terms.talk {
            talk.round_time = Duration::from_hours(1);
        }
        let seats = self.setup.seats().get();
        let standard: Vec<u64> = (0..seats as u64).collect();
        let declarations = (0..seats).map(|seat| StepAction::Declare(seat, standard.clone()));
        let takes = (0..self.setup.terms.max_plies).map(|some| StepAction::LegalTake(some.into()));
        let note_hash = Ok(None);
        let further = declarations.chain(takes).map(|what| Step {
            time: StepTime::Passes(0),
            what,
            note_hash: note_hash.clone(),
            announced: true,
        });
        self.steps.extend(further);
        for (index, step) in self.steps.iter_mut().enumerate() {
            step.time = StepTime::Passes(index as u64 % 3_000);
        }
        self
    }

    /// Plays all steps of the match; it may still be open afterwards.
    pub fn play(&self, watch: &mut impl FnMut(Observation<'_>)) -> (Referee, Timestamp) {
        let (mut referee, mut now) = self.begin();
        for index in 0..self.steps.len() {
            now = self.step(index, &mut referee, now, watch);
        }
        (referee, now)
    }

    /// Begins the match.
    pub fn begin(&self) -> (Referee, Timestamp) {
        let now = Timestamp::from_micros(1_000_000);
        let (setup, dealt, present) = (self.setup.clone(), self.dealt.clone(), self.present.clone());
        let (referee, opening) = Referee::begin_dealt(scenario_match_id(), setup, dealt, present, now);
        assert_eq!(opening.iter().find_map(event_in), referee.record().events().first());
        (referee, now)
    }

    /// Returns the number of steps.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Plays one step and returns the latest time that the referee has seen.
    pub fn step(
        &self,
        index: usize,
        referee: &mut Referee,
        now: Timestamp,
        watch: &mut impl FnMut(Observation<'_>),
    ) -> Timestamp {
        let step = &self.steps[index];
        let step_time = step.time.timestamp(referee, now);
        let now = now.max(step_time);
        if let StepAction::Lag(seat, nanos) = step.what {
            referee.set_lag(seat_of(referee, seat), Duration::from_nanos(nanos));
        }
        let input = step.what.to_input(referee, step.note_hash.clone());
        handle_and_watch(referee, &input, step_time, now, watch);
        if step.announced {
            referee.mark_effects_announced(step_time);
        }
        now
    }

    /// Plays the match to its end: all steps, then only ticks.
    pub fn finish(&self, watch: &mut impl FnMut(Observation<'_>)) -> Record {
        let (referee, now) = self.play(watch);
        finish_by_timeouts(referee, now, watch)
    }
}

/// Returns the record as everybody may read it: without the content of messages that stay private.
pub fn record_shown_to_all(record: &Record) -> Record {
    let mut events = record.events().to_vec();
    for timed in &mut events {
        if let Event::Said(message) = &mut timed.event {
            message.opened = message.public_content().cloned();
        }
    }
    Record::replay(record.id(), events).expect("no event depends on the content of a message")
}

/// Lets time pass until the match is over.
pub fn finish_by_timeouts(
    mut referee: Referee,
    mut now: Timestamp,
    watch: &mut impl FnMut(Observation<'_>),
) -> Record {
    let seats = referee.record().state().setup().seats().get();
    let mut ticks = 0;
    while referee.record().state().phase() != MatchPhase::Ended {
        assert!(
            ticks <= seats + 2 + MAX_TALK_ROUNDS as usize,
            "one tick can end a hold, some end rounds of talk, one reveals the rows, and each of the others forfeits a seat"
        );
        referee.mark_effects_announced(now);
        now = now.max(referee.deadline().expect("the match is waiting for a seat"));
        handle_and_watch(&mut referee, &RefereeInput::Tick, now, now, watch);
        ticks += 1;
    }
    assert_eq!(referee.deadline(), None);
    referee.into_record()
}

fn handle_and_watch(
    referee: &mut Referee,
    input: &RefereeInput,
    step_time: Timestamp,
    now: Timestamp,
    watch: &mut impl FnMut(Observation<'_>),
) {
    let before = referee.record().state().clone();
    let deadline = referee.deadline();
    let earlier = RefereeEffect::SendToSeat {
        seat: Seat::FIRST,
        message: SeatMessage::TakeRepeated { ply: u32::MAX, take: 0 },
    };
    let mut effects = vec![earlier.clone()];
    referee.handle_input_into(input.clone(), step_time, &mut effects);
    assert_eq!(effects.remove(0), earlier, "effects are appended to the existing ones");
    watch(Observation { before: &before, deadline, input, now, effects: &effects, after: referee.record() });
}

/// Returns the event in an effect, if any.
pub fn event_in(effect: &RefereeEffect) -> Option<&TimedEvent> {
    match effect {
        RefereeEffect::EventOccurred(timed) => Some(timed),
        RefereeEffect::SendToSeat { .. } => None,
    }
}

fn seat_of(referee: &Referee, index: usize) -> Seat {
    let seats = referee.record().state().setup().seats();
    seats.seat_at_offset(Seat::FIRST, index)
}

impl StepTime {
    fn timestamp(&self, referee: &Referee, now: Timestamp) -> Timestamp {
        let deadline = referee.deadline().unwrap_or(now);
        match *self {
            Self::Passes(micros) => now + Duration::from_micros(micros),
            Self::GoesBack(micros) => Timestamp::from_micros(now.as_micros().saturating_sub(micros)),
            Self::ReachesDeadline => deadline,
            Self::MissesDeadline => Timestamp::from_micros(deadline.as_micros() - 1),
        }
    }
}

impl StepAction {
    fn to_input(
        &self,
        referee: &Referee,
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    ) -> RefereeInput {
        let state = referee.record().state();
        let seats = state.setup().seats();
        let seat = |index| seat_of(referee, index);
        let act = |seat, action| RefereeInput::Act { seat, action };
        match *self {
            Self::Join(index) => RefereeInput::Joined { seat: seat(index) },
            Self::Leave(index) => RefereeInput::Left { seat: seat(index) },
            Self::Declare(index, ref offsets) => {
                act(seat(index), SeatAction::Declare { offsets: offsets.clone(), note_hash })
            }
            Self::LegalTake(some) => {
                let take = 1 + some % state.position().counters().max(1);
                act(state.position().to_move(), SeatAction::Take { ply: state.ply(), take, note_hash })
            }
            Self::Take(index, distance, take) => {
                let ply = i64::from(state.ply()).saturating_add(distance);
                let ply = u32::try_from(ply.max(0)).unwrap_or(u32::MAX);
                act(seat(index), SeatAction::Take { ply, take, note_hash })
            }
            Self::TakeAgain(ago) => match state.ply().checked_sub(ago.max(1)) {
                None => RefereeInput::Tick,
                Some(ply) => {
                    let take = state.takes()[ply as usize].take;
                    let seat = seats.seat_at_offset(state.setup().first, ply as usize);
                    act(seat, SeatAction::Take { ply, take, note_hash })
                }
            },
            Self::Resign(index) => act(seat(index), SeatAction::Resign),
            Self::Say(index, distance, ref to, ref content) => {
                say_input(state, seat(index), distance, to.clone(), content.clone())
            }
            Self::Offer(index, other, ref relations) => {
                let members = [index, other].map(|member| (member, relations.clone()));
                say_input(state, seat(index), 0, Vec::new(), SubmittedContent::Offer(members.to_vec()))
            }
            Self::Accept(index, which) => {
                let offers: Vec<_> = state.pacts().iter().map(|offered| offered.offer).collect();
                let (by, round, number) = match offers.as_slice() {
                    [] => (0, 0, 0),
                    offers => {
                        let offer = which.get(offers);
                        (offer.seat.into(), offer.round, offer.number)
                    }
                };
                let content = SubmittedContent::Accept { seat: by, round, number };
                say_input(state, seat(index), 0, Vec::new(), content)
            }
            Self::EndTalk(index, distance) => {
                act(seat(index), SeatAction::EndTalk { round: state.rounds_heard() + distance })
            }
            Self::Disqualify(index) => RefereeInput::Disqualify { seat: seat(index) },
            Self::Tick | Self::Lag(..) => RefereeInput::Tick,
            Self::Cancel => RefereeInput::Cancel,
        }
    }
}

fn any_row(seats: SeatCount) -> impl Strategy<Value = Vec<u64>> {
    let offsets: Vec<u64> = (0..seats.get() as u64).collect();
    Just(offsets).prop_shuffle()
}

fn any_clock() -> impl Strategy<Value = Clock> {
    (1..20_u64, 0..4_u64, 0..6_u64, 0..12_u64, 1..20_u64, prop::option::of(1..9_u64)).prop_map(
        |(initial, increment, lag_quota, lag_total, declaration, return_within)| Clock {
            initial: Duration::from_millis(initial),
            increment: Duration::from_millis(increment),
            lag_quota: Duration::from_millis(lag_quota),
            lag_total: Duration::from_millis(lag_total),
            declaration: Duration::from_millis(declaration),
            return_within: return_within.map(Duration::from_millis),
        },
    )
}

/// Returns the input with which a seat sends a message. Its number is `distance` greater than the next one.
fn say_input(
    state: &MatchState,
    seat: Seat,
    distance: u32,
    to: Vec<u32>,
    content: SubmittedContent,
) -> RefereeInput {
    let message = SubmittedMessage {
        round: state.rounds_heard(),
        number: state.messages_in_round(seat) + distance,
        to,
        content: Some(content),
    };
    RefereeInput::Act { seat, action: SeatAction::Say(Box::new(message)) }
}

fn any_talk() -> impl Strategy<Value = TalkTerms> {
    let privacies = vec![TalkPrivacy::Open, TalkPrivacy::Private, TalkPrivacy::Published];
    let pacts = prop::bool::weighted(0.7);
    (1..=MAX_TALK_ROUNDS, 1..20_u64, 1..6_u32, prop::sample::select(privacies), pacts).prop_map(
        |(rounds, round_ms, text_chars, privacy, pacts)| TalkTerms {
            rounds,
            round_time: Duration::from_millis(round_ms),
            text_chars,
            privacy,
            pacts: pacts && rounds > 1,
        },
    )
}

fn any_setup(seats: SeatCount) -> impl Strategy<Value = MatchSetup> {
    let rows = prop::collection::vec(any_row(seats), seats.get());
    let matrix = rows.prop_map(|rows| AllianceMatrix::parse(&rows).unwrap());
    let counters = prop_oneof![9 => 1..7_u64, 1 => 1..=MAX_COUNTERS];
    let piles = prop::collection::vec(counters, 1..5).prop_map(|piles| Piles::parse(&piles).unwrap());
    let tournament = any::<[u8; 10]>().prop_map(|random| TournamentId::new(1, &random));
    let origin = (tournament, any::<u64>(), any::<u64>()).prop_map(|(tournament, number, group)| Origin {
        tournament,
        number,
        group,
    });
    (
        (piles, 0..seats.get(), prop::sample::select(Ending::ALL.as_slice())),
        (any_clock(), 1..4_u32, 1..16_u32, prop::option::of(any_talk())),
        (prop::option::of(matrix), prop::option::of(origin)),
    )
        .prop_map(
            move |((piles, first, ending), (clock, strikes, max_plies, talk), (assigned, origin))| {
                let bots: Vec<_> =
                    (0..seats.get()).map(|seat| format!("bot-{seat}").parse().unwrap()).collect();
                let setup = MatchSetup {
                    first: seats.seat(first).unwrap(),
                    ending,
                    terms: Terms { clock, strikes, max_plies, talk: talk.filter(|_| assigned.is_none()) },
                    assigned,
                    origin,
                    ..MatchSetup::new(bots.try_into().unwrap(), piles)
                };
                setup.validate().unwrap()
            },
        )
}

fn scenario_match_id() -> MatchId {
    MatchId::new(1_700_000_000_000, &[3; 10])
}

/// Deals rows to some of the matches that have no assigned rows.
fn any_deal(setup: MatchSetup) -> impl Strategy<Value = (MatchSetup, Option<Box<DealtRows>>)> {
    let seats = setup.seats();
    let rows = prop::collection::vec(any_row(seats), 1..3);
    let rows = rows.prop_map(move |rows| rows.iter().map(|row| Row::parse(row, seats).unwrap()).collect());
    let rule = prop_oneof![Just(DealRule::All), Just(DealRule::SelfFirst), rows.prop_map(DealRule::List)];
    (prop::option::of(rule), any::<[u8; 32]>()).prop_map(move |(rule, secret)| {
        let mut setup = setup.clone();
        let dealt = rule.filter(|_| setup.assigned.is_none()).map(|rule| {
            let dealt =
                DealtRows::of_match(&DealSecret::from_bytes(secret), scenario_match_id(), &rule, seats);
            setup.deal = Some(Box::new(Deal::of_rows(rule, &dealt)));
            Box::new(dealt)
        });
        (setup.validate().unwrap(), dealt)
    })
}

fn any_step(seats: SeatCount) -> impl Strategy<Value = Step> {
    let time = prop_oneof![
        20 => (0..3_000_u64).prop_map(StepTime::Passes),
        2 => (0..9_000_000_u64).prop_map(StepTime::GoesBack),
        2 => Just(StepTime::ReachesDeadline),
        2 => Just(StepTime::MissesDeadline),
        1 => any::<u64>().prop_map(|micros| StepTime::Passes(micros >> 20)),
    ];
    let seat = || 0..seats.get();
    let garbage = prop::collection::vec(prop_oneof![0..7_u64, any::<u64>()], 0..8);
    let counters = prop_oneof![0..9_u64, any::<u64>()];
    let distance = prop_oneof![-4..4_i64, Just(i64::MAX)];
    let content = prop_oneof![
        3 => "[a-z\u{e9}]{0,6}".prop_map(SubmittedContent::Text),
        1 => any_row(seats).prop_map(SubmittedContent::Claim),
        1 => Just(SubmittedContent::Claim(vec![0, 0])),
    ];
    let to = prop_oneof![2 => Just(Vec::new()), 3 => prop::collection::vec(0..7_u32, 1..3)];
    let rarely = || prop_oneof![8 => Just(0), 1 => 1..3_u32];
    let talk = prop_oneof![
        3 => (seat(), rarely(), to, content).prop_map(|(seat, distance, to, content)| {
            StepAction::Say(seat, distance, to, content)
        }),
        2 => (seat(), seat(), prop::collection::vec((0..5_usize, 0..5_usize), 0..3)).prop_map(
            |(seat, other, relations)| StepAction::Offer(seat, other, relations)
        ),
        2 => (seat(), any::<prop::sample::Index>()).prop_map(|(seat, which)| StepAction::Accept(seat, which)),
        4 => (seat(), rarely()).prop_map(|(seat, distance)| StepAction::EndTalk(seat, distance)),
    ];
    let what = prop_oneof![
        8 => talk,
        3 => seat().prop_map(StepAction::Join),
        3 => seat().prop_map(StepAction::Leave),
        8 => (seat(), any_row(seats)).prop_map(|(seat, row)| StepAction::Declare(seat, row)),
        1 => (seat(), garbage).prop_map(|(seat, row)| StepAction::Declare(seat, row)),
        1 => (seat(), 2..7_u64).prop_map(|(seat, seats)| StepAction::Declare(seat, (0..seats).collect())),
        16 => any::<u64>().prop_map(|some| StepAction::LegalTake(some >> 3)),
        3 => (seat(), distance, counters).prop_map(|(seat, ply, take)| StepAction::Take(seat, ply, take)),
        3 => (0..4_u32).prop_map(StepAction::TakeAgain),
        1 => seat().prop_map(StepAction::Resign),
        1 => seat().prop_map(StepAction::Disqualify),
        2 => Just(StepAction::Tick),
        2 => (seat(), 0..20_000_000_u64).prop_map(|(seat, nanos)| StepAction::Lag(seat, nanos)),
    ];
    let what = prop_oneof![200 => what, 1 => Just(StepAction::Cancel)];
    let note_hash = prop_oneof![
        12 => Just(Ok(None)),
        6 => any::<[u8; NoteHash::BYTES]>().prop_map(|bytes| Ok(Some(NoteHash::from_bytes(bytes)))),
        1 => (1..NoteHash::BYTES).prop_map(|given| Err(NoteHashError { given })),
    ];
    (time, what, note_hash, prop::bool::weighted(0.9)).prop_map(|(time, what, note_hash, announced)| Step {
        time,
        what,
        note_hash,
        announced,
    })
}

/// Generates matches of two to six seats.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    (2..=6_usize).prop_flat_map(|seats| {
        let seats = SeatCount::new(seats).unwrap();
        let present = prop::collection::vec(prop::bool::weighted(0.8), seats.get());
        (any_setup(seats).prop_flat_map(any_deal), present, prop::collection::vec(any_step(seats), 0..60))
            .prop_map(|((setup, dealt), present, steps)| Scenario {
                setup,
                dealt,
                present: present.try_into().unwrap(),
                steps,
            })
    })
}
