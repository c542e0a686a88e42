//! Scenarios in which the bot plays matches, and nothing goes wrong.

use crate::{
    scripted_match::{MatchPlan, RowSource},
    stage::{ScenarioResult, Stage},
};
use lastnim_core::game::{Ending, MAX_COUNTERS, MAX_PILES};

/// The maximum number of seats in a match.
const MAX_SEATS: usize = 32;
/// The number of simultaneous matches.
const MANY_MATCHES: usize = 16;

/// The bot plays matches with 2 to 32 seats, one after the other, in various seats.
pub(crate) async fn every_number_of_seats(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for seats in 2..=MAX_SEATS {
        let plan = MatchPlan::new(seats, &[3, 5, 7]).at_seat(seats * 2 / 3);
        let rows = if seats % 2 == 0 { RowSource::Assigned } else { RowSource::Declared };
        stage.play(&MatchPlan { rows, ..plan }).await?;
    }
    Ok(())
}

/// The bot plays matches of three seats under each ending, from each seat.
pub(crate) async fn both_endings(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for ending in Ending::ALL {
        for seat in 0..3 {
            let plan = MatchPlan::new(3, &[1, 4, 2, 6]).at_seat(seat);
            stage.play(&MatchPlan { ending, ..plan }).await?;
        }
    }
    Ok(())
}

/// The bot plays matches with assigned rows.
pub(crate) async fn assigned_rows(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for seats in [2, 3, 5] {
        stage.play(&MatchPlan::new(seats, &[2, 3, 4]).at_seat(seats - 1)).await?;
    }
    Ok(())
}

/// The bot plays matches in which every seat declares its own row.
pub(crate) async fn declared_rows(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for seats in [2, 3, 5, 32] {
        stage.play(&MatchPlan::new(seats, &[2, 3, 4]).at_seat(1).declared()).await?;
    }
    Ok(())
}

/// The bot plays matches in which a private row is dealt to every seat.
pub(crate) async fn dealt_rows(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for seats in [2, 3, 5, 32] {
        stage.play(&MatchPlan::new(seats, &[2, 3, 4]).at_seat(1).dealt()).await?;
    }
    Ok(())
}

/// The bot plays matches in which seats can talk before they declare.
pub(crate) async fn talk_before_declaring(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    for seats in [2, 3, 5, 32] {
        stage.play(&MatchPlan::new(seats, &[2, 3, 4]).at_seat(1).with_talk()).await?;
    }
    Ok(())
}

/// The bot plays matches whose piles have sizes near the limits of number types, and matches with the maximum number
/// of piles.
pub(crate) async fn large_piles(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let above_double = (1_u64 << 53) + 3;
    let around_bounds = [
        vec![MAX_COUNTERS],
        vec![MAX_COUNTERS - 2, MAX_COUNTERS - 1],
        vec![above_double],
        vec![1, (1 << 31) + 1, (1 << 32) + 1],
        vec![3, above_double, MAX_COUNTERS - 5],
        vec![1; MAX_PILES],
    ];
    for piles in around_bounds {
        for seat in 0..2 {
            let plan = MatchPlan::new(2, &piles).at_seat(seat);
            stage.play(&MatchPlan { max_plies: 40, ..plan }).await?;
        }
    }
    Ok(())
}

/// The bot plays many matches of various sizes at the same time.
pub(crate) async fn many_matches(stage: &mut Stage) -> ScenarioResult {
    stage.join().await?;
    let plan = |number: usize| {
        let seats = 2 + number % 4;
        let plan = MatchPlan::new(seats, &[3, 1 + number as u64, 5]).at_seat(number % seats);
        if number.is_multiple_of(3) { plan.declared() } else { plan }
    };
    let mut matches: Vec<_> = (0..MANY_MATCHES).map(|number| stage.begin(&plan(number))).collect();
    stage.play_out(&mut matches).await
}
