//! Dealt rows: nobody but its seat learns a row before the match has ended, and then everybody can check all rows.

use super::{
    browser::Browser,
    host::{Host, bearing, exhibition, round_robin, soon},
    organise_pages::signed_in,
    session::{BotSession, declare},
};
use lastnim_core::referee::{DealHash, DealSecret, DealtRows};
use lastnim_proto::{
    pb::{self, record_event},
    record::{parse_record, verify_record},
};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor, Value};
use std::sync::{Arc, Mutex};
use tonic::{
    Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    codegen::http::uri::PathAndQuery,
};

const BOTS: [&str; 5] = ["ann", "bob", "cleo", "dora", "emil"];

/// The methods that `call_all` does not call: those that change something, and `AuditRecords`.
const NOT_CALLED: [&str; 22] = [
    "Play",
    "RegisterBot",
    "RegisterEntrant",
    "CreateEntryCode",
    "RevokeEntryCode",
    "RotateToken",
    "RemoveBot",
    "CreateMatch",
    "PruneRecords",
    "CreateTournament",
    "JoinTournament",
    "LeaveTournament",
    "StartTournament",
    "CancelTournament",
    "PauseTournament",
    "ResumeTournament",
    "DisqualifyBot",
    "VoidMatches",
    "FinishTournament",
    "PublishTranscript",
    "RemoveTranscript",
    "AuditRecords",
];

/// Sends and receives messages as bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        use prost::bytes::Buf as _;
        let length = buffer.remaining();
        Ok(Some(buffer.copy_to_bytes(length).to_vec()))
    }
}

/// What the server sent, each with the call or the address.
type Heard = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// Sets the fields of a request that name the tournament, the match or a bot.
fn fill_request(descriptor: &MessageDescriptor, tournament: &str, id: &str) -> Vec<u8> {
    let mut request = DynamicMessage::new(descriptor.clone());
    for field in descriptor.fields().filter(|field| field.kind() == Kind::String && !field.is_list()) {
        let value = match field.name() {
            "match_id" => id,
            "tournament_id" => tournament,
            "name" | "bot" => BOTS[0],
            _ => continue,
        };
        request.set_field(&field, Value::String(value.to_owned()));
    }
    request.encode_to_vec()
}

/// Calls every method except `NOT_CALLED` as the admin, and keeps the answers. Streams that do not end are read in
/// the background.
async fn call_all(host: &Host, tournament: &str, id: &str, heard: &Heard) {
    let pool = DescriptorPool::decode(pb::DESCRIPTORS).unwrap();
    let mut called = Vec::new();
    for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        if NOT_CALLED.contains(&method.name()) {
            continue;
        }
        called.push(method.name().to_owned());
        let name = method.full_name().to_owned();
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        let request = fill_request(&method.input(), tournament, id);
        let mut grpc = Grpc::new(host.channel.clone());
        soon("a ready channel", grpc.ready()).await.unwrap();
        let path: PathAndQuery = path.parse().unwrap();
        let asked = grpc.streaming(bearing(host.admin.reveal(), tokio_stream::once(request)), path, Bytes);
        // A refusal is an answer, too.
        let answers = match soon("an answer", asked).await {
            Ok(answers) => answers.into_inner(),
            Err(refused) => {
                heard.lock().unwrap().push((name, format!("{refused:?}").into_bytes()));
                continue;
            }
        };
        let (heard, mut answers) = (Arc::clone(heard), answers);
        let reading = tokio::spawn(async move {
            while let Ok(Some(answer)) = answers.message().await {
                heard.lock().unwrap().push((name.clone(), answer));
            }
        });
        if !method.is_server_streaming() || method.name() == "GetManifest" {
            soon("the end of an answer", reading).await.unwrap();
        }
    }
    assert!(called.contains(&"GetRecord".to_owned()) && called.len() > 25, "{called:?}");
}

/// Loads every page that may show a match or a tournament, in every form, as the admin.
async fn load_all(host: &Host, tournament: &str, id: &str, heard: &Heard) {
    let mut browser = signed_in(host).await;
    let forms = ["", ".json", ".csv", ".toml", ".svg", ".atom"];
    let pages = [
        String::new(),
        "tournaments".to_owned(),
        format!("tournaments/{tournament}"),
        format!("tournaments/{tournament}/standings"),
        format!("tournaments/{tournament}/matches"),
        "matches".to_owned(),
        format!("matches/{id}"),
        format!("matches/{id}/record"),
        "bots".to_owned(),
        format!("bots/{}", BOTS[0]),
        format!("bots/{}/audit", BOTS[0]),
        format!("embed/matches/{id}"),
        format!("embed/tournaments/{tournament}"),
    ];
    let page_addresses = pages.iter().flat_map(|page| forms.map(|form| format!("/{page}{form}")));
    let others = [
        format!("/matches/{id}?ply=0"),
        format!("/matches/{id}/what-if?ply=0"),
        format!("/matches/{id}/transcript?seat=0"),
        format!("/organise/tournaments/{tournament}"),
        format!("/organise/tournaments/{tournament}/void"),
        "/organise".to_owned(),
        "/play/bot".to_owned(),
        "/metrics".to_owned(),
    ];
    let mut found = 0;
    for address in page_addresses.chain(others) {
        let answer = browser.get(&address).await;
        found += usize::from(answer.body.len() > 500);
        heard.lock().unwrap().push((address, answer.body.into_bytes()));
    }
    assert!(found > 15, "{found} pages");
    let mut plain = Browser::open(host);
    let answer = plain.get(&format!("/matches/{id}")).await;
    heard.lock().unwrap().push(("without a token".to_owned(), answer.body.into_bytes()));
}

