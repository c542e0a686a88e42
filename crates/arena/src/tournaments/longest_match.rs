//! The maximum duration of a match according to its clocks.

use lastnim_core::game::Piles;
use lastnim_core::referee::Terms;
use lastnim_tournament::{Positions, Settings};
use std::time::Duration;

/// Returns the maximum duration of a match by its clocks: the rounds of talk, the declaration time, the banks of all
/// seats with their full lag compensation, and the increment for every ply. There are at most as many plies as
/// counters, because each take removes at least one. Stalls of the server, writes to the store and pauses by the
/// organiser stop the clocks, so they are not included.
pub(crate) fn longest_match(settings: &Settings, terms: &Terms) -> Duration {
    let clock = &terms.clock;
    let most_counters = match &settings.positions {
        Positions::Drawn(drawn) => (drawn.pile_range().1 as u64).saturating_mul(drawn.counter_range().1),
        Positions::Listed(_) | Positions::Paper => {
            let positions = (0..settings.positions.count()).filter_map(|position| settings.piles(position));
            positions.map(|piles| counters_of(&piles)).max().unwrap_or(0)
        }
    };
    let plies = u32::try_from(most_counters).unwrap_or(u32::MAX).min(terms.max_plies);
    let seats = u32::try_from(settings.seats.get()).unwrap_or(u32::MAX);
    let banks = (clock.initial + clock.lag_total).saturating_mul(seats);
    let declaring = if settings.alliance.is_declared() { clock.declaration } else { Duration::ZERO };
    let talk = terms.talk.map_or(Duration::ZERO, |talk| talk.round_time * talk.rounds);
    talk.saturating_add(declaring).saturating_add(banks).saturating_add(clock.increment.saturating_mul(plies))
}

fn counters_of(piles: &Piles) -> u64 {
    piles.as_slice().iter().fold(0, |sum, counters| sum.saturating_add(*counters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{BySeat, MatchId};
    use lastnim_core::referee::{
        Clock, MatchPhase, MatchSetup, Referee, RefereeInput, SeatAction, TalkTerms, Timestamp,
    };
    use lastnim_proto::tournament::parse_settings;
    use lastnim_proto::{parse_request, pb};

    fn settings(seats: u32, positions: u64, alliance: pb::AllianceMode) -> Settings {
        let settings = pb::TournamentSettings {
            title: "a test".into(),
            seats,
            positions: (1..=positions).map(|pile| pb::Piles { counters: vec![pile, 2] }).collect(),
            alliance: alliance.into(),
            ..Default::default()
        };
        parse_request(|field| parse_settings(&settings, field)).unwrap()
    }

    /// Plays a slow match in which each take removes one counter, and returns its duration.
    fn slowest(settings: &Settings, terms: &Terms, position: usize) -> Duration {
        let bots: Vec<_> =
            (0..settings.seats.get()).map(|bot| format!("bot-{bot}").parse().unwrap()).collect();
        let piles = settings.piles(position).unwrap();
        let setup = MatchSetup { terms: terms.clone(), ..MatchSetup::new(bots.try_into().unwrap(), piles) };
        let (began, present) = (Timestamp::from_micros(1), BySeat::filled(setup.seats(), &true));
        let (mut referee, _) = Referee::begin(MatchId::least(), setup, present, began);
        let mut now = began;
        while referee.record().state().phase() != MatchPhase::Ended {
            referee.mark_effects_announced(now);
            let due = referee.deadline().unwrap();
            let state = referee.record().state();
            let (seat, ply) = (state.position().to_move(), state.ply());
            let take = RefereeInput::Act { seat, action: SeatAction::take(ply, 1, None) };
            let input = match state.phase() {
                MatchPhase::Talking | MatchPhase::Declaring => RefereeInput::Tick,
                // Every third take comes at the last moment. The others come at once, so that their increments are used
                // later.
                _ if ply % 3 == 0 => {
                    now = Timestamp::from_micros(due.as_micros() - 1).max(now);
                    take
                }
                _ => take,
            };
            if input == RefereeInput::Tick {
                now = due;
            }
            referee.set_lag(seat, Duration::from_millis(70));
            let _ = referee.handle_input(input, now);
        }
        now.since(began)
    }

    #[test]
    fn no_match_lasts_longer_than_predicted() {
        let settings = settings(3, 4, pb::AllianceMode::Declared);
        let ms = Duration::from_millis;
        for (initial, increment, max_plies) in [(900, 0, 9_999), (50, 40, 9_999), (1, 500, 3), (2_000, 1, 7)]
        {
            let clock = Clock { initial: ms(initial), increment: ms(increment), ..Clock::default() };
            let talk = Some(TalkTerms { round_time: ms(700), ..TalkTerms::default() });
            let terms = Terms { clock, max_plies, talk, ..Terms::default() };
            let longest = longest_match(&settings, &terms);
            for position in 0..settings.positions.count() {
                let lasted = slowest(&settings, &terms, position);
                assert!(lasted <= longest, "{lasted:?} of {longest:?}");
                assert!(
                    lasted >= ms(1_400) + terms.clock.declaration + ms(initial),
                    "{lasted:?} of {longest:?}"
                );
            }
        }
    }

    #[test]
    fn huge_times_saturate() {
        let settings = settings(2, 1, pb::AllianceMode::Standard);
        let clock = Clock { increment: Duration::MAX, ..Clock::default() };
        let terms = Terms { clock, max_plies: u32::MAX, ..Terms::default() };
        assert_eq!(longest_match(&settings, &terms), Duration::MAX);
    }
}
