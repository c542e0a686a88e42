//! Matches played directly by bots, without server or clock.

use lastnim_bots::{HouseBot, Oracle};
use lastnim_client::{Bot, MatchView};
use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Game, Piles, SeatCount},
    oracle::{Audit, PlayedTake},
};
use lastnim_tournament::{
    AllianceSource, MatchOutcome, MatchResult, Pairing, Positions, ScheduleStep, SeededDraw, Settings,
    SettingsDraft, TournamentFormat, assigned_matrix, plan_schedule,
};
use std::fmt;

/// A bot in the measured tournaments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contestant {
    /// A house bot.
    House(HouseBot),
    /// The oracle, except that it makes a random legal take with this probability in percent.
    Erring(u64),
}

/// Makes a random legal take with some probability, otherwise the oracle's.
struct Erring {
    percent: u64,
    seed: u64,
}

impl Bot for Erring {
    fn play(&mut self, game: &MatchView) -> u64 {
        let mut draw = SeededDraw::from_numbers([self.seed, u64::from(game.ply())]);
        if draw.number_below(100) < self.percent {
            1 + draw.number_below(game.position().counters())
        } else {
            Oracle.play(game)
        }
    }
}

impl Contestant {
    /// Creates the bot for one match.
    fn build_bot(self, seed: u64) -> Box<dyn Bot> {
        match self {
            Self::House(bot) => bot.build_bot(seed),
            Self::Erring(percent) => Box::new(Erring { percent, seed }),
        }
    }

    /// Returns the bot's name.
    pub fn name(self) -> BotName {
        self.to_string().parse().expect("a short word")
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::House(bot) => bot.fmt(f),
            Self::Erring(percent) => f.pad(&format!("erring-{percent}")),
        }
    }
}

/// Plays a round robin on positions drawn from the seed: 5 piles of 1 to 9 counters.
pub fn play_round_robin(
    contestants: &[Contestant],
    seats: usize,
    alliance: AllianceSource,
    positions: u64,
    seed: u64,
) -> Vec<MatchResult> {
    let settings = settings(TournamentFormat::RoundRobin, seats, alliance, positions, seed);
    play_tournament(&settings, contestants)
}

/// Returns the settings of a tournament on positions drawn from the seed: 5 piles of 1 to 9 counters.
pub fn settings(
    format: TournamentFormat,
    seats: usize,
    alliance: AllianceSource,
    positions: u64,
    seed: u64,
) -> Settings {
    let pile = |draw: &mut SeededDraw| 1 + draw.number_below(9);
    let position = |number| {
        let mut draw = SeededDraw::new(seed, number);
        Piles::parse(&[(); 5].map(|()| pile(&mut draw))).expect("piles have 1 to 9 counters")
    };
    let seats = SeatCount::new(seats).expect("there are at least 2 seats");
    let positions =
        Positions::listed((0..positions).map(position).collect()).expect("there are 1 to 1,000 positions");
    let draft = SettingsDraft::new("study".parse().expect("a title"), seats, positions, alliance);
    Settings::new(SettingsDraft { format, seed, ..draft }).expect("the settings are consistent")
}

/// Plays a tournament, one match after another.
pub fn play_tournament(settings: &Settings, contestants: &[Contestant]) -> Vec<MatchResult> {
    let field: Vec<_> = contestants.iter().map(|contestant| contestant.name()).collect();
    let mut schedule = plan_schedule(settings, &field).expect("the field is valid for these settings");
    let mut results = Vec::new();
    while let ScheduleStep::Match(pairing) = schedule.next() {
        let result = MatchResult::finished(&pairing, play_match(settings, &pairing, contestants));
        schedule.report_result(&result);
        results.push(result);
    }
    results
}

/// Plays one match of a tournament.
pub fn play_match(settings: &Settings, pairing: &Pairing, contestants: &[Contestant]) -> MatchOutcome {
    let mut bots = BySeat::from_fn(settings.seats, |seat| {
        let name = &pairing.bots[seat];
        let contestant = contestants.iter().find(|contestant| contestant.name() == *name);
        let numbers = [settings.seed, pairing.number, seat.index() as u64];
        contestant
            .expect("the field consists of the contestants")
            .build_bot(SeededDraw::from_numbers(numbers).next_bits())
    });
    let piles = settings.piles(pairing.position).expect("the pairing's position exists");
    let game = |matrix, first| {
        Game::new(piles.clone(), matrix, first, settings.ending).expect("the bot has a seat in the match")
    };
    let matrix = assigned_matrix(settings, pairing).unwrap_or_else(|| {
        let rows = BySeat::from_fn(settings.seats, |seat| {
            let before = game(AllianceMatrix::standard(settings.seats), seat.index());
            let view = MatchView::practice(&before, &[]).expect("the position has counters");
            bots[seat].declare(view.info())
        });
        AllianceMatrix::from_rows(rows).expect("there is a row for each seat")
    });
    let audit = play_game(&game(matrix, 0), &mut bots);
    MatchOutcome::of_audit(&audit, |_| None)
}

/// Plays a game to its end.
pub fn play_game(game: &Game, bots: &mut BySeat<Box<dyn Bot>>) -> Audit {
    let mut takes = Vec::new();
    while let Ok(view) = MatchView::practice(game, &takes) {
        takes.push(bots[view.seat].play(&view));
    }
    let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
    Audit::of_finished(game, &takes).expect("the game was played to its end")
}
