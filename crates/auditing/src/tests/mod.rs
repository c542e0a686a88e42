//! Tests audits of simulated tournaments with honest and colluding bots.

mod conditions;
mod partial_audits;
mod selected_takes;
mod talk;
mod trust;

use super::*;
use lastnim_core::game::{
    AllianceMatrix, BotName, BySeat, Ending, Game, MatchId, Piles, Position, Row, Seat, SeatCount,
    TournamentId,
};
use lastnim_core::oracle::{Audit, PlayedTake, Solution};
use lastnim_tournament::SeededDraw;

/// How a simulated bot plays.
#[derive(Debug, Clone, Copy)]
enum Habit {
    /// Takes a random number of counters.
    Random,
    /// Takes the whole pile.
    Greedy,
    /// Takes one counter.
    Timid,
    /// Plays optimally, except for this percentage of takes, which are random.
    Errs(u64),
    /// Takes what is best for the seat at this offset.
    PlaysFor(usize),
    /// Makes the first percentage of its takes at random, or the second percentage while its predicted rank is worse
    /// than at the start. Its other takes are optimal.
    ErrsBehind(u64, u64),
    /// Makes this percentage of its takes at random in the groups before the one with this number. All its other takes
    /// are optimal.
    Learns(u64, u64),
    /// Makes this percentage of its takes in favour of the bot with this number, or at random if that bot is not at the
    /// table. Its other takes are optimal.
    HelpsOften(u64, usize),
}

/// How a simulated bot plays, and the row that it declares; `None` for the standard row.
#[derive(Debug, Clone)]
struct SimulatedBot(Habit, Option<Vec<u64>>);

/// When simulated tournaments begin, in milliseconds since 1970.
const FIRST_MS: u64 = 1_700_000_000_000;
/// The time between two consecutive groups, in milliseconds.
const GROUP_MS: u64 = 600_000;

/// A tournament of simulated bots.
struct Field {
    bots: Vec<SimulatedBot>,
    seats: usize,
    rows: RowSource,
    seed: u64,
}

impl Field {
    /// Plays this many groups and audits all their matches.
    fn audit(&self, groups: u64, subject: AuditSubject) -> AuditFindings {
        let mut auditor = Auditor::new(subject, self.seed);
        self.play(groups, |game| auditor.add_match(game));
        auditor.finish()
    }

    fn play(&self, groups: u64, mut see: impl FnMut(&AuditedMatch<'_>)) {
        let seats = SeatCount::new(self.seats).unwrap();
        let tournament = TournamentId::new(self.seed, &[0; 10]);
        for number in 0..groups {
            let draw = &mut SeededDraw::new(self.seed, number);
            let mut order: Vec<usize> = (0..self.bots.len()).collect();
            draw.shuffle(&mut order);
            let piles: Vec<u64> = (0..=draw.number_below(3)).map(|_| 1 + draw.number_below(7)).collect();
            let drawn = BySeat::from_fn(seats, |_| {
                let mut offsets: Vec<u64> = (0..self.seats as u64).collect();
                draw.shuffle(&mut offsets);
                Row::parse(&offsets, seats).unwrap()
            });
            for rotation in 0..self.seats {
                let bots = BySeat::from_fn(seats, |seat| order[(seat.index() + rotation) % self.seats]);
                let rows = match self.rows {
                    RowSource::Assigned => drawn.clone(),
                    RowSource::Declared => bots.map(|&bot| match &self.bots[bot].1 {
                        Some(offsets) => Row::parse(offsets, seats).unwrap(),
                        None => Row::standard(seats),
                    }),
                };
                let matrix = AllianceMatrix::from_rows(rows).unwrap();
                let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::default()).unwrap();
                let takes = self.play_match(&game, &bots, number, draw);
                let id = MatchId::new(
                    FIRST_MS + number * GROUP_MS,
                    &[number.to_be_bytes().as_slice(), &[rotation as u8, 0]].concat().try_into().unwrap(),
                );
                see(&AuditedMatch {
                    id,
                    group: MatchGroup::Duplicate { tournament, number },
                    bots: &bots.map(|&bot| bot_name(bot)),
                    audit: &Audit::of_finished(&game, &takes).unwrap(),
                    game: &game,
                    rows: self.rows,
                    lost: &BySeat::filled(seats, &None),
                    versions: &[],
                    time_left_percent: &[],
                    talk: None,
                });
            }
        }
    }

