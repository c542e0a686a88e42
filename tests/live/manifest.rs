//! Manifests of running and finished tournaments.

use super::{
    host::{Host, round_robin, soon},
    session::{BotSession, declare, reason},
};
use lastnim_bots::HouseBot;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_proto::{
    manifest::{ListedRecord, Manifest, ManifestReader},
    pb,
    record::verify_record,
};
use lastnim_tournament::TournamentState;
use tonic::{Code, Status};

/// The maximum size of a message.
const MESSAGE_BYTES: usize = 256 << 10;

async fn manifest_text(host: &Host, id: &str) -> Result<Vec<u8>, Status> {
    let request = pb::GetManifestRequest { tournament_id: id.to_owned() };
    let mut parts = soon("a manifest", host.tournaments().get_manifest(request)).await?.into_inner();
    let mut text = Vec::new();
    while let Some(part) = soon("its next part", parts.message()).await? {
        assert!((1..=MESSAGE_BYTES).contains(&part.text.len()), "{} bytes", part.text.len());
        text.extend(part.text);
    }
    Ok(text)
}

/// Reads a manifest signed by the server.
async fn read(host: &Host, text: &[u8]) -> Manifest {
    let mut reader = ManifestReader::default();
    text.split_inclusive(|&byte| byte == b'\n').for_each(|line| reader.read_line(line));
    let result = reader.finish();
    let key =
        host.matches().get_public_key(pb::GetPublicKeyRequest {}).await.unwrap().into_inner().public_key;
    assert_eq!(result.signed.unwrap().as_bytes().to_vec(), key);
    result.manifest.unwrap()
}

async fn manifest(host: &Host, id: &str) -> Manifest {
    let text = manifest_text(host, id).await.unwrap();
    let again = manifest_text(host, id).await.unwrap();
    assert_eq!(text, again, "manifests are deterministic");
    read(host, &text).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn manifests_do_not_leak_unrevealed_rows() {
    let host = Host::start().await;
    let names = ["idle-1", "idle-2", "idle-3", "idle-4"];
    let tokens = host.register_all(names).await;
    let (mut line, _) = BotSession::open(&host, &tokens[0]).await;
    let settings = pb::TournamentSettings { concurrency: 5, ..round_robin(&[&[3]]) };
    let id = host.create_tournament(settings, &names).await;
    let open = manifest(&host, &id).await;
    assert_eq!((open.state, open.matches.len(), open.standings.len()), (TournamentState::Open, 0, 4));
    assert_eq!(open.field.iter().map(ToString::to_string).collect::<Vec<_>>(), names);

    host.start_tournament(&id).await;
    let started = line.started().await;
    // The first of three bots declares.
    line.send(declare(&started.match_id, vec![2, 0, 1])).await;
    let running = soon("five open matches", async {
        loop {
            let running = manifest(&host, &id).await;
            if running.matches.len() == 5 {
                break running;
            }
        }
    })
    .await;
    assert!(running.is_interim() && running.matches.iter().all(|listed| listed.record == ListedRecord::Open));
    let mut numbers: Vec<_> = running.matches.iter().map(|listed| listed.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);

    let request = pb::CancelTournamentRequest { tournament_id: id.clone() };
    soon("the end", host.tournaments().cancel_tournament(request)).await.unwrap();
    let final_manifest = manifest(&host, &id).await;
    assert_eq!((final_manifest.state, final_manifest.matches.len()), (TournamentState::Cancelled, 5));
    for listed in &final_manifest.matches {
        let record = host.record(&listed.id.to_string()).await;
        let record = verify_record(&record).unwrap().into_record();
        let public_head = record.public_head().expect("no rows were revealed");
        assert_eq!(listed.record, ListedRecord::Unrevealed { public_head });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_manifest_lists_every_match_with_the_head_of_its_record() {
    let host = Host::start().await;
    let bots = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&bots, 3).await;
    // The settings alone are larger than a message.
    let positions: Vec<Vec<u64>> = (0..24).map(|index| vec![1_000_000_000_000 + index; 1_000]).collect();
    let large: Vec<&[u64]> = positions.iter().map(Vec::as_slice).chain([&[2, 3][..]]).collect();
    let settings = pb::TournamentSettings { max_plies: 1, ..round_robin(&large) };
    let id = host.create_tournament(settings, &bots.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    party.dismiss().await;
    let final_manifest = manifest(&host, &id).await;
    assert_eq!(final_manifest.id.to_string(), id);
    let numbers: std::collections::BTreeSet<u64> =
        final_manifest.matches.iter().map(|listed| listed.number).collect();
    assert_eq!(numbers, (0..75).collect());
    assert_eq!(final_manifest.standings, last.standings);
    for listed in final_manifest.matches.iter().step_by(9) {
        let sealed = verify_record(&host.record(&listed.id.to_string()).await).unwrap();
        let (head, signer) = (sealed.record().last_hash(), sealed.seal().unwrap().signer);
        assert_eq!(listed.record, ListedRecord::Signed { head, signer });
    }
}

#[tokio::test]
async fn unknown_tournaments_have_no_manifest() {
    let host = Host::start().await;
    let unknown = TournamentId::new(1, &[1; 10]).to_string();
    let refused = manifest_text(&host, &unknown).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "NO_SUCH_TOURNAMENT"));
    let refused = manifest_text(&host, "spring").await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let match_id = MatchId::new(1, &[1; 10]).to_string();
    assert_eq!(manifest_text(&host, &match_id).await.unwrap_err().code(), Code::NotFound);
}
