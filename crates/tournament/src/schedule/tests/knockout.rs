//! Tests the guarantees of knockouts.

use super::schedule_simulation::{random_result, strongest_wins};
use super::*;
use crate::{
    AllianceSource, MatchResult, Pairing, Rulings, SeatLoss, SeatResult, Settings, Standings, TableGroups,
    TieBreak, TournamentFormat, TournamentState,
};
use lastnim_core::game::{BotName, Seat};
use proptest::prelude::*;
use std::collections::HashSet;

fn knockout_settings(seats: usize, advance: usize) -> Settings {
    settings(seats, 2, TournamentFormat::Knockout { advance, table_groups: TableGroups::ONE })
}

/// A bot and its place in a knockout.
#[derive(Debug)]
struct PlacedBot {
    bot: BotName,
    place: u32,
    lucky_in: Vec<u64>,
    knocked_out_in: Option<u64>,
    tie_break: Option<TieBreak>,
}

/// Returns the bots in the order of the verdict, with the places that the standings give them.
fn placed_bots(played: &ScheduleSimulation) -> Vec<PlacedBot> {
    let verdict = played.schedule.format_verdict();
    let FormatVerdict::Knockout(bots) = &verdict else {
        panic!("a knockout's verdict says how far each bot got")
    };
    let mut standings = Standings::new(&played.settings, bots.iter().map(|each| &each.bot));
    played.results.iter().for_each(|result| standings.add_result(result));
    let mut lines = standings.lines(TournamentState::Finished);
    Rulings::default().rank_standings(&mut lines, &verdict);
    assert!(lines.is_sorted_by_key(|line| line.place), "{lines:?}");
    let place = |bot: &BotName| lines.iter().find(|line| line.bot == *bot).unwrap().place;
    let all = bots.iter().map(|KnockoutBot { bot, lucky_in, exit }| PlacedBot {
        bot: bot.clone(),
        place: place(bot),
        lucky_in: lucky_in.clone(),
        knocked_out_in: exit.map(|exit| exit.round),
        tie_break: exit.and_then(|exit| exit.tie_break),
    });
    all.collect()
}

#[test]
fn eight_bots_play_three_rounds() {
    let mut played = ScheduleSimulation::new(&knockout_settings(2, 1), &field(8));
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(14));
    assert!(
        placed_bots(&played).iter().all(|place| place.place == 1 && place.knocked_out_in.is_none()),
        "every bot is still in the knockout"
    );
    played.play(&strongest_wins, 3, usize::MAX, 1);
    let places = placed_bots(&played);
    assert_eq!((places[0].bot.as_str(), places[0].place, places[0].knocked_out_in), ("bot0", 1, None));
    let rounds: Vec<_> = places.iter().map(|place| (place.place, place.knocked_out_in)).collect();
    let expected = [(1, None), (2, Some(2)), (3, Some(1)), (3, Some(1))];
    assert_eq!(rounds[..4], expected);
    assert_eq!(rounds[4..], [(5, Some(0)); 4]);
}

#[test]
fn the_best_losers_fill_the_final() {
    // There are three tables of four. The three winners and the best second advance.
    let mut played = ScheduleSimulation::new(&knockout_settings(4, 1), &field(12));
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(4 * 4));
    played.play(&strongest_wins, 1, usize::MAX, 1);
    let places = placed_bots(&played);
    assert_eq!(places[0].bot.as_str(), "bot0");
    assert_eq!(places.iter().filter(|place| place.knocked_out_in == Some(1)).count(), 3);
    let lucky: Vec<_> = places.iter().filter(|place| !place.lucky_in.is_empty()).collect();
    assert!(lucky.len() == 1 && lucky[0].lucky_in == [0] && lucky[0].place <= 4, "{lucky:?}");
}

#[test]
fn a_no_show_does_not_advance_as_the_best_loser() {
    // There are two tables of five, and five bots advance, including one of the two bots in third place. At one table,
    // three bots are no-shows; at the other, all bots attend, and all but the winner err.
    let thirds = |pairing: &Pairing| {
        let mut result = strongest_wins(pairing);
        let mut order: Vec<_> = pairing.bots.iter().collect();
        order.sort_unstable();
        let seats = &mut result.outcome.as_mut().unwrap().seats;
        for (seat, bot) in pairing.bots.enumerate() {
            let rank = order.iter().position(|each| *each == bot).unwrap() as u32;
            (seats[seat].rank_actual, seats[seat].plies) = (if rank == 0 { 0 } else { 4 }, 1);
            if pairing.number >= 5 {
                seats[seat].regret = rank;
            } else if rank > 1 {
                (seats[seat].plies, seats[seat].lost) = (0, Some(SeatLoss::NoShow));
            }
        }
        result
    };
    let mut played = ScheduleSimulation::new(&knockout_settings(5, 1), &field(10));
    played.play(&thirds, 1, 11, 1);
    let absent: HashSet<_> = played.results[..5]
        .iter()
        .flat_map(|result| {
            let seats = &result.outcome.as_ref().unwrap().seats;
            result.bots.enumerate().filter(|(seat, _)| seats[*seat].lost.is_some()).map(|(_, bot)| bot)
        })
        .collect();
    assert_eq!(absent.len(), 3);
    assert!(played.played[&10].bots.iter().all(|bot| !absent.contains(bot)), "{:?}", played.played[&10]);
}

