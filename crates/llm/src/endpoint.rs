//! The HTTP client for endpoints.

use super::{
    ApiKey, LlmError, LlmSettings, StructuredOutput,
    completion::{Completion, StreamState},
    dialect::{Concession, Dialect, KnownDialect, MaxTokensKey, OptionalParameters},
    event_stream::EventStreamReader,
    failure::{CallFailure, FailureClass},
    rate_limit::RateLimit,
    refusal::Refusal,
    request::ModelCall,
    retry_after::parse_retry_after,
    settings::DEFAULT_ENDPOINT,
    variable_name::VariableName,
};
use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use rustls::crypto::{CryptoProvider, ring};
use serde_json::Value;
use std::{
    error::Error as StdError,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep_until, timeout_at},
};

/// The maximum size of a reply.
const MAX_REPLY_BYTES: usize = 8 << 20;
/// The maximum number of bytes read from an error response.
const MAX_REFUSAL_BYTES: usize = 16 << 10;
/// The timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum pause that the client accepts from an endpoint; no turn lasts longer.
const MAX_PAUSE: Duration = Duration::from_hours(24);
/// The minimum time for a call; with less time left, no call starts.
const MIN_CALL_TIME: Duration = Duration::from_millis(10);
/// The path of calls below the base URL.
const API_PATH: [&str; 2] = ["chat", "completions"];

/// An endpoint for chat completions, shared by all matches of a bot.
#[derive(Debug)]
pub struct Endpoint {
    client: Client,
    url: Url,
    key: Option<ApiKey>,
    settings: LlmSettings,
    slots: Semaphore,
    rate: RateLimit,
    /// The form of the next request, learned from what the endpoint has refused so far.
    dialect: Mutex<KnownDialect>,
    /// The end of the pause that the endpoint asked for.
    paused_until: Mutex<Option<Instant>>,
}

/// A request without a response.
struct FailedRequest {
    failure: CallFailure,
    is_sent: bool,
}

/// The result of a call, with the key of the endpoint hidden everywhere.
#[derive(Debug, Default)]
pub struct CallOutcome {
    /// The reply, if it is complete.
    pub completion: Option<Completion>,
    /// Why there is no reply or no usable answer.
    pub failure: Option<CallFailure>,
    /// The duration, without waiting for a slot.
    pub latency: Duration,
    /// The status of the last response; `None` if the last request had no response.
    pub status: Option<u16>,
    /// Whether a request may have reached the endpoint.
    pub is_sent: bool,
    /// The concessions made in this call.
    pub concessions: Vec<Concession>,
    /// The form of the last request; `None` if there was none.
    pub dialect: Option<Dialect>,
}

impl Endpoint {
    /// Creates a client for the endpoint in completed settings, with the key in the environment variable that the
    /// settings name.
    ///
    /// # Errors
    /// If the address or another setting is invalid, or the key is missing.
    pub fn new(settings: LlmSettings) -> Result<Self, LlmError> {
        let read_key = |variable: &VariableName| {
            let key = ApiKey::from_variable(variable.as_str())?;
            key.ok_or_else(|| LlmError::NoKey { variable: variable.as_str().to_owned() })
        };
        let key = settings.api_key_env.as_ref().map(read_key).transpose()?;
        Self::with_key(settings, key)
    }

