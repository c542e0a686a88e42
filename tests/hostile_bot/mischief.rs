//! Decides what the hostile bot does next, without I/O.

use super::Misbehaviour;
use lastnim_proto::pb::{
    Declare, JoinTournament, Phase, PlayRequest, Pong, Resign, Row, Take, Turn, play_request::Action,
    play_response::Event,
};
use lastnim_tournament::SeededDraw;
use std::collections::BTreeMap;

/// The maximum number of matches that it remembers; it is silent in others.
const MAX_MATCHES: usize = 1024;
/// One turn in this many is answered correctly, so that matches advance.
const POLITE_ONE_IN: u64 = 3;

/// The reaction to an event: messages to send, then what to do with the stream.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) sends: Vec<PlayRequest>,
    pub(super) then: Then,
}

/// What to do with the stream.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum Then {
    #[default]
    GoOn,
    /// Send this repeatedly without reading.
    Flood(PlayRequest),
    Drop,
    HalfClose,
    SecondSession,
}

/// The state of the hostile bot.
#[derive(Debug)]
pub(super) struct Mischief {
    repertoire: Vec<Misbehaviour>,
    dice: SeededDraw,
    matches: BTreeMap<String, Seen>,
}

/// What it knows about a match.
#[derive(Debug, Default)]
struct Seen {
    seat: u32,
    seats: u32,
    mode: PlayMode,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum PlayMode {
    #[default]
    Playing,
    /// It was refused, and answers its next turn correctly.
    Behaving,
    /// It sends nothing more in this match.
    Stalled,
}

impl Mischief {
    /// Creates a bot with these misbehaviours and random choices from the seed.
    pub(super) fn new(repertoire: &[Misbehaviour], seed: u64) -> Self {
        Self {
            repertoire: repertoire.to_vec(),
            dice: SeededDraw::from_numbers([seed]),
            matches: BTreeMap::new(),
        }
    }

    /// Returns the reaction to an event.
    pub(super) fn react_to(&mut self, event: Event) -> Plan {
        match event {
            // Snapshots of open matches follow.
            Event::Welcome(_) => {
                self.matches.clear();
                Plan::default()
            }
            Event::MatchStarted(started) => {
                let setup = started.setup.unwrap_or_default();
                self.see(&started.match_id, started.seat, setup.bots.len());
                match setup.assigned {
                    None => self.declare(&started.match_id),
                    Some(_) => Plan::default(),
                }
            }
            Event::Snapshot(snapshot) => {
                let snapshot = *snapshot;
                let phase = snapshot.phase();
                let started = snapshot.started.unwrap_or_default();
                self.see(&started.match_id, started.seat, started.setup.unwrap_or_default().bots.len());
                match snapshot.turn {
                    Some(turn) => self.play(&turn),
                    None if phase == Phase::Declaring => self.declare(&started.match_id),
                    None => Plan::default(),
                }
            }
            Event::Turn(turn) => self.play(&turn),
            Event::Took(took) => {
                let Some(seen) = self.matches.get(&took.match_id) else { return Plan::default() };
                let to_move = (u64::from(took.seat) + 1) % u64::from(seen.seats.max(1));
                if self.has(Misbehaviour::OutOfTurn)
                    && to_move != u64::from(seen.seat)
                    && self.dice.number_below(4) == 0
                {
                    sends([take(&took.match_id, took.ply.wrapping_add(1), 1)])
                } else {
                    Plan::default()
                }
            }
            // A turn follows if the bot is still to move.
            Event::Refused(refused) if refused.strikes_left > 0 => {
                self.behave_next_turn(&refused.match_id);
                Plan::default()
            }
            Event::MatchEnded(ended) => {
                self.matches.remove(&ended.match_id);
                Plan::default()
            }
            Event::Ping(ping) if !self.has(Misbehaviour::Stall) => {
                sends([Action::Pong(Pong { id: ping.id })])
            }
            _ => Plan::default(),
        }
    }

    fn has(&self, misbehaviour: Misbehaviour) -> bool {
        self.repertoire.contains(&misbehaviour)
    }

    fn see(&mut self, match_id: &str, seat: u32, seats: usize) {
        if self.matches.len() < MAX_MATCHES {
            let seen = self.matches.entry(match_id.to_owned()).or_default();
            (seen.seat, seen.seats) = (seat, u32::try_from(seats).unwrap_or(u32::MAX));
        }
    }

