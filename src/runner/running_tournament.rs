//! A running tournament, from the arrival of its bots to its end.

use super::{
    model_spending::{ModelLedgers, spending_line},
    organiser::TournamentStates,
    outage_freeze::OutageFreeze,
    outages::Outages,
    players::{LocalBotEvent, LocalBots, TournamentAddress},
    progress::RunProgress,
    report::TournamentStatus,
};
use crate::{
    Failure,
    tournament_file::player::{BotOrigin, PlayerEntry},
};
use lastnim_client::MAX_SILENCE;
use lastnim_report::words::format_duration;
use std::{mem, path::PathBuf, time::Duration};
use tokio::time::{Instant, error::Elapsed, sleep, sleep_until, timeout};
use tonic::{Code, Status};

/// The interval between checks of which bots have connected, before the start.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The pause between two attempts to reach a lost server, or to freeze or resume the tournament.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A running tournament.
#[derive(Debug)]
pub struct RunningTournament<'a> {
    /// The tournament's file, to name it in messages.
    pub file: PathBuf,
    /// The server and the tournament's id.
    pub target: TournamentAddress,
    /// The bots that this process runs.
    pub players: LocalBots,
    /// The ledgers of the models.
    pub ledgers: ModelLedgers,
    /// The models whose endpoints fail.
    pub outages: Outages,
    /// How long an outage may last before the run stops.
    pub outage_limit: Duration,
    /// The freeze while an endpoint fails.
    pub freeze: OutageFreeze,
    /// When to try again to freeze or resume, if an attempt failed.
    pub freeze_retry: Option<Instant>,
    /// Shows the progress of the tournament.
    pub progress: RunProgress,
    /// The stream of the tournament's states; `None` while the server is lost.
    pub states: Option<TournamentStates>,
    /// The newest state.
    pub seen: TournamentStatus,
    /// The bots that must join before the start; empty after it.
    pub missing: Vec<&'a PlayerEntry>,
    /// The bots that must return before the paused tournament resumes.
    pub returning: Vec<&'a PlayerEntry>,
}

