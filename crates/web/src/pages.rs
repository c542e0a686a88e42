//! Dispatches requests to pages.

use super::address::{FormAddress, PageAddress, PageFormat, SiteAddress};
use super::asset::favicon_png;
use super::book::{chapter_content, contents_page};
use super::bot_audit_page::bot_audit_page;
use super::bot_page::bot_page;
use super::embed_page::{embedded_page_html, embedded_tournament};
use super::entry_page::{handle_entry_form, show_entry_page};
use super::error_page::{error_response, visitor_error_response};
use super::forms::{CookieSecret, FormFields, FormRefusal, SiteCookie, check_origin, read_form};
use super::home_page::home_page;
use super::lists::{bot_list, match_list, tournament_list};
use super::live::{watch_page, watch_pages};
use super::match_page::{embedded_match, match_page, match_picture, match_record};
use super::news_feed::{match_news, tournament_news};
use super::oracle_page::oracle_page;
use super::organise::{handle_organiser_form, show_organiser_page};
use super::page::Page;
use super::page_cache::{PageLifetime, RenderedPage};
use super::page_content::PageContent;
use super::page_refusal::{with_reason, with_refusal};
use super::picture::{PICTURE_HEIGHT, PICTURE_WIDTH, render_png, tournament_picture};
use super::play::{handle_bot_play_form, handle_play_form, show_bot_play_page, show_play_page};
use super::response::{
    Freshness, PageResponse, bytes_response, method_response, page_response, text_response, with_cookie,
    with_framing, without_caching, without_known_body,
};
use super::sign_in::{
    arrives_without_cookies, handle_sign_in_form, identify_visitor, reload_response, show_sign_in_page,
};
use super::site::Site;
use super::tournament_page::{standings_page, tournament_page};
use super::trail::trail_of_address;
use super::transcript_page::{QuestionPlace, transcript_page};
use super::visitor::Visitor;
use super::visitor_channel::VisitorChannel;
use super::what_if_page::what_if_page;
use futures_core::future::BoxFuture;
use lastnim_rpc::{CallerStatus, ClientAddress};
use prost::bytes::Bytes;
use std::future::ready;
use std::pin::{Pin, pin};
use tonic::Status;
use tonic::codegen::Body;
use tonic::codegen::http::header::HeaderMap;
use tonic::codegen::http::request::Parts;
use tonic::codegen::http::{Method, Request, StatusCode, Uri};

/// The error for a format that a page does not have, such as a picture or a feed.
const NO_SUCH_FORMAT: &str = "this page has no picture or feed in this format";

/// The pages of a site.
#[derive(Debug, Clone)]
pub struct Pages {
    site: Site,
}

impl Pages {
    /// Makes the pages of a site.
    pub fn new(site: Site) -> Self {
        Self { site }
    }

    /// Returns whether a visitor whose request has no token is known, because a cookie signs the visitor in.
    pub fn caller_status(
        &self,
        client: ClientAddress,
        channel: VisitorChannel,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> CallerStatus {
        let visitor = Visitor::of_request(client, channel, uri, headers);
        match identify_visitor(&self.site, visitor, headers).signed_in() {
            Some(_) => CallerStatus::Known,
            None => CallerStatus::Stranger,
        }
    }

    /// Responds to a request. Its body is read only by pages with forms.
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
        // The body is kept until there is a response, so that the memory of the form counts against the limit until
        // then.
        let body = pin!(body);
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        let visitor = Visitor::of_request(client, channel, &head.uri, &head.headers);
        let address = SiteAddress::parse(path, query);
        let form_address = address.as_ref().ok().and_then(SiteAddress::form_address);
        match (&head.method, form_address) {
            (&Method::GET | &Method::HEAD, _) => {
                let shown = match address {
                    Ok(address) => {
                        let address = address.with_last_event(last_event_id(&head.headers));
                        self.show(visitor, &address, &head.headers).await
                    }
                    Err(why) => self.refuse(path, &Status::not_found(why)),
                };
                if head.method == Method::HEAD { shown.map(|_| tonic::body::Body::empty()) } else { shown }
            }
            (&Method::POST, Some(form_address)) => self.handle_form(visitor, form_address, &head, body).await,
            (_, Some(_)) => method_response("GET, HEAD, POST"),
            (_, None) => method_response("GET, HEAD"),
        }
    }

