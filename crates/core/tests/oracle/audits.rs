//! Tests of audits of random games, and of the errors that audits return.

use lastnim_core::game::testing::games;
use lastnim_core::{
    game::{BySeat, Game, SeatCount},
    oracle::{
        Audit, AuditError, MAX_PLIES, Mover, PlayedTake, TakeGuarantee, TakeSafety, TakeSafetyCounts,
        reference::{BackwardInduction, MinimaxRanks},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};

fn new_game(piles: &[u64], rows: &[Vec<u64>]) -> Game {
    Game::parse(piles, rows, 0, lastnim_core::game::Ending::ToMoveWins).unwrap()
}

fn takes_by_bots(takes: &[u64]) -> Vec<PlayedTake> {
    takes.iter().map(|&take| PlayedTake::by_bot(take)).collect()
}

/// Makes the legal takes that `choices` select, until the game is over or there are no more choices.
fn play_choices(game: &Game, choices: &[(prop::sample::Index, Mover)]) -> Vec<PlayedTake> {
    let mut position = game.first_position();
    let mut takes = Vec::new();
    for (choice, mover) in choices {
        if position.is_over() {
            break;
        }
        let take = 1 + choice.index(position.counters() as usize) as u64;
        position.take(take).unwrap();
        takes.push(PlayedTake { take, mover: *mover });
    }
    takes
}

proptest! {
    #[test]
    fn the_figures_of_an_audit_agree_with_backward_induction(
        game in games(2..=8, 1..=5, 1..=12),
        choices in vec((any::<prop::sample::Index>(), select(&[Mover::Bot, Mover::Steward][..])), 60),
    ) {
        let takes = play_choices(&game, &choices);
        let seats = game.matrix.seats();
        let audit = Audit::of_finished(&game, &takes).unwrap();
        prop_assert_eq!(&audit, &Audit::of_adjudicated(&game, &takes).unwrap());

        let reference = BackwardInduction::new(&game);
        let mut position = game.first_position();
        prop_assert_eq!(audit.predicted_winner, reference.winner(&position));
        let mut ledger = vec![vec![0; seats.get()]; seats.get()];
        let mut kingmaking = Vec::new();
        let mut minimax = BySeat::from_fn(seats, |seat| MinimaxRanks::new(&game, seat));
        let mut safety = vec![TakeSafetyCounts::default(); seats.get()];
        for (number, (ply, take)) in audit.plies.iter().zip(&takes).enumerate() {
            prop_assert_eq!((ply.ply as usize, ply.seat, ply.take, ply.mover),
                (number, position.to_move(), take.take, take.mover));
            let before = reference.winner(&position);
            let sure_before = minimax[ply.seat].rank(&position);
            let mut if_optimal = usize::MAX;
            for take in reference.optimal_takes(&position) {
                let mut after = position.clone();
                after.take(take).unwrap();
                if_optimal = if_optimal.min(minimax[ply.seat].rank(&after));
            }
            let optimal = reference.optimal_takes(&position).contains(&ply.take);
            position.take(take.take).unwrap();
            let after = reference.winner(&position);
            prop_assert_eq!((ply.predicted_before, ply.predicted_after), (before, after));
            prop_assert_eq!(ply.optimal_takes.contains(ply.take), optimal);
            prop_assert_eq!(ply.is_optimal(), optimal, "regret is 0 exactly when the take is optimal");
            prop_assert_eq!(optimal, before == after);
            let sure_after = minimax[ply.seat].rank(&position);
            let TakeGuarantee { before: sure, after: left, if_optimal: optimal_left } = ply.guarantee;
            prop_assert_eq!([sure, left, optimal_left].map(|rank| rank as usize), [sure_before, sure_after, if_optimal]);
            let keeps = sure_before == sure_after;
            let guards = keeps && sure_before + 1 < seats.get();
            prop_assert_eq!(ply.safety == TakeSafety::Safe, optimal && keeps);
            prop_assert_eq!(ply.safety == TakeSafety::Risky, optimal && !keeps);
            prop_assert_eq!(ply.safety == TakeSafety::SafeError, !optimal && guards);
            if ply.mover == Mover::Bot {
                let counts = &mut safety[ply.seat.index()];
                counts.risky += u64::from(optimal && !keeps);
                counts.needless_risks += u64::from(optimal && if_optimal < sure_after);
                counts.safe_errors += u64::from(!optimal && guards);
                counts.hedges += u64::from(!optimal && guards && if_optimal > sure_before);
            }
            let mut a_third_seat_gained = false;
            for seat in seats.iter() {
                let rank = |winner| i32::try_from(game.matrix.rank(seat, winner)).unwrap();
                let cost = rank(after) - rank(before);
                ledger[ply.seat.index()][seat.index()] += cost;
                if seat == ply.seat {
                    prop_assert_eq!(i64::from(cost), i64::from(ply.regret));
                } else if cost < 0 && seats.get() > 2 {
                    a_third_seat_gained = true;
                }
            }
            if a_third_seat_gained && ply.regret > 0 {
                kingmaking.push(ply.ply);
            }
        }
        prop_assert!(position.is_over());
        prop_assert_eq!(audit.winner, game.ending.winner(position.to_move(), seats));
        prop_assert_eq!(&audit.kingmaking_plies, &kingmaking);
        let first_error = audit.plies.iter().position(|ply| ply.regret > 0);
        prop_assert_eq!(audit.first_error.map(|ply| ply as usize), first_error);

        for (seat, figures) in audit.seats.enumerate() {
            let column: Vec<i32> = ledger.iter().map(|costs| costs[seat.index()]).collect();
            prop_assert_eq!(&column, &audit.ledger.iter().map(|costs| costs[seat]).collect::<Vec<_>>());
            let lost = figures.rank_actual.cast_signed() - figures.rank_predicted.cast_signed();
            prop_assert_eq!(lost, column.iter().sum::<i32>());
            prop_assert_eq!(lost, figures.regret.cast_signed() - figures.luck);
            let own: Vec<_> =
                audit.plies.iter().filter(|ply| ply.seat == seat && ply.mover == Mover::Bot).collect();
            let optimal = own.iter().filter(|ply| ply.regret == 0).count() as u32;
            let all = own.len() as u32;
            prop_assert_eq!((figures.optimal_plies, figures.plies), (optimal, all));
            prop_assert_eq!(figures.safety, safety[seat.index()]);
            prop_assert_eq!(figures.rank_guaranteed as usize, minimax[seat].rank(&game.first_position()));
            prop_assert!(figures.rank_guaranteed >= figures.rank_predicted);
            let accuracy = (all > 0).then(|| f64::from(optimal) / f64::from(all));
            prop_assert_eq!(figures.accuracy, accuracy);
            let satisfaction = 1.0 - f64::from(figures.rank_actual) / f64::from(seats.get() as u32 - 1);
            prop_assert!((figures.satisfaction - satisfaction).abs() < 1e-12);
            prop_assert_eq!(figures.rank_actual as usize, game.matrix.rank(seat, audit.winner));
        }
    }

    #[test]
    fn optimal_play_has_no_regret_even_if_it_stops_early(
        game in games(2..=MAX_SEATS_PLAYED, 1..=5, 1..=30),
        stop in 0..60_usize,
    ) {
        let solution = lastnim_core::oracle::Solution::new(&game);
        let mut position = game.first_position();
        let mut takes = Vec::new();
        while let Some(take) = solution.optimal_takes(&position).smallest().filter(|_| takes.len() < stop) {
            position.take(take).unwrap();
            takes.push(PlayedTake::by_bot(take));
        }
        let audit = Audit::of_adjudicated(&game, &takes).unwrap();
        prop_assert_eq!(audit.winner, audit.predicted_winner);
        prop_assert_eq!(audit.first_error, None);
        prop_assert!(audit.seats.iter().all(|seat| seat.regret == 0 && seat.luck == 0));
        prop_assert_eq!(Audit::of_finished(&game, &takes).is_ok(), position.is_over());
    }
}

/// The maximum number of seats in the games that are played optimally.
const MAX_SEATS_PLAYED: usize = 12;

#[test]
fn audit_errors_name_the_problem() {
    let game = new_game(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]]);
    let refusal = |takes: &[u64]| Audit::of_finished(&game, &takes_by_bots(takes)).unwrap_err().to_string();
    assert_eq!(refusal(&[1, 2, 1]), "take 2: a take of 2 from pile 2, which has 1 left: take 1 to 1");
    assert_eq!(refusal(&[0]), "take 1: a take of 0 from pile 2, which has 2 left: take 1 to 2");
    assert_eq!(refusal(&[2, 2, 1, 1]), "take 4: a take of 1 when no counter is left: the game is over");
    assert_eq!(refusal(&[2, 1]), "the game is not over after 2 takes: pile 1 still has 1 counter");
    assert_eq!(refusal(&[]), "the game is not over after 0 takes: pile 2 still has 2 counters");
    assert!(Audit::of_adjudicated(&game, &takes_by_bots(&[2, 2, 2])).is_err());

    let adjudicated = Audit::of_adjudicated(&game, &takes_by_bots(&[2])).unwrap();
    assert_eq!((adjudicated.predicted_winner.index(), adjudicated.winner.index()), (2, 1));
    let unplayed = Audit::of_adjudicated(&game, &[]).unwrap();
    assert_eq!((unplayed.predicted_winner.index(), unplayed.winner.index()), (2, 2));
    assert!(unplayed.seats.iter().all(|seat| seat.accuracy.is_none()));
}

