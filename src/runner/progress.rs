//! The progress of a tournament, on standard error: a bar above the standings in a terminal, otherwise lines.

use super::{folder::RunFolder, outages::OutageCause, players::LocalBotEvent, report::TournamentStatus};
use crate::{
    progress::bar_style,
    screen,
    tournament_file::player::{BotOrigin, PlayerEntry},
};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget};
use lastnim_client::ServerAddress;
use lastnim_core::game::BotName;
use lastnim_core::visible_text::visible_text;
use lastnim_llm::FailureClass;
use lastnim_proto::pb;
use lastnim_report::{
    bots::lost_seat_text, render::Terminal, standings::standings_table, words::count_with_noun,
};
use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    io::{self, IsTerminal as _, Write as _},
    iter, mem,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The maximum number of bots whose standings are shown while matches are played.
const MAX_LEADERS: usize = 10;
/// The maximum number of bots named in a line.
const MAX_LEADERS_PER_LINE: usize = 3;
/// The time after which a run that has not started names the bots that it waits for.
const WAITING_NOTICE_DELAY: Duration = Duration::from_secs(1);
/// The minimum time between two lines on the progress of the tournament.
const PROGRESS_LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of matches listed when a bot has lost several seats; the rest are counted.
const MAX_NAMED_MATCHES: usize = 3;
/// The minimum time between two lines about the lost seats of a bot.
const LOSS_LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows the progress of a tournament.
#[derive(Debug)]
pub struct RunProgress {
    bar: ProgressBar,
    is_terminal: bool,
    began: Instant,
    /// The last message about bots that have not joined.
    waiting: String,
    last_line: Instant,
    /// The cost of the models, in one line.
    spending: Option<String>,
    pace: Option<MatchPace>,
    /// Whether it has been reported that too few bots are left.
    awaits_bots: bool,
    /// Why the tournament was quarantined; empty if it is not.
    damage: String,
    /// Whether the pause has been reported.
    is_paused: bool,
    /// The tournament's file, to name it in messages.
    file: PathBuf,
    /// `None` before the first state, which may contain losses from before this run.
    seats_lost: Option<HashMap<String, SeatLosses>>,
    /// How the programs of bots ended last, until it is printed with lost seats.
    program_ends: HashMap<String, String>,
    logs: HashMap<String, PathBuf>,
}

/// The number of matches played at an earlier time, from which the remaining time is estimated.
#[derive(Debug, Clone, Copy)]
struct MatchPace {
    since: Instant,
    played_before: u64,
}

impl MatchPace {
    /// Returns the time until `total` matches are played at the pace so far; `None` if no match has been played since
    /// then, or if more than `total` have been played, as in an open-ended tournament.
    fn time_left(self, played: u64, total: u64) -> Option<Duration> {
        let here = played.checked_sub(self.played_before).filter(|&here| here > 0)?;
        let left = u32::try_from(total.checked_sub(played)?).ok()?;
        Some(self.since.elapsed() * left / u32::try_from(here).ok()?)
    }
}

/// The lost seats of a bot that have been printed, and when they were printed.
#[derive(Debug, Clone, Default)]
struct SeatLosses {
    forfeits: u32,
    no_shows: u32,
    printed_at: Option<Instant>,
    /// The matches that have been printed, as long as the server still lists them.
    matches: HashSet<String>,
}

/// The seats that a bot lost since the last message.
#[derive(Debug)]
pub struct NewLosses {
    /// The bot.
    pub bot: String,
    count: u32,
    line: String,
}

impl RunProgress {
    pub fn new(players: &[PlayerEntry], folder: &RunFolder, file: PathBuf) -> Self {
        let programs = players
            .iter()
            .filter(|player| matches!(player.origin, BotOrigin::Command(..) | BotOrigin::Llm(..)));
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        Self {
            bar: bar.with_style(bar_style("{msg}")),
            is_terminal: io::stderr().is_terminal(),
            began: Instant::now(),
            waiting: String::new(),
            last_line: Instant::now(),
            spending: None,
            pace: None,
            awaits_bots: false,
            damage: String::new(),
            is_paused: false,
            file,
            seats_lost: None,
            program_ends: HashMap::new(),
            logs: programs.map(|player| (player.name.to_string(), folder.log_file(&player.name))).collect(),
        }
    }

    /// Prints a line above the bar.
    pub fn print_line(&self, line: &str) {
        if self.is_terminal {
            self.bar.println(visible_text(line));
        } else {
            // An error is ignored: the run continues without its output.
            let _ = writeln!(screen::stderr(), "{line}");
        }
    }

