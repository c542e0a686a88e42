//! The addresses of pages: read from requests, and written into links.

use super::asset::Asset;
use super::docs::Guide;
use super::forms::SiteCookie;
use super::match_filter::MatchFilter;
use super::organise::OrganiseAddress;
use super::play::PlayAddress;
use super::sign_in::{SESSION_COOKIE, wanted_page};
use super::transcript_page::QuestionPlace;
use super::typed_position::TypedPosition;
use lastnim_arena::is_guest_name;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use std::fmt;
use std::str::FromStr;

/// What a visitor asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PageAddress {
    /// What goes on.
    Home,
    /// What changes of that.
    HomeEvents,
    /// A page of the list of tournaments; the first without a token.
    Tournaments { page_token: String },
    /// A tournament.
    Tournament(TournamentId),
    /// The standings of a tournament from some line on, and how its bots compare.
    Standings { id: TournamentId, from: u32 },
    /// What changes on the page of a tournament.
    TournamentEvents(TournamentId),
    /// A page of the list of matches, of all or of one tournament.
    Matches { tournament: Option<TournamentId>, filter: MatchFilter, page_token: String },
    /// A match, after so many plies; at its end, or as far as it is, without.
    Match { id: MatchId, ply: Option<u32>, view: OracleView },
    /// A match after so many plies, and another take than the one that was made there.
    WhatIf { id: MatchId, ply: u32, take: Option<u64> },
    /// What a language model wrote down of a question.
    Transcript { id: MatchId, place: QuestionPlace },
    /// What changes on the page of a match, for a tab that shows so many of its events.
    MatchEvents { id: MatchId, view: OracleView, after: Option<u64> },
    /// The record of a match, for programs.
    Record(MatchId),
    /// A position, and what the oracle says of it.
    Oracle(TypedPosition),
    /// A page of the list of bots.
    Bots { page_token: String },
    /// A bot.
    Bot(BotName),
    /// The list of guides.
    Guides,
    /// A guide.
    Guide(&'static Guide),
    /// What an organiser does.
    Organise(OrganiseAddress),
    /// Where a visitor types a token, to read with it; then it goes on to a page.
    SignIn { to: Option<Box<Self>> },
    /// Where it is forgotten again.
    SignOut,
    /// Where a visitor plays a hand.
    Play(PlayAddress),
    /// How a bot plays.
    BotAudit(BotName),
    /// How pages look, or what they do besides.
    Asset(&'static Asset),
    /// Whether the server runs.
    Health,
    /// Whether the server can be used.
    Readiness,
    /// What the server measures of itself.
    Metrics,
}

/// Whether a match is shown with what the oracle says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) enum OracleView {
    /// The match as its bots saw it.
    #[default]
    Hidden,
    /// With the winner under optimal play, optimal takes and regret.
    Shown,
}

/// In which form a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageForm {
    /// For people.
    Html,
    /// For programs: `.json` at the end of the path.
    Json,
    /// Its tables: `.csv` at the end of the path.
    Csv,
    /// What would be played again: `.toml` at the end of the path.
    Toml,
}

impl PageForm {
    /// Returns the form that the end of a path names, and the path without it. Names of bots have dots, so that a last `.html` only says that
    /// what is before belongs to the name.
    pub(super) fn split(path: &str) -> (&str, Self) {
        let ends = [(".json", Self::Json), (".csv", Self::Csv), (".toml", Self::Toml), (".html", Self::Html)];
        let found = ends.into_iter().find_map(|(end, form)| Some((path.strip_suffix(end)?, form)));
        found.unwrap_or((path, Self::Html))
    }
}