impl RunningTournament<'_> {
    /// Waits for missing bots, starts the tournament, and follows it to its end. If the server is lost, this tries to
    /// reach it again for `patience`.
    pub async fn play_to_end(&mut self, patience: Duration) -> Result<(), Failure> {
        if !self.missing.is_empty() {
            self.wait_for_bots().await?;
            self.target.organiser.start_tournament(self.target.tournament).await?;
        }
        if !self.returning.is_empty() {
            self.wait_for_return().await?;
            self.adjust_and_print().await;
        }
        let mut lost_at: Option<Instant> = None;
        while let Some(status) = self.watch_to_end(&mut lost_at).await? {
            self.states = None;
            let is_new = lost_at.is_none();
            let lost_at = *lost_at.get_or_insert_with(Instant::now);
            if !is_transient(status.code()) || lost_at.elapsed() >= patience {
                return Err(self.target.organiser.broken_stream_failure(&status));
            }
            if is_new {
                let (address, seconds) = (&self.target.address, patience.as_secs());
                self.progress.print_line(&format!(
                    "the server at {address} does not answer: trying again for {seconds} seconds"
                ));
            }
            sleep(RETRY_PAUSE).await;
            // A failure is ignored: if the server is still lost, the next attempt to watch fails too.
            drop(self.target.organiser.remote().reconnect().await);
        }
        Ok(())
    }

    /// Enters the bots as they connect, until all are entered. A bot with a session counts as connected, even if it has
    /// not asked to join the tournament.
    async fn wait_for_bots(&mut self) -> Result<(), Failure> {
        loop {
            let TournamentAddress { organiser, tournament, .. } = &self.target;
            for player in mem::take(&mut self.missing) {
                let is_here = match player.origin {
                    BotOrigin::House(..) => true,
                    BotOrigin::Command(..) | BotOrigin::Llm(..) | BotOrigin::Remote => {
                        organiser.is_bot_connected(&player.name).await?
                    }
                };
                if is_here {
                    organiser.enter_bot(*tournament, &player.name).await?;
                } else {
                    self.missing.push(player);
                }
            }
            if self.missing.is_empty() {
                return Ok(());
            }
            self.progress.show_awaited_bots(&self.missing);
            tokio::select! {
                () = sleep(POLL_INTERVAL) => {}
                event = self.players.next_event() => self.handle_event_before_start(&event)?,
            }
        }
    }

    /// Waits until the bots of this run have sessions again, except for those that cannot return.
    async fn wait_for_return(&mut self) -> Result<(), Failure> {
        while !self.returning.is_empty() {
            for player in mem::take(&mut self.returning) {
                if !self.target.organiser.is_bot_connected(&player.name).await? {
                    self.returning.push(player);
                }
            }
            if self.returning.is_empty() {
                break;
            }
            self.progress.show_awaited_bots(&self.returning);
            tokio::select! {
                () = sleep(POLL_INTERVAL) => {}
                event = self.players.next_event() => {
                    if let LocalBotEvent::GaveUp { bot, .. } | LocalBotEvent::Lost { bot, .. } = &event {
                        self.returning.retain(|player| player.name != *bot);
                    }
                    self.handle_bot_event(&event).await?;
                }
            }
        }
        Ok(())
    }

    /// Follows the tournament to its end, and returns `None`. If the server is lost before that, returns the status that
    /// says why.
    async fn watch_to_end(&mut self, lost_at: &mut Option<Instant>) -> Result<Option<Status>, Failure> {
        let mut stream = match self.states.take() {
            Some(states) => states,
            None => match self.target.organiser.watch_tournament(self.target.tournament).await {
                Ok(states) => states,
                Err(refused) => return Ok(Some(refused)),
            },
        };
        loop {
            tokio::select! {
                state = timeout(MAX_SILENCE, stream.message()) => match state.unwrap_or_else(silence_status) {
                    Ok(Some(state)) => {
                        if lost_at.take().is_some() {
                            self.progress.print_line("the server answers again");
                        }
                        self.seen.update(state);
                        self.show_progress().await;
                        if self.seen.is_over() {
                            return Ok(None);
                        }
                    }
                    Ok(None) => return Ok(Some(Status::unavailable("the server closed the stream before the tournament ended"))),
                    Err(lost) => return Ok(Some(lost)),
                },
                event = self.players.next_event() => self.handle_bot_event(&event).await?,
                () = sleep_until(self.freeze_retry.unwrap_or_else(Instant::now)), if self.freeze_retry.is_some() => {
                    self.adjust_and_print().await;
                }
                bot = self.outages.wait_until_exceeded(self.outage_limit) => {
                    let limit = format_duration(whole_millis(self.outage_limit));
                    return Err(self.stop_failure(&format!("{bot}: its endpoint has failed for {limit} (outage_limit)")));
                }
            }
        }
    }

    /// Reacts to an event of a bot, and reports it.
    async fn handle_bot_event(&mut self, event: &LocalBotEvent) -> Result<(), Failure> {
        self.progress.note_program_end(event);
        let line = self.progress.bot_event_line(event);
        match event {
            LocalBotEvent::OutageBegan { bot, cause } => {
                let is_first = self.outages.begin(bot);
                let frozen = self.adjust_freeze().await;
                if cause.class.needs_change() {
                    return Err(self.stop_failure(&line));
                }
                match frozen {
                    Some(frozen) => self.progress.print_line(&format!("{line}: {frozen}")),
                    None if is_first => self.progress.print_line(&line),
                    None => {}
                }
            }
            LocalBotEvent::OutageEnded { bot } => {
                let Some(lasted) = self.outages.end(bot) else { return Ok(()) };
                self.progress.print_line(&format!("{line} after {}", format_duration(whole_millis(lasted))));
                self.adjust_and_print().await;
            }
            LocalBotEvent::GaveUp { bot, .. } | LocalBotEvent::Lost { bot, .. } => {
                self.print_bot_event(event)?;
                // The program has lost its waiting questions and will not report their end, so the outage ends here.
                if self.outages.end(bot).is_some() {
                    self.adjust_and_print().await;
                }
            }
            LocalBotEvent::Restarted { .. } | LocalBotEvent::Refused { .. } => self.print_bot_event(event)?,
        }
        Ok(())
    }

    async fn adjust_and_print(&mut self) {
        if let Some(line) = self.adjust_freeze().await {
            self.progress.print_line(&line);
        }
    }

    /// Freezes the tournament while an endpoint fails, and continues it afterwards; failed attempts are repeated.
    /// Returns a line to print, if anything changed.
    async fn adjust_freeze(&mut self) -> Option<String> {
        let is_wanted = !self.outages.is_empty();
        if is_wanted == self.freeze.is_held() {
            self.freeze_retry = None;
            return None;
        }
        let changed = if is_wanted {
            self.freeze.hold(&self.target).await.map(Some)
        } else {
            self.freeze.lift(&self.target).await.map(|()| None)
        };
        let is_first = self.freeze_retry.is_none();
        match changed {
            Ok(words) => {
                self.freeze_retry = None;
                self.progress.expect_pause();
                words.map(str::to_owned)
            }
            Err(failure) => {
                self.freeze_retry = Some(Instant::now() + RETRY_PAUSE);
                let what = if is_wanted { "frozen, so the bot's clocks are running" } else { "resumed" };
                is_first.then(|| format!("the tournament cannot be {what}; trying again: {failure}"))
            }
        }
    }

    /// Returns the error of a run that stops at an outage, which says how to continue.
    fn stop_failure(&self, why: &str) -> Failure {
        let file = self.file.display();
        Failure::Runtime(anyhow::Error::msg(format!(
            "{file}: bot {why}: no seat is lost; correct the cause, for example in this file, and run the same command again"
        )))
    }

    /// Shows the progress of the tournament, and how seats were lost.
    async fn show_progress(&mut self) {
        if self.progress.is_line_due() {
            // An estimate that fails is omitted.
            let models = self.ledgers.read_spending(self.target.organiser.remote(), &self.seen.tournament);
            let models = models.await.unwrap_or_default();
            self.progress.set_spending(spending_line(&models));
        }
        let TournamentAddress { organiser, tournament, .. } = &self.target;
        for losses in self.progress.show_tournament(&self.seen) {
            // If the server is lost or too old to answer, the reasons are omitted.
            let listed = organiser.lost_seats(*tournament, &losses.bot).await.unwrap_or_default();
            self.progress.print_losses(&losses, &listed);
        }
    }

    /// Reports an event of a bot. A bot that could not start ends the run.
    fn print_bot_event(&self, event: &LocalBotEvent) -> Result<(), Failure> {
        let line = self.progress.bot_event_line(event);
        if matches!(event, LocalBotEvent::Refused { .. }) {
            let file = self.file.display();
            return Err(Failure::Runtime(anyhow::Error::msg(format!("{file}: {line}"))));
        }
        self.progress.print_line(&line);
        Ok(())
    }

    /// Handles an event of a bot before the first match: the start does not wait for a bot that cannot connect.
    fn handle_event_before_start(&self, event: &LocalBotEvent) -> Result<(), Failure> {
        let (bot, why) = match event {
            LocalBotEvent::GaveUp { bot, how, log } => {
                (bot, format!("its program keeps ending ({how}): see {}", log.display()))
            }
            LocalBotEvent::Lost { bot, why } => {
                (bot, format!("it lost its session and cannot reconnect: {why}"))
            }
            LocalBotEvent::Restarted { .. }
            | LocalBotEvent::Refused { .. }
            | LocalBotEvent::OutageBegan { .. }
            | LocalBotEvent::OutageEnded { .. } => return self.print_bot_event(event),
        };
        let file = self.file.display();
        Err(Failure::Runtime(anyhow::Error::msg(format!(
            "{file}: bot {bot}: {why}; nothing has been played yet: correct the cause and run the same command again"
        ))))
    }
}

fn whole_millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the status for a server that does not even send heartbeats.
fn silence_status<T>(_: Elapsed) -> Result<T, Status> {
    Err(Status::unavailable("the server has stopped sending messages"))
}

/// Returns whether the server may be reachable again after this error.
fn is_transient(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal | Code::DeadlineExceeded
    )
}
