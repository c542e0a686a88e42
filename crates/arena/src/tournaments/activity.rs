//! The current activity in a tournament: connected and awaited bots, open matches, and time left.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::match_table::OpenMatch;
use crate::matches::shard::AnnouncedMatch;
use crate::tournaments::longest_match::longest_match;
use crate::tournaments::tournament_handle::TournamentHandle;
use crate::tournaments::tournament_view::TournamentView;
use lastnim_core::game::{BotName, MatchId, Seat, TournamentId};
use lastnim_core::referee::{MatchSetup, Timestamp};
use lastnim_store::MatchSummary;
use lastnim_tournament::{FormatCourse, TournamentState};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The maximum length of each list.
pub const MAX_LISTED_ACTIVITY: usize = 100;

/// The activity in an unfinished tournament. Lists have at most [`MAX_LISTED_ACTIVITY`] items; counts are complete.
#[derive(Debug, Clone, Default)]
pub struct TournamentActivity {
    /// The number of its bots with a session.
    pub connected: usize,
    /// Its bots without a session.
    pub absent: Vec<BotName>,
    /// The number of these.
    pub absent_count: usize,
    /// Open matches, the longest waiting first.
    pub matches: Vec<OpenMatchView>,
    /// The number of these.
    pub match_count: usize,
    /// Bots that matches wait for, the longest awaited first.
    pub awaited: Vec<AwaitedBot>,
    /// The number of these.
    pub awaited_count: usize,
    /// The time that the tournament may still take; `None` before the start, and if it is open-ended.
    pub time_left: Option<TimeLeft>,
}

/// An open match.
#[derive(Debug, Clone)]
pub struct OpenMatchView {
    /// Its summary.
    pub summary: MatchSummary,
    /// The seats that it waits for.
    pub awaited: Vec<Seat>,
    /// How long it has waited for them, and how much time they have left; `None` while no clock runs.
    pub waited_and_left: Option<(Duration, Duration)>,
    /// Whether the organiser has paused it.
    pub is_frozen: bool,
}

/// A bot that matches wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedBot {
    /// The bot.
    pub bot: BotName,
    /// Whether it has a session.
    pub is_connected: bool,
    /// The number of matches that wait for it.
    pub matches: usize,
    /// The longest time that one of them has waited.
    pub waited: Duration,
}

/// The time that a tournament may still take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeLeft {
    /// Unfinished matches, begun or not; the maximum if results decide their number.
    pub matches: u64,
    /// The number of matches that have ended since this server took over the tournament, and the time for them without
    /// pauses; `None` before the first end.
    pub pace: Option<(u64, Duration)>,
    /// The maximum time for the matches according to their clocks.
    pub longest: Duration,
}

impl TimeLeft {
    /// Returns the remaining time at the pace so far.
    pub fn estimate(&self) -> Option<Duration> {
        let (ended, took) = self.pace?;
        let micros = took.as_micros().saturating_mul(self.matches.into()) / u128::from(ended);
        Some(Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)))
    }
}

/// An open match with its state.
struct ObservedMatch {
    id: MatchId,
    open: OpenMatch,
    view: AnnouncedMatch,
    waited: Duration,
}

impl Arena {
    /// Returns the activity in a tournament, at most a fraction of a second old; `None` if it is over. Matches are not
    /// delayed, and their states are read at most a few times a second.
    ///
    /// # Errors
    /// If no tournament has this id, or the store cannot be read.
    pub async fn tournament_activity(
        &self,
        id: TournamentId,
    ) -> Result<Option<Arc<TournamentActivity>>, ArenaError> {
        let Some(handle) = self.live_tournament(id) else {
            return self.tournament(id).await.map(|_| None);
        };
        let view = handle.view();
        let look = || self.observe_tournament(&handle, &view);
        Ok((!view.stored.state.is_over()).then(|| handle.recent_activity(look)))
    }

    /// Returns the seats that a match waits for, as last announced; `None` if it is not open.
    pub fn open_match_view(&self, id: MatchId) -> Option<OpenMatchView> {
        let open = self.open_match(id)?;
        let view = open.handle.view()?;
        let observed = ObservedMatch { id, open, view, waited: Duration::ZERO };
        Some(open_match_view(&observed, self.now()))
    }

    fn observe_tournament(&self, handle: &TournamentHandle, view: &TournamentView) -> TournamentActivity {
        let now = self.now();
        let limit = MAX_LISTED_ACTIVITY;
        let mut absent: Vec<_> =
            view.stored.field.iter().filter(|bot| !self.is_connected(bot)).cloned().collect();
        let absent_count = absent.len();
        absent.truncate(limit);
        let mut open = self.observe_matches(view.stored.id, now);
        open.sort_unstable_by_key(|open| (Reverse(open.waited), open.id));
        let (awaited_count, awaited) = self.awaited_bots(&open, limit);
        TournamentActivity {
            connected: view.stored.field.len() - absent_count,
            absent,
            absent_count,
            match_count: open.len(),
            matches: open.iter().take(limit).map(|open| open_match_view(open, now)).collect(),
            awaited,
            awaited_count,
            time_left: time_left(handle, view, now),
        }
    }

