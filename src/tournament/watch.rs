//! `lastnim tournament watch`.

use crate::{
    Failure, connection_reporter::ConnectionReporter, form::OutputFormat, progress::bar_style,
    remote::RemoteServer, runner::TournamentStatus,
};
use indicatif::{ProgressBar, ProgressDrawTarget};
use lastnim_core::visible_text::visible_text;
use lastnim_proto::pb;
use lastnim_report::{tournament_activity::activity_lines, words::count_with_noun};
use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};
use tokio::time::MissedTickBehavior;

/// The refresh interval of the display on a terminal.
const ACTIVITY_INTERVAL: Duration = Duration::from_secs(2);

/// Follows a tournament to its end, and prints the standings.
pub async fn watch_tournament(remote: &RemoteServer, id: &str, form: OutputFormat) -> Result<(), Failure> {
    let mut states = remote.watch_tournament(id);
    let mut link = ConnectionReporter::default();
    let mut screen = WatchScreen::new();
    let mut ticks = tokio::time::interval(ACTIVITY_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut seen = TournamentStatus::default();
    while !seen.is_over() {
        tokio::select! {
            update = states.next_update() => {
                let update = update.map_err(|status| remote.refusal_failure(&status))?;
                if let Some(state) = screen.bar.suspend(|| link.extract_message(update, remote)) {
                    seen.update(state);
                    screen.show_tournament(&seen.tournament);
                }
            }
            _ = ticks.tick(), if screen.is_terminal => {
                let request = pb::GetTournamentActivityRequest { tournament_id: id.to_owned(), most: 0 };
                // An error is ignored: the stream still sends the standings if the server does not support this call.
                if let Ok(shown) = remote.tournament_client().get_tournament_activity(request).await {
                    screen.show_activity(shown.into_inner().activity.as_ref());
                }
            }
        }
    }
    screen.bar.finish_and_clear();
    seen.print_report(form, None, &[])
}

/// The progress display, which is hidden if standard error is not a terminal.
struct WatchScreen {
    bar: ProgressBar,
    is_terminal: bool,
    progress: String,
    activity: Vec<String>,
}

impl WatchScreen {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        Self {
            bar: bar.with_style(bar_style("{msg}")),
            is_terminal: io::stderr().is_terminal(),
            progress: String::new(),
            activity: Vec::new(),
        }
    }

    fn show_tournament(&mut self, tournament: &pb::Tournament) {
        let field = count_with_noun(tournament.field.len(), "bot", "bots");
        let damaged = format!(", stopped because its data are damaged: {}", tournament.damage);
        let waiting = match tournament.pause() {
            _ if !tournament.damage.is_empty() => damaged.as_str(),
            pb::OpenMatches::Freeze => ", paused, open matches frozen",
            pb::OpenMatches::Finish => ", paused",
            pb::OpenMatches::Unspecified if tournament.awaits_bots => ", waiting for bots",
            pb::OpenMatches::Unspecified => "",
        };
        self.progress = match (tournament.state(), tournament.matches_total) {
            (pb::TournamentState::Open, _) => format!("open, {field} so far"),
            (_, 0) => format!("{field}{waiting}, {} matches played", tournament.matches_played),
            _ => format!("{field}{waiting}"),
        };
        if tournament.matches_total > 0 {
            // The total is counted when the tournament starts; a test that ends early plays fewer matches.
            if self.bar.length() == Some(0) {
                self.bar.set_style(bar_style("{wide_bar} {pos}/{len} matches\n{msg}"));
            }
            self.bar.set_length(tournament.matches_total);
            self.bar.set_position(tournament.matches_played);
        }
        self.draw();
    }

    fn show_activity(&mut self, activity: Option<&pb::TournamentActivity>) {
        self.activity = activity.map(activity_lines).unwrap_or_default();
        self.draw();
    }

    fn draw(&self) {
        let lines = std::iter::once(&self.progress).chain(&self.activity);
        let lines = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
        self.bar.set_message(visible_text(&lines).into_owned());
    }
}
