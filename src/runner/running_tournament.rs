//! A running tournament, from the arrival of its bots to its end.

use super::{
    organiser::TournamentStates,
    outages::Outages,
    players::{LocalBots, PlayerNews, TournamentAddress},
    progress::RunProgress,
    report::SeenTournament,
    saved_run::SavedRun,
};
use crate::{
    Failure,
    tournament_file::player::{BotOrigin, PlayerEntry},
};
use lastnim_client::MAX_SILENCE;
use lastnim_proto::pb;
use lastnim_report::words::span_words;
use std::{
    mem,
    path::PathBuf,
    time::{Duration, Instant},
};
use tokio::time::{error::Elapsed, sleep, timeout};
use tonic::{Code, Status};

/// The interval between checks of which bots have connected, before the start.
const LOOK: Duration = Duration::from_millis(100);
/// The pause between two attempts to find a server that was lost.
const PAUSE: Duration = Duration::from_secs(1);

/// A running tournament.
#[derive(Debug)]
pub struct RunningTournament<'a> {
    /// The tournament's file, to name it in messages.
    pub file: PathBuf,
    /// The server and the tournament's id.
    pub stage: TournamentAddress,
    /// The bots that this process runs.
    pub players: LocalBots,
    /// The models whose endpoints fail.
    pub outages: Outages,
    /// How long an outage may last before the run stops.
    pub outage_limit: Duration,
    /// Whether the tournament is frozen because of an outage, and continues by itself after it.
    pub is_frozen: bool,
    /// The file of the saved run.
    pub saved_run: PathBuf,
    /// Shows the progress of the tournament.
    pub progress: RunProgress,
    /// The states of the tournament; `None` while the server is lost.
    pub states: Option<TournamentStates>,
    /// The newest of them.
    pub seen: SeenTournament,
    /// The bots that must join before the start; empty after it.
    pub missing: Vec<&'a PlayerEntry>,
    /// The bots that must return before the paused tournament resumes.
    pub returning: Vec<&'a PlayerEntry>,
}

