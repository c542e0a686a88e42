//! The service for tournaments.

use super::access::Access;
use super::activity::{DEFAULT_ACTIVITY_LENGTH, activity_message, parse_activity_length};
use super::creation_request::creation_request;
use super::heartbeats::{WatcherStream, add_heartbeats};
use super::manifest::ManifestSource;
use super::page::Page;
use super::read_scheduler::ReadScheduler;
use super::scheduling::WaitingCaller;
use super::status::{arena_status, parse_field, read_request};
use super::void_targets::parse_void_targets;
use lastnim_arena::{Arena, ArenaError, Intervention, NewTournament, TournamentView};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::tournament::parse_settings_and_terms;
use lastnim_proto::tournament_event::parse_disqualified_results;
use lastnim_proto::{RequestField, pb};
use lastnim_store::StoredTournament;
use lastnim_tournament::{OpenMatches, StandingsOrder, TournamentState};
use prost::Message as _;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status};

/// The minimum time between two updates that a watcher receives, for every [`LINES_PER_INTERVAL`] lines of standings. All
/// watchers of a tournament receive their updates at the same times, so that they share the computed standings.
const WATCH_INTERVAL: Duration = Duration::from_millis(100);
/// The number of lines of standings that lengthen the time between two updates by one [`WATCH_INTERVAL`].
const LINES_PER_INTERVAL: usize = 100;
/// The size in bytes above which no tournament is added to a page. It is half of the message size that most clients
/// accept.
const PAGE_BYTES: usize = 2 << 20;

/// Serves `lastnim.v1.TournamentService`.
#[derive(Debug, Clone)]
pub struct TournamentRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
    /// The time from which the intervals between updates are counted.
    started_at: Instant,
}