    /// Returns an error as JSON if the page was requested as JSON, and otherwise as an HTML page.
    pub fn refuse(&self, path: &str, status: &Status) -> PageResponse {
        let (_, form) = PageFormat::split(path);
        error_response(form, status)
    }

    /// Shows a page to this visitor. Pages made for a token are never shared.
    ///
    /// Boxed, like [`Self::respond_to_form`], so that the pages are compiled in this crate only.
    fn show<'a>(
        &'a self,
        visitor: Visitor,
        address: &'a SiteAddress,
        headers: &'a HeaderMap,
    ) -> BoxFuture<'a, PageResponse> {
        Box::pin(self.show_to_visitor(visitor, address, headers))
    }

    async fn show_to_visitor(
        &self,
        visitor: Visitor,
        address: &SiteAddress,
        headers: &HeaderMap,
    ) -> PageResponse {
        if address.is_independent_of_cookies() {
            return match address {
                SiteAddress::Asset(asset, version) => asset.response(*version, headers),
                address if address.is_embedded() => {
                    let shown = with_framing(self.respond_to(&visitor, address).await);
                    if visitor.token().is_some() {
                        without_caching(shown)
                    } else {
                        without_known_body(shown, headers)
                    }
                }
                _ => self.respond_to(&visitor, address).await,
            };
        }
        let arrives = arrives_without_cookies(headers);
        // The page would set a new cookie, which would replace the one that the browser did not send.
        if arrives && address.form_address().is_some() {
            return reload_response(address);
        }
        let visitor = identify_visitor(&self.site, visitor, headers);
        let has_token = visitor.token().is_some();
        let shown = self.show_with_cookie(visitor, address, headers).await;
        if arrives && shown.status() == StatusCode::UNAUTHORIZED {
            return reload_response(address);
        }
        if has_token { without_caching(shown) } else { without_known_body(shown, headers) }
    }

    /// Shows a page, and sets its cookie if the visitor has none.
    async fn show_with_cookie(
        &self,
        visitor: Visitor,
        address: &SiteAddress,
        headers: &HeaderMap,
    ) -> PageResponse {
        let Some(cookie) = address.form_address().map(FormAddress::cookie) else {
            return self.respond_to(&visitor, address).await;
        };
        if let Some(secret) = cookie.read(headers) {
            return self.respond_to(&visitor.with_secret(secret), address).await;
        }
        let secret = CookieSecret::draw();
        let header = cookie.set(&secret, visitor.channel);
        with_cookie(self.respond_to(&visitor.with_secret(secret), address).await, header)
    }

    async fn respond_to(&self, visitor: &Visitor, address: &SiteAddress) -> PageResponse {
        let site = &self.site;
        let shown = match address {
            SiteAddress::Page(page, form) => self.show_page(visitor, page, *form).await,
            SiteAddress::Record(id) => {
                let key = (address.to_string(), PageFormat::Json);
                self.show_cached(visitor, key, || match_record(site, visitor, *id)).await
            }
            SiteAddress::Feed(feed) => watch_page(site, visitor, feed).await,
            SiteAddress::Feeds(feeds) => Ok(watch_pages(site, visitor, feeds).await),
            SiteAddress::Form(FormAddress::Organise(address)) => {
                show_organiser_page(site, visitor, address).await
            }
            SiteAddress::Form(FormAddress::Play(address)) => show_play_page(site, visitor, address).await,
            SiteAddress::Form(FormAddress::BotPlay(address)) => {
                show_bot_play_page(site, visitor, address).await
            }
            SiteAddress::Form(FormAddress::SignIn(address)) => show_sign_in_page(visitor, address),
            SiteAddress::Form(FormAddress::Entry(address)) => show_entry_page(site, visitor, address).await,
            SiteAddress::Asset(asset, version) => Ok(asset.response(*version, &HeaderMap::new())),
            SiteAddress::Favicon => Ok(bytes_response("image/png", Freshness::Minutes, favicon_png())),
            SiteAddress::Health => Ok(plain_response(StatusCode::OK, "the server is running\n")),
            SiteAddress::Readiness => Ok(readiness_response(site).await),
            SiteAddress::Metrics => metrics_response(site, visitor),
        };
        shown.unwrap_or_else(|status| match address.format() {
            PageFormat::Html => visitor_error_response(visitor, address, &status),
            form => error_response(form, &status),
        })
    }

    /// Reads a form and passes it to its page.
    async fn handle_form<B>(
        &self,
        visitor: Visitor,
        address: &FormAddress,
        head: &Parts,
        body: Pin<&mut B>,
    ) -> PageResponse
    where
        B: Body<Data = Bytes, Error = Status>,
    {
        match read_checked_form(visitor.channel, address.cookie(), head, body).await {
            Ok((secret, fields)) => {
                let visitor = identify_visitor(&self.site, visitor, &head.headers).with_secret(secret);
                let answer = self.respond_to_form(&visitor, address, &fields).await;
                let address = SiteAddress::Form(address.clone());
                let answer =
                    answer.unwrap_or_else(|status| visitor_error_response(&visitor, &address, &status));
                without_caching(answer)
            }
            Err(refusal) => {
                let page = Page::of_error("The form was not accepted", &refusal.to_string());
                let mut response = page_response(refusal.status_code(), &page);
                if let FormRefusal::Body(status) = &refusal {
                    response = with_refusal(response, status);
                }
                with_reason(response, refusal.reason())
            }
        }
    }

    /// Handles a form.
    fn respond_to_form<'a>(
        &'a self,
        visitor: &'a Visitor,
        address: &'a FormAddress,
        fields: &'a FormFields,
    ) -> BoxFuture<'a, Result<PageResponse, Status>> {
        let site = &self.site;
        match address {
            FormAddress::Organise(address) => Box::pin(handle_organiser_form(site, visitor, address, fields)),
            FormAddress::Play(address) => Box::pin(handle_play_form(site, visitor, address, fields)),
            FormAddress::BotPlay(address) => Box::pin(handle_bot_play_form(site, visitor, address, fields)),
            FormAddress::Entry(address) => Box::pin(handle_entry_form(site, visitor, address, fields)),
            FormAddress::SignIn(address) => {
                Box::pin(ready(handle_sign_in_form(site, visitor, address, fields)))
            }
        }
    }

    async fn show_page(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        form: PageFormat,
    ) -> Result<PageResponse, Status> {
        let make = || async {
            match form {
                PageFormat::Svg | PageFormat::Png => return self.make_picture(visitor, address, form).await,
                PageFormat::Atom => return self.make_news(visitor, address).await,
                PageFormat::Html | PageFormat::Json | PageFormat::Csv | PageFormat::Toml => {}
            }
            let mut content = self.read_content(visitor, address, form).await?;
            if form == PageFormat::Html && content.trail.is_none() {
                content.trail = Some(trail_of_address(&self.site, visitor, address).await?);
            }
            self.make_page(visitor, content, address.clone(), form).await
        };
        self.show_cached(visitor, (address.in_format(form), form), make).await
    }

    /// Returns a cached page, waits for a concurrent request to make it, or makes it.
    async fn show_cached<F>(
        &self,
        visitor: &Visitor,
        key: (String, PageFormat),
        make: impl FnOnce() -> F,
    ) -> Result<PageResponse, Status>
    where
        F: Future<Output = Result<RenderedPage, Status>>,
    {
        let site = &self.site;
        let make_anew = || {
            site.kept.count_rendered_page();
            make()
        };
        let is_for_all = visitor.token().is_none();
        let Some(now) = is_for_all.then(|| site.kept.observe(&site.arena)).flatten() else {
            return Ok(make_anew().await?.response());
        };
        site.access.require_viewer(&visitor.request(()))?;
        Ok(site.kept.find_or_make(key, now, make_anew).await?.response())
    }

    /// Reads the content of a page from the services.
    async fn read_content(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        form: PageFormat,
    ) -> Result<PageContent, Status> {
        let site = &self.site;
        let is_ended = match address {
            PageAddress::Tournament { id }
            | PageAddress::Standings { id, .. }
            | PageAddress::TournamentMatches { id, .. } => site.arena.is_ended(*id).await,
            _ => false,
        };
        let content = match address {
            PageAddress::Contents => Ok(contents_page()),
            PageAddress::Chapter { chapter } => Ok(chapter_content(chapter)),
            PageAddress::Home => home_page(site, visitor, form).await,
            PageAddress::Tournaments { page } => tournament_list(site, visitor, page, form).await,
            PageAddress::Tournament { id } => tournament_page(site, visitor, *id).await,
            PageAddress::Standings { id, from } => {
                standings_page(site, visitor, (*id, from.unwrap_or_default()), form).await
            }
            PageAddress::TournamentMatches { id, filter, page } => {
                match_list(site, visitor, Some(*id), filter, page).await
            }
            PageAddress::Matches { filter, page } => match_list(site, visitor, None, filter, page).await,
            PageAddress::Match { id, ply } => match_page(site, visitor, *id, *ply).await,
            PageAddress::EmbeddedMatch { id } => embedded_match(site, visitor, *id).await,
            PageAddress::EmbeddedTournament { id } => embedded_tournament(site, visitor, *id).await,
            PageAddress::WhatIf { id, ply, take } => what_if_page(site, visitor, *id, *ply, *take).await,
            PageAddress::Transcript { id, seat, ply } => {
                transcript_page(site, visitor, *id, QuestionPlace { seat: *seat, ply: *ply }).await
            }
            PageAddress::Oracle { position } => oracle_page(site, visitor, position).await,
            PageAddress::Bots { page } => bot_list(site, visitor, page).await,
            PageAddress::Bot { name } => bot_page(site, visitor, name, form).await,
            PageAddress::BotAudit { name } => bot_audit_page(site, visitor, name, form).await,
        };
        if is_ended { content.map(|content| content.with_lifetime(PageLifetime::Permanent)) } else { content }
    }

    /// Makes the page in the requested format when the visitor's turn comes, on a blocking thread.
    async fn make_page(
        &self,
        visitor: &Visitor,
        content: PageContent,
        address: PageAddress,
        form: PageFormat,
    ) -> Result<RenderedPage, Status> {
        let next = content.next.as_ref().map(|next| next.in_format(form));
        let public_url = self.site.public_url.clone();
        let (lifetime, is_awaited) = (content.lifetime, content.is_awaited);
        let reader = visitor.clone();
        let make = move || match form {
            PageFormat::Html => {
                let page = content.page(&address)?;
                let html = match address.whole_page() {
                    Some(whole) => embedded_page_html(&page, &whole),
                    None => page.with_share_links(&address, public_url.as_ref()).with_visitor(&reader).html(),
                };
                Ok(("text/html; charset=utf-8", html))
            }
            PageFormat::Json => Ok(("application/json", content.json() + "\n")),
            PageFormat::Csv => {
                let csv = content.csv().ok_or_else(|| Status::not_found("this page is not available as CSV"));
                csv.map(|csv| ("text/csv; charset=utf-8", csv))
            }
            PageFormat::Toml => {
                let toml =
                    content.toml().ok_or_else(|| Status::not_found("this page is not available as TOML"));
                toml.map(|toml| ("application/toml; charset=utf-8", toml))
            }
            PageFormat::Svg | PageFormat::Png | PageFormat::Atom => Err(Status::not_found(NO_SUCH_FORMAT)),
        };
        let (content_type, text) = self.site.run_slow_work(visitor, make).await??;
        Ok(RenderedPage { content_type, body: text.into(), next, lifetime, is_awaited })
    }

    /// Draws the picture of a page when the visitor's turn comes, on a blocking thread.
    async fn make_picture(
        &self,
        visitor: &Visitor,
        address: &PageAddress,
        form: PageFormat,
    ) -> Result<RenderedPage, Status> {
        let site = &self.site;
        let (draw_picture, lifetime) = match address {
            PageAddress::Match { id, ply } => match_picture(site, visitor, *id, *ply).await?,
            PageAddress::Tournament { id } => tournament_picture(site, visitor, *id).await?,
            _ => return Err(Status::not_found(NO_SUCH_FORMAT)),
        };
        let draw = move || {
            let svg = draw_picture()?.svg();
            match form {
                PageFormat::Png => {
                    let png = render_png(&svg, PICTURE_WIDTH, PICTURE_HEIGHT);
                    png.map(|png| ("image/png", png.into())).map_err(Status::internal)
                }
                _ => Ok(("image/svg+xml", svg.into())),
            }
        };
        let (content_type, body) = site.run_slow_work(visitor, draw).await??;
        Ok(RenderedPage { content_type, body, next: None, lifetime, is_awaited: false })
    }

    /// Writes the news feed of a list. Queries are refused, since otherwise a feed would be made and cached for each
    /// query.
    async fn make_news(&self, visitor: &Visitor, address: &PageAddress) -> Result<RenderedPage, Status> {
        if address.news_page().as_ref() != Some(address) {
            return Err(Status::not_found(NO_SUCH_FORMAT));
        }
        let feed = match address {
            PageAddress::Tournaments { .. } => tournament_news(&self.site, visitor).await?,
            PageAddress::TournamentMatches { id, .. } => match_news(&self.site, visitor, *id).await?,
            _ => return Err(Status::not_found(NO_SUCH_FORMAT)),
        };
        let (lifetime, body) = (feed.lifetime, feed.xml().into());
        Ok(RenderedPage {
            content_type: "application/atom+xml",
            body,
            next: None,
            lifetime,
            is_awaited: false,
        })
    }
}

