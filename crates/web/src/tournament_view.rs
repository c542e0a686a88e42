//! A tournament as the parts of its page.

use super::address::{EntryAddress, FeedAddress, PageAddress, PageFormat, cell_link, match_cell_link};
use super::live::{LivePage, PageParts};
use super::match_page::{MatchPreview, previews_html};
use super::site::Site;
use super::tournament_format_sections::{
    FormatFindings, cross_table_html, format_sections_html, read_rounds,
};
use super::tournament_parts::standings_chart_html;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb::{self, verdict::Verdict};
use lastnim_report::render::{Html, Time, text_html, write_template};
use lastnim_report::tournament_finding::{TournamentFinding, tournament_finding};
use lastnim_report::words::{count_with_noun, enum_word, format_duration, join_first_items};
use lastnim_report::{
    NumberFormat, NumberUnit, Section,
    matches::winner_text,
    standings::{StandingMeasure, order_note, standings_notes},
    tournament::progress_text,
    tournament_activity::activity_section,
    tournament_events::event_line,
    tournament_result::result_text,
};
use std::sync::Arc;
use tonic::Status;

/// The maximum number of lines of standings on a tournament's page.
const MAX_LEADERS: usize = 40;
const MAX_EVENTS: usize = 30;
/// The maximum number of open matches with a preview.
const MAX_PREVIEWS: usize = 4;
/// The maximum number of ended matches listed.
const MAX_ENDED: usize = 8;

/// The data that was read about a tournament.
#[derive(Debug)]
pub(super) struct TournamentData {
    pub id: TournamentId,
    /// The response of the service.
    pub shown: pb::GetTournamentResponse,
    /// The standings, by place.
    pub standings: pb::GetStandingsResponse,
    pub matches: Vec<pb::Match>,
    /// Open matches.
    pub previews: Vec<MatchPreview>,
    /// The data that was read for its format.
    pub findings: Arc<FormatFindings>,
}

/// The content of the page.
#[derive(Template)]
#[template(path = "tournament_now.html")]
struct TournamentContent<'a> {
    view: &'a TournamentView,
    fixed: &'a str,
}

/// A tournament as its page shows it.
#[derive(Debug)]
pub(super) struct TournamentView {
    data: TournamentData,
    /// Who leads or has won.
    pub finding: TournamentFinding,
}

/// The progress as text and as a bar, with an estimate of the remaining time.
#[derive(Template)]
#[template(path = "tournament/progress.html")]
struct Progress<'a> {
    /// The state, as a CSS class.
    state: String,
    state_words: &'a str,
    title: String,
    format: String,
    rest: &'a str,
    played: u64,
    /// The number of matches in total; 0 if unknown.
    total: u64,
    left: Option<String>,
    /// The times before the start, if the tournament is open.
    times: Vec<ComingTime>,
    /// The address where a bot can be entered with the entry code, if it has uses left.
    entry: Option<EntryAddress>,
}

/// Something that happens at a given time.
struct ComingTime {
    event: &'static str,
    time: Time,
    /// What the page adds once the time has passed.
    later: &'static str,
}

/// How sure the finding is, and the figures of the leader.
#[derive(Template)]
#[template(path = "tournament/finding.html")]
struct FindingParts {
    certainty: String,
    figures: Vec<LeaderFigure>,
}

/// A figure of the leader, with its label.
struct LeaderFigure {
    label: String,
    figure: String,
    /// The smaller text next to the figure.
    beside: String,
}

/// The first lines of the standings, with notes and a link to all.
#[derive(Template)]
#[template(path = "tournament/leaders.html")]
struct Leaders {
    standings: String,
    note: Option<String>,
    notes: String,
    all: String,
    words: String,
    csv: String,
}

/// The newest matches that have ended.
#[derive(Template)]
#[template(path = "tournament/ended.html")]
struct EndedMatches {
    matches: Vec<EndedMatch>,
    all: String,
    words: String,
}

struct EndedMatch {
    address: String,
    winner: String,
    bots: String,
    takes: String,
}

/// Reads previews of the first open matches of a tournament.
pub(super) async fn read_previews(
    site: &Site,
    visitor: &Visitor,
    shown: &pb::GetTournamentResponse,
) -> Result<Vec<MatchPreview>, Status> {
    let open = shown.activity.iter().flat_map(|activity| &activity.matches);
    let open = open.map(|open| (open.match_id.as_str(), open.plies)).collect();
    MatchPreview::read_first(site, visitor, open, MAX_PREVIEWS).await
}