    /// Plays a match, and returns its takes.
    fn play_match(
        &self,
        game: &Game,
        bots: &BySeat<usize>,
        number: u64,
        draw: &mut SeededDraw,
    ) -> Vec<PlayedTake> {
        let (solution, mut position, mut takes) = (Solution::new(game), game.first_position(), Vec::new());
        let first_winner = solution.winner(&position);
        while !position.is_over() {
            let seat = position.to_move();
            let any = 1 + draw.number_below(position.counters());
            let optimal = solution.optimal_takes(&position).smallest().unwrap();
            let helping = |other: Seat| best_for(other, game, &solution, &position);
            let take = match self.bots[bots[seat]].0 {
                Habit::Random => any,
                Habit::Greedy => position.counters(),
                Habit::Timid => 1,
                Habit::Errs(often) if draw.number_below(100) < often => any,
                Habit::PlaysFor(offset) => helping(position.seats().seat_at_offset(seat, offset)),
                Habit::HelpsOften(often, other) if draw.number_below(100) < often => {
                    let ally = bots.enumerate().find(|&(_, &bot)| bot == other);
                    ally.map_or(any, |(ally, _)| helping(ally))
                }
                Habit::ErrsBehind(ahead, behind) => {
                    let rank = |winner| game.matrix.rank(seat, winner);
                    let is_behind = rank(solution.winner(&position)) > rank(first_winner);
                    if draw.number_below(100) < if is_behind { behind } else { ahead } {
                        any
                    } else {
                        optimal
                    }
                }
                Habit::Learns(often, groups) if number < groups && draw.number_below(100) < often => any,
                Habit::Errs(_) | Habit::Learns(..) | Habit::HelpsOften(..) => optimal,
            };
            position.take(take).unwrap();
            takes.push(PlayedTake::by_bot(take));
        }
        takes
    }
}

fn best_for(seat: Seat, game: &Game, solution: &Solution, position: &Position) -> u64 {
    let best = solution.take_outcomes(position).min_by_key(|outcome| game.matrix.rank(seat, outcome.winner));
    best.unwrap().takes.lo
}

fn bot_name(bot: usize) -> BotName {
    format!("bot-{bot}").parse().unwrap()
}

/// Returns a field of honest bots with these habits at tables of `seats`. With [`DeclaredRows::Differing`], every
/// second bot declares a row that puts a certain offset first.
fn honest_field(
    habits: [Habit; 6],
    seats: usize,
    rows: RowSource,
    declared: DeclaredRows,
    seed: u64,
) -> Field {
    let row = |bot: usize| {
        let row = Row::favouring(bot % seats, SeatCount::new(seats).unwrap());
        (declared == DeclaredRows::Differing && bot % 2 == 0)
            .then(|| row.offsets().iter().map(|&o| o.into()).collect())
    };
    let bots = habits.into_iter().enumerate().map(|(bot, habit)| SimulatedBot(habit, row(bot))).collect();
    Field { bots, seats, rows, seed }
}

/// The rows that the bots of an honest field declare.
#[derive(Debug, Clone, Copy, PartialEq)]
enum DeclaredRows {
    /// Every bot declares the standard row.
    Standard,
    /// Every second bot declares another row.
    Differing,
}