    /// Creates a client with this key.
    ///
    /// # Errors
    /// If the address or another setting is invalid.
    pub fn with_key(settings: LlmSettings, key: Option<ApiKey>) -> Result<Self, LlmError> {
        if settings.model.trim().is_empty() {
            return Err(LlmError::NoModel);
        }
        let base = parse_base_url(&settings.base_url).map_err(LlmError::BaseUrl)?;
        check_headers(&settings)?;
        check_extra_body(&settings)?;
        if key.is_some() && base.scheme() == "http" && !is_loopback(&base) {
            tracing::warn!(
                host = base.host_str(),
                "the endpoint's key is sent over unencrypted http://: use https:// if the endpoint supports it"
            );
        }
        // The installation fails only if the program has already chosen a provider, which is fine.
        let _ = CryptoProvider::install_default(ring::default_provider());
        let builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(redirect::Policy::none())
            .user_agent(concat!("lastnim/", env!("CARGO_PKG_VERSION")));
        // Endpoints on this machine are reached without a proxy.
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| LlmError::Client(error_chain_text(&error)))?;
        let is_default_host =
            base.host_str() == Url::parse(DEFAULT_ENDPOINT).ok().as_ref().and_then(Url::host_str);
        let dialect = Dialect {
            max_tokens_key: if is_default_host {
                MaxTokensKey::MaxCompletionTokens
            } else {
                MaxTokensKey::MaxTokens
            },
            has_schema: settings.structured == StructuredOutput::Auto,
            has_stream_options: settings.stream,
            is_streamed: settings.stream,
            optional: OptionalParameters::of_settings(&settings),
        };
        let mut url = base;
        // Any URL that can be a base has path segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(API_PATH);
        }
        Ok(Self {
            client,
            url,
            key,
            slots: Semaphore::new(settings.concurrency.into()),
            rate: RateLimit::open(&settings)?,
            settings,
            dialect: Mutex::new(KnownDialect::new(dialect)),
            paused_until: Mutex::new(None),
        })
    }

    /// Returns the address without secrets.
    pub fn shown_address(&self) -> String {
        let mut shown = self.url.clone();
        shown.set_query(None);
        shown.set_fragment(None);
        shown.to_string()
    }

    /// Hides the key in a string, in case the endpoint repeated it.
    pub fn hide_key(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.hide_in(text),
            None => text,
        }
    }

    /// Delays all calls that start within this time until it has passed.
    pub fn pause_for(&self, span: Duration) {
        let until = Instant::now() + span.min(MAX_PAUSE);
        let mut paused = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *paused = Some(paused.map_or(until, |before| before.max(until)));
    }

    /// Waits for a free slot and for the end of any pause, and makes a call; gives up at a deadline. Retries without
    /// features that the endpoint rejects.
    ///
    /// Dropping the future cancels the call.
    pub async fn complete(&self, call: &ModelCall, deadline: Instant) -> CallOutcome {
        let mut outcome = CallOutcome::default();
        let called = async {
            let _slot = self.wait_for_slot(deadline).await?;
            self.rate.wait_for_turn(deadline).await?;
            let began = Instant::now();
            let exchanged = timeout_at(deadline, self.exchange(call, &mut outcome)).await;
            outcome.latency = began.elapsed();
            exchanged.unwrap_or_else(|_| Err(timeout_failure()))
        };
        if let Err(failure) = called.await {
            outcome.failure = Some(CallFailure { detail: self.hide_key(failure.detail), ..failure });
        }
        if let Some(completion) = &outcome.completion {
            self.rate.charge_tokens(self.tokens_of_call(call, completion));
        }
        outcome.completion = outcome.completion.map(|completion| Completion {
            text: self.hide_key(completion.text),
            reasoning: self.hide_key(completion.reasoning),
            refusal: self.hide_key(completion.refusal),
            source: completion.source.map_texts(|text| self.hide_key(text)),
            ..completion
        });
        outcome
    }

    async fn wait_for_slot(&self, deadline: Instant) -> Result<SemaphorePermit<'_>, CallFailure> {
        let acquired = timeout_at(deadline, self.slots.acquire()).await;
        // The semaphore is never closed.
        let has_time = Instant::now() + MIN_CALL_TIME < deadline;
        let (Ok(Ok(slot)), true) = (acquired, has_time) else {
            let calls = self.settings.concurrency;
            let detail =
                format!("no call could start in time: --concurrency limits the open calls to {calls}");
            return Err(CallFailure::new(FailureClass::Queued, detail));
        };
        loop {
            let paused = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
            match paused {
                Some(until) if until >= deadline => {
                    let wait = until.saturating_duration_since(Instant::now());
                    let detail = format!(
                        "the endpoint limits the rate of calls: the next one must wait for another {} s",
                        wait.as_secs()
                    );
                    let class = FailureClass::RateLimited;
                    return Err(CallFailure { class, detail, retry_after: Some(wait) });
                }
                Some(until) if until > Instant::now() => sleep_until(until).await,
                _ => return Ok(slot),
            }
        }
    }

    async fn exchange(&self, call: &ModelCall, outcome: &mut CallOutcome) -> Result<(), CallFailure> {
        let known = self.dialect.lock().unwrap_or_else(PoisonError::into_inner).dialect;
        let mut dialect = known;
        loop {
            (outcome.status, outcome.is_sent, outcome.dialect) = (None, true, Some(dialect));
            let response = match self.send(&call.to_json(&self.settings, dialect)).await {
                Ok(response) => response,
                Err(unsent) => {
                    outcome.is_sent = unsent.is_sent;
                    return Err(unsent.failure);
                }
            };
            let status = response.status();
            outcome.status = Some(status.as_u16());
            if status.is_success() {
                let completion = self.read_completion(response).await?;
                let mut learned = self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
                learned.learn_concessions(known, &outcome.concessions);
                drop(learned);
                let failure = completion.find_failure();
                outcome.completion = Some(completion);
                return failure.map_or(Ok(()), Err);
            }
            let headers = response.headers().clone();
            let refusal = self.read_refusal(response).await;
            let is_of_form = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
            let is_adapted = is_of_form && self.settings.adapt;
            match dialect.next_concession(&refusal, &outcome.concessions).filter(|_| is_adapted) {
                Some(concession) => {
                    let (status, concession_text) = (status.as_u16(), concession.words());
                    tracing::debug!(status, refusal = refusal.words, "retrying {concession_text}");
                    outcome.concessions.push(concession);
                    dialect = dialect.with_concession(concession);
                }
                None => return Err(self.refusal_failure(status, &headers, &refusal)),
            }
        }
    }

    /// Returns the maximum size of the request for a call.
    pub fn request_bytes(&self, call: &ModelCall) -> usize {
        let longest = Dialect {
            max_tokens_key: MaxTokensKey::MaxCompletionTokens,
            has_schema: self.settings.structured == StructuredOutput::Auto,
            has_stream_options: self.settings.stream,
            is_streamed: self.settings.stream,
            optional: OptionalParameters::of_settings(&self.settings),
        };
        call.to_json(&self.settings, longest).to_string().len()
    }

    /// Returns the tokens of a call that count towards the limit per minute. Without the endpoint's count this is an
    /// upper bound, because a token has at least one byte.
    fn tokens_of_call(&self, call: &ModelCall, completion: &Completion) -> u64 {
        match completion.tokens {
            Some(tokens) => tokens.prompt.saturating_add(tokens.completion),
            None => (self.request_bytes(call) + completion.size()) as u64,
        }
    }

    async fn send(&self, body: &Value) -> Result<Response, FailedRequest> {
        let mut request = self
            .client
            .post(self.url.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream, application/json")
            .body(body.to_string());
        for (name, value) in &self.settings.headers.0 {
            request = request.header(name, value.as_str().unwrap_or_default());
        }
        request = match (&self.key, &self.settings.api_key_header) {
            (Some(key), Some(name)) => request.header(name, key.reveal()),
            (Some(key), None) => request.bearer_auth(key.reveal()),
            (None, _) => request,
        };
        let sent = self.within_idle_limit(Instant::now(), request.send()).await;
        sent.map_err(|failure| FailedRequest { failure, is_sent: true })?.map_err(|error| {
            let is_sent = !error.is_connect();
            // Errors may contain the address, with secrets.
            let cause = error_chain_text(&error.without_url());
            FailedRequest { failure: server_error(format!("no response: {cause}")), is_sent }
        })
    }

    /// Waits for a part of a response. If responses are streamed, fails once the idle timeout has passed since the last
    /// progress.
    async fn within_idle_limit<T>(
        &self,
        last_progress: Instant,
        part: impl Future<Output = T>,
    ) -> Result<T, CallFailure> {
        if !self.settings.stream {
            return Ok(part.await);
        }
        let limit = self.settings.idle_timeout;
        let stalled = || {
            let what = format!("no part of the reply arrived for {} s", limit.as_secs_f64());
            CallFailure::new(FailureClass::Stalled, what)
        };
        // Parts that contain no progress may keep arriving, so the timeout is also checked here.
        if last_progress.elapsed() > limit {
            return Err(stalled());
        }
        timeout_at(last_progress + limit, part).await.map_err(|_| stalled())
    }

    async fn next_chunk(
        &self,
        response: &mut Response,
        last_progress: Instant,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, CallFailure> {
        let piece = self.within_idle_limit(last_progress, response.chunk()).await?;
        piece.map_err(|error| {
            server_error(format!(
                "the connection failed during the reply: {}",
                error_chain_text(&error.without_url())
            ))
        })
    }

    async fn read_completion(&self, mut response: Response) -> Result<Completion, CallFailure> {
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"));
        let (mut body, mut size) = (Vec::new(), 0_usize);
        let (mut reader, mut completion) = (EventStreamReader::default(), Completion::default());
        let mut last_progress = Instant::now();
        while let Some(piece) = self.next_chunk(&mut response, last_progress).await? {
            let piece = piece.as_ref();
            size += piece.len();
            if size > MAX_REPLY_BYTES {
                return Err(server_error(format!("the reply is larger than {MAX_REPLY_BYTES} bytes")));
            }
            if !is_stream {
                // Some endpoints send blank lines while the model thinks.
                if !piece.trim_ascii().is_empty() {
                    last_progress = Instant::now();
                }
                body.extend_from_slice(piece);
                continue;
            }
            let received = completion.size();
            let events =
                reader.read_bytes(piece).map_err(|_| server_error("the reply is not UTF-8".to_owned()))?;
            for event in events {
                if completion.add_event(&event)? == StreamState::Done {
                    return Ok(completion);
                }
            }
            // Comments and empty events are not progress.
            if completion.size() > received {
                last_progress = Instant::now();
            }
        }
        if !is_stream {
            return Completion::from_body(&body);
        }
        if let Some(event) = reader.finish() {
            completion.add_event(&event)?;
        }
        Ok(completion)
    }

    /// Reads the part of an error response that arrives in time.
    async fn read_refusal(&self, mut response: Response) -> Refusal {
        let (mut body, began) = (Vec::new(), Instant::now());
        while let Ok(Some(piece)) = self.next_chunk(&mut response, began).await {
            body.extend_from_slice(piece.as_ref());
            if body.len() > MAX_REFUSAL_BYTES {
                break;
            }
        }
        let refusal = Refusal::from_body(&body);
        let message = self.hide_key(refusal.words.clone());
        refusal.with_words(message)
    }

    fn refusal_failure(
        &self,
        status: StatusCode,
        headers: &header::HeaderMap,
        refusal: &Refusal,
    ) -> CallFailure {
        let class = match status {
            _ if refusal.is_unusable() => FailureClass::Unusable,
            StatusCode::TOO_MANY_REQUESTS => FailureClass::RateLimited,
            StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT => FailureClass::ServerError,
            _ if status.is_server_error() => FailureClass::ServerError,
            _ if refusal.is_content_filter() => FailureClass::Filtered,
            StatusCode::UNAUTHORIZED
            | StatusCode::PAYMENT_REQUIRED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED => FailureClass::Unusable,
            _ if status.is_redirection() => FailureClass::Unusable,
            _ => FailureClass::Rejected,
        };
        let note = match status {
            _ if status.is_redirection() => " (redirects are not followed)",
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.key.is_none() => {
                " (no key was sent: set --api-key-env to the name of the environment variable with the key)"
            }
            _ => "",
        };
        let header = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|header| parse_retry_after(header, SystemTime::now()));
        CallFailure { class, detail: format!("HTTP {status}{note}: {}", refusal.words), retry_after }
    }
}