    fn declare(&mut self, match_id: &str) -> Plan {
        let seats = self.matches.get(match_id).map_or(0, |seen| seen.seats);
        let standard = declare(match_id, (0..seats).collect());
        let fitting = [Misbehaviour::GarbageRows, Misbehaviour::DeclareTwice, Misbehaviour::UnknownMatches];
        let fitting: Vec<_> = fitting.into_iter().filter(|&misbehaviour| self.has(misbehaviour)).collect();
        match self.dice.choose(&fitting) {
            Some(Misbehaviour::GarbageRows) => sends([self.garbage_row(match_id, seats)]),
            Some(Misbehaviour::DeclareTwice) => {
                sends([standard, declare(match_id, (0..seats).rev().collect())])
            }
            Some(_) => sends([self.act_in_unknown_match(), standard]),
            None => sends([standard]),
        }
    }

    fn play(&mut self, turn: &Turn) -> Plan {
        let Some(seen) = self.matches.get_mut(&turn.match_id) else { return Plan::default() };
        let is_behaving = match seen.mode {
            PlayMode::Stalled => return Plan::default(),
            mode => mode == PlayMode::Behaving,
        };
        seen.mode = PlayMode::Playing;
        let seats = seen.seats;
        let legal = self.legal_take(turn);
        if is_behaving || self.dice.number_below(POLITE_ONE_IN) == 0 {
            return sends([legal]);
        }
        let Some(&misbehaviour) = self.dice.choose(&self.repertoire) else { return sends([legal]) };
        let id = turn.match_id.as_str();
        let stream = |then| Plan { then, ..sends([legal.clone()]) };
        match misbehaviour {
            Misbehaviour::IllegalTakes => {
                let wrong = [0, turn.counters.saturating_add(1), u64::MAX];
                sends(self.dice.choose(&wrong).map(|&counters| take(id, turn.ply, counters)))
            }
            Misbehaviour::StalePlies => match turn.ply {
                0 => sends([legal]),
                ply => sends([take(id, self.dice.number_below(ply.into()) as u32, u64::MAX)]),
            },
            Misbehaviour::FuturePlies => {
                let ahead = [1, seats, u32::MAX - turn.ply];
                sends(self.dice.choose(&ahead).map(|&plies| take(id, turn.ply.saturating_add(plies), 1)))
            }
            Misbehaviour::UnknownMatches => sends([self.act_in_unknown_match(), legal]),
            Misbehaviour::GarbageRows => sends([self.garbage_row(id, seats), legal]),
            Misbehaviour::EmptyMessages => {
                let pong = PlayRequest { action: Some(Action::Pong(Pong { id: self.dice.next_bits() })) };
                let legal = PlayRequest { action: Some(legal) };
                Plan { sends: vec![PlayRequest { action: None }, pong, legal], then: Then::GoOn }
            }
            Misbehaviour::DeclareTwice => sends([declare(id, (0..seats).rev().collect()), legal]),
            Misbehaviour::Resign => sends([Action::Resign(Resign { match_id: id.to_owned() }), legal]),
            Misbehaviour::Stall => {
                if let Some(seen) = self.matches.get_mut(id) {
                    seen.mode = PlayMode::Stalled;
                }
                Plan::default()
            }
            Misbehaviour::Flood => {
                Plan { then: Then::Flood(PlayRequest { action: Some(legal) }), ..Plan::default() }
            }
            Misbehaviour::DropStream => Plan { then: Then::Drop, ..Plan::default() },
            Misbehaviour::HalfClose => stream(Then::HalfClose),
            Misbehaviour::TwoSessions => stream(Then::SecondSession),
            // It acts after others have moved.
            Misbehaviour::OutOfTurn => sends([legal]),
        }
    }

    /// Answers the next turn of a match correctly after a refusal, unless it has stalled there.
    fn behave_next_turn(&mut self, match_id: &str) {
        if let Some(seen) = self.matches.get_mut(match_id)
            && seen.mode == PlayMode::Playing
        {
            seen.mode = PlayMode::Behaving;
        }
    }

    fn legal_take(&mut self, turn: &Turn) -> Action {
        take(&turn.match_id, turn.ply, 1 + self.dice.number_below(turn.counters))
    }

