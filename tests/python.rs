//! A client generated from the protos in another language plays a whole tournament on the real server; and a verifier in
//! that language, written from docs/reference/records.md alone, accepts this program's records.
//!
//! Where the machine has no Python the test says so and passes, unless `CI=true` is set.

use lastnim_core::{
    game,
    referee::{
        MatchSetup, Record, Referee, RefereeInput, SeatAction, SigningKey, SubmittedContent,
        SubmittedMessage, TalkPrivacy, TalkTerms, Timestamp,
    },
};
use lastnim_proto::pb::{
    BotVersion, CreateTournamentRequest, GetStandingsRequest, Piles, RegisterBotRequest, Standing,
    TournamentSettings, TournamentState, WatchTournamentRequest, bot_service_client::BotServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use lastnim_proto::record_file::RecordForm;
use std::{
    env,
    error::Error,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::Duration,
};
use tonic::{Request, transport::Channel};

const ADMIN_TOKEN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
const BOTS: [&str; 3] = ["python-a", "python-b", "python-c"];
/// The key of the seed 0, 1, .., 31, which signed the frozen records.
const FROZEN_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
/// How long the tournament, and then each bot's exit, may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// The exit code of `tests/python/prepare` if there is no Python.
const NO_PYTHON: i32 = 3;

/// A process that does not outlive its test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn python_bots_play_a_tournament() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let (_server, address) = serve(&[])?;
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let mut tournaments = TournamentServiceClient::new(channel.clone());
    let settings = TournamentSettings {
        title: "Python".into(),
        seats: 3,
        positions: vec![Piles { counters: vec![1, 2, 2] }, Piles { counters: vec![3, 4] }],
        start_when: BOTS.len() as u32,
        ..TournamentSettings::default()
    };
    let request = as_admin(CreateTournamentRequest { settings: Some(settings), ..Default::default() })?;
    let created = tournaments.create_tournament(request).await?.into_inner();
    let id = created.tournament.ok_or("no tournament was created")?.id;

    let mut players = Vec::new();
    for name in BOTS {
        let request = as_admin(RegisterBotRequest { name: name.into(), ..Default::default() })?;
        let token = BotServiceClient::new(channel.clone()).register_bot(request).await?.into_inner().token;
        let mut player = Command::new(&python);
        player.arg("tests/python/bot.py").args([&address, &token, &id]);
        player.env("PYTHONPATH", "target/python/stubs").stdout(Stdio::piped());
        player
            .env("LASTNIM_BOT_VERSION", format!("{name}-1"))
            .env("LASTNIM_BOT_CONFIG_HASH", "0a".repeat(32));
        players.push(Guarded(player.spawn()?));
    }
    assert_rejected(&python, &address, "no-such-token", "UNAUTHENTICATED: ")?;
    let end = tokio::time::timeout(PATIENCE, standings_at_the_end(&mut tournaments, &id)).await??;
    for player in players {
        wait_for_exit(player).await?;
    }
    let request = as_admin(RegisterBotRequest { name: "late".into(), ..Default::default() })?;
    let late = BotServiceClient::new(channel.clone()).register_bot(request).await?.into_inner().token;
    assert_rejected(&python, &address, &late, "JOIN_REFUSAL_UNKNOWN_TOURNAMENT: ")?;
    assert_eq!(end.len(), BOTS.len());
    assert!(
        (end.iter().map(|line| line.points).sum::<f64>() - 6.0).abs() < 1e-9,
        "two positions in three rotations: {end:?}"
    );
    for line in &end {
        assert_eq!((line.matches, line.forfeits, line.no_shows), (6, 0, 0), "{line:?}");
        let version = BotVersion { version: format!("{}-1", line.bot), config_hash: vec![10; 32] };
        let [played] = &line.versions[..] else { panic!("{line:?}") };
        assert_eq!((played.version.as_ref(), played.matches), (Some(&version), 6));
    }
    Ok(())
}