    /// Suppresses the message about the next pause, because this run makes the pause and reports it itself.
    pub fn expect_pause(&mut self) {
        self.is_paused = true;
    }

    /// Prints which bots have not joined.
    pub fn show_awaited_bots(&mut self, missing: &[&PlayerEntry]) {
        let names: Vec<_> = missing.iter().map(|player| player.name.as_str()).collect();
        let line = format!("waiting for {}", names.join(", "));
        if self.waiting == line || self.began.elapsed() < WAITING_NOTICE_DELAY {
            return;
        }
        if self.is_terminal {
            self.bar.set_message(visible_text(&line).into_owned());
        } else {
            self.print_line(&line);
        }
        self.waiting = line;
    }

    /// Describes an event of a bot in one line.
    pub fn bot_event_line(&self, event: &LocalBotEvent) -> String {
        match event {
            LocalBotEvent::Restarted { bot, how, pause, restarts } => format!(
                "{bot}: its program ended ({how}); restarting it in {} ms, for the {} time{}",
                pause.as_millis(),
                ordinal_number(*restarts),
                self.log_hint(bot.as_str()),
            ),
            LocalBotEvent::Refused { bot, word, why } => {
                format!("bot {bot}: {word:?} cannot be started: {why}")
            }
            LocalBotEvent::GaveUp { bot, how, .. } => format!(
                "{bot}: its program ended again ({how}) and will not be restarted in this run: its seats are lost{}",
                self.log_hint(bot.as_str()),
            ),
            LocalBotEvent::Lost { bot, why } => {
                format!("{bot}: it has lost its session and will not reconnect: {why}")
            }
            LocalBotEvent::OutageBegan {
                bot,
                cause: OutageCause { class: FailureClass::Budget, detail },
            } => {
                format!("{bot}: a budget is used up ({detail})")
            }
            LocalBotEvent::OutageBegan { bot, cause: OutageCause { class, detail } } => {
                format!("{bot}: its endpoint is failing ({class}: {detail})")
            }
            LocalBotEvent::OutageEnded { bot } => format!("{bot}: its endpoint answers again"),
        }
    }

    /// Remembers how a bot's program ended, for messages about the seats that this costs.
    pub fn note_program_end(&mut self, event: &LocalBotEvent) {
        if let LocalBotEvent::Restarted { bot, how, .. } | LocalBotEvent::GaveUp { bot, how, .. } = event {
            self.program_ends.insert(bot.to_string(), how.clone());
        }
    }

    fn log_hint(&self, bot: &str) -> String {
        self.logs.get(bot).map(|log| format!(" (see {})", log.display())).unwrap_or_default()
    }

    /// Returns whether the next line about the tournament's progress and cost is due.
    pub fn is_line_due(&self) -> bool {
        self.last_line.elapsed() >= PROGRESS_LINE_INTERVAL
    }

    /// Sets the line about the cost of the models, to be shown with the progress.
    pub fn set_spending(&mut self, line: Option<String>) {
        self.spending = line;
    }

    /// Shows the progress and returns the bots that lost seats since the last message, to be printed with the
    /// reasons, by [`Self::print_losses`].
    #[must_use = "lost seats must be printed"]
    pub fn show_tournament(&mut self, seen: &TournamentStatus) -> Vec<NewLosses> {
        let (played, total) = (seen.tournament.matches_played, seen.tournament.matches_total);
        let losses = self.new_losses(seen);
        if seen.tournament.state() == pb::TournamentState::Open {
            return losses;
        }
        if seen.tournament.awaits_bots && !self.awaits_bots {
            self.print_line("too few bots are left: the tournament continues when one joins (lastnim tournament join); Ctrl-C stops it");
        }
        self.awaits_bots = seen.tournament.awaits_bots;
        let damage = &seen.tournament.damage;
        if *damage != self.damage && !damage.is_empty() {
            self.print_line(&format!(
                "the tournament cannot continue: {damage}; press Ctrl-C to stop the run"
            ));
        }
        self.damage.clone_from(damage);
        let is_paused = seen.tournament.pause() != pb::OpenMatches::Unspecified && !seen.is_over();
        if is_paused && !self.is_paused {
            let file = self.file.display();
            self.print_line(&format!("paused: lastnim tournament resume {file} resumes it"));
        } else if self.is_paused && !is_paused && !seen.is_over() {
            self.print_line("resumed");
        }
        self.is_paused = is_paused;
        let pace = self.start_pace(played, total);
        let is_line_due = self.is_line_due();
        if is_line_due {
            self.last_line = Instant::now();
        }
        if self.is_terminal {
            if total > 0 {
                self.bar.set_length(total);
            }
            self.bar.set_position(played);
            let standings = standings_so_far(&seen.standings);
            let spending = self.spending.iter().map(|line| format!("\n{line}"));
            let message = iter::once(standings).chain(spending).collect::<String>();
            self.bar.set_message(visible_text(&message).into_owned());
        } else if is_line_due {
            let left =
                pace.time_left(played, total).map(|left| format!(", about {} left", HumanDuration(left)));
            let matches = match total {
                0 => count_with_noun(played, "match", "matches"),
                total => format!("{played} of {}", count_with_noun(total, "match", "matches")),
            };
            let leaders = leader_line(&seen.standings);
            self.print_line(&format!("{matches}{}; points: {leaders}", left.unwrap_or_default()));
            if let Some(spending) = &self.spending {
                self.print_line(spending);
            }
        }
        losses
    }