#[test]
fn ties_are_broken_by_lot() {
    let field = field(16);
    let mut champions = HashSet::new();
    for seed in 0..20 {
        let plain = knockout_settings(2, 1);
        let settings = Settings::new(crate::SettingsDraft { seed, ..(*plain).clone() }).unwrap();
        let mut played = ScheduleSimulation::new(&settings, &field);
        played.play(&MatchResult::cancelled, 4, usize::MAX, 1);
        let places = placed_bots(&played);
        assert_eq!(places.iter().filter(|place| place.place == 1).count(), 1);
        assert_eq!(places[1].tie_break, Some(TieBreak::Lot), "{places:?}");
        assert!(places[2..].iter().all(|place| place.tie_break == Some(TieBreak::Lot)), "{places:?}");
        champions.insert(places[0].bot.clone());
    }
    assert!(champions.len() > 5, "of 20 lots: {champions:?}");
}

#[test]
fn the_deciding_tie_break_is_reported() {
    // Each of the two bots wins once. If `errs` is true, one of them errs, which counts where rows are assigned.
    let tied = |errs: bool| {
        move |pairing: &Pairing| {
            let mut result = random_result(1)(pairing);
            let outcome = result.outcome.as_mut().unwrap();
            outcome.winner = Seat::FIRST;
            for (seat, bot) in pairing.bots.enumerate() {
                let won = seat == Seat::FIRST;
                outcome.seats[seat] = SeatResult {
                    rank_actual: u32::from(!won),
                    plies: 1,
                    regret: u32::from(errs && bot.as_str() == "bot0"),
                    ..SeatResult::default()
                };
            }
            result
        }
    };
    let (standard, declared) = (AllianceSource::Standard, AllianceSource::Declared);
    for (alliance, errs, tie_break) in [
        (standard.clone(), true, TieBreak::Regret),
        (standard, false, TieBreak::Lot),
        (declared, true, TieBreak::Lot),
    ] {
        let draft = crate::SettingsDraft { alliance, ..(*knockout_settings(2, 1)).clone() };
        let mut played = ScheduleSimulation::new(&Settings::new(draft).unwrap(), &field(2));
        played.play(&tied(errs), 1, usize::MAX, 1);
        let places = placed_bots(&played);
        assert_eq!((places[0].place, places[1].place), (1, 2));
        assert_eq!((places[0].tie_break, places[1].tie_break), (None, Some(tie_break)));
        assert!(tie_break == TieBreak::Lot || places[0].bot.as_str() == "bot1", "{places:?}");
    }
    let mut played = ScheduleSimulation::new(&knockout_settings(2, 1), &field(2));
    played.play(&strongest_wins, 1, usize::MAX, 1);
    assert_eq!(placed_bots(&played)[1].tie_break, None, "points decide");
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(40))]

    #[test]
    fn a_knockout_has_one_champion(seats in 2..6_usize, advance in 1..5_usize, more in 0..40_usize, seed: u64) {
        let settings = knockout_settings(seats, advance.min(seats - 1));
        let field = field(seats + more);
        let mut played = ScheduleSimulation::new(&settings, &field);
        played.play(&random_result(seed), 7, usize::MAX, seed);
        let places = placed_bots(&played);
        let bots: HashSet<_> = places.iter().map(|place| &place.bot).collect();
        prop_assert_eq!(bots.len(), field.len(), "every bot has a place");
        prop_assert_eq!(places.iter().filter(|place| place.place == 1).count(), 1);
        prop_assert!(places.iter().enumerate().all(|(index, place)| (place.place == 1) == (index == 0)));
        prop_assert!(places.iter().all(|place| (place.place == 1) == place.knocked_out_in.is_none()));
        // All bots of the final have different places.
        let final_places: Vec<u32> = places[..seats].iter().map(|place| place.place).collect();
        prop_assert_eq!(final_places, (1..=seats as u32).collect::<Vec<_>>());
        let last = played.played.last_key_value().unwrap().1;
        prop_assert!(places[..seats].iter().all(|place| last.bots.iter().any(|bot| *bot == place.bot)));
    }

    #[test]
    fn a_bot_that_always_wins_is_champion(seats in 2..6_usize, advance in 1..5_usize, more in 0..40_usize, seed: u64) {
        let settings = knockout_settings(seats, advance.min(seats - 1));
        let mut played = ScheduleSimulation::new(&settings, &field(seats + more));
        played.play(&strongest_wins, 7, usize::MAX, seed);
        let places = placed_bots(&played);
        prop_assert_eq!(places[0].bot.as_str(), "bot0");
    }
}
