//! From a request to its page.

use super::address::{PageAddress, PageForm};
use super::bot_page::bot_page;
use super::home_page::home_page;
use super::lists::{bot_list, match_list, tournament_list};
use super::match_page::match_page;
use super::page::Page;
use super::response::{
    Freshness, PageResponse, csv_response, http_status, json_response, method_response, page_response,
    text_response,
};
use super::tournament_page::{standings_page, tournament_page};
use super::visitor::Visitor;
use crate::report::Report;
use crate::report::render::csv_text;
use crate::rpc::{BotRpc, ClientAddress, MatchRpc, TournamentRpc};
use crate::wire::json::MessageJson;
use crate::wire::pb;
use pb::match_service_server::MatchService as _;
use prost::Name;
use tonic::body::Body;
use tonic::codegen::http::{Method, Request, StatusCode};
use tonic::{Code, Status};

/// All pages. They ask the services, and show what these answer.
#[derive(Debug, Clone)]
pub struct Pages {
    pub(super) tournaments: TournamentRpc,
    pub(super) matches: MatchRpc,
    pub(super) bots: BotRpc,
}

/// What a visitor is shown: a page, and the same for programs.
pub(super) struct Shown {
    /// The page.
    pub page: Page,
    /// What it is made from, as JSON.
    pub json: String,
    /// Its tables; none where it has none for programs.
    pub tables: Option<Report>,
}

impl Shown {
    /// Shows what is made from a message.
    pub(super) fn of_message<M: Name>(page: Page, message: &M) -> Self {
        let json = serde_json::to_string(&MessageJson::of(message)).expect("all keys are texts");
        Self { page, json, tables: None }
    }

    /// Shows its tables as CSV as well.
    #[must_use = "it is what is shown with its tables"]
    pub(super) fn with_tables(self, address: &PageAddress, tables: Report) -> Self {
        Self { page: self.page.with_csv(address), tables: Some(tables), ..self }
    }
}

impl Pages {
    /// Makes the pages of some services.
    pub fn new(tournaments: TournamentRpc, matches: MatchRpc, bots: BotRpc) -> Self {
        Self { tournaments, matches, bots }
    }

    /// Answers a request of a client. Its body is not read.
    pub async fn respond<B>(self, client: ClientAddress, request: Request<B>) -> PageResponse {
        let (head, _) = request.into_parts();
        if head.method != Method::GET && head.method != Method::HEAD {
            return method_response();
        }
        let visitor = Visitor::of_request(client, &head.headers);
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        let response = match PageAddress::parse(path, query) {
            Ok((address, form)) => self.respond_to(&visitor, &address, form).await,
            Err(why) => {
                let (_, form) = PageForm::split(path);
                error_response(form, &Status::not_found(why))
            }
        };
        if head.method == Method::HEAD { response.map(|_| Body::empty()) } else { response }
    }

    async fn respond_to(self, visitor: &Visitor, address: &PageAddress, form: PageForm) -> PageResponse {
        let text = |content_type, text: &str| {
            text_response(StatusCode::OK, content_type, Freshness::Minutes, text.to_owned())
        };
        let shown = match address {
            PageAddress::Stylesheet => {
                return text("text/css; charset=utf-8", include_str!("assets/style.css"));
            }
            PageAddress::Script => {
                return text("text/javascript; charset=utf-8", include_str!("assets/lastnim.js"));
            }
            PageAddress::Health => return plain_response("the server runs\n"),
            PageAddress::Readiness => return self.readiness_response(visitor).await,
            PageAddress::Record(id) => {
                return match self.record_json(visitor, *id).await {
                    Ok(json) => json_response(json),
                    Err(status) => error_response(PageForm::Json, &status),
                };
            }
            PageAddress::Home => home_page(&self, visitor, address).await,
            PageAddress::Tournaments { page_token } => {
                tournament_list(&self, visitor, address, page_token).await
            }
            PageAddress::Tournament(id) => tournament_page(&self, visitor, address, *id).await,
            PageAddress::Standings(id) => standings_page(&self, visitor, address, *id).await,
            PageAddress::Matches { tournament, page_token } => {
                match_list(&self, visitor, address, *tournament, page_token).await
            }
            PageAddress::Match { id, ply, view } => {
                match_page(&self, visitor, address, *id, *ply, *view).await
            }
            PageAddress::Bots { page_token } => bot_list(&self, visitor, address, page_token).await,
            PageAddress::Bot(name) => bot_page(&self, visitor, address, name).await,
        };
        match (shown, form) {
            (Err(status), _) => error_response(form, &status),
            (Ok(shown), PageForm::Html) => page_response(StatusCode::OK, &shown.page),
            (Ok(shown), PageForm::Json) => json_response(shown.json),
            (Ok(Shown { tables: Some(tables), .. }), PageForm::Csv) => csv_response(csv_text(&tables)),
            (Ok(_), PageForm::Csv) => {
                error_response(form, &Status::not_found("this page has no tables as CSV"))
            }
        }
    }

    /// Returns the record of a match, as `lastnim record get` prints it.
    async fn record_json(&self, visitor: &Visitor, id: crate::game::MatchId) -> Result<String, Status> {
        let request = visitor.request(pb::GetRecordRequest { match_id: id.to_string() });
        let record = self.matches.get_record(request).await?.into_inner().record;
        serde_json::to_string(&record).map_err(|error| Status::internal(error.to_string()))
    }

    /// Says whether what is stored can be read.
    async fn readiness_response(&self, visitor: &Visitor) -> PageResponse {
        let request = visitor.request(pb::ListMatchesRequest { page_size: 1, ..Default::default() });
        match self.matches.list_matches(request).await {
            // That somebody may not look says that the server works.
            Ok(_) => plain_response("the server can be used\n"),
            Err(status) if status.code() == Code::Unauthenticated => {
                plain_response("the server can be used\n")
            }
            Err(status) => text_response(
                StatusCode::SERVICE_UNAVAILABLE,
                "text/plain; charset=utf-8",
                Freshness::Now,
                format!("the server cannot be used now: {}\n", status.message()),
            ),
        }
    }
}

fn plain_response(words: &str) -> PageResponse {
    text_response(StatusCode::OK, "text/plain; charset=utf-8", Freshness::Now, words.to_owned())
}

/// Says why there is no page.
fn error_response(form: PageForm, status: &Status) -> PageResponse {
    let (code, why) = (http_status(status), status.message());
    if form == PageForm::Json {
        let json = serde_json::json!({ "error": why, "status": code.as_u16() });
        let mut response = json_response(json.to_string());
        *response.status_mut() = code;
        return response;
    }
    let title = match status.code() {
        Code::NotFound => "Not found",
        Code::Unauthenticated => "This server is private",
        Code::ResourceExhausted | Code::Unavailable => "Try again later",
        _ => "This page cannot be shown",
    };
    page_response(code, &Page::of_error(title, why))
}