impl TournamentView {
    /// Creates the view, which takes some time for many bots.
    pub(super) fn new(data: TournamentData) -> Self {
        let (tournament, verdict) =
            (data.shown.tournament.clone().unwrap_or_default(), &data.standings.verdict);
        let lines = &data.standings.standings;
        let rounds = match verdict.as_ref().and_then(|verdict| verdict.verdict.as_ref()) {
            Some(Verdict::Knockout(_)) => read_rounds(&tournament, verdict.as_ref(), &data.findings),
            _ => Vec::new(),
        };
        let finding = tournament_finding(&tournament, lines, verdict.as_ref(), &rounds);
        Self { data, finding }
    }

    /// Writes the changing parts: progress, standings, activity, newest matches, sections of the format, and the result
    /// as text.
    ///
    /// `fixed` is the HTML of the parts that do not change: settings and downloads.
    pub(super) fn html(&self, fixed: &str) -> String {
        write_template(&TournamentContent { view: self, fixed })
    }

    /// Writes the changing parts for live updates.
    pub(super) fn live_page(&self) -> LivePage {
        let parts = PageParts::default()
            .with("headline", text_html(&self.finding.headline))
            .with("progress", self.progress_html())
            .with("finding", self.finding_html())
            .with("standings", self.leaders_html())
            .with("cross", self.cross_html())
            .with("format", self.format_html())
            .with("previews", self.previews_html())
            .with("matches", self.matches_html())
            .with("activity", self.activity_html())
            .with("actions", self.actions_html())
            .with("result", self.result_html());
        LivePage { parts, announcement: self.announcement(), ..LivePage::default() }
    }

    fn events_address(&self) -> FeedAddress {
        FeedAddress::Tournament { id: self.data.id }
    }

    /// Returns the standings, by place.
    fn lines(&self) -> &[pb::Standing] {
        &self.data.standings.standings
    }

    pub(super) fn tournament(&self) -> pb::Tournament {
        self.data.shown.tournament.clone().unwrap_or_default()
    }

    /// Returns whether the tournament has ended.
    pub(super) fn is_over(&self) -> bool {
        let state = self.data.shown.tournament.as_ref().map(pb::Tournament::state);
        matches!(state, Some(pb::TournamentState::Finished | pb::TournamentState::Cancelled))
    }

    /// Returns whether the bracket is more important than the standings.
    fn is_knockout(&self) -> bool {
        matches!(self.verdict().and_then(|verdict| verdict.verdict.as_ref()), Some(Verdict::Knockout(_)))
    }

    /// Describes the state for screen readers. It leaves out the number of matches, which would be announced every
    /// second.
    fn announcement(&self) -> String {
        let tournament = self.tournament();
        let state = enum_word(tournament.state().as_str_name(), "TOURNAMENT_STATE_");
        let paused = if tournament.pause() == pb::OpenMatches::Unspecified { "" } else { ", paused" };
        format!("the tournament is {state}{paused}")
    }

    /// Writes the sections for the format.
    fn format_html(&self) -> String {
        format_sections_html(&self.tournament(), self.verdict(), &self.data.findings)
    }

    /// Writes the result as text to copy.
    fn result_html(&self) -> String {
        text_html(&result_text(&self.tournament(), &self.data.standings.standings, self.verdict(), ""))
    }

    /// Returns the verdict of the format.
    fn verdict(&self) -> Option<&pb::Verdict> {
        self.data.standings.verdict.as_ref()
    }

    fn progress_html(&self) -> String {
        let tournament = self.tournament();
        let state_and_progress = progress_text(&tournament);
        let (state_words, rest) = state_and_progress.split_once(", ").unwrap_or((&state_and_progress, ""));
        let settings = tournament.settings.clone().unwrap_or_default();
        let is_open = tournament.state() == pb::TournamentState::Open;
        let seats = count_with_noun(settings.seats, "seat", "seats");
        write_template(&Progress {
            state: enum_word(tournament.state().as_str_name(), "TOURNAMENT_STATE_"),
            state_words,
            format: format!("{}, {seats} at a table", settings.format_profile().title),
            times: if is_open { coming_times(&settings) } else { Vec::new() },
            title: settings.title,
            rest: if is_open { "" } else { rest },
            played: tournament.matches_played,
            total: tournament.matches_total,
            left: self.time_left(),
            entry: (self.data.shown.entry_code_uses > 0).then_some(EntryAddress::Form { id: self.data.id }),
        })
    }

    /// Writes how sure the finding is, and the figures of the leader.
    fn finding_html(&self) -> String {
        let lines = self.lines();
        let is_shared = lines.iter().filter(|line| line.place == 1).count() > 1;
        let leader = lines.first().filter(|line| line.matches > 0 && !is_shared);
        let figures = leader.map(|leader| leader_figures(leader, lines)).unwrap_or_default();
        write_template(&FindingParts { certainty: self.finding.certainty.clone(), figures })
    }

    /// Estimates the remaining time.
    fn time_left(&self) -> Option<String> {
        let left = self.data.shown.activity.as_ref()?.time_left.as_ref()?;
        Some(match left.estimate_ms {
            Some(estimate) => format!("about {} left", format_duration(estimate)),
            None => format!("at most {} left, according to the clocks", format_duration(left.longest_ms)),
        })
    }

