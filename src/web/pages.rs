//! From a request to its page.

use super::address::{PageAddress, PageForm};
use super::bot_page::bot_page;
use super::home_page::home_page;
use super::lists::{bot_list, match_list, tournament_list};
use super::match_page::match_page;
use super::oracle_page::oracle_page;
use super::page::Page;
use super::page_content::PageContent;
use super::response::{
    Freshness, PageResponse, add_next_link, csv_response, http_status, json_response, method_response,
    page_response, text_response,
};
use super::tournament_page::{standings_page, tournament_page};
use super::visitor::Visitor;
use crate::arena::Arena;
use crate::game::MatchId;
use crate::rpc::{BotRpc, ClientAddress, MatchRpc, OracleRpc, ReadScheduler, TournamentRpc};
use crate::wire::pb;
use pb::match_service_server::MatchService as _;
use tonic::body::Body;
use tonic::codegen::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use tonic::codegen::http::{Method, Request, StatusCode};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// All pages. They ask the services, and show what these answer.
#[derive(Debug, Clone)]
pub struct Pages {
    /// Says whether the server can be used.
    pub arena: Arena,
    /// Says whose turn it is to have a page made.
    pub reads: ReadScheduler,
    /// Answers about tournaments.
    pub tournaments: TournamentRpc,
    /// Answers about matches.
    pub matches: MatchRpc,
    /// Answers about bots.
    pub bots: BotRpc,
    /// Answers about positions.
    pub oracle: OracleRpc,
}

impl Pages {
    /// Answers a request of a client. Its body is ignored.
    pub async fn respond<B>(self, client: ClientAddress, request: Request<B>) -> PageResponse {
        let (head, _) = request.into_parts();
        if head.method != Method::GET && head.method != Method::HEAD {
            return method_response();
        }
        let visitor = Visitor::of_request(client, &head.headers);
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        let response = match PageAddress::parse(path, query) {
            Ok((address, form)) => self.respond_to(&visitor, &address, form).await,
            Err(why) => self.refuse(path, &Status::not_found(why)),
        };
        if head.method == Method::HEAD { response.map(|_| Body::empty()) } else { response }
    }

    /// Says why a request for a path gets no page, in the form that it asks for.
    pub fn refuse(&self, path: &str, status: &Status) -> PageResponse {
        let (_, form) = PageForm::split(path);
        error_response(form, status)
    }

    async fn respond_to(&self, visitor: &Visitor, address: &PageAddress, form: PageForm) -> PageResponse {
        let content = match address {
            PageAddress::Asset(asset) => {
                let text = asset.text.to_owned();
                return text_response(StatusCode::OK, asset.content_type, Freshness::Minutes, text);
            }
            PageAddress::Health => return plain_response(StatusCode::OK, "the server runs\n"),
            PageAddress::Readiness => return self.readiness_response().await,
            PageAddress::Record(id) => {
                let record = self.record_json(visitor, *id).await;
                return record.map_or_else(|status| error_response(PageForm::Json, &status), json_response);
            }
            PageAddress::Home => home_page(self, visitor).await,
            PageAddress::Tournaments { page_token } => tournament_list(self, visitor, page_token).await,
            PageAddress::Tournament(id) => tournament_page(self, visitor, *id).await,
            PageAddress::Standings { id, from } => standings_page(self, visitor, *id, *from).await,
            PageAddress::Matches { tournament, page_token } => {
                match_list(self, visitor, *tournament, page_token).await
            }
            PageAddress::Match { id, ply, view } => match_page(self, visitor, *id, *ply, *view).await,
            PageAddress::Oracle(position) => oracle_page(self, visitor, position).await,
            PageAddress::Bots { page_token } => bot_list(self, visitor, page_token).await,
            PageAddress::Bot(name) => bot_page(self, visitor, name).await,
        };
        let made = match content {
            Ok(content) => self.make_page(visitor, content, address.clone(), form).await,
            Err(status) => Err(status),
        };
        made.unwrap_or_else(|status| error_response(form, &status))
    }

    /// Makes what was asked for, when it is the visitor's turn, off the threads that carry messages.
    async fn make_page(
        &self,
        visitor: &Visitor,
        content: PageContent,
        address: PageAddress,
        form: PageForm,
    ) -> Result<PageResponse, Status> {
        let next = content.next.as_ref().map(|next| next.in_form(form));
        let make = move || match form {
            PageForm::Html => content.page(&address).map(|page| page_response(StatusCode::OK, &page)),
            PageForm::Json => Ok(json_response(content.json())),
            PageForm::Csv => content
                .csv()
                .map(csv_response)
                .ok_or_else(|| Status::not_found("this page has no tables as CSV")),
        };
        let mut response = self.reads.work_out(&visitor.request(()), make).await??;
        if let Some(next) = next {
            add_next_link(&mut response, &next);
        }
        Ok(response)
    }

    /// Returns the record of a match, as `lastnim record get` prints it.
    async fn record_json(&self, visitor: &Visitor, id: MatchId) -> Result<String, Status> {
        let request = visitor.request(pb::GetRecordRequest { match_id: id.to_string() });
        let record = self.matches.get_record(request).await?.into_inner().record;
        let write = move || serde_json::to_string(&record);
        let json = self.reads.work_out(&visitor.request(()), write).await?;
        json.map_err(|error| Status::internal(error.to_string()))
    }

    /// Says whether what is played could be stored now. Nobody waits for that, however busy the server is.
    async fn readiness_response(&self) -> PageResponse {
        tokio::select! {
            biased;
            () = self.arena.wait_until_store_usable() => plain_response(StatusCode::OK, "the server can be used\n"),
            () = std::future::ready(()) => {
                plain_response(StatusCode::SERVICE_UNAVAILABLE, "the store cannot be used now\n")
            }
        }
    }
}

fn plain_response(status: StatusCode, words: &str) -> PageResponse {
    text_response(status, "text/plain; charset=utf-8", Freshness::Now, words.to_owned())
}

/// Says why there is no page.
fn error_response(form: PageForm, status: &Status) -> PageResponse {
    let (code, why) = (http_status(status), status.message());
    let mut response = if form == PageForm::Json {
        let json = serde_json::json!({ "error": why, "status": code.as_u16() });
        json_response(json.to_string())
    } else {
        page_response(code, &Page::of_error(error_title(status), why))
    };
    *response.status_mut() = code;
    let mut add = |name, value| response.headers_mut().insert(name, HeaderValue::from_static(value));
    match status.code() {
        Code::Unauthenticated => drop(add(WWW_AUTHENTICATE, "Bearer")),
        Code::ResourceExhausted | Code::Unavailable => drop(add(RETRY_AFTER, "1")),
        _ => {}
    }
    response
}

fn error_title(status: &Status) -> &'static str {
    let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
    match (status.code(), reason.as_str()) {
        (Code::NotFound, _) => "Not found",
        (Code::Unauthenticated, "NO_TOKEN") => "This server is private",
        (Code::Unauthenticated, _) => "The token is not valid",
        (Code::ResourceExhausted | Code::Unavailable, _) => "Try again later",
        _ => "This page cannot be shown",
    }
}
