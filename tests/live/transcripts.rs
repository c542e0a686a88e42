//! Publishing transcripts of language models: which callers may, when, and how much.

use super::{
    host::{Authorized, Host, Party, exhibition, round_robin},
    session::reason,
};
use lastnim_arena::Limits;
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{self, transcript_service_client::TranscriptServiceClient};
use lastnim_server::Config;
use serde_json::json;
use tonic::{Code, Status};

const TRIO: [HouseBot; 3] = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];

type Client = TranscriptServiceClient<Authorized>;

fn client(host: &Host, token: &str) -> Client {
    TranscriptServiceClient::new(host.authorized(token))
}

fn play(host: &Host, tokens: &[String; 3]) -> Party {
    let mut party = Party::empty();
    for (bot, token) in TRIO.into_iter().zip(tokens) {
        party.invite(&host.address, token.clone(), bot, 1);
    }
    party
}

fn lines(match_id: &str, seat: u32, ply: Option<u32>, why: &str) -> pb::PublishTranscriptRequest {
    let line = |event: &str| {
        json!({ "event": event, "match_id": match_id, "seat": seat, "ply": ply, "why": why }).to_string()
            + "\n"
    };
    let lines = line("call") + &line("decision");
    pb::PublishTranscriptRequest { match_id: match_id.into(), seat, ply, lines }
}

/// Publishes the lines of a question, and returns the refusal.
async fn publish(
    client: &mut Client,
    match_id: &str,
    seat: u32,
    ply: Option<u32>,
) -> Result<(), (Code, String)> {
    refusal(client.publish_transcript(lines(match_id, seat, ply, "because")).await)
}

fn refusal<T>(answer: Result<T, Status>) -> Result<(), (Code, String)> {
    answer.map(drop).map_err(|status| (status.code(), reason(&status)))
}