#[tokio::test]
async fn a_python_bot_practises() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let (_server, address) = serve(&["--house", "oracle,greedy"])?;
    let channel = Channel::from_shared(format!("http://{address}"))?.connect().await?;
    let request = as_admin(RegisterBotRequest { name: "alice".into(), ..Default::default() })?;
    let token = BotServiceClient::new(channel).register_bot(request).await?.into_inner().token;
    let mut player = Command::new(&python);
    player.args(["tests/python/bot.py", "--practice", &address, &token]);
    player.env("PYTHONPATH", "target/python/stubs").env_remove("LASTNIM_TOURNAMENT");
    let run = tokio::task::spawn_blocking(move || player.output());
    let run = tokio::time::timeout(PATIENCE, run).await???;
    let output_text = String::from_utf8(run.stdout)?;
    assert!(run.status.success(), "{output_text}{}", String::from_utf8(run.stderr)?);
    let pairs: Vec<_> =
        output_text.lines().filter_map(|line| line.split_once(':')).map(|(pair, _)| pair).collect();
    let expected =
        ["alice against greedy", "greedy against alice", "alice against oracle", "oracle against alice"];
    assert_eq!(pairs, expected);
    Ok(())
}

#[test]
fn python_verifies_a_record_signed_by_this_program() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let verify = |file: &str| verify_in_python(&python, FROZEN_KEY, &[file]);
    let frozen = "tests/data/record.json";
    assert_eq!(verify(frozen)?, (Some(0), format!("{frozen}: verifies\n")));
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed-for-python.json");
    fs::write(
        &changed,
        fs::read_to_string(frozen)?.replacen("\"charged_us\":\"1100\"", "\"charged_us\":\"1101\"", 1),
    )?;
    let (code, output_text) = verify(changed.to_str().ok_or("a path in UTF-8")?)?;
    assert!(
        code == Some(1) && output_text.contains(": event 5: its hash is not that of the event"),
        "{output_text}"
    );
    Ok(())
}

#[test]
fn python_verifies_note_hashes_and_refuses_unknown_members() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let noted = "tests/data/noted.json";
    let verify = |file: &str| verify_in_python(&python, FROZEN_KEY, &[file]);
    assert_eq!(verify(noted)?, (Some(0), format!("{noted}: verifies\n")));
    let noted = fs::read_to_string(noted)?;
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed-note-for-python.json");
    let cases = [
        ("\"note_hash\":\"Dx", "\"note_hash\":\"Ex", ": event 1: its hash is not that of the event"),
        ("\"note_hash\":\"", "\"note_hash\":\"AAAA", ": event 1 cannot be read: a note hash of 35 bytes"),
        (
            "\"note_hash\":",
            "\"mood_hash\":",
            ": event 1 cannot be read: `declared` with an unknown member mood_hash",
        ),
        (
            "\"declared\":",
            "\"recanted\":",
            ": event 1 cannot be read: recanted: expected one of created, dealt, said",
        ),
    ];
    for (from, to, words) in cases {
        assert!(noted.contains(from), "{from}");
        fs::write(&changed, noted.replacen(from, to, 1))?;
        let (code, output_text) = verify(changed.to_str().ok_or("a path in UTF-8")?)?;
        assert!(code == Some(1) && output_text.contains(words), "{from} as {to}: {output_text}");
    }
    Ok(())
}

#[test]
fn python_verifies_talk_and_pacts() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let record = record_of_talk(TalkPrivacy::Published);
    let key = SigningKey::from_seed(&std::array::from_fn(|place| place as u8));
    let seal = key.seal(record.last_hash());
    let written = RecordForm::Json.write(&record, Some(&seal));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("talk-for-python.json");
    let verify = |text: &str| {
        fs::write(&file, text)?;
        verify_in_python(&python, FROZEN_KEY, &[file.to_str().ok_or("a path in UTF-8")?])
    };
    let (code, output_text) = verify(&written)?;
    assert!(code == Some(0) && output_text.ends_with(": verifies\n"), "{output_text}");
    let private = record_of_talk(TalkPrivacy::Private);
    let seal = key.seal(private.last_hash());
    let other = RecordForm::Json.write(&private, Some(&seal));
    let (code, output_text) = verify(&other)?;
    assert!(code == Some(0) && output_text.ends_with(": verifies\n"), "{output_text}");
    let (code, output_text) =
        verify(&other.replacen("\"return_within_ms\":5000", "\"return_within_ms\":5001", 1))?;
    assert!(code == Some(1) && output_text.contains("its hash is not that of the event"), "{output_text}");
    for (from, to, words) in [
        ("hello", "hullo", "the content of a message is not the committed one"),
        ("\"before\":1", "\"before\":2", "the content of a message is not the committed one"),
        ("\"accept\":{", "\"accept\":{\"round\":1,", "the content of a message is not the committed one"),
        ("\"pacts\":true", "\"pacts\":false", "its hash is not that of the event"),
    ] {
        assert!(written.contains(from), "{from}: {written}");
        let (code, output_text) = verify(&written.replacen(from, to, 1))?;
        assert!(code == Some(1) && output_text.contains(words), "{from} as {to}: {output_text}");
    }
    Ok(())
}

