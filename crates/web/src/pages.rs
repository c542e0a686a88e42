//! From a request to its page.

use super::address::{PageAddress, PageForm};
use super::bot_audit_page::bot_audit_page;
use super::bot_audits::BotAudits;
use super::bot_page::bot_page;
use super::docs::{guide_content, guide_list};
use super::forms::{CookieSecret, FormFields, FormRefusal, SiteCookie, check_origin, read_form};
use super::home_page::home_page;
use super::kept_pages::{KeptPages, MadePage, PageLifetime, is_keepable};
use super::lists::{bot_list, match_list, tournament_list};
use super::live::{Feeds, watch_home_page, watch_match_page, watch_tournament_page};
use super::match_page::match_page;
use super::metrics::Metrics;
use super::oracle_page::oracle_page;
use super::organise::{show_organiser_page, take_organiser_form};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::page_refusal::{with_reason, with_status_reason};
use super::play::{show_play_page, take_play_form};
use super::public_url::PublicUrl;
use super::response::{
    Freshness, PageResponse, http_status, json_response, method_response, page_response, redirect_response,
    text_response, with_cookie, without_caching,
};
use super::sign_in::{
    arrives_without_cookies, identify_visitor, onward_response, show_sign_in_page, take_sign_in_form,
};
use super::token_sessions::TokenSessions;
use super::tournament_page::{standings_page, tournament_page};
use super::transcript_page::transcript_page;
use super::visitor::Visitor;
use super::visitor_channel::VisitorChannel;
use super::what_if_page::what_if_page;
use lastnim_arena::Arena;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_rpc::{
    Access, BotHands, BotRpc, CallerStatus, ClientAddress, GuestHands, MatchRpc, OracleRpc, ReadScheduler,
    TournamentRpc, TranscriptRpc,
};
use pb::match_service_server::MatchService as _;
use prost::bytes::Bytes;
use std::pin::{Pin, pin};
use std::sync::Arc;
use tonic::codegen::Body;
use tonic::codegen::http::header::{HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use tonic::codegen::http::request::Parts;
use tonic::codegen::http::{Method, Request, StatusCode, Uri};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// All pages. They ask the services, and show what these answer.
#[derive(Debug, Clone)]
pub struct Pages {
    /// Says whether the server can be used.
    pub arena: Arena,
    /// Says whose turn it is to have a page made.
    pub reads: ReadScheduler,
    /// The address by which the world knows the server, if it was told.
    pub public_url: Option<PublicUrl>,
    /// Answers about tournaments.
    pub tournaments: TournamentRpc,
    /// Answers about matches.
    pub matches: MatchRpc,
    /// Answers about bots.
    pub bots: BotRpc,
    /// Answers about transcripts of language models.
    pub transcripts: TranscriptRpc,
    /// Answers about positions.
    pub oracle: OracleRpc,
    /// Says whether a token is an admin's.
    pub access: Access,
    /// Organisers who are signed in.
    pub organisers: Arc<TokenSessions>,
    /// Others who are signed in to read.
    pub readers: Arc<TokenSessions>,
    /// Lets visitors play.
    pub guests: GuestHands,
    /// Lets those play who hold the token of a bot.
    pub bot_hands: BotHands,
    /// Those who are signed in with the token of a bot.
    pub players: Arc<TokenSessions>,
    /// What is measured, unless that has a listener of its own.
    pub metrics: Option<Metrics>,
    /// Says what changes on pages.
    pub feeds: Feeds,
    /// Pages that were made before.
    pub kept: KeptPages,
    /// Audits of bots that were worked out lately.
    pub audits: BotAudits,
}

impl Pages {
    /// Returns the standing of a visitor who shows no token: whoever is signed in is known.
    pub fn caller_status(
        &self,
        client: ClientAddress,
        channel: VisitorChannel,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> CallerStatus {
        let visitor = Visitor::of_request(client, channel, uri, headers);
        match identify_visitor(self, visitor, headers).signed_in() {
            Some(_) => CallerStatus::Known,
            None => CallerStatus::Stranger,
        }
    }

    /// Answers a request of a client. Its body is read where a page takes forms.
    pub async fn respond<B>(
        self,
        client: ClientAddress,
        channel: VisitorChannel,
        request: Request<B>,
    ) -> PageResponse
    where
        B: Body<Data = Bytes, Error = Status>,
    {
        let (head, body) = request.into_parts();
        // What it holds is charged until there is an answer.
        let body = pin!(body);
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        let visitor = Visitor::of_request(client, channel, &head.uri, &head.headers);
        let parsed = PageAddress::parse(path, query)
            .map(|(address, form)| (address.resumed_after(last_event_id(&head.headers)), form));
        let cookie = parsed.as_ref().ok().and_then(|(address, _)| address.cookie());
        match (&head.method, parsed, cookie) {
            (&Method::POST, Ok((address, _)), Some(cookie)) => {
                self.take_form(visitor, &address, cookie, &head, body).await
            }
            (&Method::GET, Ok((address, form)), _) => self.show(visitor, &address, form, &head.headers).await,
            (&Method::HEAD, Ok((address, form)), _) => {
                self.show(visitor, &address, form, &head.headers).await.map(|_| tonic::body::Body::empty())
            }
            (&Method::GET, Err(why), _) => self.refuse(path, &Status::not_found(why)),
            (&Method::HEAD, Err(why), _) => {
                self.refuse(path, &Status::not_found(why)).map(|_| tonic::body::Body::empty())
            }
            (_, Ok(_), Some(_)) => method_response("GET, HEAD, POST"),
            _ => method_response("GET, HEAD"),
        }
    }

    /// Shows a page as it is for this visitor. Nobody else is shown what somebody with a token was.
    async fn show(
        &self,
        visitor: Visitor,
        address: &PageAddress,
        form: PageForm,
        headers: &HeaderMap,
    ) -> PageResponse {
        if address.is_same_for_all() {
            return self.respond_to(&visitor, address, form).await;
        }
        let arrives = arrives_without_cookies(headers);
        // A new cookie would take the place of the one that the browser has.
        if arrives && address.cookie().is_some() {
            return onward_response(address, form);
        }
        let visitor = identify_visitor(self, visitor, headers);
        let has_token = visitor.token().is_some();
        let shown = self.show_with_cookie(visitor, address, form, headers).await;
        if arrives && shown.status() == StatusCode::UNAUTHORIZED {
            return onward_response(address, form);
        }
        if has_token { without_caching(shown) } else { shown }
    }

    /// Shows a page, to a browser that keeps the cookie of the page from then on.
    async fn show_with_cookie(
        &self,
        visitor: Visitor,
        address: &PageAddress,
        form: PageForm,
        headers: &HeaderMap,
    ) -> PageResponse {
        let Some(cookie) = address.cookie() else { return self.respond_to(&visitor, address, form).await };
        if let Some(secret) = cookie.read(headers) {
            return self.respond_to(&visitor.with_secret(secret), address, form).await;
        }
        let secret = CookieSecret::draw();
        let header = cookie.set(&secret, visitor.channel);
        with_cookie(self.respond_to(&visitor.with_secret(secret), address, form).await, header)
    }

    /// Reads a form and hands it to its page.
    async fn take_form<B>(
        &self,
        visitor: Visitor,
        address: &PageAddress,
        cookie: &SiteCookie,
        head: &Parts,
        body: Pin<&mut B>,
    ) -> PageResponse
    where
        B: Body<Data = Bytes, Error = Status>,
    {
        match read_checked_form(visitor.channel, cookie, head, body).await {
            Ok((secret, fields)) => {
                let visitor = identify_visitor(self, visitor, &head.headers).with_secret(secret);
                let answer = self.respond_to_form(&visitor, address, &fields).await;
                let answer =
                    answer.unwrap_or_else(|status| visitor_error_response(&visitor, address, &status));
                without_caching(answer)
            }
            Err(refusal) => {
                let page = Page::of_error("The form was not accepted", &refusal.to_string());
                with_reason(page_response(refusal.status_code(), &page), refusal.reason())
            }
        }
    }

    /// Does what a form asks for.
    async fn respond_to_form(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        fields: &FormFields,
    ) -> Result<PageResponse, Status> {
        match address {
            PageAddress::Organise(address) => take_organiser_form(self, visitor, address, fields).await,
            PageAddress::Play(address) => take_play_form(self, visitor, address, fields).await,
            PageAddress::SignIn { .. } | PageAddress::SignOut => {
                take_sign_in_form(self, visitor, address, fields)
            }
            _ => Ok(method_response("GET, HEAD")),
        }
    }

    /// Says why a request for a path gets no page, in the form that it asks for.
    pub fn refuse(&self, path: &str, status: &Status) -> PageResponse {
        let (_, form) = PageForm::split(path);
        error_response(form, status)
    }

    async fn respond_to(&self, visitor: &Visitor, address: &PageAddress, form: PageForm) -> PageResponse {
        let shown = match address {
            PageAddress::Asset(asset) => {
                let text = asset.text.to_owned();
                Ok(text_response(StatusCode::OK, asset.content_type, Freshness::Minutes, text))
            }
            PageAddress::Health => Ok(plain_response(StatusCode::OK, "the server runs\n")),
            PageAddress::Readiness => Ok(self.readiness_response().await),
            PageAddress::Metrics => self.metrics_response(visitor),
            PageAddress::Play(address) => show_play_page(self, visitor, address).await,
            PageAddress::Organise(address) => show_organiser_page(self, visitor, address).await,
            PageAddress::SignIn { to } => show_sign_in_page(visitor, to.as_deref()),
            // It only takes a form.
            PageAddress::SignOut => Ok(redirect_response(&PageAddress::SignIn { to: None })),
            PageAddress::MatchEvents { id, view, after } => {
                watch_match_page(self, visitor, *id, *view, *after).await
            }
            PageAddress::TournamentEvents(id) => watch_tournament_page(self, visitor, *id).await,
            PageAddress::HomeEvents => watch_home_page(self, visitor).await,
            address => self.show_content(visitor, address, form).await,
        };
        shown.unwrap_or_else(|status| match form {
            PageForm::Html => visitor_error_response(visitor, address, &status),
            form => error_response(form, &status),
        })
    }

    /// Shows a page that was made before and would be made again, or that somebody else makes already, or makes it.
    async fn show_content(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        form: PageForm,
    ) -> Result<PageResponse, Status> {
        let make_anew = || async {
            self.kept.count_made_page();
            let content = self.read_content(visitor, address, form).await?;
            self.make_page(visitor, content, address.clone(), form).await
        };
        let is_keepable = visitor.token().is_none() && is_keepable(address);
        let Some(now) = is_keepable.then(|| self.kept.observe(&self.arena)).flatten() else {
            return Ok(make_anew().await?.response());
        };
        self.access.require_viewer(&visitor.request(()))?;
        let page = self.kept.find_or_make((address.in_form(form), form), now, make_anew).await?;
        Ok(page.response())
    }

    /// Asks the services for what a page is made of.
    async fn read_content(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        form: PageForm,
    ) -> Result<PageContent, Status> {
        let is_ended = match address {
            PageAddress::Tournament(id)
            | PageAddress::Standings { id, .. }
            | PageAddress::Matches { tournament: Some(id), .. } => self.arena.is_ended(*id).await,
            _ => false,
        };
        let content = match address {
            PageAddress::Guides => Ok(guide_list()),
            PageAddress::Guide(guide) => Ok(guide_content(guide)),
            PageAddress::Home => home_page(self, visitor).await,
            PageAddress::Tournaments { page_token } => tournament_list(self, visitor, page_token).await,
            PageAddress::Tournament(id) => tournament_page(self, visitor, *id).await,
            PageAddress::Standings { id, from } => standings_page(self, visitor, (*id, *from), form).await,
            PageAddress::Matches { tournament, filter, page_token } => {
                match_list(self, visitor, *tournament, filter, page_token).await
            }
            PageAddress::Match { id, ply, view } => match_page(self, visitor, *id, *ply, *view).await,
            PageAddress::Record(id) => self.record_content(visitor, *id).await,
            PageAddress::WhatIf { id, ply, take } => what_if_page(self, visitor, *id, *ply, *take).await,
            PageAddress::Transcript { id, place } => transcript_page(self, visitor, *id, *place).await,
            PageAddress::Oracle(position) => oracle_page(self, visitor, position).await,
            PageAddress::Bots { page_token } => bot_list(self, visitor, page_token).await,
            PageAddress::Bot(name) => bot_page(self, visitor, name).await,
            PageAddress::BotAudit(name) => bot_audit_page(self, visitor, name, form).await,
            PageAddress::Asset(_)
            | PageAddress::Health
            | PageAddress::Readiness
            | PageAddress::Metrics
            | PageAddress::Play(_)
            | PageAddress::Organise(_)
            | PageAddress::SignIn { .. }
            | PageAddress::SignOut
            | PageAddress::MatchEvents { .. }
            | PageAddress::TournamentEvents(_)
            | PageAddress::HomeEvents => Err(Status::not_found("nothing has this address")),
        };
        if is_ended { content.map(|content| content.with_lifetime(PageLifetime::Lasting)) } else { content }
    }

    /// Makes what was asked for, when it is the visitor's turn, off the threads that carry messages.
    async fn make_page(
        &self,
        visitor: &Visitor,
        content: PageContent,
        address: PageAddress,
        form: PageForm,
    ) -> Result<MadePage, Status> {
        let next = content.next.as_ref().map(|next| next.in_form(form));
        let url = self.public_url.as_ref().map(|url| format!("{url}{address}"));
        let (lifetime, is_awaited) = (content.lifetime, content.is_awaited);
        let reader = visitor.clone();
        let make = move || match form {
            PageForm::Html => {
                let page = content.page(&address)?.with_url(url.unwrap_or_default()).seen_by(&reader);
                Ok(("text/html; charset=utf-8", page.html()))
            }
            PageForm::Json => Ok(("application/json", content.json() + "\n")),
            PageForm::Csv => {
                let csv = content.csv().ok_or_else(|| Status::not_found("this page has no tables as CSV"));
                csv.map(|csv| ("text/csv; charset=utf-8", csv))
            }
            PageForm::Toml => {
                let toml =
                    content.toml().ok_or_else(|| Status::not_found("this page has no settings as TOML"));
                toml.map(|toml| ("application/toml; charset=utf-8", toml))
            }
        };
        let (content_type, text) = self.reads.work_out(&visitor.request(()), make).await??;
        Ok(MadePage { content_type, text, next, lifetime, is_awaited })
    }

    /// Returns the record of a match, as `lastnim record get` prints it.
    async fn record_content(&self, visitor: &Visitor, id: MatchId) -> Result<PageContent, Status> {
        let request = visitor.request(pb::GetRecordRequest { match_id: id.to_string() });
        let record = self.matches.get_record(request).await?.into_inner().record;
        // It is signed once it is whole.
        let is_whole = record.as_ref().is_some_and(|record| !record.signature.is_empty());
        let write = move || serde_json::to_string(&record);
        let json = self.reads.work_out(&visitor.request(()), write).await?;
        let json = json.map_err(|error| Status::internal(error.to_string()))?;
        let content = PageContent::of_json(json, |_| Err(Status::not_found("a record is no page")));
        let lifetime = if is_whole { PageLifetime::Lasting } else { PageLifetime::Moment };
        Ok(content.with_lifetime(lifetime))
    }

    /// Shows what is measured to whoever is on the machine itself, and from elsewhere to the admin and viewers.
    fn metrics_response(&self, visitor: &Visitor) -> Result<PageResponse, Status> {
        let elsewhere = || Status::not_found("this server shows its metrics on a listener of its own");
        let metrics = self.metrics.as_ref().ok_or_else(elsewhere)?;
        match visitor.channel {
            VisitorChannel::Loopback => {}
            VisitorChannel::Https | VisitorChannel::Plain => {
                self.access.require_overseer(&visitor.request(()))?;
            }
        }
        Ok(metrics.response())
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

/// Reads a form that a page of this server had the visitor's browser send.
async fn read_checked_form<B>(
    channel: VisitorChannel,
    cookie: &SiteCookie,
    head: &Parts,
    body: Pin<&mut B>,
) -> Result<(CookieSecret, FormFields), FormRefusal>
where
    B: Body<Data = Bytes, Error = Status>,
{
    check_origin(head, channel)?;
    let secret = cookie.read(&head.headers).ok_or(FormRefusal::NoCookie)?;
    let fields = read_form(&head.headers, body).await?;
    fields.check_token(secret.form_token())?;
    Ok((secret, fields))
}

/// Returns the number of the last event that a browser has seen which connects again.
fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

fn plain_response(status: StatusCode, words: &str) -> PageResponse {
    text_response(status, "text/plain; charset=utf-8", Freshness::Now, words.to_owned())
}

/// Says why there is no page, in the form that was asked for.
fn error_response(form: PageForm, status: &Status) -> PageResponse {
    let (code, why) = (http_status(status), status.message());
    let response = if form == PageForm::Json {
        let json = serde_json::json!({ "error": why, "status": code.as_u16() });
        json_response(json.to_string())
    } else {
        page_response(code, &Page::of_error(error_title(status), why))
    };
    with_status_headers(response, status)
}

/// Says to a person why there is no page, and where to sign in if that is missing.
fn visitor_error_response(visitor: &Visitor, address: &PageAddress, status: &Status) -> PageResponse {
    let mut page = Page::of_error(error_title(status), status.message()).seen_by(visitor);
    if status.code() == Code::Unauthenticated
        && let Some(sign_in) = address.sign_in_address()
    {
        page.content += &link_paragraph(&sign_in, "", "Sign in with a token");
    }
    with_status_headers(page_response(http_status(status), &page), status)
}

/// Says with an answer what is wrong, and what a client is to do.
fn with_status_headers(mut response: PageResponse, status: &Status) -> PageResponse {
    *response.status_mut() = http_status(status);
    response = with_status_reason(response, status);
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
