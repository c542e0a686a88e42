//! A tournament as the parts of its page.

use super::address::{FeedAddress, PageAddress, PageForm, link_of_cell, link_of_match_cell};
use super::live::{LivePage, PageParts};
use super::page::link_paragraph;
use super::tournament_format_sections::{FormatFindings, format_sections_html};
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb::{self, verdict::Verdict};
use lastnim_report::render::{Html, text_html, write_template};
use lastnim_report::words::{count_words, enum_word, span_words};
use lastnim_report::{
    Section, matches::match_table, standings::standings_report, tournament::progress_words,
    tournament_activity::activity_section, tournament_result::result_text,
};
use std::sync::Arc;

/// The maximum number of lines of standings on a tournament's page.
const MAX_LEADERS: usize = 40;
/// The maximum number of bots of a knockout that are listed individually.
const MAX_KNOCKOUT_BOTS: usize = 8;
const MAX_EVENTS: usize = 30;

/// A tournament as the parts of its page.
#[derive(Debug, Clone, Template)]
#[template(path = "tournament_now.html")]
pub(super) struct TournamentNow {
    pub id: TournamentId,
    /// The answer of the service.
    pub shown: pb::GetTournamentResponse,
    pub standings: pb::GetStandingsResponse,
    pub matches: Vec<pb::Match>,
    /// The data that was read for its format.
    pub findings: Arc<FormatFindings>,
}

/// The progress in words, as a bar, and with an estimate.
#[derive(Template)]
#[template(path = "progress.html")]
struct Progress<'a> {
    /// The state as a class.
    state: String,
    state_words: &'a str,
    rest: &'a str,
    played: u64,
    /// The number of matches in total; 0 if unknown.
    total: u64,
    left: Option<String>,
}

/// The first lines of the standings, with a link to all.
#[derive(Template)]
#[template(path = "leaders.html")]
struct Leaders {
    standings: String,
    all: String,
    words: String,
    csv: String,
}

impl TournamentNow {
    /// Writes the changing parts: progress, standings, activity, newest matches, sections of the format, and the result as text.
    pub(super) fn html(&self) -> String {
        write_template(self)
    }

    /// Writes the changing parts for live updates.
    pub(super) fn live_page(&self) -> LivePage {
        let parts = PageParts::default()
            .with("progress", self.progress_html())
            .with("standings", self.leaders_html())
            .with("activity", self.activity_html())
            .with("matches", self.matches_html())
            .with("format", self.format_html())
            .with("result", self.result_html());
        LivePage { parts, announcement: self.announcement(), ..LivePage::default() }
    }

    fn events_address(&self) -> FeedAddress {
        FeedAddress::Tournament { id: self.id }
    }

    pub(super) fn tournament(&self) -> pb::Tournament {
        self.shown.tournament.clone().unwrap_or_default()
    }

    /// Returns whether the tournament has ended.
    pub(super) fn is_over(&self) -> bool {
        let state = self.shown.tournament.as_ref().map(pb::Tournament::state);
        matches!(state, Some(pb::TournamentState::Finished | pb::TournamentState::Cancelled))
    }

    /// Announces the state. The number of matches would be announced every second.
    fn announcement(&self) -> String {
        let tournament = self.tournament();
        let state = enum_word(tournament.state().as_str_name(), "TOURNAMENT_STATE_");
        let paused = if tournament.pause() == pb::OpenMatches::Unspecified { "" } else { ", paused" };
        format!("the tournament is {state}{paused}")
    }

    /// Writes the sections for the format.
    fn format_html(&self) -> String {
        format_sections_html(&self.tournament(), self.verdict(), &self.findings)
    }

    /// Writes the result as text to copy.
    fn result_html(&self) -> String {
        text_html(&result_text(&self.tournament(), &self.standings.standings, self.verdict()))
    }

    /// Returns the verdict of the format.
    fn verdict(&self) -> Option<&pb::Verdict> {
        self.standings.verdict.as_ref()
    }

    fn progress_html(&self) -> String {
        let tournament = self.tournament();
        let words = progress_words(&tournament);
        let (state_words, rest) = words.split_once(", ").unwrap_or((&words, ""));
        write_template(&Progress {
            state: enum_word(tournament.state().as_str_name(), "TOURNAMENT_STATE_"),
            state_words,
            rest,
            played: tournament.matches_played,
            total: tournament.matches_total,
            left: self.time_left(),
        })
    }

    /// Estimates the remaining time.
    fn time_left(&self) -> Option<String> {
        let left = self.shown.activity.as_ref()?.time_left.as_ref()?;
        Some(match left.estimate_ms {
            Some(estimate) => format!("about {} left", span_words(estimate)),
            None => format!("at most {} left, according to the clocks", span_words(left.longest_ms)),
        })
    }

    /// Writes the first lines of the standings, the verdict, and the organiser's latest actions.
    fn leaders_html(&self) -> String {
        let html = Html::with_links(&link_of_cell);
        let bots = self.standings.standings.len();
        if bots == 0 {
            return html
                .section_html(&Section::with_heading("Standings").paragraph("No bots have joined yet."));
        }
        let mut standings = self.standings.clone();
        standings.standings.truncate(MAX_LEADERS);
        if let Some(Verdict::Knockout(knockout)) =
            standings.verdict.as_mut().and_then(|verdict| verdict.verdict.as_mut())
        {
            // The bracket shows where the others went out.
            knockout.bots.truncate(MAX_KNOCKOUT_BOTS);
        }
        standings.events.drain(..standings.events.len().saturating_sub(MAX_EVENTS));
        let mut report = standings_report(&standings);
        if let Some(first) = report.sections.first_mut() {
            first.heading = Some("Standings".to_owned());
        }
        let all = PageAddress::Standings { id: self.id, from: None };
        let words = if bots > MAX_LEADERS {
            format!("All {}, with the cross-table", count_words(bots as u64, "bot", "bots"))
        } else {
            "With the cross-table".to_owned()
        };
        write_template(&Leaders {
            standings: html.report_html(&report),
            all: all.to_string(),
            words,
            csv: all.in_form(PageForm::Csv),
        })
    }

    /// Shows connected and awaited bots, and open matches.
    fn activity_html(&self) -> String {
        let section = self.shown.activity.as_ref().map(activity_section);
        section
            .map(|section| Html::with_links(&link_of_match_cell).section_html(&section))
            .unwrap_or_default()
    }

    fn matches_html(&self) -> String {
        if self.matches.is_empty() {
            return String::new();
        }
        let section = Section::with_heading("Newest matches").table(match_table(&self.matches));
        let (filter, page) = Default::default();
        let all = PageAddress::TournamentMatches { id: self.id, filter, page };
        Html::with_links(&link_of_match_cell).section_html(&section)
            + &link_paragraph(&all, "", "All matches")
    }
}