fn server_error(detail: String) -> CallFailure {
    CallFailure::new(FailureClass::ServerError, detail)
}

fn timeout_failure() -> CallFailure {
    CallFailure::new(FailureClass::TimedOut, "there was no answer in time")
}

/// Parses the address of an endpoint. Errors never repeat the address, as it may contain a password.
///
/// # Errors
/// If the address is invalid.
pub fn parse_base_url(text: &str) -> Result<Url, String> {
    let url =
        Url::parse(text).map_err(|error| format!("{error}: expected a URL such as {DEFAULT_ENDPOINT}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the URL begins with \"{}:\": expected http:// or https://", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "the URL contains a user name or a password: put the key into an environment variable".to_owned()
        );
    }
    Ok(url)
}

/// Checks the names and values of additional headers.
fn check_headers(settings: &LlmSettings) -> Result<(), LlmError> {
    let check_name = |flag: &str, name: &str| {
        let parsed = header::HeaderName::from_bytes(name.as_bytes());
        let why = || format!("{flag}: {name:?} is not a valid header name: expected one such as api-key");
        parsed.map_err(|_| LlmError::Header(why()))
    };
    if let Some(name) = &settings.api_key_header {
        check_name("--api-key-header", name)?;
    }
    for (name, value) in &settings.headers.0 {
        if check_name("--headers", name)? == header::AUTHORIZATION {
            let why = "--headers: authorization is not allowed, because transcripts show headers: put the key into the variable that --api-key-env names";
            return Err(LlmError::Header(why.to_owned()));
        }
        let is_valid = value.as_str().is_some_and(|value| header::HeaderValue::from_str(value).is_ok());
        if !is_valid {
            return Err(LlmError::Header(format!(
                "--headers: {name}: {value} is not a valid header value: expected text such as \"lastnim\""
            )));
        }
    }
    Ok(())
}

