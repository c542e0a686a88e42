//! Versions of bots: stored, shown and validated.

use super::{
    host::{Host, exhibition, patient_clock, soon},
    session::BotSession,
};
use lastnim_bots::HouseBot;
use lastnim_client::{Error, Options, run_until, token_authorization};
use lastnim_proto::pb::{self, arena_service_client::ArenaServiceClient};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Status, metadata::MetadataValue};

fn version(label: &str, config_hash: &[u8]) -> pb::BotVersion {
    pb::BotVersion { version: label.into(), config_hash: config_hash.into() }
}

/// Opens a session that declares a version.
async fn open(host: &Host, token: &str, declared: &pb::BotVersion) -> Result<BotSession, Status> {
    let mut client =
        ArenaServiceClient::with_interceptor(host.channel.clone(), token_authorization(token).unwrap());
    let (outbound, requests) = mpsc::channel(64);
    let mut call = Request::new(ReceiverStream::new(requests));
    call.metadata_mut().insert("bot-version", declared.version.parse().unwrap());
    if !declared.config_hash.is_empty() {
        let hash = MetadataValue::from_bytes(&declared.config_hash);
        call.metadata_mut().insert_bin("bot-config-hash-bin", hash);
    }
    let inbound = soon("an answer to Play", client.play(call)).await?.into_inner();
    Ok(BotSession { outbound, inbound })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn versions_are_stored_with_matches_and_bots() {
    let host = Host::start().await;
    let tokens = host.register_all(["said", "silent"]).await;
    let (mut silent, _) = BotSession::open(&host, &tokens[1]).await;
    let (dismiss, dismissed) = oneshot::channel::<()>();
    let options = Options::new(&host.address, tokens[0].clone()).version("1.4-rc.2").config_hash([7; 32]);
    let playing = tokio::spawn(run_until(HouseBot::Timid.build_bot(0), options, async {
        // Dropping this at the end of a test stops the bot.
        let _ = dismissed.await;
    }));
    let declared = version("1.4-rc.2", &[7; 32]);
    host.until_bot("said", |bot| bot.version.as_ref() == Some(&declared)).await;
    assert_eq!(host.bot("silent").await.version, None);
    let id = host.create_match(exhibition(["said", "silent"], &[3])).await;
    silent.play_timidly(1).await;
    let seats = [vec![declared.clone()], Vec::new()].map(|versions| pb::SeatVersions { versions });
    let found = host.get_match(&id).await.r#match.unwrap();
    assert_eq!((found.phase(), found.seat_versions), (pb::Phase::Ended, seats.to_vec()));
    let history = async { while host.seen_versions("said").await.is_empty() {} };
    soon("the history", history).await;
    let [seen] = &host.seen_versions("said").await[..] else { panic!("one version") };
    assert_eq!(seen.version.as_ref(), Some(&declared));
    assert!(seen.first_seen_at_us > 0 && seen.first_seen_at_us <= seen.last_seen_at_us);
    assert!(host.seen_versions("silent").await.is_empty());
    drop(dismiss);
    soon("the end of the bot", playing).await.unwrap().unwrap();
    host.until_bot("said", |bot| bot.version.is_none()).await;

    let options = Options::new(&host.address, tokens[0].clone()).version("two words");
    let refused = run_until(HouseBot::Timid.build_bot(0), options, std::future::pending()).await.unwrap_err();
    assert!(matches!(refused, Error::Version(_)), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn standings_and_audits_distinguish_versions() {
    let host = Host::start().await;
    let tokens = host.register_all(["changing", "steady"]).await;
    let settings = pb::TournamentSettings {
        title: "Versions".into(),
        seats: 2,
        positions: vec![pb::Piles { counters: vec![2, 1] }],
        clock: Some(patient_clock()),
        concurrency: 1,
        ..Default::default()
    };
    let (old, new) = (version("1.0", &[]), version("1.1", &[9; 32]));
    let (steady, _) = BotSession::open(&host, &tokens[1]).await;
    let steady = steady.playing_timidly(2);
    let id = host.create_tournament(settings, &["changing", "steady"]).await;
    let mut changing = open(&host, &tokens[0], &old).await.unwrap();
    host.until_bot("changing", |bot| bot.connected).await;
    host.start_tournament(&id).await;
    changing.play_timidly(1).await;
    // The second match begins before the new version connects.
    changing.started().await;
    let mut changing = open(&host, &tokens[0], &new).await.unwrap();
    changing.play_timidly(1).await;
    soon("the end of the other", steady).await.unwrap();

    let ended = host.tournament_over(&id).await;
    let line = |bot: &str| ended.standings.iter().find(|line| line.bot == bot).unwrap();
    let version_counts = |played: &[pb::PlayedVersion]| {
        let version_count = |played: &pb::PlayedVersion| (played.version.clone().unwrap(), played.matches);
        played.iter().map(version_count).collect::<Vec<_>>()
    };
    assert_eq!(version_counts(&line("changing").versions), [(old.clone(), 2), (new.clone(), 1)]);
    assert!(line("steady").versions.is_empty(), "a bot that says none has none");
    let mut label_counts: Vec<_> = host
        .matches_of(&id)
        .await
        .into_iter()
        .map(|found| {
            let seat = found.setup.unwrap().bots.iter().position(|bot| bot == "changing").unwrap();
            found.seat_versions[seat].versions.len()
        })
        .collect();
    label_counts.sort_unstable();
    assert_eq!(label_counts, [1, 2]);

    let audit = async |label: &str| {
        let request =
            pb::AuditBotRequest { bot: "changing".into(), version: label.into(), ..Default::default() };
        host.oracle().audit_bot(request).await.unwrap().into_inner().report.unwrap()
    };
    let report = audit("").await;
    assert_eq!((report.matches, report.bots.len()), (2, 1));
    assert_eq!(version_counts(&report.bots[0].versions), [(old.clone(), 2), (new.clone(), 1)]);
    let report = audit("1.0").await;
    assert_eq!((report.matches, version_counts(&report.bots[0].versions)), (1, vec![(old, 1)]));
    assert_eq!(audit("1.1").await.matches, 0, "in its match another version played as well");
    let nobody = pb::AuditBotRequest { tournament_id: id, version: "1.0".into(), ..Default::default() };
    let refused = host.oracle().audit_bot(nobody).await.unwrap_err();
    assert!(refused.message().contains("version: a version was given without a bot"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_versions_are_refused() {
    let host = Host::start().await;
    let token = host.register("wrong").await;
    let long = "x".repeat(65);
    for (declared, words) in [
        (version("a b", &[]), "bot-version: version \"a b\": expected 1 to 64 visible ASCII characters"),
        (version(&long, &[]), &*format!("version \"{long}\"")),
        (version("1", &[7; 31]), "bot-config-hash-bin: a config hash of 31 bytes: expected 32"),
        (version("1", &[7; 33]), "a config hash of 33 bytes"),
    ] {
        let Err(refused) = open(&host, &token, &declared).await else { panic!("{declared:?}") };
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains(words), "{refused}");
    }
    assert!(!host.bot("wrong").await.connected && host.seen_versions("wrong").await.is_empty());
    let _line = open(&host, &token, &version("~", &[])).await.unwrap();
    host.until_bot("wrong", |bot| bot.connected).await;
}
