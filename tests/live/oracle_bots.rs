//! Audits of bots over many matches.

use super::{
    host::{Host, exhibition, round_robin, soon},
    session::reason,
};
use lastnim_auditing::{AuditSubject, AuditedMatch, Auditor, MatchGroup, RowSource};
use lastnim_bots::HouseBot;
use lastnim_proto::{
    pb,
    record::{parse_record, seat_loss_of_forfeit},
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const FIELD: [HouseBot; 3] = [HouseBot::Greedy, HouseBot::Random, HouseBot::Oracle];

/// Plays a tournament, and returns its id and the records of its matches.
async fn play_matches(host: &Host) -> (String, Vec<pb::MatchRecord>) {
    let party = host.house_bots(&FIELD, 4).await;
    let id = host.create_tournament(round_robin(&[&[3, 4], &[2, 2, 2]]), &FIELD.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    let mut records = Vec::new();
    for one in host.matches_of(&id).await {
        records.push(host.record(&one.id).await);
    }
    party.dismiss().await;
    assert_eq!(records.len(), 6);
    (id, records)
}

/// Audits records locally.
fn local_audit(records: &[pb::MatchRecord], scope: AuditSubject, seed: u64) -> pb::BotReport {
    let mut auditor = Auditor::new(scope, seed);
    for record in records {
        let record = parse_record(record).unwrap();
        let (state, audit) = (record.state(), record.audit().unwrap());
        let setup = state.setup();
        let group = match &setup.origin {
            Some(origin) => MatchGroup::Duplicate { tournament: origin.tournament, number: origin.group },
            None => MatchGroup::Exhibition(record.id()),
        };
        auditor.add_match(&AuditedMatch {
            id: record.id(),
            group,
            bots: &setup.bots,
            game: state.game().unwrap(),
            rows: if setup.assigned.is_some() { RowSource::Assigned } else { RowSource::Declared },
            audit: &audit,
            lost: &state.forfeits().map(|forfeit| forfeit.map(seat_loss_of_forfeit)),
            versions: &[],
            time_left_percent: &[],
            talk: None,
        });
    }
    (&auditor.finish()).into()
}

fn fields(status: &Status) -> Vec<String> {
    assert_eq!((status.code(), reason(status).as_str()), (Code::InvalidArgument, "BAD_REQUEST"), "{status}");
    let details = status.get_details_bad_request().expect("the fields are named");
    details.field_violations.into_iter().map(|violation| violation.field).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_are_audited_over_the_matches_of_a_tournament() {
    let host = Host::start().await;
    let (id, records) = play_matches(&host).await;
    let mut oracle = host.oracle();
    let request = pb::AuditBotRequest {
        bot: "greedy".into(),
        tournament_id: id.clone(),
        seed: 5,
        ..Default::default()
    };
    let answer = oracle.audit_bot(request.clone()).await.unwrap().into_inner();
    let greedy = local_audit(&records, AuditSubject::Bot("greedy".parse().unwrap()), 5);
    assert_eq!(answer.report.as_ref(), Some(&greedy));
    assert_eq!((answer.matches_without_result, answer.matches_damaged, answer.more_matches), (0, 0, false));
    assert_eq!(greedy.bots.len(), 1);
    let figures = greedy.bots[0].figures.as_ref().unwrap();
    assert!(figures.plies > 0 && !greedy.pairs.is_empty());
    // Open matches do not count, nor do matches outside the tournament.
    let [_alone, _other] = host.register_all(["alone", "other"]).await;
    host.create_match(exhibition(["greedy", "alone"], &[2])).await;
    let again = oracle.audit_bot(request).await.unwrap().into_inner();
    assert_eq!(again.report, answer.report);
    let everywhere = pb::AuditBotRequest { bot: "greedy".into(), seed: 5, ..Default::default() };
    let answer = oracle.audit_bot(everywhere).await.unwrap().into_inner();
    assert_eq!((answer.report, answer.matches_without_result), (Some(greedy), 1));

    let field = pb::AuditBotRequest { tournament_id: id, seed: 5, ..Default::default() };
    let answer = oracle.audit_bot(field).await.unwrap().into_inner();
    let all = local_audit(&records, AuditSubject::Field, 5);
    assert_eq!((all.bots.len(), all.pairs.len()), (3, 6));
    assert_eq!(answer.report, Some(all));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_audits_of_bots_are_named() {
    let host = Host::start().await;
    let mut oracle = host.oracle();
    let request = |bot: &str, tournament_id: &str| pb::AuditBotRequest {
        bot: bot.into(),
        tournament_id: tournament_id.into(),
        ..Default::default()
    };
    assert_eq!(fields(&oracle.audit_bot(request("", "")).await.unwrap_err()), ["tournament_id"]);
    let refused = oracle.audit_bot(request("No Bot", "x")).await.unwrap_err();
    assert_eq!(fields(&refused), ["bot", "tournament_id"]);
    let unknown = oracle.audit_bot(request("nobody", "")).await.unwrap_err();
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "NO_SUCH_BOT"));
    let no_tournament = "01890000-0000-7000-8000-000000000000";
    let unknown = oracle.audit_bot(request("", no_tournament)).await.unwrap_err();
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "NO_SUCH_TOURNAMENT"));

    let scope = || Some(pb::AuditScope::default());
    let requests = |scopes: Vec<Option<pb::AuditScope>>| {
        let request = |scope| pb::AuditRecordsRequest { scope, records: vec![] };
        tokio_stream::iter(scopes.into_iter().map(request).collect::<Vec<_>>())
    };
    for wrong in [vec![], vec![None], vec![scope(), scope()]] {
        let refused = oracle.audit_records(requests(wrong)).await.unwrap_err();
        assert_eq!(fields(&refused), ["scope"]);
    }
    let broken = pb::AuditScope {
        bot: "No Bot".into(),
        tournament_id: "x".into(),
        public_key: vec![1; 31],
        ..Default::default()
    };
    let refused = oracle.audit_records(requests(vec![Some(broken)])).await.unwrap_err();
    assert_eq!(fields(&refused), ["scope.bot", "scope.tournament_id", "scope.public_key"]);
    let nothing = oracle.audit_records(requests(vec![scope(), None])).await.unwrap().into_inner();
    assert_eq!((nothing.records, nothing.report.unwrap().matches), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploaded_records_are_verified_and_audited() {
    let host = Host::start().await;
    let (id, records) = play_matches(&host).await;
    let mut oracle = host.oracle();
    let expected = local_audit(&records, AuditSubject::Field, 9);
    let request = pb::GetPublicKeyRequest {};
    let public_key = host.matches().get_public_key(request).await.unwrap().into_inner().public_key;
    let scope = pb::AuditScope { seed: 9, tournament_id: id, public_key, ..Default::default() };
    let requests = |scope: &pb::AuditScope, records: &[pb::MatchRecord]| {
        let first = pb::AuditRecordsRequest { scope: Some(scope.clone()), records: vec![] };
        let rest = records
            .chunks(2)
            .map(|records| pb::AuditRecordsRequest { scope: None, records: records.to_vec() });
        tokio_stream::iter([first].into_iter().chain(rest).collect::<Vec<_>>())
    };
    let answer = oracle.audit_records(requests(&scope, &records)).await.unwrap().into_inner();
    assert_eq!((answer.records, answer.records_refused), (6, 0), "{:?}", answer.refusals);
    assert_eq!(answer.report.as_ref(), Some(&expected));

    // Altered records and those signed by another key do not count; the others do.
    let mut changed = records.clone();
    let forged = changed[1].clone();
    changed.insert(3, pb::MatchRecord { events: forged.events[1..].to_vec(), ..forged });
    let answer = oracle.audit_records(requests(&scope, &changed)).await.unwrap().into_inner();
    assert_eq!((answer.records, answer.records_refused, answer.refusals.len()), (7, 1, 1));
    assert_eq!(answer.refusals[0].record, 3);
    assert!(answer.refusals[0].description.contains("does not verify"), "{:?}", answer.refusals);
    assert_eq!(answer.report, Some(expected));
    let other = Host::start().await;
    let request = pb::GetPublicKeyRequest {};
    let public_key = other.matches().get_public_key(request).await.unwrap().into_inner().public_key;
    let distrusting = pb::AuditScope { public_key, ..scope.clone() };
    let answer = oracle.audit_records(requests(&distrusting, &records)).await.unwrap().into_inner();
    assert_eq!((answer.records_refused, answer.report.unwrap().matches), (6, 0));
    assert!(answer.refusals[0].description.contains("another key"));
    let elsewhere = pb::AuditScope { tournament_id: "01890000-0000-7000-8000-000000000000".into(), ..scope };
    let answer = oracle.audit_records(requests(&elsewhere, &records)).await.unwrap().into_inner();
    assert_eq!((answer.records_without_result, answer.records_refused), (6, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_caller_has_one_slot_for_audits_of_bots() {
    let host = Host::start().await;
    let token = host.register("curious").await;
    let request = pb::AuditBotRequest { bot: "curious".into(), ..Default::default() };
    // Either call may start first; repeat until the audit of bots does.
    let second_audit = async {
        loop {
            let (sender, requests) = mpsc::channel(1);
            let scope = Some(pb::AuditScope::default());
            sender.send(pb::AuditRecordsRequest { scope, records: vec![] }).await.unwrap();
            let mut oracle = host.oracle_for(&token);
            let first =
                tokio::spawn(async move { oracle.audit_records(ReceiverStream::new(requests)).await });
            let refused = loop {
                match host.oracle_for(&token).audit_bot(request.clone()).await {
                    Err(refused) => break Some(refused),
                    Ok(_) if first.is_finished() => break None,
                    Ok(_) => {}
                }
            };
            assert!(host.oracle().audit_bot(request.clone()).await.is_ok(), "another caller");
            drop(sender);
            if let (Some(refused), Ok(answer)) = (refused, first.await.unwrap()) {
                break (refused, answer.into_inner());
            }
        }
    };
    let (refused, answer) = soon("an audit beside another", second_audit).await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS"));
    assert!(refused.get_details_retry_info().is_some());
    assert_eq!(answer.records, 0);
    let again = async { while host.oracle_for(&token).audit_bot(request.clone()).await.is_err() {} };
    soon("room for another audit", again).await;
}