const HONEST_HABITS: [[Habit; 6]; 3] = [
    [Habit::Random, Habit::Greedy, Habit::Timid, Habit::Errs(10), Habit::Errs(30), Habit::Errs(0)],
    [Habit::Greedy, Habit::Greedy, Habit::Timid, Habit::Timid, Habit::Errs(0), Habit::Random],
    [
        Habit::PlaysFor(0),
        Habit::PlaysFor(1),
        Habit::PlaysFor(2),
        Habit::Errs(20),
        Habit::Errs(0),
        Habit::Greedy,
    ],
];

const ROWS: [(RowSource, DeclaredRows); 3] = [
    (RowSource::Declared, DeclaredRows::Standard),
    (RowSource::Declared, DeclaredRows::Differing),
    (RowSource::Assigned, DeclaredRows::Standard),
];

/// Returns the number of honest tournaments with a flagged pair, and their total number.
fn count_false_flags(groups: u64, seeds: u64) -> (usize, usize) {
    let (mut flagged, mut all) = (0, 0);
    for habits in HONEST_HABITS {
        for (rows, declared) in ROWS {
            for seats in [3, 4] {
                for seed in 0..seeds {
                    let found =
                        honest_field(habits, seats, rows, declared, seed).audit(groups, AuditSubject::Field);
                    flagged += usize::from(!found.flagged_pairs().is_empty());
                    all += 1;
                }
            }
        }
    }
    (flagged, all)
}

/// Returns a field in which two bots help each other in 30% of their takes and four bots are honest.
fn colluding_field(seats: usize, rows: RowSource, seed: u64) -> Field {
    let habits = [
        Habit::HelpsOften(30, 1),
        Habit::HelpsOften(30, 0),
        Habit::Errs(20),
        Habit::Random,
        Habit::Greedy,
        Habit::Errs(10),
    ];
    Field { bots: habits.map(|habit| SimulatedBot(habit, None)).to_vec(), seats, rows, seed }
}

#[test]
fn honest_bots_are_rarely_flagged() {
    let (flagged, all) = count_false_flags(60, 1);
    assert!(flagged <= 2, "{flagged} of {all}");
}

#[test]
fn colluding_bots_are_detected_in_a_few_hundred_groups() {
    let found = colluding_field(4, RowSource::Declared, 0).audit(400, AuditSubject::Field);
    let flagged: Vec<_> =
        found.flagged_pairs().iter().map(|pair| (pair.mover.clone(), pair.other.clone())).collect();
    assert_eq!(flagged.len(), 2, "{flagged:?}");
    assert!(
        flagged.contains(&(bot_name(0), bot_name(1))) && flagged.contains(&(bot_name(1), bot_name(0))),
        "{flagged:?}"
    );
    // The audit of one of the two bots flags the same two pairs, and the tests of its own takes have the same results.
    let bot_audit = colluding_field(4, RowSource::Declared, 0).audit(400, AuditSubject::Bot(bot_name(1)));
    assert_eq!(bot_audit.bots.len(), 1);
    assert!(bot_audit.pairs.iter().all(|pair| pair.mover == bot_name(1) || pair.other == bot_name(1)));
    assert_eq!(bot_audit.flagged_pairs().len(), 2);
    for pair in bot_audit.pairs.iter().filter(|pair| pair.mover == bot_name(1)) {
        let field_pair =
            found.pairs.iter().find(|other| other.mover == pair.mover && other.other == pair.other).unwrap();
        let own_figures = |pair: &PairFindings| match pair.favouritism {
            Favouritism::Tested { per_error, p_value, .. } => (per_error, p_value),
            Favouritism::Untested => panic!("{pair:?}"),
        };
        assert_eq!(own_figures(pair), own_figures(field_pair), "{} -> {}", pair.mover, pair.other);
    }
}