    /// Starts to count matches at the first state of a running tournament.
    fn start_pace(&mut self, played: u64, total: u64) -> MatchPace {
        *self.pace.get_or_insert_with(|| {
            self.bar.set_position(played);
            self.bar.reset_eta();
            self.bar.set_style(match total {
                0 => bar_style("{spinner} {pos} matches, {per_sec}\n{msg}"),
                _ => bar_style("{wide_bar} {pos}/{len} matches, {eta} left\n{msg}"),
            });
            self.bar.enable_steady_tick(Duration::from_millis(500));
            MatchPace { since: Instant::now(), played_before: played }
        })
    }

    /// Returns the seats lost since the last message.
    fn new_losses(&mut self, seen: &TournamentStatus) -> Vec<NewLosses> {
        let now = |standing: &pb::Standing| SeatLosses {
            forfeits: standing.forfeits,
            no_shows: standing.no_shows,
            ..SeatLosses::default()
        };
        let Some(told) = &mut self.seats_lost else {
            let before = seen.standings.iter().map(|standing| (standing.bot.clone(), now(standing)));
            self.seats_lost = Some(before.collect());
            return Vec::new();
        };
        let mut losses = Vec::new();
        for standing in &seen.standings {
            let now = now(standing);
            let before = told.entry(standing.bot.clone()).or_default();
            let is_due = seen.is_over()
                || before.printed_at.is_none_or(|printed_at| printed_at.elapsed() >= LOSS_LINE_INTERVAL);
            if now.forfeits > before.forfeits && is_due {
                let (count, line) = (now.forfeits - before.forfeits, forfeit_line(before, &now));
                losses.push(NewLosses { bot: standing.bot.clone(), count, line });
                let matches = mem::take(&mut before.matches);
                *before = SeatLosses { printed_at: Some(Instant::now()), matches, ..now };
            }
        }
        losses
    }