    fn garbage_row(&mut self, match_id: &str, seats: u32) -> Action {
        let standard: Vec<u32> = (0..seats).collect();
        let short = standard.iter().copied().skip(1).collect();
        let repeated = vec![0; seats as usize];
        let out_of_range = standard.iter().map(|offset| offset + 1).collect();
        let rows = [
            Some(short),
            Some(repeated),
            Some(out_of_range),
            Some(vec![u32::MAX; 100]),
            Some(Vec::new()),
            None,
        ];
        let offsets = self.dice.choose(&rows).cloned().flatten();
        Action::Declare(Declare {
            match_id: match_id.to_owned(),
            row: offsets.map(|offsets| Row { offsets }),
            note_hash: vec![7; self.dice.number_below(40) as usize],
        })
    }

    /// Acts in an unknown match, or joins an unknown tournament.
    fn act_in_unknown_match(&mut self) -> Action {
        let ids = [
            String::new(),
            "no uuid".into(),
            "00000000-0000-0000-0000-000000000000".into(),
            format!("01890a5d-ac96-774b-bcce-{:012x}", self.dice.next_bits() >> 16),
            "{01890a5d-ac96-774b-bcce-b302099a8057}".into(),
            "\u{1f3b2}".repeat(9),
            "x".repeat(5_000),
        ];
        let id = self.dice.choose(&ids).cloned().unwrap_or_default();
        match self.dice.number_below(4) {
            0 => take(&id, 0, 1),
            1 => declare(&id, vec![0, 1, 2]),
            2 => Action::Resign(Resign { match_id: id }),
            _ => Action::JoinTournament(JoinTournament { tournament_id: id }),
        }
    }
}

fn sends(actions: impl IntoIterator<Item = Action>) -> Plan {
    let sends = actions.into_iter().map(|action| PlayRequest { action: Some(action) }).collect();
    Plan { sends, then: Then::GoOn }
}

fn take(match_id: &str, ply: u32, take: u64) -> Action {
    Action::Take(Take { match_id: match_id.to_owned(), ply, take, ..Take::default() })
}

fn declare(match_id: &str, offsets: Vec<u32>) -> Action {
    let row = Some(Row { offsets });
    Action::Declare(Declare { match_id: match_id.to_owned(), row, ..Declare::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb::{MatchEnded, MatchSetup, MatchStarted, Ping, Refused, Snapshot, Took};
    use proptest::prelude::*;

    fn started(match_id: &str) -> Event {
        let bots = vec!["a".into(), "b".into(), "c".into()];
        let setup = Some(MatchSetup { bots, ..MatchSetup::default() });
        Event::MatchStarted(Box::new(MatchStarted {
            match_id: match_id.into(),
            seat: 1,
            setup,
            dealt_row: None,
        }))
    }

    fn turn(match_id: &str, ply: u32, counters: u64) -> Event {
        Event::Turn(Turn { match_id: match_id.into(), ply, counters, ..Turn::default() })
    }

    fn is_legal(request: &PlayRequest, ply: u32, counters: u64) -> bool {
        matches!(&request.action, Some(Action::Take(take))
            if take.ply == ply && (1..=counters).contains(&take.take))
    }

    /// Plays 200 matches of one turn with one misbehaviour, and returns the plans that are not simply correct.
    fn plans_of_misbehaviour(misbehaviour: Misbehaviour) -> Vec<Plan> {
        let mut mischief = Mischief::new(&[misbehaviour], 5);
        let mut plans = Vec::new();
        for number in 0..200 {
            let id = format!("m{number}");
            let declared = mischief.react_to(started(&id));
            let proper = sends([declare(&id, vec![0, 1, 2])]);
            plans.extend((declared != proper).then_some(declared));
            let plan = mischief.react_to(turn(&id, 4, 9));
            let proper = plan.then == Then::GoOn && plan.sends.len() == 1 && is_legal(&plan.sends[0], 4, 9);
            plans.extend((!proper).then_some(plan));
            let took = Took { match_id: id.clone(), ply: 4, seat: 1, take: 1, ..Took::default() };
            plans.extend(Some(mischief.react_to(Event::Took(took))).filter(|plan| *plan != Plan::default()));
            let ended = MatchEnded { match_id: id, ..MatchEnded::default() };
            assert_eq!(mischief.react_to(Event::MatchEnded(Box::new(ended))), Plan::default());
        }
        assert!(mischief.matches.is_empty());
        plans
    }

    #[test]
    fn misbehaviours_occur_and_stay_separate() {
        let action = |plan: &Plan| plan.sends.first().and_then(|request| request.action.clone());
        for misbehaviour in Misbehaviour::ALL {
            let plans = plans_of_misbehaviour(misbehaviour);
            assert!(plans.len() > 30, "{misbehaviour:?} showed {} times", plans.len());
            let fits = |plan: &Plan| match misbehaviour {
                Misbehaviour::IllegalTakes => {
                    matches!(action(plan), Some(Action::Take(take)) if take.ply == 4 && !(1..=9).contains(&take.take))
                }
                Misbehaviour::StalePlies => matches!(action(plan), Some(Action::Take(take)) if take.ply < 4),
                Misbehaviour::FuturePlies | Misbehaviour::OutOfTurn => {
                    matches!(action(plan), Some(Action::Take(take)) if take.ply > 4)
                }
                Misbehaviour::UnknownMatches | Misbehaviour::EmptyMessages => plan.sends.len() > 1,
                Misbehaviour::GarbageRows => {
                    matches!(action(plan), Some(Action::Declare(declare))
                        if declare.row.as_ref().is_none_or(|row| row.offsets != [0, 1, 2]))
                }
                Misbehaviour::DeclareTwice => matches!(action(plan), Some(Action::Declare(_))),
                Misbehaviour::Resign => matches!(action(plan), Some(Action::Resign(_))),
                Misbehaviour::Stall => *plan == Plan::default(),
                Misbehaviour::Flood => matches!(plan.then, Then::Flood(_)),
                Misbehaviour::DropStream => plan.then == Then::Drop,
                Misbehaviour::HalfClose => plan.then == Then::HalfClose,
                Misbehaviour::TwoSessions => plan.then == Then::SecondSession,
            };
            let stray = plans.iter().find(|plan| !fits(plan));
            assert_eq!(stray, None, "{misbehaviour:?}");
        }
    }

    #[test]
    fn a_refusal_is_followed_by_a_correct_answer() {
        let mut mischief = Mischief::new(&[Misbehaviour::IllegalTakes], 1);
        mischief.react_to(started("m"));
        let refused = Refused { match_id: "m".into(), strikes_left: 1, ..Refused::default() };
        for _ in 0..100 {
            mischief.react_to(turn("m", 4, 9));
            assert_eq!(mischief.react_to(Event::Refused(refused.clone())), Plan::default());
            assert!(is_legal(&mischief.react_to(turn("m", 4, 9)).sends[0], 4, 9));
        }
    }

    fn events() -> impl Strategy<Value = Event> {
        let id = prop_oneof![Just("m".to_owned()), Just("n".to_owned()), "\\PC{0,8}"];
        (id, any::<u32>(), any::<u64>(), 0..7).prop_map(|(match_id, number, counters, kind)| match kind {
            0 => started(&match_id),
            1 => turn(&match_id, number, counters),
            2 => Event::Took(Took { match_id, ply: number, seat: number, take: counters, steward: false }),
            3 => Event::Refused(Refused { match_id, strikes_left: number, ..Refused::default() }),
            4 => Event::MatchEnded(Box::new(MatchEnded { match_id, ..MatchEnded::default() })),
            5 => Event::Ping(Ping { id: counters }),
            _ => Event::Snapshot(Box::new(Snapshot {
                started: Some(MatchStarted { match_id, seat: number, setup: None, dealt_row: None }),
                phase: (number % 5).cast_signed(),
                ..Snapshot::default()
            })),
        })
    }

    proptest! {
        #[test]
        fn any_event_causes_few_messages(
            events in prop::collection::vec(events(), 0..60),
            seed: u64,
        ) {
            let mut mischief = Mischief::new(&Misbehaviour::ALL, seed);
            let mut again = Mischief::new(&Misbehaviour::ALL, seed);
            for event in events {
                let plan = mischief.react_to(event.clone());
                prop_assert!(plan.sends.len() <= 3);
                prop_assert_eq!(plan, again.react_to(event));
            }
        }
    }
}