/// Returns whether a path is for programs that monitor the server. Their requests are answered even if there are too
/// many visitors.
pub fn is_probe(path: &str) -> bool {
    let address = SiteAddress::parse(path, "");
    matches!(address, Ok(SiteAddress::Health | SiteAddress::Readiness | SiteAddress::Metrics))
}

/// Shows the metrics to clients on this machine, and elsewhere to the admin and viewers.
fn metrics_response(site: &Site, visitor: &Visitor) -> Result<PageResponse, Status> {
    let elsewhere =
        || Status::not_found("this server has its metrics at a separate address, set by --metrics-listen");
    let metrics = site.metrics.as_ref().ok_or_else(elsewhere)?;
    match visitor.channel {
        VisitorChannel::Loopback => {}
        VisitorChannel::Https | VisitorChannel::Plain => {
            site.access.require_overseer(&visitor.request(()))?;
        }
    }
    Ok(metrics.response())
}

/// Reports whether the server starts new work and can use its store now. The check never waits.
async fn readiness_response(site: &Site) -> PageResponse {
    if let Err(stopping) = site.arena.check_not_stopping() {
        return plain_response(StatusCode::SERVICE_UNAVAILABLE, &format!("{stopping}\n"));
    }
    tokio::select! {
        biased;
        () = site.arena.wait_until_store_usable() => plain_response(StatusCode::OK, "the server is ready\n"),
        () = std::future::ready(()) => {
            plain_response(StatusCode::SERVICE_UNAVAILABLE, "the store cannot be used now\n")
        }
    }
}

/// Reads a form after checking that a page of this server sent it.
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

/// Returns the last event that a reconnecting browser has seen.
fn last_event_id(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

fn plain_response(status: StatusCode, text: &str) -> PageResponse {
    text_response(status, "text/plain; charset=utf-8", Freshness::Now, text.to_owned())
}