#[test]
#[ignore = "it plays hundreds of tournaments, which takes minutes in a release build"]
fn at_most_5_percent_of_honest_fields_are_flagged() {
    let (flagged, all) = count_false_flags(300, 10);
    println!("300 groups: {flagged} of {all} honest fields flagged");
    assert!(flagged * 20 <= all, "{flagged} of {all}");
    let (flagged, all) = count_false_flags(3_000, 2);
    println!("3,000 groups: {flagged} of {all} honest fields flagged");
    assert!(flagged * 20 <= all, "{flagged} of {all}");
    for (seats, rows) in [3, 4]
        .into_iter()
        .flat_map(|seats| [RowSource::Declared, RowSource::Assigned].map(|rows| (seats, rows)))
    {
        for groups in [200, 400, 800] {
            let found: usize = (0..5)
                .map(|seed| colluding_field(seats, rows, seed).audit(groups, AuditSubject::Field))
                .map(|found| {
                    let colluders = [bot_name(0), bot_name(1)];
                    let both = |pair: &&&PairFindings| {
                        colluders.contains(&pair.mover) && colluders.contains(&pair.other)
                    };
                    found.flagged_pairs().iter().filter(both).count()
                })
                .sum();
            println!("{groups} groups at tables of {seats}, rows {rows:?}: {found} of 10 directions found");
        }
    }
}

#[test]
fn the_order_of_matches_does_not_matter() {
    let field = honest_field(HONEST_HABITS[0], 4, RowSource::Declared, DeclaredRows::Differing, 7);
    let mut forward = Auditor::new(AuditSubject::Field, 5);
    field.play(12, |game| forward.add_match(game));
    // Each rotation is added for all groups before the next rotation, so no two matches of a group are consecutive.
    let mut interleaved = Auditor::new(AuditSubject::Field, 5);
    for rotation in (0..4).rev() {
        let mut number = 0;
        field.play(12, |game| {
            if number % 4 == rotation {
                interleaved.add_match(game);
            }
            number += 1;
        });
    }
    assert_eq!(forward.finish(), interleaved.finish());
}

#[test]
fn figures_and_ledger_agree_with_the_audits_of_the_matches() {
    let field = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Standard, 3);
    let (mut auditor, mut audits) = (Auditor::new(AuditSubject::Field, 1), Vec::new());
    field.play(20, |game| {
        auditor.add_match(game);
        audits.push((game.bots.clone(), game.audit.clone()));
    });
    let found = auditor.finish();
    assert_eq!((found.matches, found.groups), (60, GroupCount::Exactly(20)));
    for bot in &found.bots {
        let seats = || {
            audits.iter().filter_map(|(bots, audit)| {
                let (seat, _) = bots.enumerate().find(|&(_, name)| *name == bot.bot)?;
                Some((seat, audit))
            })
        };
        let (matches, figures) = (seats().count() as u64, &bot.figures);
        assert_eq!(figures.matches, matches);
        assert_eq!(figures.wins, seats().filter(|(seat, audit)| audit.winner == *seat).count() as u64);
        assert_eq!(
            figures.regret,
            seats().map(|(seat, audit)| u64::from(audit.seats[seat].regret)).sum::<u64>()
        );
        let (plies, optimal) = seats().fold((0, 0), |(plies, optimal), (seat, audit)| {
            (plies + u64::from(audit.seats[seat].plies), optimal + u64::from(audit.seats[seat].optimal_plies))
        });
        assert_eq!((figures.plies, figures.optimal_plies), (plies, optimal));
        assert!((figures.accuracy.unwrap().value - optimal as f64 / plies as f64).abs() < 1e-12);
        let satisfaction: f64 = seats().map(|(seat, audit)| audit.seats[seat].satisfaction).sum();
        assert!((figures.satisfaction.unwrap().value - satisfaction / matches as f64).abs() < 1e-6);
        let luck: i32 = seats().map(|(seat, audit)| audit.seats[seat].luck).sum();
        assert!((figures.luck_per_match.unwrap().value - f64::from(luck) / matches as f64).abs() < 1e-12);
        let phase_plies: u64 = figures.by_phase.iter().map(|slice| slice.plies).sum();
        let pile_plies: u64 = figures.by_live_piles.iter().map(|slice| slice.plies).sum();
        assert_eq!([phase_plies, pile_plies], [plies; 2]);
    }
    for pair in &found.pairs {
        let entries = audits.iter().filter_map(|(bots, audit)| {
            let seat = |bot: &BotName| bots.enumerate().find(|&(_, name)| name == bot).map(|(seat, _)| seat);
            Some(i64::from(audit.ledger[seat(&pair.mover)?][seat(&pair.other)?]))
        });
        assert_eq!(pair.ledger_entry(), entries.sum::<i64>(), "{} -> {}", pair.mover, pair.other);
    }
}

