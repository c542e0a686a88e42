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
use lastnim_tournament::{SchedulingMode, TournamentState};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of items in each list of a [`TournamentActivity`].
pub const MAX_LISTED_ACTIVITY: usize = 100;

/// The activity in an unfinished tournament. Each list has at most [`MAX_LISTED_ACTIVITY`] items, but the counts
/// include everything.
#[derive(Debug, Clone, Default)]
pub struct TournamentActivity {
    /// The number of the tournament's bots that have a session. Bots that have withdrawn are not counted.
    pub connected: usize,
    /// The tournament's bots that have no session, without those that have withdrawn.
    pub absent: Vec<BotName>,
    /// The number of the tournament's bots that have no session, without those that have withdrawn.
    pub absent_count: usize,
    /// The open matches; those that have waited longest come first.
    pub matches: Vec<OpenMatchView>,
    /// The number of open matches.
    pub match_count: usize,
    /// The bots that matches are waiting for; those awaited longest come first.
    pub awaited: Vec<AwaitedBot>,
    /// The number of bots that matches are waiting for.
    pub awaited_count: usize,
    /// How much longer the tournament may take; `None` before it starts, if it is open-ended, and for ladders.
    pub time_left: Option<TimeLeft>,
}

/// An open match.
#[derive(Debug, Clone)]
pub struct OpenMatchView {
    /// The match's summary.
    pub summary: MatchSummary,
    /// The seats that the match is waiting for.
    pub awaited: Vec<Seat>,
    /// How long the match has waited for these seats, and how much time they have left; `None` while no clock runs.
    pub elapsed_and_remaining: Option<(Duration, Duration)>,
    /// Whether the organiser has paused the match.
    pub is_frozen: bool,
}

/// A bot that one or more matches are waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedBot {
    /// The bot.
    pub bot: BotName,
    /// Whether the bot has a session.
    pub is_connected: bool,
    /// The number of matches that are waiting for the bot.
    pub matches: usize,
    /// How long the bot has kept a match waiting; the maximum if several matches are waiting for it.
    pub waited: Duration,
}

/// How much longer a tournament may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeLeft {
    /// The number of unfinished matches, including those that have not begun; the maximum number if it depends on
    /// results.
    pub matches: u64,
    /// The number of matches that have ended since this server took over the tournament, and how long they took, not
    /// counting pauses; `None` until a match has ended.
    pub pace: Option<(u64, Duration)>,
    /// The longest time that the unfinished matches can take by their clocks.
    pub longest: Duration,
}

impl TimeLeft {
    /// Estimates the remaining time from the pace so far; returns `None` until a match has ended.
    pub fn estimate(&self) -> Option<Duration> {
        let (ended, took) = self.pace?;
        let micros = took.as_micros().saturating_mul(self.matches.into()) / u128::from(ended);
        Some(Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)))
    }
}

/// An open match, with the state that it last announced.
struct ObservedMatch {
    id: MatchId,
    open: OpenMatch,
    view: AnnouncedMatch,
    waited: Duration,
}

impl Arena {
    /// Returns the activity in a tournament; `None` if the tournament is over. The activity may be a fraction of a
    /// second old, because the states of the matches are read only a few times a second. Reading them does not delay
    /// the matches.
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

    /// Returns an open match, with the seats that it was waiting for when it last announced its state; `None` if the
    /// match is not open.
    pub fn open_match_view(&self, id: MatchId) -> Option<OpenMatchView> {
        let open = self.open_match(id)?;
        let view = open.handle.view()?;
        let observed = ObservedMatch { id, open, view, waited: Duration::ZERO };
        Some(open_match_view(&observed, self.now()))
    }

    fn observe_tournament(&self, handle: &TournamentHandle, view: &TournamentView) -> TournamentActivity {
        let now = self.now();
        let limit = MAX_LISTED_ACTIVITY;
        let withdrawn = handle.withdrawn_bots();
        let field: Vec<_> = view.stored.field.iter().filter(|bot| !withdrawn.contains(bot)).collect();
        let mut absent: Vec<_> =
            field.iter().filter(|bot| !self.is_connected(bot)).copied().cloned().collect();
        let absent_count = absent.len();
        absent.truncate(limit);
        let mut open = self.observe_matches(view.stored.id, now);
        open.sort_unstable_by_key(|open| (Reverse(open.waited), open.id));
        let (awaited_count, awaited) = self.awaited_bots(&open, limit);
        TournamentActivity {
            connected: field.len() - absent_count,
            absent,
            absent_count,
            match_count: open.len(),
            matches: open.iter().take(limit).map(|open| open_match_view(open, now)).collect(),
            awaited,
            awaited_count,
            time_left: time_left(handle, view, now),
        }
    }

    /// Returns whether a bot has an open session.
    pub fn is_connected(&self, bot: &BotName) -> bool {
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
            let waited = view.awaited.elapsed_and_remaining(now).map_or(Duration::ZERO, |(waited, _)| waited);
            Some(ObservedMatch { id, open, view, waited })
        };
        of_it.into_iter().filter_map(observed).collect()
    }

    /// Returns the number of bots that these matches are waiting for, and up to `limit` of the bots that have been
    /// awaited longest.
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
        elapsed_and_remaining: awaited.elapsed_and_remaining(now),
        is_frozen: awaited.frozen_at.is_some(),
    }
}

/// Returns how much longer a tournament may take; `None` before it starts, if it is open-ended, and for ladders, which
/// may have to wait for bots to join.
fn time_left(handle: &TournamentHandle, view: &TournamentView, now: Timestamp) -> Option<TimeLeft> {
    let stored = &view.stored;
    let settings = &stored.settings;
    let is_bounded = stored.state == TournamentState::Running && view.total > 0;
    if !is_bounded || settings.format.has_open_field() {
        return None;
    }
    let matches = view.total.saturating_sub(view.played);
    // Unless all matches are planned before the start, a match may have to wait for the last match of a round; with a
    // limit on matches per bot, it may have to wait for a bot. In the worst case, only one match is then played at a
    // time.
    let is_free = settings.format.profile().scheduling == SchedulingMode::Planned;
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
        let time_left = |matches, pace| TimeLeft { matches, pace, longest: seconds(9) }.estimate();
        assert_eq!(time_left(5, None), None);
        assert_eq!(time_left(0, Some((3, seconds(6)))), Some(Duration::ZERO));
        assert_eq!(time_left(5, Some((2, seconds(6)))), Some(seconds(15)));
        assert_eq!(time_left(u64::MAX, Some((1, Duration::MAX))), Some(Duration::from_micros(u64::MAX)));
    }
}
