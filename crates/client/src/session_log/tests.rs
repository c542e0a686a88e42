use super::*;
use lastnim_proto::pb::{Ping, Refused, play_request, play_response::Event};
use std::{env, fs, process};

const TOKEN: &str = "lastnim_00112233445566778899aabbccddeeff";

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("lastnim-session-log-{name}-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ping(id: u64) -> PlayResponse {
    PlayResponse { event: Some(Event::Ping(Ping { id })) }
}

fn pong(id: u64) -> PlayRequest {
    PlayRequest { action: Some(play_request::Action::Pong(lastnim_proto::pb::Pong { id })) }
}

fn lines_of(path: &Path) -> Vec<SessionLogLine> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| SessionLogLine::parse(line).unwrap()).collect()
}

#[test]
fn log_has_all_events_in_order() {
    let folder = Folder::new("order");
    let path = folder.0.join("bot.jsonl");
    let mut log = SessionLog::open(Some(&path), "http://ann:secret@host:1", TOKEN).unwrap();
    log.begin_session();
    for id in 0..5_000 {
        log.note_received(&ping(id));
        log.note_sent(&pong(id));
    }
    log.note_closed("the network is gone");
    drop(log);
    let lines = lines_of(&path);
    assert_eq!(lines.len(), 10_003);
    let SessionLogEvent::RunBegan { server, .. } = &lines[0].event else { panic!("{:?}", lines[0]) };
    assert_eq!((server.as_str(), lines[0].session), ("http://host:1", 0));
    assert_eq!(lines[1].event, SessionLogEvent::Received(Box::new(ping(0))));
    assert_eq!(lines[10_000].event, SessionLogEvent::Sent(Box::new(pong(4_999))));
    assert_eq!(lines[10_001].event, SessionLogEvent::Closed { reason: "the network is gone".into() });
    assert_eq!(lines[10_002].event, SessionLogEvent::RunEnded);
    assert!(lines[1..10_002].iter().all(|line| line.session == 1));
    assert!(lines.iter().all(|line| line.run == lines[0].run));
    assert!(lines.windows(2).all(|pair| pair[0].mono_us <= pair[1].mono_us));
}

#[test]
fn a_run_begins_on_a_new_line_after_an_incomplete_one() {
    let folder = Folder::new("torn");
    let path = folder.0.join("bot.jsonl");
    fs::write(&path, "{\"at_us\":1,\"mo").unwrap();
    drop(SessionLog::open(Some(&path), "host:1", TOKEN).unwrap());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "{\"at_us\":1,\"mo"));
    assert!(matches!(SessionLogLine::parse(lines[1]).unwrap().event, SessionLogEvent::RunBegan { .. }));
}

#[test]
fn each_run_has_its_own_file_in_a_folder() {
    let folder = Folder::new("folder");
    for _ in 0..2 {
        drop(SessionLog::open(Some(&folder.0), "host:1", TOKEN).unwrap());
    }
    let files: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    for file in files {
        let run = &lines_of(&file)[0].run;
        assert_eq!(file.file_name().unwrap().to_str().unwrap(), format!("session-{run}.jsonl"));
    }
}

#[test]
fn token_is_never_in_the_log() {
    let folder = Folder::new("token");
    let path = folder.0.join("bot.jsonl");
    let mut log = SessionLog::open(Some(&path), &format!("http://{TOKEN}@host:1"), TOKEN).unwrap();
    let message = format!("your token is {TOKEN}");
    let refused = Refused { message: message.clone(), ..Refused::default() };
    log.note_received(&PlayResponse { event: Some(Event::Refused(refused)) });
    log.note_closed(&message);
    drop(log);
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(TOKEN), "{text}");
    assert_eq!(text.matches("your token is (token)").count(), 2);
    assert_eq!(lines_of(&path).len(), 4);
}

#[test]
fn failure_to_open_names_the_log() {
    let error = SessionLog::open(Some(Path::new("no/such/folder/log")), "host:1", TOKEN).unwrap_err();
    assert!(error.to_string().starts_with("session log no/such/folder/log: "), "{error}");
    assert!(SessionLog::open(None, "host:1", TOKEN).unwrap().0.is_none());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_lines_but_does_not_end_the_run() {
    let mut log = SessionLog::open(Some(Path::new("/dev/full")), "host:1", TOKEN).unwrap();
    log.begin_session();
    for id in 0..100 {
        log.note_received(&ping(id));
    }
    drop(log);
}

#[test]
fn dropped_lines_are_counted() {
    let (lines, waiting) = sync_channel(2);
    let mut log = OpenLog {
        run: "r".into(),
        began: Instant::now(),
        session: 1,
        lines: Some(lines),
        left_out: 0,
        writer: None,
    };
    for id in 0..5 {
        log.note(SessionLogEvent::Received(Box::new(ping(id))));
    }
    let events = |count: usize| waiting.iter().take(count).map(|line| line.event).collect::<Vec<_>>();
    let received = |id| SessionLogEvent::Received(Box::new(ping(id)));
    assert_eq!(events(2), [received(0), received(1)]);
    log.note(received(5));
    assert_eq!(events(2), [SessionLogEvent::Gap { lines: 3 }, received(5)]);
}
