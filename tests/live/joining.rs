//! Joining tournaments on a bot's stream.

use super::{
    host::{Host, exhibition, patient_clock, round_robin, soon},
    session::{BotSession, reason},
    vanish::forfeits,
};
use lastnim_proto::pb::{self, play_request::Action, play_response::Event};
use std::collections::BTreeSet;
use tonic::Code;

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn join(tournament_id: &str) -> Action {
    Action::JoinTournament(pb::JoinTournament { tournament_id: tournament_id.into() })
}

/// Reads up to the next answer to a request to join.
async fn answer(line: &mut BotSession) -> Result<pb::Tournament, pb::JoinRefused> {
    line.until(|event| match event {
        Event::JoinedTournament(joined) => Some(Ok(joined.tournament.unwrap())),
        Event::JoinRefused(refused) => Some(Err(refused)),
        _ => None,
    })
    .await
}

/// Asks to join and returns the answer.
async fn ask_to_join(line: &mut BotSession, tournament: &str) -> Result<pb::Tournament, pb::JoinRefused> {
    line.send(join(tournament)).await;
    answer(line).await
}

async fn field(host: &Host, id: &str) -> Vec<String> {
    let request = pb::GetTournamentRequest { tournament_id: id.into() };
    host.tournaments().get_tournament(request).await.unwrap().into_inner().tournament.unwrap().field
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_join_and_play_over_one_stream_each() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let swiss = pb::tournament_settings::Format::Swiss(pb::SwissFormat { rounds: 2, table_groups: 1 });
    let settings = pb::TournamentSettings {
        title: "cup".into(),
        seats: 2,
        start_when: 2,
        format: Some(swiss.clone()),
        ..round_robin(&[&[2, 3], &[4]])
    };
    let id = host.create_tournament(settings, &[]).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let joined = ask_to_join(&mut one, &id).await.unwrap();
    assert_eq!(
        (joined.id.as_str(), joined.state(), joined.field),
        (id.as_str(), pb::TournamentState::Open, vec!["one".to_owned()])
    );
    let shown = joined.settings.unwrap();
    assert_eq!(
        (shown.title.as_str(), shown.seats, shown.format, shown.start_when),
        ("cup", 2, Some(swiss), 2)
    );
    assert_eq!((shown.clock, shown.positions), (Some(patient_clock()), vec![]));
    let again = ask_to_join(&mut one, &id).await.unwrap();
    assert_eq!(again.field, ["one"], "joining twice is harmless");

    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    // Its matches may begin before it is told that it has joined.
    two.send(join(&id)).await;
    for playing in [one.playing_timidly(4), two.playing_timidly(4)] {
        soon("the end of the matches", playing).await.unwrap();
    }
    let ended_tournament = host.tournament_over(&id).await.tournament.unwrap();
    assert_eq!(
        (ended_tournament.state(), ended_tournament.matches_played),
        (pb::TournamentState::Finished, 4)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_to_join_name_the_tournament_and_the_reason() {
    let host = Host::start().await;
    let tokens = host.register_all(["late", "one", "two", "three"]).await;
    let (mut late, _) = BotSession::open(&host, &tokens[0]).await;
    let refusal = async |line: &mut BotSession, id: &str| {
        let refused = ask_to_join(line, id).await.unwrap_err();
        assert!(id.starts_with(&refused.tournament_id), "{refused:?}");
        (refused.reason(), refused.message)
    };
    let (why, words) = refusal(&mut late, UNKNOWN).await;
    assert_eq!(why, pb::JoinRefusal::UnknownTournament);
    assert_eq!(words, format!("no tournament has the id {UNKNOWN}"));
    for word in ["", "cup", "01890a5dac96774bbcceb302099a8057", &"x".repeat(60_000)] {
        let (why, words) = refusal(&mut late, word).await;
        assert_eq!(why, pb::JoinRefusal::UnknownTournament);
        assert!(words.starts_with("tournament id ") && words.len() < 300, "{words}");
    }

    let running = host.create_tournament(round_robin(&[&[9]]), &["one", "two", "three"]).await;
    host.start_tournament(&running).await;
    let (why, words) = refusal(&mut late, &running).await;
    assert_eq!(why, pb::JoinRefusal::Started);
    let expected = "bots can join only before a tournament starts, or while a ladder runs";
    assert_eq!(words, format!("tournament {running} is running: {expected}"));
    let (mut one, _) = BotSession::open(&host, &tokens[1]).await;
    assert_eq!(
        ask_to_join(&mut one, &running).await.unwrap().state(),
        pb::TournamentState::Running,
        "it has joined already"
    );
    let cancel = pb::CancelTournamentRequest { tournament_id: running.clone() };
    host.tournaments().cancel_tournament(cancel).await.unwrap();
    assert_eq!(refusal(&mut late, &running).await.0, pb::JoinRefusal::Over);
    assert_eq!(ask_to_join(&mut one, &running).await.unwrap().state(), pb::TournamentState::Cancelled);

    // With its two bots and the late one it would start without the bot that its format names.
    let gauntlet = pb::GauntletFormat { bot: "absent".into(), groups: 0 };
    let settings = pb::TournamentSettings {
        start_when: 3,
        format: Some(pb::tournament_settings::Format::Gauntlet(gauntlet)),
        ..round_robin(&[&[9]])
    };
    let lacking = host.create_tournament(settings, &["one", "two"]).await;
    let (why, words) = refusal(&mut late, &lacking).await;
    assert_eq!(why, pb::JoinRefusal::Field);
    assert!(words.contains("the format names absent, but it is not in the field of 3 bots"), "{words}");
    assert_eq!(field(&host, &lacking).await, ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flooding_with_joins_only_ends_the_session() {
    let host = Host::start().await;
    let tokens = host.register_all(["eager", "calm"]).await;
    let id = host.create_tournament(round_robin(&[&[9]]), &[]).await;
    let channel = soon("a connection", lastnim_client::connect(&host.address)).await.unwrap();
    let (mut eager, _) = BotSession::open_on(channel.clone(), &tokens[0]).await;
    let (calm, _) = BotSession::open_on(channel.clone(), &tokens[1]).await;
    for word in [id.as_str(), UNKNOWN, "no id"] {
        for _ in 0..10_000 {
            let request = pb::PlayRequest { action: Some(join(word)) };
            if soon("room in the stream", eager.outbound.send(request)).await.is_err() {
                break;
            }
        }
        let end = eager.end().await.status();
        assert_eq!(
            (end.code(), reason(&end).as_str()),
            (Code::ResourceExhausted, "TOO_MANY_UNPRODUCTIVE_MESSAGES"),
            "{word}"
        );
        (eager, _) = BotSession::open_on(channel.clone(), &tokens[0]).await;
    }
    assert_eq!(field(&host, &id).await, ["eager"]);
    let one = host.create_match(exhibition(["eager", "calm"], &[2, 2])).await;
    for playing in [eager.playing_timidly(1), calm.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
    assert_eq!(forfeits(&host, &one).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tournaments_are_joined_by_retrying_when_busy() {
    let host = Host::start().await;
    let token = host.register("eager").await;
    let mut wanted = BTreeSet::new();
    for _ in 0..60 {
        wanted.insert(host.create_tournament(round_robin(&[&[9]]), &[]).await);
    }
    let (mut eager, _) = BotSession::open(&host, &token).await;
    let (mut joined, mut to_ask) = (BTreeSet::new(), wanted.clone());
    while !to_ask.is_empty() {
        let asked = std::mem::take(&mut to_ask);
        for id in &asked {
            eager.send(join(id)).await;
        }
        for _ in 0..asked.len() {
            match answer(&mut eager).await {
                Ok(tournament) => assert!(joined.insert(tournament.id), "one answer for each request"),
                Err(refused) => {
                    assert_eq!(refused.reason(), pb::JoinRefusal::Busy, "{refused:?}");
                    assert!(to_ask.insert(refused.tournament_id));
                }
            }
        }
        assert!(to_ask.len() < asked.len(), "waiting requests are answered");
    }
    assert_eq!(joined, wanted);
}

#[tokio::test]
async fn joining_needs_the_token_of_a_bot() {
    let host = Host::start().await;
    let id = host.create_tournament(round_robin(&[&[9]]), &[]).await;
    for token in [&host.viewer, &host.admin] {
        let refused = BotSession::try_open_on(host.channel.clone(), token.reveal()).await.err().unwrap();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "WRONG_ROLE"));
    }
    assert_eq!(field(&host, &id).await, Vec::<String>::new());
}