impl TournamentRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access, reads: ReadScheduler) -> Self {
        Self { arena, access, reads, started_at: Instant::now() }
    }

    /// Applies an admin's intervention. If the request has faults, all of them are reported.
    async fn intervene<T>(
        &self,
        request: &Request<T>,
        tournament_id: &str,
        parse: impl FnOnce(&T, RequestField<'_>) -> Option<Intervention>,
    ) -> Result<(Option<pb::Tournament>, Option<pb::TournamentEvent>), Status> {
        self.access.require_admin(request)?;
        let (id, intervention) = read_request(|field| {
            let id = field.member("tournament_id").ok_or_report(tournament_id.parse());
            id.zip(parse(request.get_ref(), field))
        })?;
        let (view, event) = self.arena.intervene(id, intervention).await.map_err(arena_status)?;
        Ok((Some(tournament_message(&view)), event.as_ref().map(Into::into)))
    }

    /// Returns the title of a tournament, for pages that only name it; `None` if there is no such tournament, or its
    /// stored data is damaged.
    ///
    /// # Errors
    /// If the caller may not read, has reached a limit, or waits too long.
    pub async fn find_title(&self, request: &Request<TournamentId>) -> Result<Option<String>, Status> {
        let reader = self.reads.admit(request)?;
        let (arena, id) = (self.arena.clone(), *request.get_ref());
        let read = async move { arena.tournament(id).await.map_err(arena_status) };
        match self.reads.run_read(&reader, read).await {
            Ok(view) => Ok(Some(view.stored.settings.title.to_string())),
            Err(status) if matches!(status.code(), Code::NotFound | Code::DataLoss) => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Waits until the next update of the watchers of a tournament with this many bots is due.
    async fn wait_before_next_update(&self, bots: usize) {
        let interval = WATCH_INTERVAL.as_micros() * bots.div_ceil(LINES_PER_INTERVAL).max(1) as u128;
        let left = interval - self.started_at.elapsed().as_micros() % interval;
        tokio::time::sleep(Duration::from_micros(u64::try_from(left).unwrap_or_default())).await;
    }

    /// Sends the tournament whenever it has changed, until it is over, the watcher is gone or the server stops.
    async fn send_tournament_changes(
        self,
        reader: WaitingCaller,
        mut changes: watch::Receiver<TournamentView>,
        mut state: watch::Receiver<TournamentState>,
        watcher: mpsc::Sender<Result<pb::WatchTournamentResponse, Status>>,
    ) {
        let mut describe: fn(&TournamentView) -> pb::Tournament = tournament_message;
        loop {
            let view = changes.borrow_and_update().clone();
            let is_over = view.stored.state.is_over();
            let (arena, id, bots) = (self.arena.clone(), view.stored.id, view.stored.field.len());
            arena.update_ratings_if_due(id).await;
            let read = async move {
                let shown = read_standings(&arena, &view).await?;
                let pb::GetStandingsResponse { standings, verdict, events, order, .. } = shown;
                let tournament = Some(describe(&view));
                Ok(pb::WatchTournamentResponse { tournament, standings, verdict, events, order })
            };
            let shown = self.reads.run_watcher_read(&reader, read).await;
            describe = tournament_update_message;
            if watcher.send(shown).await.is_err() || is_over {
                return;
            }
            tokio::select! {
                biased;
                () = self.wait_before_next_update(bots) => {}
                // An error is ignored: it only means that the sender is gone, and `changes` still delivers the last
                // state.
                _ = state.wait_for(|state| state.is_over()) => {}
                () = self.arena.wait_until_stopped() => {}
                () = watcher.closed() => return,
            }
            if !wait_for_change(&self.arena, &mut changes, &watcher).await {
                return;
            }
        }
    }
}

/// Reads the standings of a tournament, without the cross-table.
async fn read_standings(arena: &Arena, view: &TournamentView) -> Result<pb::GetStandingsResponse, Status> {
    let StoredTournament { id, ref settings, state, .. } = view.stored;
    let standings = arena.standings(id).await.map_err(arena_status)?;
    let verdict = arena.format_verdict(id).await.map_err(arena_status)?;
    let order = StandingsOrder::of_lines(&settings.format, state, &standings);
    Ok(pb::GetStandingsResponse {
        standings: standings.iter().map(Into::into).collect(),
        verdict: Some(verdict.as_ref().into()),
        cross_table: Vec::new(),
        events: event_messages(arena, id).await?,
        order: pb::StandingsOrder::from(order).into(),
        state: pb::TournamentState::from(state).into(),
        matches_played: view.played,
        matches_total: view.total,
    })
}

async fn event_messages(arena: &Arena, id: TournamentId) -> Result<Vec<pb::TournamentEvent>, Status> {
    let events = arena.tournament_events(id).await.map_err(arena_status)?;
    Ok(events.iter().map(Into::into).collect())
}

/// Sends each new state of the tournament, until it is over, the watcher is gone or the server stops.
async fn send_state_changes(
    arena: Arena,
    id: TournamentId,
    mut changes: watch::Receiver<TournamentState>,
    watcher: mpsc::Sender<Result<pb::WatchTournamentResponse, Status>>,
) {
    loop {
        let state = *changes.borrow_and_update();
        let tournament = pb::Tournament {
            id: id.to_string(),
            state: pb::TournamentState::from(state).into(),
            ..pb::Tournament::default()
        };
        let shown = pb::WatchTournamentResponse { tournament: Some(tournament), ..Default::default() };
        if watcher.send(Ok(shown)).await.is_err() || state.is_over() {
            return;
        }
        if !wait_for_change(&arena, &mut changes, &watcher).await {
            return;
        }
    }
}

/// Waits until there is a new state for a watcher; returns false if no more will be sent.
async fn wait_for_change<S>(
    arena: &Arena,
    changes: &mut watch::Receiver<S>,
    watcher: &mpsc::Sender<Result<pb::WatchTournamentResponse, Status>>,
) -> bool {
    tokio::select! {
        biased;
        news = changes.changed() => news.is_ok(),
        () = watcher.closed() => false,
        () = arena.wait_until_stopped() => {
            // An error is ignored: the watcher may be gone.
            let _ = watcher.send(Err(arena_status(ArenaError::Stopping))).await;
            false
        }
    }
}

pub(super) fn tournament_message(view: &TournamentView) -> pb::Tournament {
    view.to_public().to_message()
}

/// Builds the message for a watcher that has already received the settings, which may be large.
fn tournament_update_message(view: &TournamentView) -> pb::Tournament {
    view.to_public().message_without_settings()
}

fn parse_new_tournament(
    request: &pb::CreateTournamentRequest,
    field: RequestField<'_>,
) -> Option<NewTournament> {
    let given = request.settings.as_ref();
    let parsed = field.member("settings").parse_required(given, parse_settings_and_terms);
    parsed.map(|(settings, terms)| NewTournament { settings, terms })
}

pub(super) fn parse_tournament_id(id: &str) -> Result<TournamentId, Status> {
    parse_field("tournament_id", id.parse())
}

/// Parses the name of a bot; `None` means the caller.
fn parse_bot_or_caller(name: &str) -> Result<Option<BotName>, Status> {
    read_request(|field| field.member("bot").parse_if_given(name))
}

#[tonic::async_trait]
impl pb::tournament_service_server::TournamentService for TournamentRpc {
    type GetManifestStream = ReceiverStream<Result<pb::GetManifestResponse, Status>>;
    type WatchTournamentStream = WatcherStream<pb::WatchTournamentResponse>;

    async fn create_tournament(
        &self,
        request: Request<pb::CreateTournamentRequest>,
    ) -> Result<Response<pb::CreateTournamentResponse>, Status> {
        self.access.require_admin(&request)?;
        let request = request.into_inner();
        let (new, id) = read_request(|field| {
            let id = field.member("request_id").parse_if_given(&request.request_id);
            Some((parse_new_tournament(&request, field)?, id?))
        })?;
        let request = id.map(|id| {
            creation_request(None, id, "CreateTournament", request, |request| &mut request.request_id)
        });
        let view = self.arena.create_tournament_once(new, request).await.map_err(arena_status)?;
        Ok(Response::new(pb::CreateTournamentResponse { tournament: Some(tournament_message(&view)) }))
    }

    async fn join_tournament(
        &self,
        request: Request<pb::JoinTournamentRequest>,
    ) -> Result<Response<pb::JoinTournamentResponse>, Status> {
        let bot = self.access.require_bot_or_admin(&request, parse_bot_or_caller(&request.get_ref().bot)?)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let view = self.arena.join_tournament(id, &bot).await.map_err(arena_status)?;
        Ok(Response::new(pb::JoinTournamentResponse { tournament: Some(tournament_message(&view)) }))
    }

    async fn leave_tournament(
        &self,
        request: Request<pb::LeaveTournamentRequest>,
    ) -> Result<Response<pb::LeaveTournamentResponse>, Status> {
        let bot = self.access.require_bot_or_admin(&request, parse_bot_or_caller(&request.get_ref().bot)?)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let view = self.arena.leave_tournament(id, &bot).await.map_err(arena_status)?;
        Ok(Response::new(pb::LeaveTournamentResponse { tournament: Some(tournament_message(&view)) }))
    }

    async fn start_tournament(
        &self,
        request: Request<pb::StartTournamentRequest>,
    ) -> Result<Response<pb::StartTournamentResponse>, Status> {
        self.access.require_admin(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let view = self.arena.start_tournament(id).await.map_err(arena_status)?;
        Ok(Response::new(pb::StartTournamentResponse { tournament: Some(tournament_message(&view)) }))
    }

    async fn cancel_tournament(
        &self,
        request: Request<pb::CancelTournamentRequest>,
    ) -> Result<Response<pb::CancelTournamentResponse>, Status> {
        self.access.require_admin(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let view = self.arena.cancel_tournament(id).await.map_err(arena_status)?;
        Ok(Response::new(pb::CancelTournamentResponse { tournament: Some(tournament_message(&view)) }))
    }

    async fn pause_tournament(
        &self,
        request: Request<pb::PauseTournamentRequest>,
    ) -> Result<Response<pb::PauseTournamentResponse>, Status> {
        let pause = |request: &pb::PauseTournamentRequest, field: RequestField<'_>| {
            let open: Option<OpenMatches> =
                field.member("open_matches").optional_enum(request.open_matches)?;
            Some(Intervention::Pause(open.unwrap_or_default()))
        };
        let id = &request.get_ref().tournament_id;
        let (tournament, event) = self.intervene(&request, id, pause).await?;
        Ok(Response::new(pb::PauseTournamentResponse { tournament, event }))
    }

    async fn resume_tournament(
        &self,
        request: Request<pb::ResumeTournamentRequest>,
    ) -> Result<Response<pb::ResumeTournamentResponse>, Status> {
        let id = &request.get_ref().tournament_id;
        let (tournament, event) = self.intervene(&request, id, |_, _| Some(Intervention::Resume)).await?;
        Ok(Response::new(pb::ResumeTournamentResponse { tournament, event }))
    }

    async fn disqualify_bot(
        &self,
        request: Request<pb::DisqualifyBotRequest>,
    ) -> Result<Response<pb::DisqualifyBotResponse>, Status> {
        let disqualify = |request: &pb::DisqualifyBotRequest, field: RequestField<'_>| {
            let bot = field.member("bot").ok_or_report(request.bot.parse());
            let results = parse_disqualified_results(request.results, field.member("results"));
            let reason = field.member("reason").ok_or_report(request.reason.parse());
            Some(Intervention::Disqualify { bot: bot?, results: results?, reason: reason? })
        };
        let id = &request.get_ref().tournament_id;
        let (tournament, event) = self.intervene(&request, id, disqualify).await?;
        Ok(Response::new(pb::DisqualifyBotResponse { tournament, event }))
    }

    async fn void_matches(
        &self,
        request: Request<pb::VoidMatchesRequest>,
    ) -> Result<Response<pb::VoidMatchesResponse>, Status> {
        let parse_voiding = |request: &pb::VoidMatchesRequest, field: RequestField<'_>| {
            let targets = parse_void_targets(request, field);
            let reason = field.member("reason").ok_or_report(request.reason.parse());
            Some(Intervention::Void { targets: targets?, reason: reason? })
        };
        let id = &request.get_ref().tournament_id;
        let (tournament, event) = self.intervene(&request, id, parse_voiding).await?;
        Ok(Response::new(pb::VoidMatchesResponse { tournament, event }))
    }

    async fn finish_tournament(
        &self,
        request: Request<pb::FinishTournamentRequest>,
    ) -> Result<Response<pb::FinishTournamentResponse>, Status> {
        let id = &request.get_ref().tournament_id;
        let (tournament, event) = self.intervene(&request, id, |_, _| Some(Intervention::Finish)).await?;
        Ok(Response::new(pb::FinishTournamentResponse { tournament, event }))
    }

    async fn get_tournament(
        &self,
        request: Request<pb::GetTournamentRequest>,
    ) -> Result<Response<pb::GetTournamentResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let arena = self.arena.clone();
        let read = async move {
            let view = arena.tournament(id).await.map_err(arena_status)?;
            let verdict = arena.format_verdict(id).await.map_err(arena_status)?;
            let history = arena.field_history(&view).await.map_err(arena_status)?;
            let field_history = history.map(|history| pb::FieldHistory {
                start: history.start.iter().map(ToString::to_string).collect(),
                changes: history.changes.iter().map(Into::into).collect(),
            });
            let (tournament, verdict) = (Some(tournament_message(&view)), Some(verdict.as_ref().into()));
            let events = event_messages(&arena, id).await?;
            let activity = arena.tournament_activity(id).await.map_err(arena_status)?;
            let activity = activity.map(|activity| activity_message(&activity, DEFAULT_ACTIVITY_LENGTH));
            let entry_code_uses = arena.entry_code_uses(&view);
            Ok(pb::GetTournamentResponse {
                tournament,
                verdict,
                field_history,
                events,
                activity,
                entry_code_uses,
            })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn get_tournament_activity(
        &self,
        request: Request<pb::GetTournamentActivityRequest>,
    ) -> Result<Response<pb::GetTournamentActivityResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let (id, limit) = read_request(|field| {
            let id = field.member("tournament_id").ok_or_report(request.get_ref().tournament_id.parse());
            id.zip(parse_activity_length(request.get_ref().most, field.member("most")))
        })?;
        let arena = self.arena.clone();
        let read = async move { arena.tournament_activity(id).await.map_err(arena_status) };
        let activity = self.reads.run_read(&reader, read).await?;
        let activity = activity.map(|activity| activity_message(&activity, limit));
        Ok(Response::new(pb::GetTournamentActivityResponse { activity }))
    }

    async fn list_tournaments(
        &self,
        request: Request<pb::ListTournamentsRequest>,
    ) -> Result<Response<pb::ListTournamentsResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let request = request.into_inner();
        let page = Page::<TournamentId>::parse(request.page_size, &request.page_token)?;
        let wanted = read_request(|field| field.member("state").optional_enum(request.state))?;
        let arena = self.arena.clone();
        let read = async move { list_tournaments(&arena, &page, wanted).await };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn get_standings(
        &self,
        request: Request<pb::GetStandingsRequest>,
    ) -> Result<Response<pb::GetStandingsResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        // Requests that need slow ratings have their own queue, so that they do not delay other reads.
        self.arena.update_ratings_if_due(id).await;
        let compared = if request.get_ref().cross_table {
            let _place = self.reads.admit_cross_table(&reader).await?;
            Some(self.arena.cross_table(id).await.map_err(arena_status)?)
        } else {
            None
        };
        let arena = self.arena.clone();
        let read = async move {
            let view = arena.tournament(id).await.map_err(arena_status)?;
            let shown = read_standings(&arena, &view).await?;
            let cross_table = compared.iter().flat_map(|compared| compared.iter().map(Into::into)).collect();
            Ok(pb::GetStandingsResponse { cross_table, ..shown })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn watch_tournament(
        &self,
        request: Request<pb::WatchTournamentRequest>,
    ) -> Result<Response<Self::WatchTournamentStream>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let (sender, receiver) = mpsc::channel(1);
        let arena = self.arena.clone();
        if request.get_ref().state_only {
            let read = async move { arena.watch_tournament_state(id).await.map_err(arena_status) };
            let state = self.reads.run_read(&reader, read).await?;
            tokio::spawn(send_state_changes(self.arena.clone(), id, state, sender));
        } else {
            let read = async move {
                let state = arena.watch_tournament_state(id).await.map_err(arena_status)?;
                Ok((state, arena.watch_tournament(id).await.map_err(arena_status)?))
            };
            let (state, changes) = self.reads.run_read(&reader, read).await?;
            tokio::spawn(self.clone().send_tournament_changes(reader, changes, state, sender));
        }
        let states = ReceiverStream::new(receiver);
        Ok(Response::new(add_heartbeats(states, self.arena.limits().ping_interval)))
    }

    async fn get_manifest(
        &self,
        request: Request<pb::GetManifestRequest>,
    ) -> Result<Response<Self::GetManifestStream>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_tournament_id(&request.get_ref().tournament_id)?;
        let place = self.reads.admit_manifest(&reader).await?;
        let snapshot = loop {
            let arena = self.arena.clone();
            let read = async move { arena.manifest_snapshot(id).await.map_err(arena_status) };
            match self.reads.run_read(&reader, read).await? {
                Some(snapshot) => break snapshot,
                // This waits for the final ratings, which may take a long time, without holding a turn.
                None => self.arena.wait_until_over(id).await.map_err(arena_status)?,
            }
        };
        let (sender, receiver) = mpsc::channel(1);
        let source = ManifestSource::new(self.arena.clone(), snapshot);
        tokio::spawn(source.send(self.reads.clone(), reader, sender, place));
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

async fn list_tournaments(
    arena: &Arena,
    page: &Page<TournamentId>,
    wanted: Option<TournamentState>,
) -> Result<pb::ListTournamentsResponse, Status> {
    let key = |view: &TournamentView| view.stored.id.to_string();
    let (views, mut next_page_token) = match wanted {
        None => {
            let mut views =
                arena.list_tournaments(page.start, page.fetch_limit()).await.map_err(arena_status)?;
            let next_page_token = page.truncate(&mut views, key);
            (views, next_page_token)
        }
        Some(state) if !state.is_over() => {
            let mut views = arena.list_unfinished_tournaments(state, page.start, page.fetch_limit());
            let next_page_token = page.truncate(&mut views, key);
            (views, next_page_token)
        }
        Some(state) => {
            let look = Page::<TournamentId>::max_size_after(page.start);
            let views = arena.list_tournaments(look.start, look.fetch_limit()).await.map_err(arena_status)?;
            page.fill_filtered(views, &look, |view| view.stored.state == state, key)
        }
    };
    let mut bytes = 0;
    let fitting = views.iter().map(tournament_message).enumerate().take_while(|(place, tournament)| {
        bytes += tournament.encoded_len();
        *place == 0 || bytes <= PAGE_BYTES
    });
    let tournaments: Vec<_> = fitting.map(|(_, tournament)| tournament).collect();
    if let Some(last) = tournaments.last().filter(|_| tournaments.len() < views.len()) {
        next_page_token.clone_from(&last.id);
    }
    Ok(pb::ListTournamentsResponse { tournaments, next_page_token })
}