/// Members of requests that other settings determine.
const RESERVED_MEMBERS: [(&str, &str); 3] =
    [("model", "--model"), ("messages", "--prompt"), ("stream", "--stream")];

/// Checks that additional members of requests do not replace members that the transcript reports.
fn check_extra_body(settings: &LlmSettings) -> Result<(), LlmError> {
    match RESERVED_MEMBERS.iter().find(|(member, _)| settings.extra_body.0.contains_key(*member)) {
        Some((member, flag)) => Err(LlmError::ExtraBody(format!("{member} is not allowed: use {flag}"))),
        None => Ok(()),
    }
}

/// Returns whether an address is on this machine.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns the messages of an error and its causes.
fn error_chain_text(error: &dyn StdError) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.dedup();
    causes.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str) -> Result<Endpoint, LlmError> {
        let settings = LlmSettings { model: "m".into(), base_url: base_url.into(), ..LlmSettings::default() };
        Endpoint::with_key(settings, Some(ApiKey::new("sk-0123456789")))
    }

    #[test]
    fn calls_go_to_a_path_below_the_base_url() {
        for (base, url) in [
            ("https://host/v1", "https://host/v1/chat/completions"),
            ("https://host/v1/", "https://host/v1/chat/completions"),
            ("http://[::1]:80", "http://[::1]/chat/completions"),
            ("https://host/a?version=1", "https://host/a/chat/completions?version=1"),
        ] {
            assert_eq!(endpoint(base).unwrap().url.as_str(), url);
        }
        assert_eq!(
            endpoint("https://host/a?key=7").unwrap().shown_address(),
            "https://host/a/chat/completions"
        );
        for bad in ["host/v1", "", "ftp://host", "https://me:secret@host", "https://"] {
            let error = endpoint(bad).unwrap_err().to_string();
            assert!(error.starts_with("--base-url: ") && !error.contains("secret"), "{error}");
        }
        for (headers, why) in [
            (serde_json::json!({ "a b": "x" }), "\"a b\" is not a valid header name"),
            (serde_json::json!({ "x-a": 1 }), "x-a: 1 is not a valid header value"),
            (serde_json::json!({ "Authorization": "x" }), "--api-key-env"),
        ] {
            let headers = crate::JsonObject(headers.as_object().unwrap().clone());
            let settings = LlmSettings { model: "m".into(), headers, ..LlmSettings::default() };
            let error = Endpoint::with_key(settings, None).unwrap_err().to_string();
            assert!(error.starts_with("--headers: ") && error.contains(why), "{error}");
        }
        let extra_body =
            crate::JsonObject(serde_json::Map::from_iter([("messages".to_owned(), Value::Null)]));
        let settings = LlmSettings { model: "m".into(), extra_body, ..LlmSettings::default() };
        let error = Endpoint::with_key(settings, None).unwrap_err().to_string();
        assert_eq!(error, "--extra-body: messages is not allowed: use --prompt");
        assert!(!format!("{:?}", endpoint(DEFAULT_ENDPOINT).unwrap()).contains("0123456789"));
    }
}