fn too_early() -> Result<(), (Code, String)> {
    Err((Code::FailedPrecondition, "TOO_EARLY".into()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transcripts_are_published_after_the_tournament() {
    let host = Host::start().await;
    let tokens = host.register_all(TRIO.map(HouseBot::kind)).await;
    let mut admin = client(&host, host.admin.reveal());
    let waiting = host.create_match(exhibition(TRIO.map(HouseBot::kind), &[3])).await;
    assert_eq!(publish(&mut admin, &waiting, 0, None).await, too_early());

    let piles: Vec<&[u64]> = vec![&[3, 4, 2]; 50];
    let id = host.create_tournament(round_robin(&piles), &TRIO.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    let begun = host.until_begun(&id, 1).await.remove(0).id;
    // A paused tournament finishes its open matches, but has not ended.
    let pause = pb::PauseTournamentRequest { tournament_id: id.clone(), ..Default::default() };
    host.tournaments().pause_tournament(pause).await.unwrap();
    let party = play(&host, &tokens);
    host.watched_to_its_end(&begun).await;
    assert_eq!(publish(&mut admin, &begun, 0, None).await, too_early());
    let resume = pb::ResumeTournamentRequest { tournament_id: id.clone() };
    host.tournaments().resume_tournament(resume).await.unwrap();
    host.tournament_over(&id).await;

    // A bot publishes lines of its own seat.
    let setup = host.get_match(&begun).await.r#match.unwrap().setup.unwrap();
    let own = setup.bots.iter().position(|bot| bot == TRIO[0].kind()).unwrap() as u32;
    let mut bot = client(&host, &tokens[0]);
    assert_eq!(publish(&mut bot, &begun, own, None).await, Ok(()));
    let denied = Err((Code::PermissionDenied, "NOT_OWN_SEAT".into()));
    assert_eq!(publish(&mut bot, &begun, (own + 1) % 3, None).await, denied);
    // It moves once in three plies.
    let own_ply = (own + 3 - setup.first) % 3;
    assert_eq!(publish(&mut admin, &begun, own, Some(own_ply)).await, Ok(()));
    let no_question = || Err((Code::InvalidArgument, "NO_SUCH_QUESTION".into()));
    for later in [1, 2, 9] {
        assert_eq!(publish(&mut admin, &begun, own, Some(own_ply + later)).await, no_question(), "{later}");
    }
    assert_eq!(publish(&mut admin, &begun, 3, None).await, no_question());
    let refused = publish(&mut client(&host, "nobody"), &begun, own, None).await;
    assert_eq!(refused, Err((Code::Unauthenticated, "BAD_TOKEN".into())));

    // Anyone with read access can read them.
    let mut reader = TranscriptServiceClient::new(host.channel.clone());
    let refused = reader.publish_transcript(lines(&begun, own, None, "")).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "NO_TOKEN"));
    let request = pb::ListTranscriptsRequest { match_id: begun.clone() };
    let listed = reader.list_transcripts(request.clone()).await.unwrap().into_inner().questions;
    let places: Vec<_> = listed.iter().map(|question| (question.seat, question.ply)).collect();
    assert_eq!(places, [(own, None), (own, Some(own_ply))]);
    let get = |ply| pb::GetTranscriptRequest { match_id: begun.clone(), seat: own, ply };
    let transcript = reader.get_transcript(get(Some(own_ply))).await.unwrap().into_inner();
    assert_eq!(transcript.lines, lines(&begun, own, Some(own_ply), "because").lines);
    assert_eq!(
        (transcript.lines.len() as u64, transcript.published_at_us),
        (listed[1].bytes, listed[1].published_at_us)
    );
    let missing = reader.get_transcript(get(Some(own_ply + 3))).await.unwrap_err();
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::NotFound, "NO_SUCH_TRANSCRIPT"));

    let remove = pb::RemoveTranscriptRequest { match_id: begun.clone(), seat: own };
    let refused = client(&host, &tokens[1]).remove_transcript(remove.clone()).await;
    assert_eq!(refusal(refused), Err((Code::PermissionDenied, "NOT_OWN_SEAT".into())));
    assert_eq!(bot.remove_transcript(remove).await.unwrap().into_inner().removed, 2);
    assert!(reader.list_transcripts(request).await.unwrap().into_inner().questions.is_empty());
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transcripts_are_limited_per_seat() {
    let limits = Limits { transcript_bytes: 350, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(TRIO.map(HouseBot::kind)).await;
    let party = play(&host, &tokens);
    let id = host.create_match(exhibition(TRIO.map(HouseBot::kind), &[3, 4])).await;
    host.until_closed(&id).await;
    // Bots cannot publish for a match that any bot can start, since their transcripts could fill the store.
    let refused = publish(&mut client(&host, &tokens[0]), &id, 0, None).await;
    assert_eq!(refused, Err((Code::PermissionDenied, "NOT_OWN_SEAT".into())));
    let mut admin = client(&host, host.admin.reveal());
    let too_much = || Err((Code::ResourceExhausted, "TRANSCRIPT_SIZE".into()));
    assert_eq!(publish(&mut admin, &id, 0, None).await, Ok(()));
    assert_eq!(publish(&mut admin, &id, 0, Some(0)).await, too_much());
    assert_eq!(publish(&mut admin, &id, 0, None).await, Ok(()), "it replaces itself");
    assert_eq!(publish(&mut admin, &id, 1, None).await, Ok(()), "each seat has its own limit");
    for (lines, why) in [
        (
            lines(&id, 2, None, "").lines.replace("\"seat\":2", "\"seat\":1"),
            "line 1: its match_id, seat or ply differs from the request's",
        ),
        (lines(&id, 2, None, "").lines + "run\n", "line 3: not a transcript line"),
    ] {
        let request = pb::PublishTranscriptRequest { match_id: id.clone(), seat: 2, ply: None, lines };
        let refused = admin.publish_transcript(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains(why), "{refused:?}");
    }
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transcripts_of_matches_with_private_talk_are_refused() {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, 1).await;
    let mut admin = client(&host, host.admin.reveal());
    for (privacy, published) in [
        (pb::TalkPrivacy::Private, Err((Code::FailedPrecondition, "PRIVATE_TALK".into()))),
        (pb::TalkPrivacy::Published, Ok(())),
        (pb::TalkPrivacy::Open, Ok(())),
    ] {
        let talk = pb::Talk { rounds: 1, privacy: privacy.into(), ..pb::Talk::default() };
        let request =
            pb::CreateMatchRequest { talk: Some(talk), ..exhibition(TRIO.map(HouseBot::kind), &[3, 4]) };
        let id = host.create_match(request).await;
        host.until_closed(&id).await;
        assert_eq!(publish(&mut admin, &id, 0, None).await, published, "{privacy:?}");
    }
    party.dismiss().await;
}