impl PageAddress {
    /// Reads the path and the query of a request.
    ///
    /// # Errors
    /// Says what is not there.
    pub(super) fn parse(path: &str, query: &str) -> Result<(Self, PageForm), String> {
        let path = path.strip_prefix('/').unwrap_or(path);
        match path {
            "healthz" => return Ok((Self::Health, PageForm::Html)),
            "readyz" => return Ok((Self::Readiness, PageForm::Html)),
            "metrics" => return Ok((Self::Metrics, PageForm::Html)),
            _ => {}
        }
        if let Some(asset) = Asset::at(path) {
            return Ok((Self::Asset(asset), PageForm::Html));
        }
        let (path, form) = PageForm::split(path);
        let page_token = || query_value(query, "page").unwrap_or_default().to_owned();
        let filter = || MatchFilter::parse(|key| query_value(query, key));
        let segments: Vec<_> = path.split('/').collect();
        let address = match segments.as_slice() {
            ["" | "index"] => Self::Home,
            ["events"] if form == PageForm::Html => Self::HomeEvents,
            ["tournaments"] => Self::Tournaments { page_token: page_token() },
            ["tournaments", id] => Self::Tournament(tournament_id(id)?),
            ["tournaments", id, "events"] if form == PageForm::Html => {
                Self::TournamentEvents(tournament_id(id)?)
            }
            ["tournaments", id, "standings"] => Self::Standings {
                id: tournament_id(id)?,
                from: query_value(query, "from").map_or(Ok(0), |from| parse_number("from", from))?,
            },
            ["tournaments", id, "matches"] => Self::Matches {
                tournament: Some(tournament_id(id)?),
                filter: filter()?,
                page_token: page_token(),
            },
            ["matches"] => Self::Matches { tournament: None, filter: filter()?, page_token: page_token() },
            ["matches", id] => Self::Match {
                id: match_id(id)?,
                ply: query_value(query, "ply").map(|ply| parse_number("ply", ply)).transpose()?,
                view: oracle_view(query),
            },
            ["matches", id, "events"] if form == PageForm::Html => Self::MatchEvents {
                id: match_id(id)?,
                view: oracle_view(query),
                after: query_value(query, "after").map(|after| parse_number("after", after)).transpose()?,
            },
            ["matches", id, "what-if"] => Self::WhatIf {
                id: match_id(id)?,
                ply: query_value(query, "ply").map_or(Ok(0), |ply| parse_number("ply", ply))?,
                take: query_value(query, "take")
                    .filter(|take| !take.is_empty())
                    .map(parse_take)
                    .transpose()?,
            },
            ["matches", id, "transcript"] => Self::Transcript {
                id: match_id(id)?,
                place: QuestionPlace {
                    seat: query_value(query, "seat").map_or(Ok(0), |seat| parse_number("seat", seat))?,
                    ply: query_value(query, "ply").map(|ply| parse_number("ply", ply)).transpose()?,
                },
            },
            ["matches", id, "record"] if form == PageForm::Json => Self::Record(match_id(id)?),
            ["oracle"] => Self::Oracle(TypedPosition::of_query(query)),
            ["bots"] => Self::Bots { page_token: page_token() },
            ["bots", name] => Self::Bot(name.parse().map_err(|error| format!("{error}"))?),
            ["docs"] => Self::Guides,
            ["docs", name] => {
                Self::Guide(Guide::named(name).ok_or_else(|| format!("there is no guide {name:?}"))?)
            }
            ["organise", rest @ ..] if form == PageForm::Html => {
                Self::Organise(OrganiseAddress::parse(rest)?)
            }
            ["play", rest @ ..] if form == PageForm::Html => {
                Self::Play(PlayAddress::parse(rest, query_value(query, "since"))?)
            }
            ["sign-in"] if form == PageForm::Html => Self::SignIn { to: wanted_page(query).map(Box::new) },
            ["sign-out"] if form == PageForm::Html => Self::SignOut,
            ["bots", name, "audit"] => Self::BotAudit(name.parse().map_err(|error| format!("{error}"))?),
            _ => return Err("nothing has this address".to_owned()),
        };
        Ok((address, form))
    }

