//! Ladders: bots join, leave, crash repeatedly, are suspended, and return.

use super::{
    host::{Host, bearing, round_robin, soon},
    session::{BotSession, reason},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use pb::{
    play_request::Action, play_response::Event, tournament_service_client::TournamentServiceClient,
    tournament_settings::Format,
};
use tonic::{Code, Status};

/// A ladder for two seats without an end. A bot that does not come loses its seat after twice `patience_ms`.
fn endless(suspend_after: u32, patience_ms: u32) -> pb::TournamentSettings {
    let ladder = pb::LadderFormat { suspend_after, ..pb::LadderFormat::default() };
    let clock = pb::Clock { declaration_ms: patience_ms, initial_ms: patience_ms, ..pb::Clock::default() };
    pb::TournamentSettings {
        seats: 2,
        format: Some(Format::Ladder(ladder)),
        clock: Some(clock),
        ..round_robin(&[&[2, 3], &[4, 1, 2]])
    }
}

/// A client for ladders.
struct Organiser<'a> {
    host: &'a Host,
    id: String,
}

impl Organiser<'_> {
    async fn join(&self, token: &str, bot: &str) -> Result<pb::Tournament, Status> {
        let request = pb::JoinTournamentRequest { tournament_id: self.id.clone(), bot: bot.into() };
        let mut service = TournamentServiceClient::new(self.host.channel.clone());
        let joined = service.join_tournament(bearing(token, request)).await?.into_inner();
        Ok(joined.tournament.unwrap())
    }

    async fn leave(&self, token: &str, bot: &str) -> Result<pb::Tournament, Status> {
        let request = pb::LeaveTournamentRequest { tournament_id: self.id.clone(), bot: bot.into() };
        let mut service = TournamentServiceClient::new(self.host.channel.clone());
        let left = service.leave_tournament(bearing(token, request)).await?.into_inner();
        Ok(left.tournament.unwrap())
    }

    /// Watches the tournament until it reaches a state.
    async fn until(
        &self,
        what: &str,
        settled: impl Fn(&pb::WatchTournamentResponse) -> bool,
    ) -> pb::WatchTournamentResponse {
        let request = pb::WatchTournamentRequest { tournament_id: self.id.clone(), ..Default::default() };
        let mut states = self.host.tournaments().watch_tournament(request).await.unwrap().into_inner();
        let looking = async {
            loop {
                let state = states.message().await.unwrap().expect("the stream is open");
                // A heartbeat has no tournament.
                if state.tournament.is_some() && settled(&state) {
                    return state;
                }
            }
        };
        soon(what, looking).await
    }

    async fn get(&self) -> pb::GetTournamentResponse {
        let request = pb::GetTournamentRequest { tournament_id: self.id.clone() };
        self.host.tournaments().get_tournament(request).await.unwrap().into_inner()
    }

    /// Returns all matches.
    async fn matches(&self) -> Vec<pb::Match> {
        let (mut all, mut page_token) = (Vec::new(), String::new());
        loop {
            let request =
                pb::ListMatchesRequest { tournament_id: self.id.clone(), page_token, ..Default::default() };
            let page = self.host.matches().list_matches(request).await.unwrap().into_inner();
            all.extend(page.matches);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return all;
            }
        }
    }

    async fn cancel(&self) -> pb::WatchTournamentResponse {
        let request = pb::CancelTournamentRequest { tournament_id: self.id.clone() };
        self.host.tournaments().cancel_tournament(request).await.unwrap();
        self.host.tournament_over(&self.id).await
    }
}

fn line<'a>(state: &'a pb::WatchTournamentResponse, bot: &str) -> Option<&'a pb::Standing> {
    state.standings.iter().find(|line| line.bot == bot)
}

fn matches(state: &pb::WatchTournamentResponse, bot: &str) -> u32 {
    line(state, bot).map_or(0, |line| line.matches)
}

fn suspensions(verdict: Option<&pb::Verdict>) -> Vec<pb::BotSuspension> {
    match verdict.and_then(|verdict| verdict.verdict.clone()) {
        Some(pb::verdict::Verdict::Suspended(suspended)) => suspended.bots,
        other => panic!("expected the suspensions of a ladder: {other:?}"),
    }
}

