//! The hostile bot, inside and outside of tournaments: other bots must not notice it.

use super::hostile_bot::{
    Misbehaviour,
    attack::{self, HostileReport},
};
use super::{
    host::{Host, Party, exhibition, patient_clock, round_robin, soon},
    session::{BotSession, take},
    vanish::forfeits,
};
use lastnim_bots::HouseBot;
use lastnim_proto::{
    pb::{self, play_request::Action, record_event},
    record::parse_record,
};
use std::{collections::BTreeSet, sync::Arc};
use tokio::{
    sync::{Semaphore, oneshot},
    task::{JoinHandle, JoinSet},
};

const TRIO: [HouseBot; 3] = [HouseBot::Timid, HouseBot::Random, HouseBot::Oracle];

/// A running hostile bot.
struct Attack {
    stop: oneshot::Sender<()>,
    attacking: JoinHandle<Result<HostileReport, lastnim_client::Error>>,
}

impl Attack {
    fn begin(host: &Host, token: String, ways: &[Misbehaviour], seed: u64) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (address, ways) = (host.address.clone(), ways.to_vec());
        let attacking = tokio::spawn(async move {
            let stopped = async {
                // Dropping this at the end of a test stops the attack.
                let _ = stopped.await;
            };
            attack::run(&address, &token, &ways, seed, stopped).await
        });
        Self { stop, attacking }
    }

    async fn end(self) -> HostileReport {
        self.stop.send(()).unwrap();
        soon("the end of the attack", self.attacking).await.unwrap().unwrap()
    }
}

/// The ways in which the hostile bot may lose its seats.
fn expected_reasons(way: Misbehaviour) -> &'static [pb::ForfeitReason] {
    use pb::ForfeitReason::{Disconnected, Resigned, Strikes, TimedOut};
    match way {
        // Takes out of turn mostly arrive too late, which costs nothing.
        Misbehaviour::IllegalTakes | Misbehaviour::FuturePlies | Misbehaviour::OutOfTurn => &[Strikes],
        // Their messages are refused without a strike, and after a refusal they play correctly.
        Misbehaviour::StalePlies
        | Misbehaviour::UnknownMatches
        | Misbehaviour::GarbageRows
        | Misbehaviour::EmptyMessages
        | Misbehaviour::DeclareTwice => &[],
        // Disconnecting repeatedly, they may come back too late.
        Misbehaviour::DropStream | Misbehaviour::HalfClose | Misbehaviour::TwoSessions => {
            &[TimedOut, Disconnected]
        }
        Misbehaviour::Resign => &[Resigned],
        // A session ended for flooding may be missing when the clock runs out; its takes in transit count as strikes.
        Misbehaviour::Flood => &[Strikes, TimedOut, Disconnected],
        Misbehaviour::Stall => &[TimedOut],
    }
}

