//! The hint that a new tournament may be too short to find its best bot.

use crate::runner::resolution_text;
use lastnim_bots::resolve;
use lastnim_proto::{parse_request, pb, tournament::parse_settings_and_terms};
use std::{
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

/// How long the command waits for the hint after the tournament is created. Without an answer, there is no hint.
const MAX_DELAY: Duration = Duration::from_millis(300);

/// A simulation that runs while a tournament is created.
#[derive(Debug)]
pub struct ResolutionHint(Receiver<Option<String>>);

impl ResolutionHint {
    /// Starts to simulate a tournament.
    pub fn prepare(settings: &pb::TournamentSettings) -> Self {
        let (sender, receiver) = mpsc::channel();
        let settings = settings.clone();
        // Nothing waits for this thread: a long simulation ends with the program. If nobody waits for the text, it is
        // not needed.
        thread::spawn(move || drop(sender.send(hint_text(&settings))));
        Self(receiver)
    }

    /// Waits a moment for the hint; `None` if the tournament is long enough, or the simulation takes too long.
    pub fn wait(self) -> Option<String> {
        self.0.recv_timeout(MAX_DELAY).ok().flatten()
    }
}

/// Says how often the best bot finishes first, and what it would take for 90%. Returns `None` if it finishes first in at
/// least 90% of the simulated tournaments, or nothing can be simulated.
fn hint_text(settings: &pb::TournamentSettings) -> Option<String> {
    let parsed = parse_request(|field| parse_settings_and_terms(settings, field.member("settings")));
    let (settings, _) = parsed.ok()?;
    // Until bots join, the tournament starts with no fewer than these.
    let bots = settings.start_when.unwrap_or_default().max(settings.seats.get());
    let resolution = resolve(&settings, bots).ok()?;
    let is_short = resolution.now.is_some_and(|now| !now.is_enough());
    is_short.then(|| format!("with {bots} bots, the best bot {}", resolution_text(Ok(resolution))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::tournament_settings::OtherPositions;

    fn hint(change: impl FnOnce(&mut pb::TournamentSettings)) -> Option<String> {
        let mut settings = pb::TournamentSettings {
            title: "Hint".into(),
            seats: 2,
            positions: vec![pb::Piles { counters: vec![3, 4, 5] }],
            start_when: 4,
            ..Default::default()
        };
        change(&mut settings);
        hint_text(&settings)
    }

    #[test]
    fn only_a_short_tournament_gets_a_hint() {
        let short = hint(|_| {}).unwrap();
        assert!(short.starts_with("with 4 bots, the best bot finishes first in "), "{short}");
        assert!(short.contains("; to reach 90%, the tournament needs "), "{short}");
        let drawn =
            pb::DrawnPositions { count: 40, min_piles: 3, max_piles: 5, min_counters: 1, max_counters: 9 };
        let enough = hint(|settings| {
            settings.positions.clear();
            settings.other_positions = Some(OtherPositions::DrawnPositions(drawn));
        });
        assert_eq!(enough, None);
        assert_eq!(hint(|settings| settings.seats = 1), None, "the server refuses these settings");
    }
}
