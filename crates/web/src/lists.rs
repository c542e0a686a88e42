//! Lists of tournaments, matches and bots, which are split into pages.

use super::address::{PageAddress, PageFormat, cell_link, match_cell_link, tournament_cell_link};
use super::match_filter::{FILTER_REASONS, FILTER_STATES, MatchFilter, reason_word, state_word};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::tournament_headlines::read_headlines;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_report::render::{Html, write_template};
use lastnim_report::{Column, Report, Section, Table};
use lastnim_report::{
    bots::bot_table,
    matches::{end_reason_text, match_table},
    tournament::{move_title_to_front, tournament_table},
};
use pb::bot_service_server::BotService as _;
use pb::tournament_service_server::TournamentService as _;
use prost::Name;
use tonic::Status;

const PAGE_SIZE: u32 = 50;

/// The texts around a list.
struct ListTexts {
    title: &'static str,
    summary: &'static str,
    /// HTML before the list.
    before: String,
    /// The text for an empty list.
    nothing: &'static str,
    links: fn(&str, &str) -> Option<String>,
}

pub(super) async fn tournament_list(
    site: &Site,
    visitor: &Visitor,
    page_token: &str,
    form: PageFormat,
) -> Result<PageContent, Status> {
    let page_token = page_token.to_owned();
    let request = pb::ListTournamentsRequest { page_size: PAGE_SIZE, page_token, ..Default::default() };
    let list = site.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    // Only the tables have results.
    let findings = match form {
        PageFormat::Html | PageFormat::Csv => read_headlines(site, visitor, &list.tournaments).await?,
        _ => vec![None; list.tournaments.len()],
    };
    let results = findings.into_iter().map(|finding| finding.map(|finding| finding.headline));
    let table = tournament_table(&list.tournaments).with_column(Column::text("result"), results);
    let next = next_page(&list.next_page_token, |page| PageAddress::Tournaments { page });
    let texts = ListTexts {
        title: "Tournaments",
        summary: "All tournaments on this server, the newest first",
        before: String::new(),
        nothing: "There are no tournaments yet. An organiser can create one with `lastnim tournament create`, or with the link \"organise\" below.",
        links: tournament_cell_link,
    };
    Ok(list_content(texts, table, next, list))
}

pub(super) async fn match_list(
    site: &Site,
    visitor: &Visitor,
    tournament: Option<TournamentId>,
    filter: &MatchFilter,
    page_token: &str,
) -> Result<PageContent, Status> {
    let tournament_id = tournament.map(|id| id.to_string()).unwrap_or_default();
    let page_token = page_token.to_owned();
    let mut request =
        pb::ListMatchesRequest { page_size: PAGE_SIZE, page_token, tournament_id, ..Default::default() };
    filter.narrow_request(&mut request);
    let list = site.list_matches(visitor, request).await?;
    let address = |page| PageAddress::matches_page(tournament, filter.clone(), page);
    let next = next_page(&list.next_page_token, address);
    let form = filter_form_html(tournament, filter);
    let nothing = match (*filter == MatchFilter::default(), next.is_some()) {
        (true, _) => {
            "There are no matches yet. Matches are played in tournaments; the link \"Play\" above starts a match against house bots."
        }
        (false, false) => "No matches fit the filter.",
        (false, true) => "None of the matches searched so far fits the filter.",
    };
    let texts = ListTexts {
        title: "Matches",
        summary: "Matches of Last Nim, the newest first, each with every take",
        before: form,
        nothing,
        links: match_cell_link,
    };
    Ok(list_content(texts, match_table(&list.matches), next, list))
}

pub(super) async fn bot_list(
    site: &Site,
    visitor: &Visitor,
    page_token: &str,
) -> Result<PageContent, Status> {
    let request = pb::ListBotsRequest { page_size: PAGE_SIZE, page_token: page_token.to_owned() };
    let list = site.bots.list_bots(visitor.request(request)).await?.into_inner();
    let next = next_page(&list.next_page_token, |page| PageAddress::Bots { page });
    let texts = ListTexts {
        title: "Bots",
        summary: "All bots on this server, and whether they are connected",
        before: String::new(),
        nothing: "No bots are registered yet. An organiser can register one with `lastnim bot register`, which prints its token.",
        links: cell_link,
    };
    Ok(list_content(texts, bot_table(&list.bots), next, list))
}

/// The form that filters a list of matches.
#[derive(Debug, Template)]
#[template(path = "match_filter.html")]
struct FilterForm {
    action: String,
    bot: String,
    states: Vec<Choice>,
    reasons: Vec<Choice>,
}

/// An option of the form.
#[derive(Debug)]
struct Choice {
    word: String,
    words: String,
    is_chosen: bool,
}

fn filter_form_html(tournament: Option<TournamentId>, filter: &MatchFilter) -> String {
    let everything = PageAddress::matches_page(tournament, MatchFilter::default(), String::new());
    let choice = |word: String, words: &str, is_chosen| Choice { words: words.to_owned(), word, is_chosen };
    let state_words = |state| match state {
        pb::MatchState::Quarantined => "with damaged data",
        pb::MatchState::Voided => "voided",
        pb::MatchState::Over => "over",
        pb::MatchState::Open | pb::MatchState::Unspecified => "open",
    };
    write_template(&FilterForm {
        action: everything.to_string(),
        bot: filter.bot.as_ref().map(ToString::to_string).unwrap_or_default(),
        states: FILTER_STATES
            .map(|state| choice(state_word(state), state_words(state), filter.state == Some(state)))
            .into(),
        reasons: FILTER_REASONS
            .map(|reason| choice(reason_word(reason), end_reason_text(reason), filter.reason == Some(reason)))
            .into(),
    })
}

fn next_page(token: &str, address: impl FnOnce(String) -> PageAddress) -> Option<PageAddress> {
    (!token.is_empty()).then(|| address(token.to_owned()))
}

fn list_content<M: Name + Send + 'static>(
    words: ListTexts,
    table: Table,
    next: Option<PageAddress>,
    list: M,
) -> PageContent {
    let tables = Report::from(Section::new().table(table.clone()));
    let section = if table.rows.is_empty() {
        Section::new().paragraph(words.nothing)
    } else {
        Section::new().table(move_title_to_front(table))
    };
    let (report, after) = (Report::from(section), next.clone());
    let content = PageContent::of_message(list, move |address| {
        let mut html = words.before + &Html::with_links(&words.links).report_html(&report);
        if let Some(next) = after {
            html += &link_paragraph(&next, "next", "More");
        }
        Ok(Page::of_html(address, words.title.into(), html).with_summary(words.summary))
    });
    content.with_tables(tables).with_next(next)
}