/// Plays a tournament with a hostile bot, and returns how its seats were lost.
async fn hostile_tournament(ways: &[Misbehaviour], seed: u64) -> (Vec<pb::ForfeitReason>, HostileReport) {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, seed).await;
    let attack = Attack::begin(&host, host.register("hostile").await, ways, seed);
    host.until_bot("hostile", |bot| bot.connected).await;
    let names = ["timid", "random", "oracle", "hostile"];
    // If a clock is to run out, honest bots answer at once; otherwise no clock may run out.
    let runs_out = ways.iter().any(|&way| expected_reasons(way).contains(&pb::ForfeitReason::TimedOut));
    let short = pb::Clock { initial_ms: 10_000, increment_ms: 300, ..patient_clock() };
    let clock = if runs_out { short } else { patient_clock() };
    let settings = pb::TournamentSettings { clock: Some(clock), ..round_robin(&[&[1; 24]]) };
    let id = host.create_tournament(settings, &names).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    let report = attack.end().await;
    assert_eq!(last.tournament.unwrap().matches_played, 12, "{ways:?}");
    for line in last.standings.iter().filter(|line| line.bot != "hostile") {
        assert_eq!((line.matches, line.forfeits), (9, 0), "{ways:?}: {line:?}");
    }
    for summary in party.dismiss().await {
        assert_eq!((summary.forfeits, summary.unseen), (0, 0), "{ways:?}");
    }
    let mut reasons = Vec::new();
    for one in host.matches_of(&id).await {
        let setup = one.setup.as_ref().unwrap();
        let hostile_seat = setup.bots.iter().position(|bot| bot == "hostile").map(|seat| seat as u32);
        assert_eq!(one.reason(), pb::EndReason::Finished, "{ways:?}");
        for (seat, reason) in forfeits(&host, &one.id).await {
            assert_eq!(Some(seat), hostile_seat, "{ways:?}: only the hostile bot loses seats");
            reasons.push(reason);
        }
        let audit = parse_record(&host.record(&one.id).await).unwrap().audit().unwrap();
        assert_eq!(one.winner, Some(u32::from(audit.winner)));
    }
    (reasons, report)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_misbehaviour_is_isolated_and_recorded() {
    let mut tournaments = JoinSet::new();
    // Few at once, so that honest bots answer in time on a busy machine.
    let places = Arc::new(Semaphore::new(4));
    for (seed, way) in Misbehaviour::ALL.into_iter().enumerate() {
        let places = Arc::clone(&places);
        tournaments.spawn(async move {
            let _place = places.acquire_owned().await.unwrap();
            (way, hostile_tournament(&[way], seed as u64).await)
        });
    }
    while let Some(ended) = soon("the end of a tournament", tournaments.join_next()).await {
        let (way, (reasons, report)) = ended.unwrap();
        assert!(report.sent > 0 && report.sessions > 0, "{way:?}: {report:?}");
        let expected = expected_reasons(way);
        let stray = reasons.iter().find(|reason| !expected.contains(reason));
        assert_eq!(stray, None, "{way:?}: {reasons:?}");
        let seen: BTreeSet<_> = reasons.iter().map(|&reason| i32::from(reason)).collect();
        if expected.len() == 1 && way != Misbehaviour::OutOfTurn {
            assert!(!seen.is_empty(), "{way:?} lost no seat");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn combined_misbehaviours_are_isolated() {
    // In one of a few hundred tournaments it loses no seat, as its random actions depend on timing.
    let mut tournaments = JoinSet::new();
    for seed in 97..100 {
        tournaments.spawn(hostile_tournament(&Misbehaviour::ALL, seed));
    }
    let mut reasons = Vec::new();
    while let Some(ended) = soon("the end of a tournament", tournaments.join_next()).await {
        let (lost, report) = ended.unwrap();
        assert!(report.sent > 0 && report.sessions > 0, "{report:?}");
        reasons.extend(lost);
    }
    assert!(!reasons.is_empty(), "it lost no seat in any of them");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_outside_a_tournament_do_not_affect_it() {
    let host = Host::start().await;
    let mut party: Party = host.house_bots(&HouseBot::BASIC, 5).await;
    let mut attacks = Vec::new();
    for number in 0..3 {
        let name = format!("hostile-{number}");
        attacks.push(Attack::begin(&host, host.register(&name).await, &Misbehaviour::ALL, number));
        host.until_bot(&name, |bot| bot.connected).await;
    }
    // A match between attackers and an honest bot continues during the tournament.
    party.invite(&host.address, host.register("brave").await, HouseBot::Timid, 1);
    host.until_bot("brave", |bot| bot.connected).await;
    let clock = pb::Clock { initial_ms: 20_000, declaration_ms: 20_000, ..patient_clock() };
    let mut brawls = Vec::new();
    for _ in 0..8 {
        let request = exhibition(["hostile-0", "brave", "hostile-1", "hostile-2"], &[9, 9]);
        brawls.push(host.create_match(pb::CreateMatchRequest { clock: Some(clock), ..request }).await);
    }
    let names = HouseBot::BASIC.map(HouseBot::kind);
    let id = host.create_tournament(round_robin(&[&[2, 3]]), &names).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    assert_eq!(last.tournament.unwrap().matches_played, 60);
    assert!(last.standings.iter().all(|line| (line.matches, line.forfeits) == (30, 0)));
    for brawl in brawls {
        host.watched_to_its_end(&brawl).await;
        assert!(forfeits(&host, &brawl).await.iter().all(|&(seat, _)| seat != 1));
    }
    for attack in attacks {
        attack.end().await;
    }
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strikes_are_recorded_with_reasons() {
    let host = Host::start().await;
    let tokens = host.register_all(["clumsy", "calm"]).await;
    let (mut clumsy, _) = BotSession::open(&host, &tokens[0]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["clumsy", "calm"], &[5, 5])).await;
    let started = clumsy.started().await;
    clumsy.send(take(&id, 0, 1)).await;
    assert_eq!(clumsy.refused().await.reason(), pb::RefusalReason::NotStarted);
    clumsy.declare_standard(&started).await;
    let playing = calm.playing_timidly(1);
    let turn = clumsy.turn().await;
    clumsy.send(take(&id, turn.ply + 7, 1)).await;
    let refused = clumsy.refused().await;
    assert_eq!(
        (refused.reason(), refused.strikes, refused.strikes_left),
        (pb::RefusalReason::FuturePly, 2, 1)
    );
    clumsy.send(take(&id, turn.ply, 6)).await;
    let refused = clumsy.refused().await;
    assert_eq!((refused.reason(), refused.strikes_left), (pb::RefusalReason::IllegalTake, 0));
    clumsy.send(take(&id, turn.ply + 7, 1)).await;
    clumsy.send(Action::Resign(pb::Resign { match_id: id.clone() })).await;
    clumsy.ended().await;
    soon("the end of the match", playing).await.unwrap();
    let struck_seat = |event: pb::RecordEvent| match event.event {
        Some(record_event::Event::Struck(struck)) => Some(struck.reason()),
        _ => None,
    };
    let struck: Vec<_> = host.record(&id).await.events.into_iter().filter_map(struck_seat).collect();
    let reasons =
        [pb::RefusalReason::NotStarted, pb::RefusalReason::FuturePly, pb::RefusalReason::IllegalTake];
    assert_eq!(struck, reasons);
    assert_eq!(forfeits(&host, &id).await, [(0, pb::ForfeitReason::Strikes)]);
}