    /// Returns the cookie that belongs to the address; `None` where it takes no forms.
    pub(super) fn cookie(&self) -> Option<&'static SiteCookie> {
        match self {
            Self::Organise(_) | Self::SignIn { .. } | Self::SignOut => Some(&SESSION_COOKIE),
            Self::Play(address) => Some(address.cookie()),
            _ => None,
        }
    }

    /// Returns whether every visitor gets the same there.
    pub(super) fn is_same_for_all(&self) -> bool {
        matches!(self, Self::Asset(_) | Self::Health | Self::Readiness)
    }

    /// Returns where a visitor signs in who wants this page; `None` where no page is wanted.
    pub(super) fn sign_in_address(&self) -> Option<Self> {
        match self {
            Self::HomeEvents
            | Self::TournamentEvents(_)
            | Self::MatchEvents { .. }
            | Self::SignIn { .. }
            | Self::SignOut => None,
            wanted => Some(Self::SignIn { to: Some(Box::new(wanted.clone())) }),
        }
    }

    /// Returns the address of what comes after an event, if it is one of events.
    pub(super) fn resumed_after(self, last_event: Option<u64>) -> Self {
        match self {
            Self::MatchEvents { id, view, after } => {
                Self::MatchEvents { id, view, after: last_event.or(after) }
            }
            other => other,
        }
    }

    /// Returns the address of the same in another form.
    pub(super) fn in_form(&self, form: PageForm) -> String {
        let (path, query) = self.path_and_query();
        let end = match form {
            PageForm::Json => ".json",
            PageForm::Csv => ".csv",
            PageForm::Toml => ".toml",
            PageForm::Html if matches!(self, Self::Bot(_)) && PageForm::split(&path).0 != path => ".html",
            PageForm::Html => "",
        };
        let path = if path == "/" && !end.is_empty() { "/index" } else { path.as_str() };
        if query.is_empty() { format!("{path}{end}") } else { format!("{path}{end}?{query}") }
    }

    fn path_and_query(&self) -> (String, String) {
        let page = |token: &str| if token.is_empty() { String::new() } else { format!("page={token}") };
        match self {
            Self::Home => ("/".into(), String::new()),
            Self::HomeEvents => ("/events".into(), String::new()),
            Self::Tournaments { page_token } => ("/tournaments".into(), page(page_token)),
            Self::Tournament(id) => (format!("/tournaments/{id}"), String::new()),
            Self::TournamentEvents(id) => (format!("/tournaments/{id}/events"), String::new()),
            Self::Standings { id, from } => {
                let from = if *from == 0 { String::new() } else { format!("from={from}") };
                (format!("/tournaments/{id}/standings"), from)
            }
            Self::Matches { tournament, filter, page_token } => {
                let path =
                    tournament.map_or_else(|| "/matches".into(), |id| format!("/tournaments/{id}/matches"));
                let mut query = filter.query_parts();
                query.extend(Some(page(page_token)).filter(|page| !page.is_empty()));
                (path, query.join("&"))
            }
            Self::Match { id, ply, view } => {
                let ply = ply.map(|ply| format!("ply={ply}"));
                let query: Vec<_> = [ply, view_pair(*view)].into_iter().flatten().collect();
                (format!("/matches/{id}"), query.join("&"))
            }
            Self::WhatIf { id, ply, take } => {
                let take = take.map(|take| format!("&take={take}")).unwrap_or_default();
                (format!("/matches/{id}/what-if"), format!("ply={ply}{take}"))
            }
            Self::Transcript { id, place: QuestionPlace { seat, ply } } => {
                let ply = ply.map(|ply| format!("&ply={ply}")).unwrap_or_default();
                (format!("/matches/{id}/transcript"), format!("seat={seat}{ply}"))
            }
            Self::MatchEvents { id, view, after } => {
                let after = after.map(|after| format!("after={after}"));
                let query: Vec<_> = [after, view_pair(*view)].into_iter().flatten().collect();
                (format!("/matches/{id}/events"), query.join("&"))
            }
            Self::Record(id) => (format!("/matches/{id}/record"), String::new()),
            Self::Oracle(position) => ("/oracle".into(), position.to_query()),
            Self::Bots { page_token } => ("/bots".into(), page(page_token)),
            Self::Bot(name) => (format!("/bots/{name}"), String::new()),
            Self::Guides => ("/docs".into(), String::new()),
            Self::Guide(guide) => (format!("/docs/{}", guide.name), String::new()),
            Self::Organise(address) => (address.to_string(), String::new()),
            Self::Play(address) => address.path_and_query(),
            Self::SignIn { to } => {
                let coded = |to: &Self| -> String {
                    form_urlencoded::byte_serialize(to.to_string().as_bytes()).collect()
                };
                let to = to.as_deref().map(|to| format!("to={}", coded(to)));
                ("/sign-in".into(), to.unwrap_or_default())
            }
            Self::SignOut => ("/sign-out".into(), String::new()),
            Self::BotAudit(name) => (format!("/bots/{name}/audit"), String::new()),
            Self::Asset(asset) => (format!("/{}", asset.path), String::new()),
            Self::Health => ("/healthz".into(), String::new()),
            Self::Readiness => ("/readyz".into(), String::new()),
            Self::Metrics => ("/metrics".into(), String::new()),
        }
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_form(PageForm::Html))
    }
}