/// Plays a match in which seat 0 says a text, claims a row and offers a pact, which seat 1 accepts. If messages are
/// private, bots must also return within 5 s.
fn record_of_talk(privacy: TalkPrivacy) -> Record {
    let bots: Vec<_> = BOTS.map(|name| name.parse().unwrap()).to_vec();
    let mut setup = MatchSetup::new(bots.try_into().unwrap(), game::Piles::parse(&[1]).unwrap());
    setup.terms.talk = Some(TalkTerms { privacy, pacts: true, ..TalkTerms::default() });
    setup.terms.clock.return_within = (privacy == TalkPrivacy::Private).then_some(Duration::from_secs(5));
    let (seats, now) = (setup.seats(), Timestamp::from_micros(1));
    let present = game::BySeat::filled(seats, &true);
    let (mut referee, _) = Referee::begin(game::MatchId::new(1, &[1; 10]), setup, present, now);
    let say = |seat, round, number, content| {
        let message = SubmittedMessage { round, number, to: Vec::new(), content: Some(content) };
        (seat, SeatAction::Say(Box::new(message)))
    };
    let pact = vec![(0, vec![(1, 0), (1, 2)]), (1, vec![])];
    let mut actions = vec![
        say(0, 0, 0, SubmittedContent::Text("hello".to_owned())),
        say(0, 0, 1, SubmittedContent::Claim(vec![1, 0, 2])),
        say(0, 0, 2, SubmittedContent::Offer(pact)),
    ];
    actions.extend((0..3).map(|seat| (seat, SeatAction::EndTalk { round: 0 })));
    actions.push(say(1, 1, 0, SubmittedContent::Accept { seat: 0, round: 0, number: 2 }));
    let declare = SeatAction::Declare { offsets: vec![0, 1, 2], note_hash: Ok(None) };
    actions.extend((0..3).map(|seat| (seat, declare.clone())));
    actions.push((0, SeatAction::take(0, 1, None)));
    for (seat, action) in actions {
        let seat = seats.seat(seat).unwrap();
        let _ = referee.handle_input(RefereeInput::Act { seat, action }, now);
    }
    assert!(referee.record().state().pacts()[0].is_signed() && referee.record().state().end().is_some());
    referee.into_record()
}

#[test]
fn python_verifies_manifests() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let frozen = "tests/data/tournament.manifest";
    let (code, output_text) = verify_in_python(&python, FROZEN_KEY, &[frozen])?;
    assert_eq!((code, output_text.as_str()), (Some(0), "tests/data/tournament.manifest: verifies\n"));
    let text = fs::read_to_string(frozen)?;
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed.manifest");
    for (from, to) in [
        ("network", "netwark"),
        ("\"points\":2.5", "\"points\":2.50"),
        ("{\"bot\":{\"name\":\"bob\"}}\n", ""),
    ] {
        assert!(text.contains(from), "{from}");
        fs::write(&changed, text.replacen(from, to, 1))?;
        let (code, output_text) =
            verify_in_python(&python, FROZEN_KEY, &[changed.to_str().ok_or("a path in UTF-8")?])?;
        assert!(
            code == Some(1) && output_text.contains("the signature is not the key's"),
            "{from}: {output_text}"
        );
    }
    Ok(())
}