    /// Writes the first lines of the standings, with notes on them.
    fn leaders_html(&self) -> String {
        let html = Html::with_links(&cell_link);
        let bots = self.lines().len();
        if bots == 0 {
            return html
                .section_html(&Section::with_heading("Standings").paragraph("No bots have joined yet."));
        }
        let note = order_note(self.data.standings.order(), self.lines());
        let lines = &self.lines()[..bots.min(MAX_LEADERS)];
        // The bracket shows how far each bot of a knockout got.
        let verdict = self.verdict().filter(|_| !self.is_knockout());
        let notes = standings_notes(Section::new(), lines, verdict);
        let all = PageAddress::Standings { id: self.data.id, from: None };
        let description = if bots > MAX_LEADERS {
            format!("All {}, with the cross-table", count_with_noun(bots as u64, "bot", "bots"))
        } else {
            "With the cross-table".to_owned()
        };
        write_template(&Leaders {
            standings: standings_chart_html(lines),
            note,
            notes: html.section_html(&notes),
            all: all.to_string(),
            words: description,
            csv: all.in_format(PageFormat::Csv),
        })
    }

    /// Writes the cross-table; empty for many bots.
    fn cross_html(&self) -> String {
        cross_table_html(&self.tournament(), self.lines(), &self.data.findings)
    }

    /// Writes the first open matches.
    fn previews_html(&self) -> String {
        previews_html("Being played now", &self.data.previews)
    }

    /// Lists what the organiser did; empty if nothing.
    fn actions_html(&self) -> String {
        let events = &self.data.standings.events;
        let from = events.len().saturating_sub(MAX_EVENTS);
        if events.is_empty() {
            return String::new();
        }
        let lines: Vec<_> = events[from..].iter().map(event_line).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        Html::with_links(&|_, _| None)
            .section_html(&Section::with_heading("What the organiser did").list(lines))
    }

    /// Shows connected and awaited bots, and open matches.
    fn activity_html(&self) -> String {
        let section = self.data.shown.activity.as_ref().map(activity_section);
        section.map(|section| Html::with_links(&match_cell_link).section_html(&section)).unwrap_or_default()
    }

    /// Lists the newest matches that have a winner.
    fn matches_html(&self) -> String {
        if self.data.matches.is_empty() {
            return String::new();
        }
        let ended = self.data.matches.iter().filter(|game| game.winner.is_some()).take(MAX_ENDED);
        let matches = ended.map(|game| EndedMatch {
            address: match_cell_link("id", &game.id).unwrap_or_default(),
            winner: winner_text(game),
            bots: join_first_items(&game.setup.as_ref().map(|setup| setup.bots.clone()).unwrap_or_default()),
            takes: count_with_noun(game.plies, "take", "takes"),
        });
        let (filter, page) = Default::default();
        let all = PageAddress::TournamentMatches { id: self.data.id, filter, page };
        let played = self.tournament().matches_played;
        write_template(&EndedMatches {
            matches: matches.collect(),
            all: all.to_string(),
            words: format!("All matches ({played} played)"),
        })
    }
}

/// Returns the times of the start and of the end of entries, if the settings have them.
fn coming_times(settings: &pb::TournamentSettings) -> Vec<ComingTime> {
    let start = ComingTime {
        event: "starts",
        time: Time(settings.start_at_us),
        later: "as soon as enough bots have joined",
    };
    let close = ComingTime {
        event: "entries close",
        time: Time(settings.entries_close_at_us),
        later: "no more bots can enter",
    };
    [start, close].into_iter().filter(|coming| coming.time != Time(0)).collect()
}

/// Returns the figures of the leader that a page shows large.
fn leader_figures(leader: &pb::Standing, lines: &[pb::Standing]) -> Vec<LeaderFigure> {
    let measure = StandingMeasure::of_standings(lines);
    let percent = NumberFormat::new(NumberUnit::Share, 0);
    let figure = |label: &str, figure: String, beside: String| LeaderFigure {
        label: label.to_owned(),
        figure,
        beside,
    };
    let rating = leader.rating.as_ref().map(|rating| {
        let number = |points| measure.format.format_number(points);
        let range_text = format!("{} to {}", number(rating.low), number(rating.high));
        figure("rating, with its 95% interval", number(rating.points), range_text)
    });
    let accuracy =
        leader.accuracy.map(|share| figure("accuracy", percent.format_number(share), String::new()));
    let won = figure(
        &format!("{} won", leader.bot),
        leader.wins.to_string(),
        format!("of {}", count_with_noun(leader.matches, "match", "matches")),
    );
    rating.into_iter().chain([won]).chain(accuracy).collect()
}
