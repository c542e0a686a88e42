//! Records of a simulated tournament, played by the referee and signed.

use lastnim_core::{
    game::{BotName, BySeat, MatchId, Piles, Row, SeatCount, TournamentId},
    oracle::Solution,
    referee::{
        MatchPhase, MatchSetup, Origin, Record, Referee, RefereeInput, Seal, SeatAction, SigningKey,
        Timestamp,
    },
};
use lastnim_tournament::SeededDraw;

/// The start of the first match, in microseconds since 1970-01-01 UTC.
const BEGAN: u64 = 1_700_000_000_000_000;

/// The bots: the first takes random numbers, each further one plays optimally more often.
pub const FIELD: [&str; 6] = ["any", "poor", "fair", "good", "strong", "optimal"];

/// A simulated tournament whose matches can be played in any order.
#[derive(Debug)]
pub struct MadeUp {
    /// Seats of every match.
    pub seats: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// A number that makes the match ids differ between runs.
    pub run: u16,
    key: SigningKey,
}

impl MadeUp {
    /// Creates a tournament.
    pub fn new(seats: usize, seed: u64) -> Self {
        Self { seats, seed, run: 0, key: SigningKey::from_seed(&[7; SigningKey::SEED_BYTES]) }
    }

    /// Plays the match with a number, a rotation of the group `number / seats`, and signs its record.
    pub fn play(&self, number: u64) -> (Record, Seal) {
        self.play_in_group(number, number / self.seats as u64)
    }

    /// Plays a match that claims to belong to a group, whether or not its number does.
    pub fn play_in_group(&self, number: u64, group: u64) -> (Record, Seal) {
        let seats = SeatCount::new(self.seats).expect("the number of seats is valid");
        let rotation = number as usize % self.seats;
        let mut draw = SeededDraw::new(self.seed, group);
        let mut order: Vec<&str> = FIELD.to_vec();
        draw.shuffle(&mut order);
        let bots = BySeat::from_fn(seats, |seat| {
            order[(seat.index() + rotation) % self.seats].parse::<BotName>().expect("a name")
        });
        let piles: Vec<u64> = (0..4).map(|_| 1 + draw.number_below(9)).collect();
        let origin = Origin { tournament: TournamentId::new(BEGAN / 1_000, &[9; 10]), number, group };
        let setup = MatchSetup {
            origin: Some(origin),
            ..MatchSetup::new(bots, Piles::parse(&piles).expect("every pile has counters"))
        };
        let mut draw = SeededDraw::from_numbers([self.seed, number, 1]);
        let record = self.referee(number, setup, &mut draw);
        let seal = self.key.seal(record.last_hash());
        (record, seal)
    }

    fn referee(&self, number: u64, setup: MatchSetup, draw: &mut SeededDraw) -> Record {
        let (seats, bots) = (setup.seats(), setup.bots.clone());
        let mut now = BEGAN + number;
        let mut tick = || {
            now += 1_000;
            Timestamp::from_micros(now)
        };
        let mut random = [0; 10];
        random[..8].copy_from_slice(&number.to_be_bytes());
        random[8..].copy_from_slice(&self.run.to_be_bytes());
        let id = MatchId::new(BEGAN / 1_000, &random);
        let (mut referee, _) = Referee::begin(id, setup, BySeat::filled(seats, &true), tick());
        for seat in seats.iter() {
            let at = tick();
            let action = SeatAction::declare(&Row::standard(seats), None);
            drop(referee.handle_input(RefereeInput::Act { seat, action }, at));
            referee.mark_effects_announced(at);
        }
        let solution = Solution::new(referee.record().state().game().expect("all rows are in"));
        while referee.record().state().phase() == MatchPhase::Playing {
            let state = referee.record().state();
            let position = state.position();
            let (seat, ply) = (position.to_move(), state.ply());
            let skill =
                FIELD.iter().position(|&bot| bot == bots[seat].as_str()).expect("the bot is in the field");
            let optimal = draw.number_below(FIELD.len() as u64 - 1) < skill as u64;
            let any = 1 + draw.number_below(position.counters());
            let take = if optimal { solution.optimal_takes(position).smallest().unwrap_or(any) } else { any };
            let at = tick();
            let action = SeatAction::take(ply, take, None);
            drop(referee.handle_input(RefereeInput::Act { seat, action }, at));
            referee.mark_effects_announced(at);
        }
        referee.into_record()
    }
}