    fn is_connected(&self, bot: &BotName) -> bool {
        self.inner.roster.existing_presence(bot).is_some_and(|presence| presence.is_connected())
    }

    /// Reads the states of a tournament's open matches.
    fn observe_matches(&self, id: TournamentId, now: Timestamp) -> Vec<ObservedMatch> {
        let is_of_it =
            |setup: &MatchSetup| setup.origin.as_ref().is_some_and(|origin| origin.tournament == id);
        let of_it: Vec<(MatchId, OpenMatch)> = {
            let matches = self.inner.matches.read();
            let of_it = matches.iter().filter(|(_, open)| is_of_it(&open.setup));
            of_it.map(|(&id, open)| (id, open.clone())).collect()
        };
        let observed = |(id, open): (MatchId, OpenMatch)| {
            let view = open.handle.view()?;
            let waited = view.awaited.waited_and_left(now).map_or(Duration::ZERO, |(waited, _)| waited);
            Some(ObservedMatch { id, open, view, waited })
        };
        of_it.into_iter().filter_map(observed).collect()
    }

    /// Returns the number of bots that these matches wait for, and the longest awaited ones.
    fn awaited_bots(&self, open: &[ObservedMatch], limit: usize) -> (usize, Vec<AwaitedBot>) {
        let mut by_bot: HashMap<&BotName, (usize, Duration)> = HashMap::new();
        for ObservedMatch { open, view, waited, .. } in open {
            let seated = open.setup.bots.enumerate();
            for (_, bot) in seated.filter(|&(seat, _)| view.awaited.contains(seat)) {
                let (matches, longest) = by_bot.entry(bot).or_default();
                *matches += 1;
                *longest = (*longest).max(*waited);
            }
        }
        let mut longest_first: Vec<_> = by_bot.into_iter().collect();
        let count = longest_first.len();
        longest_first.sort_unstable_by_key(|&(bot, (_, waited))| (Reverse(waited), bot));
        longest_first.truncate(limit);
        let awaited = longest_first.into_iter().map(|(bot, (matches, waited))| AwaitedBot {
            bot: bot.clone(),
            is_connected: self.is_connected(bot),
            matches,
            waited,
        });
        (count, awaited.collect())
    }
}

fn open_match_view(open: &ObservedMatch, now: Timestamp) -> OpenMatchView {
    let awaited = &open.view.awaited;
    OpenMatchView {
        summary: open.open.summary_of_view(open.id, open.view.clone()),
        awaited: open.open.setup.seats().iter().filter(|&seat| awaited.contains(seat)).collect(),
        waited_and_left: awaited.waited_and_left(now),
        is_frozen: awaited.frozen_at.is_some(),
    }
}

/// Returns the time that a tournament may still take; `None` before the start, if it is open-ended, and for ladders,
/// which may wait for bots.
fn time_left(handle: &TournamentHandle, view: &TournamentView, now: Timestamp) -> Option<TimeLeft> {
    let stored = &view.stored;
    let settings = &stored.settings;
    let is_bounded = stored.state == TournamentState::Running && view.total > 0;
    if !is_bounded || settings.format.has_open_field() {
        return None;
    }
    let matches = view.total.saturating_sub(view.played);
    // In other formats matches wait for each other: for the last match of a round, and for bots with few concurrent
    // matches.
    let is_free = settings.format.profile().course == FormatCourse::Planned;
    let at_once =
        if is_free && settings.bot_concurrency.is_none() { settings.concurrency.get() as u64 } else { 1 };
    let one_after_the_other = u32::try_from(matches.div_ceil(at_once)).unwrap_or(u32::MAX);
    let longest = longest_match(settings, &stored.terms).saturating_mul(one_after_the_other);
    Some(TimeLeft { matches, pace: handle.pace_so_far(now, view.played), longest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_uses_the_pace_so_far() {
        let seconds = Duration::from_secs;
        let left = |matches, pace| TimeLeft { matches, pace, longest: seconds(9) }.estimate();
        assert_eq!(left(5, None), None);
        assert_eq!(left(0, Some((3, seconds(6)))), Some(Duration::ZERO));
        assert_eq!(left(5, Some((2, seconds(6)))), Some(seconds(15)));
        assert_eq!(left(u64::MAX, Some((1, Duration::MAX))), Some(Duration::from_micros(u64::MAX)));
    }
}