/// The ways in which a row may be written.
fn spellings(row: &[u32]) -> Vec<Vec<u8>> {
    let offsets: Vec<_> = row.iter().map(ToString::to_string).collect();
    let separated = [" ", ",", ", ", ">", " > "].map(|between| offsets.join(between).into_bytes());
    // A packed list of small numbers.
    let bytes = row.iter().map(|&offset| offset as u8).collect();
    separated.into_iter().chain([bytes]).collect()
}

/// Returns where something was sent.
fn places(heard: &[(String, Vec<u8>)], secret: &[u8]) -> Vec<String> {
    let shows = |answer: &[u8]| answer.windows(secret.len()).any(|window| window == secret);
    heard.iter().filter(|(_, answer)| shows(answer)).map(|(place, _)| place.clone()).collect()
}

/// Returns where a row, its salt in any form, or the secret was sent.
fn leaks(heard: &[(String, Vec<u8>)], rows: &[Vec<u32>], hashes: &[Vec<u8>]) -> Vec<String> {
    let rows = rows.iter().flat_map(|row| spellings(row));
    let texts = hashes
        .iter()
        .map(|hash| DealHash::from_bytes(hash.as_slice().try_into().unwrap()).to_string().into_bytes());
    let secrets: Vec<_> = rows.chain(texts).chain(hashes.iter().cloned()).collect();
    secrets.iter().flat_map(|secret| places(heard, secret)).collect()
}

fn dealt_tournament() -> pb::TournamentSettings {
    pb::TournamentSettings {
        seats: 5,
        alliance: pb::AllianceMode::Dealt.into(),
        concurrency: 1,
        ..round_robin(&[&[1, 1]])
    }
}