    /// Prints the seats that a bot lost, with the reasons that the server lists.
    pub fn print_losses(&mut self, losses: &NewLosses, listed: &[pb::LostSeat]) {
        let NewLosses { bot, count, line } = losses;
        let end = self.program_ends.remove(bot).map(|how| format!("; its program ended before ({how})"));
        self.print_line(&format!("{bot}: {line}{}{}", end.unwrap_or_default(), self.log_hint(bot)));
        let named = self.seats_lost.as_mut().and_then(|told| told.get_mut(bot));
        let named = named.map(|told| &mut told.matches);
        let Some(named) = named else { return };
        let new = new_lost_seats(listed, named, *count as usize);
        named.retain(|id| listed.iter().any(|lost| lost.match_id == *id));
        named.extend(new.iter().map(|lost| lost.match_id.clone()));
        for lost in new.iter().take(MAX_NAMED_MATCHES) {
            self.print_line(&format!("  match {}: {}", lost.match_id, lost_seat_text(lost)));
        }
        if let more @ 1.. = new.len().saturating_sub(MAX_NAMED_MATCHES) {
            self.print_line(&format!("  and {more} more: lastnim bot show {bot}"));
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the newest lost seats, at most `most` of them, without those in matches that were already printed.
fn new_lost_seats<'a>(
    listed: &'a [pb::LostSeat],
    named: &HashSet<String>,
    most: usize,
) -> Vec<&'a pb::LostSeat> {
    let mut new: Vec<_> = listed.iter().filter(|lost| !named.contains(&lost.match_id)).collect();
    new.sort_by_key(|lost| Reverse(lost.at_us));
    new.truncate(most);
    new
}

fn forfeit_line(before: &SeatLosses, now: &SeatLosses) -> String {
    let lost = now.forfeits.saturating_sub(before.forfeits);
    let missed = now.no_shows.saturating_sub(before.no_shows);
    let what = match (lost, missed) {
        (1, 0) => "it lost its seat in a match".to_owned(),
        (1, _) => "it missed a match".to_owned(),
        (lost, 0) => format!("it lost its seat in {lost} matches"),
        (lost, missed) if lost == missed => format!("it missed {lost} matches"),
        (lost, missed) => format!("it lost its seat in {lost} matches, of which it missed {missed}"),
    };
    format!("{what}; {} lost in all", count_with_noun(now.forfeits, "seat", "seats"))
}

/// Creates a table of the leading bots that is narrow enough for most terminals.
fn standings_so_far(standings: &[pb::Standing]) -> String {
    let leaders = &standings[..standings.len().min(MAX_LEADERS)];
    let table = standings_table(leaders).without_columns(&["regret_per_match", "luck_per_match", "rating"]);
    let text = Terminal::without_styles().table_text(&table);
    match standings.len().saturating_sub(MAX_LEADERS) {
        0 => text.trim_end().to_owned(),
        more => format!("{text} and {more} more"),
    }
}

fn points_text(standing: &pb::Standing) -> String {
    let decimals = if standing.points.fract() == 0.0 { 0 } else { 2 };
    format!("{:.decimals$}", standing.points)
}

fn leader_line(standings: &[pb::Standing]) -> String {
    let leader = |standing: &pb::Standing| {
        format!("{} {} {}", ordinal_number(standing.place), standing.bot, points_text(standing))
    };
    standings.iter().take(MAX_LEADERS_PER_LINE).map(leader).collect::<Vec<_>>().join(", ")
}

fn ordinal_number(number: u32) -> String {
    match number {
        1 => "1st".to_owned(),
        2 => "2nd".to_owned(),
        3 => "3rd".to_owned(),
        number => format!("{number}th"),
    }
}

/// Describes how the author of a remote bot joins.
pub fn how_to_join_text(
    bot: &BotName,
    server: &ServerAddress,
    tournament: &str,
    token: Option<&str>,
) -> String {
    let mut files = server.ca().map(|ca| format!("LASTNIM_CA={} ", ca.path().display())).unwrap_or_default();
    if server.client_certificate().is_some() {
        files += "LASTNIM_CLIENT_CERT=... LASTNIM_CLIENT_KEY=... ";
    }
    let token = token.map_or_else(|| "...".to_owned(), |file| format!("$(cat {file})"));
    format!(
        "{bot} must be started elsewhere, for example with:\n  LASTNIM_SERVER={server} {files}LASTNIM_TOKEN={token} LASTNIM_TOURNAMENT={tournament} lastnim bot run oracle"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_seats_are_reported_with_totals() {
        let losses = |forfeits, no_shows| SeatLosses { forfeits, no_shows, ..SeatLosses::default() };
        let line_of = |before: SeatLosses, now: SeatLosses| forfeit_line(&before, &now);
        assert_eq!(line_of(losses(0, 0), losses(1, 0)), "it lost its seat in a match; 1 seat lost in all");
        assert_eq!(line_of(losses(1, 0), losses(2, 1)), "it missed a match; 2 seats lost in all");
        assert_eq!(line_of(losses(2, 1), losses(5, 4)), "it missed 3 matches; 5 seats lost in all");
        let both = "it lost its seat in 3 matches, of which it missed 1; 3 seats lost in all";
        assert_eq!(line_of(losses(0, 0), losses(3, 1)), both);
    }

    #[test]
    fn each_lost_seat_is_reported_once() {
        let lost_seat = |id: &str, at_us| pb::LostSeat { match_id: id.into(), at_us, ..Default::default() };
        let listed = [lost_seat("d", 2), lost_seat("c", 9), lost_seat("b", 7), lost_seat("a", 8)];
        let ids = |named: &[&str], most| {
            let named = named.iter().map(|id| (*id).to_owned()).collect();
            new_lost_seats(&listed, &named, most).iter().map(|lost| lost.match_id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(ids(&[], 2), ["c", "a"]);
        assert_eq!(ids(&["c", "b"], 9), ["a", "d"]);
        assert_eq!(ids(&["a", "b", "c", "d"], 1), Vec::<String>::new());
    }

    #[test]
    fn the_time_left_follows_from_the_pace_of_this_run() {
        let Some(since) = Instant::now().checked_sub(Duration::from_mins(1)) else { return };
        let pace = MatchPace { since, played_before: 100 };
        assert_eq!((pace.time_left(100, 200), pace.time_left(130, 0)), (None, None));
        let left = pace.time_left(130, 160).unwrap();
        assert!((60..70).contains(&left.as_secs()), "{left:?}");
    }
}