#[test]
fn takes_reveal_which_row_a_bot_plays_for() {
    let found = honest_field(HONEST_HABITS[2], 3, RowSource::Declared, DeclaredRows::Standard, 11)
        .audit(60, AuditSubject::Field);
    let preference = |bot: usize| &found.bots[bot].preferences[0];
    let [own, of_another, optimal] = [0, 1, 4].map(preference);
    for honest in [own, optimal] {
        assert_eq!(honest.rows[0].row, Row::standard(honest.seats));
        assert_eq!(honest.rows[0].optimal_plies, honest.rows[0].plies);
        assert_eq!(honest.rows[0].agreement, Some(1.0));
        assert!(matches!(&honest.rationalisable_rows, RationalisableCount::Counted { .. }), "{honest:?}");
        assert!(honest.explained.as_ref().unwrap().rows.at_least() >= 1, "{honest:?}");
    }
    // This bot plays for the seat at offset 1, which prefers itself, then the seat at offset 2, then the bot's own
    // seat.
    assert_eq!(of_another.best_fit.as_ref().unwrap().row.to_string(), "1 2 0");
    assert!(of_another.rows[0].agreement.unwrap() < 0.9);
    assert_eq!(
        of_another.rationalisable_rows,
        RationalisableCount::Counted { rows: 1, example: of_another.best_fit.as_ref().unwrap().row.clone() }
    );
    let random = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Standard, 11)
        .audit(60, AuditSubject::Bot(bot_name(0)));
    let random = &random.bots[0].preferences[0];
    assert!(matches!(&random.rationalisable_rows, RationalisableCount::Contradicted { .. }));
    let explained = random.explained.as_ref().unwrap();
    assert_eq!((explained.rows.at_least(), explained.left_out), (0, 0));
}

#[test]
fn takes_for_assigned_rows_are_counted_by_places_in_the_row() {
    let found = honest_field(HONEST_HABITS[2], 3, RowSource::Assigned, DeclaredRows::Standard, 11)
        .audit(60, AuditSubject::Field);
    let [own, of_another, optimal] = [0, 1, 4].map(|bot| &found.bots[bot].preferences[0]);
    for follows in [own, optimal] {
        // The takes follow the assigned row, whatever it is. Winners are places in that row, so the standard row fits.
        assert_eq!(follows.rows.len(), 1);
        assert_eq!(follows.rows[0].row, Row::standard(follows.seats));
        assert_eq!((follows.source, follows.rows[0].agreement), (RowSource::Assigned, Some(1.0)));
        assert_eq!(follows.best_fit.as_ref().unwrap().row, Row::standard(follows.seats));
        assert_eq!(follows.explained, None);
    }
    assert!(own.chosen_over[0][1] > 0 && own.chosen_over[1][0] == 0, "{own:?}");
    assert!(of_another.rows[0].agreement.unwrap() < 0.9, "{of_another:?}");
    let matches: u64 = own.rows.iter().map(|row| row.matches).sum();
    assert_eq!(matches, found.bots[0].figures.matches);
}