/// Returns the event of a record that opens the dealt rows, if there is one.
fn dealt_event(record: &pb::MatchRecord) -> Option<pb::DealtEvent> {
    record.events.iter().find_map(|event| match event.event.as_ref().unwrap() {
        record_event::Event::Dealt(dealt) => Some(dealt.clone()),
        _ => None,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_learns_a_dealt_row_before_the_end() {
    let host = Host::start().await;
    let tokens = host.register_all(BOTS).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let tournament = host.create_tournament(dealt_tournament(), &BOTS).await;
    host.start_tournament(&tournament).await;
    let mut started = Vec::new();
    for line in &mut lines {
        started.push(line.started().await);
    }
    let id = started[0].match_id.clone();
    let rows: Vec<Vec<u32>> =
        started.iter().map(|started| started.dealt_row.clone().expect("a dealt row").offsets).collect();
    // A sorted row may occur in a message for another reason.
    let is_rare = |row: &&Vec<u32>| !row.is_sorted();
    let secret_rows: Vec<_> = rows.iter().filter(is_rare).cloned().collect();
    assert!(secret_rows.len() >= 2, "{rows:?}");

    let heard = Heard::default();
    call_all(&host, &tournament, &id, &heard).await;
    load_all(&host, &tournament, &id, &heard).await;
    for (line, started) in lines.iter_mut().zip(&started) {
        line.declare_standard(started).await;
    }
    let mover = started.iter().position(|started| started.seat == 0).unwrap();
    let turn = lines[mover].turn().await;
    assert_eq!(turn.match_id, id);
    // A bot that connects again is told its own row.
    let (mut again, _) = BotSession::open(&host, &tokens[mover]).await;
    let snapshot = again.snapshot().await;
    assert_eq!(snapshot.started.unwrap().dealt_row.unwrap().offsets, rows[mover]);
    call_all(&host, &tournament, &id, &heard).await;
    load_all(&host, &tournament, &id, &heard).await;
    let during: Vec<_> = heard.lock().unwrap().clone();
    let record = host.record(&id).await;
    assert!(record.events.iter().all(|event| event.hash.is_empty()), "{record:?}");
    assert!(dealt_event(&record).is_none() && parse_record(&record).is_ok());
    let request = pb::GetTournamentRequest { tournament_id: tournament.clone() };
    let shown = host.tournaments().get_tournament(request).await.unwrap().into_inner().tournament.unwrap();
    assert!(shown.deal_secret_hash.len() == 32 && shown.deal_secret.is_empty());

    again.take(&turn, 1).await;
    let next = started.iter().position(|started| started.seat == 1).unwrap();
    let turn = lines[next].turn().await;
    lines[next].take(&turn, 1).await;
    let ended = lines[next].ended().await;
    let all: Vec<_> = ended.dealt_rows.unwrap().rows.into_iter().map(|row| row.offsets).collect();
    for (started, row) in started.iter().zip(&rows) {
        assert_eq!(all[started.seat as usize], *row, "the end opens the rows to every seat");
    }
    let record = host.record(&id).await;
    let dealt = dealt_event(&record).unwrap();
    assert!(verify_record(&record).unwrap().seal().is_some());
    assert_eq!(leaks(&during, &secret_rows, &dealt.salts), Vec::<String>::new());

    // Now everybody can see them, so the search above would have found them.
    let after = Heard::default();
    call_all(&host, &tournament, &id, &after).await;
    load_all(&host, &tournament, &id, &after).await;
    let after: Vec<_> = after.lock().unwrap().clone();
    for secret in &secret_rows {
        let found: Vec<_> = spellings(secret).iter().flat_map(|spelling| places(&after, spelling)).collect();
        for place in ["lastnim.v1.MatchService.GetRecord", "lastnim.v1.MatchService.GetMatch", "record.json"]
        {
            assert!(found.iter().any(|found| found.ends_with(place)), "{place} in {found:?}");
        }
    }
    assert!(!places(&after, &dealt.salts[0]).is_empty());

    // The other matches stay secret for ever, and the secret is opened once the tournament is over.
    let request = pb::CancelTournamentRequest { tournament_id: tournament.clone() };
    soon("the end", host.tournaments().cancel_tournament(request)).await.unwrap();
    let ended = host.tournament_over(&tournament).await;
    let ended = ended.tournament.unwrap_or_default();
    let secret = DealSecret::from_bytes(ended.deal_secret.as_slice().try_into().unwrap());
    assert_eq!(ended.deal_secret_hash, secret.hash().as_bytes());
    assert_eq!(leaks(&during, &[], &[ended.deal_secret]), Vec::<String>::new());
    let record = parse_record(&record).unwrap();
    let setup = record.state().setup();
    let deal = setup.deal.as_ref().unwrap();
    let derived = DealtRows::of_match(&secret, record.id(), &deal.rule, setup.seats());
    assert_eq!(derived.commitments(), deal.commitments);
    assert_eq!(Some(&derived.matrix), record.state().opened_rows());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_match_never_shows_its_dealt_rows() {
    let host = Host::start().await;
    let bots = ["ann", "bob", "cleo"];
    let tokens = host.register_all(bots).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let settings = pb::TournamentSettings {
        alliance: pb::AllianceMode::Dealt.into(),
        deal: pb::DealRule::SelfFirst.into(),
        concurrency: 1,
        ..round_robin(&[&[9]])
    };
    let tournament = host.create_tournament(settings, &bots).await;
    host.start_tournament(&tournament).await;
    let mut id = String::new();
    for line in &mut lines {
        let started = line.started().await;
        assert_eq!(started.dealt_row.as_ref().unwrap().offsets[0], 0);
        line.declare_standard(&started).await;
        id = started.match_id;
    }
    for line in &mut lines {
        line.until(|event| matches!(event, pb::play_response::Event::Revealed(_)).then_some(())).await;
    }
    let request = pb::CancelTournamentRequest { tournament_id: tournament.clone() };
    soon("the end", host.tournaments().cancel_tournament(request)).await.unwrap();
    let ended = lines[0].ended().await;
    assert!(ended.dealt_rows.is_none() && ended.winner.is_none());
    let record = host.record(&id).await;
    assert!(dealt_event(&record).is_none() && record.signature.is_empty());
    let sealed = verify_record(&record).unwrap();
    assert!(sealed.record().public_head().is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exhibition_deals_rows_from_its_own_secret() {
    let host = Host::start().await;
    let bots = ["ann", "bob"];
    let tokens = host.register_all(bots).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let request = pb::CreateMatchRequest {
        alliance: pb::AllianceMode::Dealt.into(),
        deal_rows: vec![pb::Row { offsets: vec![1, 0] }],
        ..exhibition(bots, &[1])
    };
    let id = host.create_match(request).await;
    for line in &mut lines {
        let started = line.started().await;
        assert_eq!(started.dealt_row.unwrap().offsets, [1, 0]);
        line.send(declare(&id, vec![0, 1])).await;
    }
    let turn = lines[0].turn().await;
    lines[0].take(&turn, 1).await;
    let ended = lines[1].ended().await;
    assert_eq!((ended.winner, ended.dealt_rows.unwrap().rows.len()), (Some(1), 2));
    let audit = host.get_match(&id).await.audit.unwrap();
    let dealt = audit.dealt.unwrap();
    let ranks: Vec<_> = dealt.seats.iter().map(|ranks| ranks.rank_actual).collect();
    assert_eq!(ranks, [0, 1], "seat 0 wants seat 1 to win");
    assert_eq!(audit.seats[0].rank_actual, 1, "by its declared row it wants to win itself");
}