impl RunningTournament<'_> {
    /// Waits for those who are missing, starts the tournament, and follows it to its end. A server that is lost is sought
    /// again for so long.
    pub async fn play_to_end(&mut self, patience: Duration) -> Result<(), Failure> {
        if !self.missing.is_empty() {
            self.wait_for_bots().await?;
            self.stage.organiser.start_tournament(self.stage.tournament).await?;
        }
        if !self.returning.is_empty() {
            self.wait_for_return().await?;
            self.stage.organiser.resume_tournament(self.stage.tournament).await?;
            self.progress.expect_pause();
        }
        let mut lost_at: Option<Instant> = None;
        while let Some(status) = self.watch_to_end(&mut lost_at).await? {
            self.states = None;
            let is_new = lost_at.is_none();
            let lost_at = *lost_at.get_or_insert_with(Instant::now);
            if !is_transient(status.code()) || lost_at.elapsed() >= patience {
                return Err(self.stage.organiser.broken_stream_failure(&status));
            }
            if is_new {
                let (address, seconds) = (&self.stage.address, patience.as_secs());
                self.progress.print_line(&format!(
                    "the server at {address} does not answer: trying again for {seconds} seconds"
                ));
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Enters the bots as they connect, until all have. A bot with a session counts as connected, whether or not it
    /// asks to be entered.
    async fn wait_for_bots(&mut self) -> Result<(), Failure> {
        loop {
            let TournamentAddress { organiser, tournament, .. } = &self.stage;
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
                () = sleep(LOOK) => {}
                news = self.players.next_news() => self.handle_news_before_start(&news)?,
            }
        }
    }

    /// Waits until the bots of this run have sessions again, except for those that cannot return.
    async fn wait_for_return(&mut self) -> Result<(), Failure> {
        while !self.returning.is_empty() {
            for player in mem::take(&mut self.returning) {
                if !self.stage.organiser.is_bot_connected(&player.name).await? {
                    self.returning.push(player);
                }
            }
            if self.returning.is_empty() {
                break;
            }
            self.progress.show_awaited_bots(&self.returning);
            tokio::select! {
                () = sleep(LOOK) => {}
                news = self.players.next_news() => {
                    if let PlayerNews::GaveUp { bot, .. } | PlayerNews::Lost { bot, .. } = &news {
                        self.returning.retain(|player| player.name != *bot);
                    }
                    self.handle_bot_news(&news).await?;
                }
            }
        }
        Ok(())
    }

    /// Follows the tournament to its end, or until the server is lost; then returns what happened.
    async fn watch_to_end(&mut self, lost_at: &mut Option<Instant>) -> Result<Option<Status>, Failure> {
        let mut stream = match self.states.take() {
            Some(states) => states,
            None => match self.stage.organiser.watch_tournament(self.stage.tournament).await {
                Ok(states) => states,
                Err(refused) => return Ok(Some(refused)),
            },
        };
        loop {
            tokio::select! {
                state = timeout(MAX_SILENCE, stream.message()) => match state.unwrap_or_else(silence_status) {
                    Ok(Some(state)) => {
                        if lost_at.take().is_some() {
                            self.progress.print_line("the server is back");
                        }
                        self.seen.update(state);
                        self.show_progress().await;
                        if self.seen.is_over() {
                            return Ok(None);
                        }
                    }
                    Ok(None) => return Ok(Some(Status::unavailable("the server stopped before the end"))),
                    Err(lost) => return Ok(Some(lost)),
                },
                news = self.players.next_news() => self.handle_bot_news(&news).await?,
                bot = self.outages.exceed(self.outage_limit) => {
                    let limit = span_words(millis(self.outage_limit));
                    return Err(self.stop_failure(&format!("{bot}: its endpoint has failed for {limit} (outage_limit)")));
                }
            }
        }
    }

    /// Reacts to an event of a bot, and reports it.
    async fn handle_bot_news(&mut self, news: &PlayerNews) -> Result<(), Failure> {
        match news {
            PlayerNews::OutageBegan { bot, cause } => {
                let line = self.progress.bot_news_line(news);
                let frozen =
                    if self.outages.begin(bot) { Some(self.freeze_for_outage().await) } else { None };
                if cause.class.needs_change() {
                    return Err(self.stop_failure(&line));
                }
                if let Some(frozen) = frozen {
                    self.progress.print_line(&format!("{line}: {frozen}"));
                }
                Ok(())
            }
            PlayerNews::OutageEnded { bot } => {
                let Some(lasted) = self.outages.end(bot) else { return Ok(()) };
                let line = self.progress.bot_news_line(news);
                self.progress.print_line(&format!("{line} after {}", span_words(millis(lasted))));
                if self.outages.is_empty() && mem::take(&mut self.is_frozen) {
                    self.stage.organiser.resume_tournament(self.stage.tournament).await?;
                    SavedRun::update(&self.saved_run, |saved| saved.paused_at_us = None)?;
                }
                Ok(())
            }
            _ => self.print_bot_news(news),
        }
    }

    /// Freezes the tournament while an endpoint fails, unless its organiser has paused it. Says what that means.
    async fn freeze_for_outage(&mut self) -> String {
        self.progress.expect_pause();
        match self.try_freeze().await {
            Ok(true) => "the tournament is frozen, no clock runs, and it continues when the endpoint answers"
                .to_owned(),
            Ok(false) => "the tournament stays paused by its organiser".to_owned(),
            Err(failure) => format!("the tournament cannot be frozen, so the bot's clocks run: {failure}"),
        }
    }

    /// Returns whether this run froze the tournament, and so must resume it.
    async fn try_freeze(&mut self) -> Result<bool, Failure> {
        let TournamentAddress { organiser, tournament: id, .. } = &self.stage;
        let was_paused = organiser.fetch_tournament(*id).await?.pause() != pb::OpenMatches::Unspecified;
        let event = organiser.freeze_tournament(*id).await?;
        self.is_frozen = !was_paused && event.is_some();
        if let Some(event) = event.filter(|_| self.is_frozen) {
            SavedRun::update(&self.saved_run, |saved| saved.paused_at_us = Some(event.at_us))?;
        }
        Ok(self.is_frozen)
    }

    /// Returns why the run stops at an outage, and how it goes on.
    fn stop_failure(&self, why: &str) -> Failure {
        let file = self.file.display();
        Failure::Runtime(anyhow::Error::msg(format!(
            "{file}: bot {why}: no seat is lost; fix it, for example in the file, and run the same command again"
        )))
    }

    /// Shows the progress of the tournament, and how seats were lost.
    async fn show_progress(&mut self) {
        let TournamentAddress { organiser, tournament, .. } = &self.stage;
        for losses in self.progress.show_tournament(&self.seen) {
            // A lost or older server may not answer; then this is omitted.
            let listed = organiser.lost_seats(*tournament, &losses.bot).await.unwrap_or_default();
            self.progress.print_losses(&losses, &listed);
        }
    }

    /// Reports an event of a bot. A bot that could not start ends the run.
    fn print_bot_news(&self, news: &PlayerNews) -> Result<(), Failure> {
        let line = self.progress.bot_news_line(news);
        if matches!(news, PlayerNews::Refused { .. }) {
            let file = self.file.display();
            return Err(Failure::Runtime(anyhow::Error::msg(format!("{file}: {line}"))));
        }
        self.progress.print_line(&line);
        Ok(())
    }

    /// Handles an event of a bot before the first match: the start does not wait for a bot that cannot connect.
    fn handle_news_before_start(&self, news: &PlayerNews) -> Result<(), Failure> {
        let (bot, why) = match news {
            PlayerNews::GaveUp { bot, how, log } => {
                (bot, format!("its program keeps ending ({how}): see {}", log.display()))
            }
            PlayerNews::Lost { bot, why } => (bot, format!("it has stopped playing: {why}")),
            PlayerNews::Restarted { .. }
            | PlayerNews::Refused { .. }
            | PlayerNews::OutageBegan { .. }
            | PlayerNews::OutageEnded { .. } => return self.print_bot_news(news),
        };
        let file = self.file.display();
        Err(Failure::Runtime(anyhow::Error::msg(format!(
            "{file}: bot {bot}: {why}; nothing has been played yet: fix it and run the same command again"
        ))))
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the status of a server that sends not even heartbeats.
fn silence_status<T>(_: Elapsed) -> Result<T, Status> {
    Err(Status::unavailable("the server is silent"))
}

/// Returns whether a server may be found again after it said so.
fn is_transient(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal | Code::DeadlineExceeded
    )
}