#[test]
fn python_verifies_the_records_of_a_server() -> Result<(), Box<dyn Error>> {
    let Some(python) = prepare() else {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return Ok(());
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records-of-a-server");
    fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for (number, record) in fs::read_to_string("tests/data/records.jsonl")?.lines().enumerate() {
        let file = folder.join(format!("{number}.json"));
        fs::write(&file, record)?;
        files.push(file.to_str().ok_or("a path in UTF-8")?.to_owned());
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert!(files.len() > 50);
    let key = fs::read_to_string("tests/data/records.key")?;
    let (code, output_text) = verify_in_python(&python, key.trim(), &files)?;
    let verified = output_text.lines().filter(|line| line.ends_with(": verifies")).count();
    assert_eq!((code, verified), (Some(0), files.len()), "{output_text}");
    Ok(())
}

/// Verifies records in Python; returns the exit code and what was printed.
fn verify_in_python(
    python: &str,
    key: &str,
    files: &[&str],
) -> Result<(Option<i32>, String), Box<dyn Error>> {
    let run = Command::new(python).args(["tests/python/verify.py", key]).args(files).output()?;
    assert_eq!(String::from_utf8(run.stderr)?, "");
    Ok((run.status.code(), String::from_utf8(run.stdout)?))
}

/// A bot that the server rejects prints the reason and exits.
fn assert_rejected(python: &str, address: &str, token: &str, why: &str) -> Result<(), Box<dyn Error>> {
    let mut stranger = Command::new(python);
    stranger.args(["tests/python/bot.py", address, token, "no-such-tournament"]);
    let stranger = stranger.env("PYTHONPATH", "target/python/stubs").output()?;
    let output_text = String::from_utf8(stranger.stderr)?;
    assert!(stranger.status.code() == Some(1) && output_text.starts_with(why), "{output_text}");
    Ok(())
}

/// Prepares the virtual environment, once for all tests, and returns its Python; `None` if the machine has no Python.
fn prepare() -> Option<String> {
    static PYTHON: OnceLock<Option<String>> = OnceLock::new();
    PYTHON.get_or_init(prepare_environment).clone()
}

fn prepare_environment() -> Option<String> {
    let run = Command::new("tests/python/prepare").output().expect("bash runs tests/python/prepare");
    let output_text = String::from_utf8_lossy(&run.stderr);
    if run.status.code() == Some(NO_PYTHON) && env::var("CI").as_deref() != Ok("true") {
        return None;
    }
    assert!(run.status.success(), "tests/python/prepare: {output_text}");
    Some("target/python/venv/bin/python".into())
}

/// Starts the server on a free port and returns its address.
fn serve(flags: &[&str]) -> Result<(Guarded, String), Box<dyn Error>> {
    let mut server = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    server.args(["serve", "--listen", "127.0.0.1:0", "--json", "--store", "memory"]).args(flags);
    server.env("LASTNIM_ADMIN_TOKEN", ADMIN_TOKEN).stdout(Stdio::piped());
    let mut server = Guarded(server.spawn()?);
    let mut first = String::new();
    BufReader::new(server.0.stdout.take().ok_or("no standard output")?).read_line(&mut first)?;
    let announced: serde_json::Value =
        serde_json::from_str(&first).map_err(|error| format!("{first:?}: {error}"))?;
    let address = announced["listening"].as_str().ok_or("the first line names no address")?.to_owned();
    Ok((server, address))
}

fn as_admin<T>(message: T) -> Result<Request<T>, Box<dyn Error>> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {ADMIN_TOKEN}").parse()?);
    Ok(request)
}

/// Follows a tournament to its end and returns its standings.
async fn standings_at_the_end(
    tournaments: &mut TournamentServiceClient<Channel>,
    id: &str,
) -> Result<Vec<Standing>, Box<dyn Error>> {
    let watch = as_admin(WatchTournamentRequest { tournament_id: id.to_owned(), state_only: false })?;
    let mut updates = tournaments.watch_tournament(watch).await?.into_inner();
    let mut last = None;
    while let Some(update) = updates.message().await? {
        // A heartbeat has none.
        last = update.tournament.or(last);
    }
    let last = last.ok_or("the watch sent nothing")?;
    assert_eq!((last.state(), last.matches_played), (TournamentState::Finished, 6));
    let request = as_admin(GetStandingsRequest { tournament_id: id.to_owned(), cross_table: false })?;
    Ok(tournaments.get_standings(request).await?.into_inner().standings)
}

/// Waits for a bot to exit by itself; its standard output closes when it does.
async fn wait_for_exit(mut player: Guarded) -> Result<(), Box<dyn Error>> {
    let mut output = player.0.stdout.take().ok_or("no standard output")?;
    let closed = tokio::task::spawn_blocking(move || output.read_to_string(&mut String::new()));
    tokio::time::timeout(PATIENCE, closed).await???;
    let status = player.0.wait()?;
    assert!(status.success(), "a Python bot ended with {status}");
    Ok(())
}