/// Returns the value of a key of a query. No value here has a character that would be written otherwise.
fn query_value<'q>(query: &'q str, key: &str) -> Option<&'q str> {
    query
        .split('&')
        .find_map(|pair| pair.split_once('=').filter(|(name, _)| *name == key))
        .map(|(_, value)| value)
}

fn tournament_id(id: &str) -> Result<TournamentId, String> {
    id.parse().map_err(|error| format!("tournament {id:?}: {error}"))
}

fn match_id(id: &str) -> Result<MatchId, String> {
    id.parse().map_err(|error| format!("match {id:?}: {error}"))
}

fn oracle_view(query: &str) -> OracleView {
    match query_value(query, "oracle") {
        Some("shown") => OracleView::Shown,
        _ => OracleView::Hidden,
    }
}

fn view_pair(view: OracleView) -> Option<String> {
    (view == OracleView::Shown).then(|| "oracle=shown".to_owned())
}

fn parse_number<N: FromStr>(what: &str, number: &str) -> Result<N, String> {
    number.parse().map_err(|_| format!("{what} {number:?}: expected a whole number from 0 on"))
}

fn parse_take(take: &str) -> Result<u64, String> {
    take.parse().map_err(|_| format!("take {take:?}: expected a whole number from 1 on"))
}

/// Returns where a page tells more of what stands in a table of matches.
pub(super) fn link_of_match_cell(key: &str, text: &str) -> Option<String> {
    link_of_cell(if key == "id" { "match" } else { key }, text)
}

/// Returns where a page tells more of what stands in a table of tournaments.
pub(super) fn link_of_tournament_cell(key: &str, text: &str) -> Option<String> {
    link_of_cell(if key == "id" { "tournament" } else { key }, text)
}