#[test]
fn puzzles_are_errors_in_distinct_positions() {
    let found = honest_field(HONEST_HABITS[0], 4, RowSource::Assigned, DeclaredRows::Standard, 2)
        .audit(40, AuditSubject::Bot(bot_name(0)));
    let puzzles = &found.bots[0].puzzles;
    assert_eq!(puzzles.len(), DEFAULT_PUZZLES);
    assert!(puzzles.is_sorted_by_key(|puzzle| std::cmp::Reverse((puzzle.regret, puzzle.harm))));
    let rows =
        puzzles.iter().map(|puzzle| (&puzzle.piles, &puzzle.matrix[puzzle.seat], puzzle.optimal_takes));
    let rows: Vec<_> = rows.collect();
    assert!((1..rows.len()).all(|at| !rows[..at].contains(&rows[at])), "{rows:?}");
    for puzzle in puzzles {
        let piles = Piles::parse(&puzzle.piles).unwrap();
        let game = Game::new(piles, puzzle.matrix.clone(), puzzle.seat.index(), puzzle.ending).unwrap();
        let (solution, mut position) = (Solution::new(&game), game.first_position());
        assert_eq!(solution.optimal_takes(&position), puzzle.optimal_takes);
        assert_eq!(solution.winner(&position), puzzle.winner_if_optimal);
        assert_eq!(puzzle.bots[puzzle.seat], bot_name(0));
        position.take(puzzle.take).unwrap();
        assert_eq!(solution.winner(&position), puzzle.winner_after);
    }
    let kingmaking = &found.bots[0].kingmaking;
    assert!(kingmaking.plies > 0 && kingmaking.examples.len() <= MAX_EXAMPLES);
}

#[test]
fn pairs_with_two_seats_are_untested_because_no_third_seat_plays() {
    let found = honest_field(HONEST_HABITS[0], 2, RowSource::Assigned, DeclaredRows::Standard, 2)
        .audit(40, AuditSubject::Field);
    assert!(found.pairs.iter().all(|pair| pair.favouritism == Favouritism::Untested));
    for pair in &found.pairs {
        let why = if pair.errors == 0 { UntestedReason::NoErrors } else { UntestedReason::NoThirdSeat };
        assert_eq!(pair.untested_reason(), Some(why), "{} -> {}", pair.mover, pair.other);
    }
    assert!(found.bots.iter().all(|bot| bot.kingmaking.plies == 0));
}

#[test]
fn untested_pairs_have_a_reason() {
    let found = honest_field(HONEST_HABITS[1], 3, RowSource::Assigned, DeclaredRows::Standard, 2)
        .audit(9, AuditSubject::Field);
    let few = |pair: &PairFindings| {
        matches!(pair.untested_reason(), Some(UntestedReason::TooFewGroups { groups: 1..10 }))
    };
    assert!(found.pairs.iter().any(few));
    // Bots 0 and 2 declare the same row, and bot 1 declares a different one.
    let rows = [vec![0, 1, 2], vec![0, 2, 1], vec![0, 1, 2]];
    let bots = rows.map(|row| SimulatedBot(Habit::Random, Some(row))).to_vec();
    let found = Field { bots, seats: 3, rows: RowSource::Declared, seed: 4 }.audit(120, AuditSubject::Field);
    let why = |mover: usize, other: usize| {
        let pair =
            found.pairs.iter().find(|pair| pair.mover == bot_name(mover) && pair.other == bot_name(other));
        pair.unwrap().untested_reason()
    };
    assert_eq!([why(0, 1), why(0, 2), why(2, 1)], [Some(UntestedReason::NoOtherOfTheSameRow); 3]);
    assert_eq!([why(1, 0), why(1, 2)], [None; 2]);
}

#[test]
fn a_field_audit_covers_a_limited_number_of_bots() {
    let bots: Vec<_> = (0..MAX_FIELD_BOTS + 5).map(|_| SimulatedBot(Habit::Timid, None)).collect();
    let field = Field { bots, seats: 3, rows: RowSource::Assigned, seed: 4 };
    let found = field.audit(120, AuditSubject::Field);
    assert_eq!((found.bots.len(), found.matches), (MAX_FIELD_BOTS, 360));
    assert!(found.crowded_out > 0);
    let seats: u64 = found.bots.iter().map(|bot| bot.figures.matches).sum();
    assert_eq!(seats + found.crowded_out, 3 * 360);
}
