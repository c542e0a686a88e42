//! What goes on in a tournament: who is connected, who is waited for, which matches are under way, and how much time is left.

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

/// The most bots and matches of each list.
pub const MAX_LISTED_ACTIVITY: usize = 100;

/// What goes on in a tournament that is not over. Lists have [`MAX_LISTED_ACTIVITY`] items at the most, and counts are of all.
#[derive(Debug, Clone, Default)]
pub struct TournamentActivity {
    /// Bots of the field with a session.
    pub connected: usize,
    /// Bots of the field without one.
    pub absent: Vec<BotName>,
    /// How many these are.
    pub absent_count: usize,
    /// Matches under way, those first that have been waiting longest.
    pub matches: Vec<OpenMatchView>,
    /// How many these are.
    pub match_count: usize,
    /// Bots that matches wait for, those first for whom one has been waiting longest.
    pub awaited: Vec<AwaitedBot>,
    /// How many these are.
    pub awaited_count: usize,
    /// How long the tournament may last yet; nothing before it runs and where it is open-ended.
    pub time_left: Option<TimeLeft>,
}

/// A match under way.
#[derive(Debug, Clone)]
pub struct OpenMatchView {
    /// The match in brief.
    pub summary: MatchSummary,
    /// The seats that it waits for.
    pub awaited: Vec<Seat>,
    /// For how long it has waited for them, and how much time they have left; nothing while no clock runs.
    pub waited_and_left: Option<(Duration, Duration)>,
    /// Whether the organiser lets it wait.
    pub is_frozen: bool,
}

/// A bot that matches wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedBot {
    /// The bot.
    pub bot: BotName,
    /// Whether it has a session.
    pub is_connected: bool,
    /// How many matches wait for it.
    pub matches: usize,
    /// For how long the one does that has been waiting longest.
    pub waited: Duration,
}

/// How long a tournament may last yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeLeft {
    /// Matches that are not over, begun or not; the most where results decide.
    pub matches: u64,
    /// The matches that have ended since this server plays the tournament, and the time that it took without pauses; nothing
    /// before the first has.
    pub pace: Option<(u64, Duration)>,
    /// The longest that the matches can last by their clocks.
    pub longest: Duration,
}

impl TimeLeft {
    /// Returns the time that the matches take if they go on to end at the pace so far.
    pub fn estimate(&self) -> Option<Duration> {
        let (ended, took) = self.pace?;
        let micros = took.as_micros().saturating_mul(self.matches.into()) / u128::from(ended);
        Some(Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX)))
    }
}

/// An open match, as it was looked at.
struct LookedAt {
    id: MatchId,
    open: OpenMatch,
    view: AnnouncedMatch,
    waited: Duration,
}

impl Arena {
    /// Returns what goes on in a tournament, as it was a moment ago; nothing if it is over. No match waits for it, and however many
    /// ask, matches are looked at a few times a second.
    ///
    /// # Errors
    /// If nothing has that id, or the store cannot be read.
    pub async fn tournament_activity(
        &self,
        id: TournamentId,
    ) -> Result<Option<Arc<TournamentActivity>>, ArenaError> {
        let Some(handle) = self.live_tournament(id) else {
            return self.tournament(id).await.map(|_| None);
        };
        let view = handle.view();
        let look = || self.look_at_tournament(&handle, &view);
        Ok((!view.stored.state.is_over()).then(|| handle.recent_activity(look)))
    }

    /// Returns whom a match waits for, as it was announced last; nothing if it is not open.
    pub fn open_match_view(&self, id: MatchId) -> Option<OpenMatchView> {
        let open = self.open_match(id)?;
        let view = open.handle.view()?;
        let looked_at = LookedAt { id, open, view, waited: Duration::ZERO };
        Some(open_match_view(&looked_at, self.now()))
    }