#[test]
fn a_ply_displays_its_verdict() {
    let game = new_game(&[1, 2, 2], &[vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]]);
    let mut takes = takes_by_bots(&[2, 1, 1, 1]);
    takes[1].mover = Mover::Steward;
    let audit = Audit::of_finished(&game, &takes).unwrap();
    assert_eq!(
        audit.plies[0].to_string(),
        "take 1: seat 0 took 2 of 2; the predicted winner changed from seat 2 to seat 1, a loss of 1 rank for seat 0; taking 1 was optimal"
    );
    assert_eq!(
        audit.plies[1].to_string(),
        "take 2: seat 1's steward took 1 of 2; that was optimal, and the predicted winner is still seat 1"
    );
    assert_eq!(audit.kingmaking_plies, [0]);
    let steward_only = &audit.seats[SeatCount::new(3).unwrap().seat(1).unwrap()];
    assert_eq!((steward_only.plies, steward_only.accuracy), (0, None));
}

#[test]
fn two_seats_have_no_kingmaking() {
    let game = new_game(&[3], &[vec![0, 1], vec![0, 1]]);
    let audit = Audit::of_finished(&game, &takes_by_bots(&[1, 2])).unwrap();
    assert_eq!(audit.first_error, Some(0));
    assert!(audit.kingmaking_plies.is_empty());
}

#[test]
fn games_up_to_the_ply_limit_are_audited() {
    let seats = SeatCount::new(32).unwrap();
    let matrix = lastnim_core::game::AllianceMatrix::standard(seats);
    let piles = lastnim_core::game::Piles::parse(&[64; 1024]).unwrap();
    let game = Game::new(piles, matrix, 31, lastnim_core::game::Ending::LastMoverWins).unwrap();
    let mut takes = takes_by_bots(&vec![1; MAX_PLIES]);
    let audit = Audit::of_finished(&game, &takes).unwrap();
    assert_eq!(audit.plies.len(), MAX_PLIES);
    takes.push(PlayedTake::by_bot(1));
    assert_eq!(Audit::of_finished(&game, &takes), Err(AuditError::TooManyPlies(MAX_PLIES + 1)));
}