fn code_and_reason(status: &Status) -> (Code, String) {
    (status.code(), reason(status))
}

/// Resigns every match until it is suspended.
async fn resign_until_suspended(session: &mut BotSession) -> pb::Suspended {
    let mut resigned = 0;
    loop {
        match session.event().await {
            Event::MatchStarted(started) => {
                session.declare_standard(&started).await;
                session.send(Action::Resign(pb::Resign { match_id: started.match_id.clone() })).await;
                resigned += 1;
                assert!(resigned < 50, "it should be suspended by now");
            }
            Event::Suspended(notice) => return notice,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_join_and_leave_a_running_ladder() {
    let host = Host::start().await;
    let mut party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy, HouseBot::Random], 3).await;
    let id = host.create_tournament(endless(5, 60_000), &["timid", "greedy", "random"]).await;
    let organiser = Organiser { host: &host, id: id.clone() };
    let [late, other] = host.register_all(["oracle", "other"]).await;
    host.start_tournament(&id).await;
    organiser
        .until("the first matches", |state| state.tournament.as_ref().unwrap().matches_played > 20)
        .await;

    let joined = organiser.join(&late, "").await.unwrap();
    assert_eq!(joined.field, ["timid", "greedy", "random", "oracle"]);
    party.invite(&host.address, late.clone(), HouseBot::Oracle, 3);
    let played = organiser.until("the newcomer's matches", |state| matches(state, "oracle") > 10).await;
    assert_eq!(line(&played, "oracle").unwrap().no_shows, 0);
    organiser
        .until("its rating", |state| line(state, "oracle").is_some_and(|line| line.rating.is_some()))
        .await;

    let stranger = organiser.leave(&other, "oracle").await.unwrap_err();
    assert_eq!(stranger.code(), Code::PermissionDenied);
    let left = organiser.leave(host.admin.reveal(), "timid").await.unwrap();
    assert_eq!(left.field, ["greedy", "random", "oracle"]);
    // Two rounds after leaving, it plays no more matches.
    let at = left.matches_played;
    let played_more = |more: u64| {
        move |state: &pb::WatchTournamentResponse| {
            state.tournament.as_ref().unwrap().matches_played > at + more
        }
    };
    let settled = organiser.until("two rounds", played_more(20)).await;
    let later = organiser.until("more matches", played_more(60)).await;
    assert_eq!(matches(&settled, "timid"), matches(&later, "timid"));
    assert!(matches(&later, "oracle") > matches(&settled, "oracle"));
    assert!(later.tournament.as_ref().unwrap().field.iter().all(|bot| bot != "timid"));

    let back = organiser.join(host.admin.reveal(), "timid").await.unwrap();
    assert_eq!(back.field, ["greedy", "random", "oracle", "timid"]);
    let before = matches(&later, "timid");
    organiser.until("its matches", |state| matches(state, "timid") > before).await;

    let history = organiser.get().await.field_history.unwrap();
    assert_eq!(history.start, ["timid", "greedy", "random"]);
    let moves: Vec<_> =
        history.changes.iter().map(|change| (change.bot.as_str(), change.movement())).collect();
    let (enters, leaves) = (pb::FieldMovement::Enters, pb::FieldMovement::Leaves);
    assert_eq!(moves, [("oracle", enters), ("timid", leaves), ("timid", enters)]);
    assert!(history.changes.is_sorted_by_key(|change| change.round));

    let cancelled = organiser.cancel().await;
    assert_eq!(cancelled.standings.len(), 4);
    assert!(
        cancelled.standings.iter().all(|line| line.rating.is_some() && line.forfeits == 0),
        "{cancelled:?}"
    );
    let request = pb::GetStandingsRequest { tournament_id: id, cross_table: true };
    let given = host.tournaments().get_standings(request).await.unwrap().into_inner();
    assert_eq!(given.standings, cancelled.standings);
    assert!(given.cross_table.iter().any(|met| met.bot == "oracle" || met.other == "oracle"));
    let late = organiser.join(&late, "").await;
    late.expect("members can join again even after the end");
    let refusal = organiser.leave(host.admin.reveal(), "oracle").await.unwrap_err();
    assert_eq!(code_and_reason(&refusal), (Code::FailedPrecondition, "WRONG_STATE".into()));
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_keeps_losing_seats_is_suspended_and_can_return() {
    let host = Host::start().await;
    let party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy, HouseBot::Random], 3).await;
    let token = host.register("crasher").await;
    let id = host.create_tournament(endless(4, 60_000), &["timid", "greedy", "random", "crasher"]).await;
    let organiser = Organiser { host: &host, id: id.clone() };
    let (mut session, _) = BotSession::open(&host, &token).await;
    host.start_tournament(&id).await;
    let notice = resign_until_suspended(&mut session).await;
    assert_eq!((notice.tournament_id.as_str(), notice.reason()), (&*id, pb::SuspensionReason::LostSeats));
    assert!((4..=8).contains(&notice.lost) && notice.no_shows == 0, "{notice:?}");
    let expected = format!(
        "crasher is suspended: it lost its seat in {} matches in a row, the last of which was match {}; it was present in all of them",
        notice.lost,
        notice.last + 1
    );
    assert_eq!(notice.message, expected);

    // The same is shown to everybody.
    let shown = organiser.get().await;
    let suspension = suspensions(shown.verdict.as_ref()).remove(0);
    assert_eq!(
        (suspension.bot.as_str(), &suspension.message, suspension.reason),
        ("crasher", &notice.message, notice.reason)
    );
    let at = shown.tournament.unwrap().matches_played;
    let later = organiser
        .until("the others' matches", |state| state.tournament.as_ref().unwrap().matches_played > at + 60)
        .await;
    assert_eq!(matches(&later, "crasher"), notice.lost as u32, "it plays no more matches");
    assert_eq!(suspensions(later.verdict.as_ref()), [suspension]);

    // A new session is told before anything else.
    drop(session);
    let (mut session, welcome) = BotSession::open(&host, &token).await;
    assert_eq!(welcome.open_matches, 0);
    match session.event().await {
        Event::Suspended(again) => assert_eq!(again, notice),
        other => panic!("{other:?}"),
    }

    // It returns by joining again, and loses one more seat, which suspends it again.
    organiser.join(&token, "").await.unwrap();
    let again = resign_until_suspended(&mut session).await;
    assert!((1..=5).contains(&(again.lost - notice.lost)), "{notice:?}, then {again:?}");
    // It returns and plays.
    organiser.join(&token, "").await.unwrap();
    let (session, ended) = session.playing_timidly(6).await.unwrap();
    assert_eq!(ended.len(), 6);
    let request = pb::GetStandingsRequest { tournament_id: id, cross_table: false };
    let given = host.tournaments().get_standings(request).await.unwrap().into_inner();
    assert_eq!(suspensions(given.verdict.as_ref()), []);
    let cancelled = organiser.cancel().await;
    let crasher = line(&cancelled, "crasher").unwrap();
    assert_eq!((u64::from(crasher.forfeits), crasher.no_shows), (again.lost, 0));
    assert!(crasher.rating.is_some() && crasher.matches > crasher.forfeits);
    drop(session);
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_shows_lose_matches_but_not_rating() {
    let host = Host::start().await;
    let party = host.house_bots(&[HouseBot::Timid, HouseBot::Greedy], 3).await;
    let ghost = host.register("ghost").await;
    let id = host.create_tournament(endless(3, 10_000), &["timid", "greedy", "ghost"]).await;
    let organiser = Organiser { host: &host, id: id.clone() };
    host.start_tournament(&id).await;
    let has_suspended = |state: &pb::WatchTournamentResponse| !suspensions(state.verdict.as_ref()).is_empty();
    let state = organiser.until("the end of the ghost", has_suspended).await;
    let suspension = suspensions(state.verdict.as_ref()).remove(0);
    assert_eq!((suspension.bot.as_str(), suspension.reason()), ("ghost", pb::SuspensionReason::NeverCame));
    assert_eq!(suspension.no_shows, suspension.lost);
    let rated =
        |state: &pb::WatchTournamentResponse| line(state, "timid").is_some_and(|line| line.rating.is_some());
    let state = organiser.until("the others' ratings", rated).await;
    let absent = line(&state, "ghost").unwrap();
    assert_eq!(u64::from(absent.no_shows), suspension.lost);
    assert_eq!((absent.matches, absent.forfeits), (absent.no_shows, absent.no_shows), "it costs the matches");
    assert_eq!((absent.points, absent.wins), (0.0, 0));
    assert_eq!((&absent.rating, &absent.skill), (&None, &None), "and not the rating");

    // Once it plays, it is rated by the matches that it attended.
    let (session, _) = BotSession::open(&host, &ghost).await;
    organiser.join(&ghost, "").await.unwrap();
    let (_session, _) = session.playing_timidly(4).await.unwrap();
    let cancelled = organiser.cancel().await;
    let came = line(&cancelled, "ghost").unwrap();
    assert_eq!(came.no_shows, absent.no_shows);
    assert!(came.matches >= came.no_shows + 4 && came.rating.is_some(), "{came:?}");
    // The records of those matches give the same ratings.
    let mut evidence = lastnim_tournament::RatedMatches::new();
    for one in organiser.matches().await {
        let record = host.record(&one.id).await;
        let sealed = lastnim_proto::record::verify_record(&record).unwrap();
        let state = sealed.record().state();
        let Some((_, Some(_))) = state.end() else { continue };
        let audit = sealed.record().audit().unwrap();
        let seat_loss = |seat| state.forfeits()[seat].map(lastnim_proto::record::seat_loss_of_forfeit);
        let outcome = lastnim_tournament::MatchOutcome::of_audit(&audit, seat_loss);
        let origin = state.setup().origin.as_ref().unwrap();
        let (number, group) = (origin.number, origin.group);
        let is_absent = |seat| seat_loss(seat) == Some(lastnim_tournament::SeatLoss::NoShow);
        // A two-seat match with a no-show says nothing about strength.
        if outcome.seats.seats().iter().any(is_absent) {
            continue;
        }
        let bots = state.setup().bots.clone();
        evidence.add_result(&lastnim_tournament::MatchResult { number, group, bots, outcome: Some(outcome) });
    }
    let resampling =
        lastnim_tournament::Resampling { seed: 7, replicates: lastnim_tournament::ReplicateCount::default() };
    let ratings =
        evidence.compute_ratings(&resampling, &mut lastnim_core::oracle::Budget::unbounded()).unwrap();
    for line in &cancelled.standings {
        let expected = ratings.get(&line.bot.parse().unwrap()).unwrap();
        assert_eq!(line.rating.as_ref().unwrap().points.to_bits(), expected.rating.points().to_bits());
    }
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fields_of_other_formats_change_only_before_the_start() {
    let host = Host::start().await;
    let names = ["one", "two", "three", "four"];
    let tokens = host.register_all(names).await;
    let id = host.create_tournament(round_robin(&[&[3]]), &names[..3]).await;
    let organiser = Organiser { host: &host, id: id.clone() };
    let left = organiser.leave(&tokens[0], "").await.unwrap();
    assert_eq!(left.field, ["two", "three"]);
    let again = organiser.leave(&tokens[0], "one").await.expect("leaving twice is harmless");
    assert_eq!(again.field, ["two", "three"]);
    let unknown = organiser.leave(host.admin.reveal(), "nobody").await.unwrap_err();
    assert_eq!(code_and_reason(&unknown), (Code::NotFound, "NO_SUCH_BOT".into()));
    let unnamed = organiser.leave(host.admin.reveal(), "").await.unwrap_err();
    assert_eq!(code_and_reason(&unnamed), (Code::InvalidArgument, "NO_BOT".into()));
    let viewer = organiser.leave(host.viewer.reveal(), "two").await.unwrap_err();
    assert_eq!(viewer.code(), Code::PermissionDenied);
    assert_eq!(organiser.get().await.field_history, None);
    for bot in ["one", "four"] {
        organiser.join(host.admin.reveal(), bot).await.unwrap();
    }
    host.start_tournament(&id).await;
    let left = organiser.leave(&tokens[0], "").await.unwrap();
    assert_eq!(left.field.len(), 4, "a bot that withdraws still belongs to the tournament");
    let shown = organiser.get().await;
    assert_eq!(shown.tournament.unwrap().field, ["two", "three", "one", "four"]);
    assert_eq!(shown.field_history, None, "it does not change");
    organiser.cancel().await;
}