    fn look_at_tournament(&self, handle: &TournamentHandle, view: &TournamentView) -> TournamentActivity {
        let now = self.now();
        let most = MAX_LISTED_ACTIVITY;
        let mut absent: Vec<_> =
            view.stored.field.iter().filter(|bot| !self.is_connected(bot)).cloned().collect();
        let absent_count = absent.len();
        absent.truncate(most);
        let mut open = self.look_at_matches(view.stored.id, now);
        open.sort_unstable_by_key(|open| (Reverse(open.waited), open.id));
        let (awaited_count, awaited) = self.awaited_bots(&open, most);
        TournamentActivity {
            connected: view.stored.field.len() - absent_count,
            absent,
            absent_count,
            match_count: open.len(),
            matches: open.iter().take(most).map(|open| open_match_view(open, now)).collect(),
            awaited,
            awaited_count,
            time_left: time_left(handle, view, now),
        }
    }

    fn is_connected(&self, bot: &BotName) -> bool {
        self.inner.roster.existing_presence(bot).is_some_and(|presence| presence.is_connected())
    }

    /// Looks at the open matches of a tournament.
    fn look_at_matches(&self, id: TournamentId, now: Timestamp) -> Vec<LookedAt> {
        let is_of_it =
            |setup: &MatchSetup| setup.origin.as_ref().is_some_and(|origin| origin.tournament == id);
        let of_it: Vec<(MatchId, OpenMatch)> = {
            let matches = self.inner.matches.read();
            let of_it = matches.iter().filter(|(_, open)| is_of_it(&open.setup));
            of_it.map(|(&id, open)| (id, open.clone())).collect()
        };
        let looked_at = |(id, open): (MatchId, OpenMatch)| {
            let view = open.handle.view()?;
            let waited = view.awaited.waited_and_left(now).map_or(Duration::ZERO, |(waited, _)| waited);
            Some(LookedAt { id, open, view, waited })
        };
        of_it.into_iter().filter_map(looked_at).collect()
    }

    /// Returns how many bots these matches wait for, and those first for whom one has been waiting longest.
    fn awaited_bots(&self, open: &[LookedAt], most: usize) -> (usize, Vec<AwaitedBot>) {
        let mut by_bot: HashMap<&BotName, (usize, Duration)> = HashMap::new();
        for LookedAt { open, view, waited, .. } in open {
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
        longest_first.truncate(most);
        let awaited = longest_first.into_iter().map(|(bot, (matches, waited))| AwaitedBot {
            bot: bot.clone(),
            is_connected: self.is_connected(bot),
            matches,
            waited,
        });
        (count, awaited.collect())
    }
}

fn open_match_view(open: &LookedAt, now: Timestamp) -> OpenMatchView {
    let awaited = &open.view.awaited;
    OpenMatchView {
        summary: open.open.summary_of_view(open.id, open.view.clone()),
        awaited: open.open.setup.seats().iter().filter(|&seat| awaited.contains(seat)).collect(),
        waited_and_left: awaited.waited_and_left(now),
        is_frozen: awaited.frozen_at.is_some(),
    }
}

/// Returns how long a tournament may last yet; nothing before it runs, where it is open-ended, and of ladders, which wait
/// until there are bots enough.
fn time_left(handle: &TournamentHandle, view: &TournamentView, now: Timestamp) -> Option<TimeLeft> {
    let stored = &view.stored;
    let settings = &stored.settings;
    let is_bounded = stored.state == TournamentState::Running && view.total > 0;
    if !is_bounded || settings.format.has_open_field() {
        return None;
    }
    let matches = view.total.saturating_sub(view.played);
    // Elsewhere matches wait for each other: in rounds for the last of a round, and for bots that play few at once.
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
    fn what_is_left_takes_as_long_as_what_was_played() {
        let seconds = Duration::from_secs;
        let left = |matches, pace| TimeLeft { matches, pace, longest: seconds(9) }.estimate();
        assert_eq!(left(5, None), None);
        assert_eq!(left(0, Some((3, seconds(6)))), Some(Duration::ZERO));
        assert_eq!(left(5, Some((2, seconds(6)))), Some(seconds(15)));
        assert_eq!(left(u64::MAX, Some((1, Duration::MAX))), Some(Duration::from_micros(u64::MAX)));
    }
}
