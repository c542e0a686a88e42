//! Messages about the activity in a tournament.

use lastnim_arena::{AwaitedBot, MAX_LISTED_ACTIVITY, OpenMatchView, TimeLeft, TournamentActivity};
use lastnim_core::referee::MatchPhase;
use lastnim_proto::{RequestField, pb};
use std::time::Duration;

/// The default limit on the items in each list of a tournament's activity.
pub(super) const DEFAULT_ACTIVITY_LENGTH: usize = 10;

/// Parses the limit on the items in each list, where 0 stands for the default. Reports a limit that is too high, and
/// then returns `None`.
pub(super) fn parse_activity_length(limit: u32, field: RequestField<'_>) -> Option<usize> {
    match limit as usize {
        0 => Some(DEFAULT_ACTIVITY_LENGTH),
        limit if limit <= MAX_LISTED_ACTIVITY => Some(limit),
        limit => {
            field.report(format_args!("{limit}: expected 1 to {MAX_LISTED_ACTIVITY}"));
            None
        }
    }
}

/// Builds the message, with up to `limit` items per list.
pub(super) fn activity_message(activity: &TournamentActivity, limit: usize) -> pb::TournamentActivity {
    pb::TournamentActivity {
        connected_bots: saturating_u32(activity.connected),
        absent_bots: saturating_u32(activity.absent_count),
        absent: activity.absent.iter().take(limit).map(ToString::to_string).collect(),
        awaited_bots: saturating_u32(activity.awaited_count),
        awaited: activity.awaited.iter().take(limit).map(awaited_bot_message).collect(),
        open_matches: saturating_u32(activity.match_count),
        matches: activity.matches.iter().take(limit).map(open_match_message).collect(),
        time_left: activity.time_left.as_ref().map(time_left_message),
    }
}

fn awaited_bot_message(awaited: &AwaitedBot) -> pb::AwaitedBot {
    pb::AwaitedBot {
        bot: awaited.bot.to_string(),
        connected: awaited.is_connected,
        matches: saturating_u32(awaited.matches),
        waited_ms: saturating_millis(awaited.waited),
    }
}

/// Builds the message for an open match.
pub(super) fn open_match_message(open: &OpenMatchView) -> pb::OpenMatch {
    let setup = open.summary.setup.as_deref();
    let origin = setup.and_then(|setup| setup.origin.as_ref());
    let bots = setup.map(|setup| setup.bots.iter().map(ToString::to_string).collect());
    pb::OpenMatch {
        match_id: open.summary.id.to_string(),
        number: origin.map_or(0, |origin| origin.number),
        group: origin.map_or(0, |origin| origin.group),
        bots: bots.unwrap_or_default(),
        declaring: matches!(open.summary.phase, MatchPhase::Talking | MatchPhase::Declaring),
        plies: open.summary.plies,
        awaited_seats: open.awaited.iter().map(|&seat| seat.into()).collect(),
        waited_ms: open.elapsed_and_remaining.map(|(waited, _)| saturating_millis(waited)),
        left_ms: open.elapsed_and_remaining.map(|(_, left)| saturating_millis(left)),
        frozen: open.is_frozen,
    }
}

fn time_left_message(left: &TimeLeft) -> pb::TournamentTimeLeft {
    let (paced_matches, paced) = left.pace.unwrap_or_default();
    pb::TournamentTimeLeft {
        matches: left.matches,
        estimate_ms: left.estimate().map(saturating_millis),
        paced_matches,
        paced_ms: saturating_millis(paced),
        longest_ms: saturating_millis(left.longest),
    }
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn saturating_millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