/// Returns where a page tells more of what stands in a table.
pub(super) fn link_of_cell(key: &str, text: &str) -> Option<String> {
    let bot = || Some(PageAddress::Bot(text.parse().ok().filter(|bot| !is_guest_name(bot))?).to_string());
    match key {
        "bot" | "bots" | "name" => bot(),
        "match" => {
            let id = text.parse().ok()?;
            Some(PageAddress::Match { id, ply: None, view: OracleView::Hidden }.to_string())
        }
        "tournament" => Some(PageAddress::Tournament(text.parse().ok()?).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";

    fn read(address: &str) -> Result<(PageAddress, PageForm), String> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        PageAddress::parse(path, query)
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let (id, tournament) = (ID.parse().unwrap(), ID.parse().unwrap());
        let page_token = ID.to_owned();
        let addresses = [
            PageAddress::Home,
            PageAddress::Tournaments { page_token: String::new() },
            PageAddress::Tournaments { page_token: page_token.clone() },
            PageAddress::Tournament(tournament),
            PageAddress::Standings { id: tournament, from: 0 },
            PageAddress::Standings { id: tournament, from: 150 },
            PageAddress::Matches {
                tournament: Some(tournament),
                filter: MatchFilter::default(),
                page_token: page_token.clone(),
            },
            PageAddress::Matches {
                tournament: None,
                filter: MatchFilter {
                    bot: Some("a.b".parse().unwrap()),
                    state: Some(lastnim_proto::pb::MatchState::Over),
                    reason: Some(lastnim_proto::pb::EndReason::Finished),
                },
                page_token: String::new(),
            },
            PageAddress::Match { id, ply: None, view: OracleView::Hidden },
            PageAddress::Match { id, ply: Some(12), view: OracleView::Shown },
            PageAddress::WhatIf { id, ply: 3, take: Some(u64::MAX) },
            PageAddress::WhatIf { id, ply: 0, take: None },
            PageAddress::Transcript { id, place: QuestionPlace { seat: 2, ply: None } },
            PageAddress::Transcript { id, place: QuestionPlace { seat: 0, ply: Some(4) } },
            PageAddress::Oracle(TypedPosition::default()),
            PageAddress::Oracle(TypedPosition {
                piles: "3, 4".into(),
                rows: "0 1; 1 0".into(),
                first: "é&=+%".into(),
                ..TypedPosition::default()
            }),
            PageAddress::Guides,
            PageAddress::Guide(Guide::named("ai-tournaments").unwrap()),
            PageAddress::Bots { page_token },
            PageAddress::Bot("ann".parse().unwrap()),
            PageAddress::BotAudit("a.b".parse().unwrap()),
            PageAddress::Bot("a.b".parse().unwrap()),
            PageAddress::Bot("x.json".parse().unwrap()),
            PageAddress::Bot("x.html".parse().unwrap()),
            PageAddress::Bot("x.toml".parse().unwrap()),
        ];
        for address in addresses {
            for form in [PageForm::Html, PageForm::Json, PageForm::Csv, PageForm::Toml] {
                assert_eq!(read(&address.in_form(form)), Ok((address.clone(), form)));
            }
        }
        let asset = |path| PageAddress::Asset(Asset::at(path).unwrap());
        for address in [
            asset("style.css"),
            asset("lastnim.js"),
            PageAddress::Health,
            PageAddress::Readiness,
            PageAddress::Metrics,
        ] {
            assert_eq!(read(&address.to_string()), Ok((address, PageForm::Html)));
        }
        for address in PlayAddress::examples() {
            let address = PageAddress::Play(address);
            assert_eq!(read(&address.to_string()), Ok((address, PageForm::Html)));
        }
        for address in OrganiseAddress::examples() {
            let address = PageAddress::Organise(address);
            assert_eq!(read(&address.to_string()), Ok((address, PageForm::Html)));
        }
        for address in [
            PageAddress::SignOut,
            PageAddress::SignIn { to: None },
            PageAddress::Tournaments { page_token: "x+/=".into() }.sign_in_address().unwrap(),
            PageAddress::Match { id, ply: Some(12), view: OracleView::Shown }.sign_in_address().unwrap(),
            PageAddress::Bot("x.json".parse().unwrap()).sign_in_address().unwrap(),
        ] {
            assert_eq!(read(&address.to_string()), Ok((address, PageForm::Html)));
        }
        let match_events = PageAddress::MatchEvents { id, view: OracleView::Shown, after: Some(12) };
        assert_eq!(read(&match_events.to_string()), Ok((match_events, PageForm::Html)));
        let events = [PageAddress::TournamentEvents(tournament), PageAddress::HomeEvents];
        for events in events {
            assert_eq!(read(&events.to_string()), Ok((events, PageForm::Html)));
        }
        let record = PageAddress::Record(id);
        assert_eq!(read(&record.in_form(PageForm::Json)), Ok((record, PageForm::Json)));
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (address, why) in [
            ("/nothing", "nothing has this address"),
            ("/tournaments/x", "tournament \"x\""),
            ("/matches/../../etc", "nothing has this address"),
            ("/bots/A%20B", "bot name \"A%20B\""),
        ] {
            let said = read(address).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
        let said = read(&format!("/matches/{ID}?ply=-1")).unwrap_err();
        assert_eq!(said, "ply \"-1\": expected a whole number from 0 on");
    }

    #[test]
    fn cells_lead_to_pages() {
        assert_eq!(link_of_cell("bot", "ann").as_deref(), Some("/bots/ann"));
        assert_eq!(link_of_cell("bot", "no bot"), None);
        assert_eq!(link_of_cell("match", ID).unwrap(), format!("/matches/{ID}"));
        assert_eq!(link_of_cell("wins", "ann"), None);
    }
}
