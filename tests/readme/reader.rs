//! A reader who types the commands of a page.

use super::{
    LASTNIM,
    page::{Block, Page, Track, is_shown},
    scripted_endpoint::{ScriptedEndpoint, streamed},
};
use std::{
    env,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{self, Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};
use tokio::runtime::Runtime;

/// The time limit of a step, including one that builds a program.
const PATIENCE: Duration = Duration::from_mins(15);

/// What differs from the shell of a reader: the program is built already, servers take free ports, and a busy machine
/// needs patience.
const FUNCTIONS: &str = r#"
lastnim() {
  case "${1-} ${2-}" in
    "serve "*) shift; exec lastnim serve --listen 127.0.0.1:0 "$@" ;;
    "tournament run") (unset LASTNIM_SERVER; command lastnim "$@") ;;
    "check conformance") shift 2; command lastnim check conformance --patience 60s "$@" ;;
    *) command lastnim "$@" ;;
  esac
}
cargo() {
  case "$*" in
    "run --release -- "*) shift 3; lastnim "$@" ;;
    "install --path .") ;;
    "new half") command cargo new half; mkdir -p "$RUST_TARGET"; ln -s "$RUST_TARGET" half/target ;;
    *) CARGO_PROFILE_DEV_DEBUG=0 command cargo "$@" ;;
  esac
}
maturin() {
  case "$*" in
    "build --release "*) shift 2; command maturin build --profile dev --features tested --auditwheel skip "$@" ;;
    *) command maturin "$@" ;;
  esac
}
"#;

/// A server in the reader's first terminal.
struct Server {
    process: Child,
    address: String,
    admin_token: String,
    /// Kept open, so that the server can print.
    _output: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A reader with a folder, a shell, a server and a language model.
pub struct Reader {
    home: PathBuf,
    server: Option<Server>,
    endpoint: ScriptedEndpoint,
    /// What the last step printed.
    printed: String,
    _runtime: Runtime,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.server = None;
        // The files of a failed test are kept for inspection.
        if !thread::panicking() {
            fs::remove_dir_all(&self.home).unwrap();
        }
    }
}

impl Reader {
    pub fn in_empty_folder(page: &Page, track: Track) -> Self {
        // Not below the checkout, where cargo would make the reader's package part of its workspace.
        let home = env::temp_dir().join(format!("lastnim-reader-{}-{track:?}-{}", page.name, process::id()));
        fs::create_dir(&home).unwrap();
        symlink(env!("CARGO_MANIFEST_DIR"), home.join("lastnim")).unwrap();
        fs::write(home.join("shell"), format!("cd '{}'\n", home.display())).unwrap();
        let runtime = Runtime::new().unwrap();
        let endpoint = runtime.block_on(ScriptedEndpoint::start(|_, call| {
            let prompt = call.last_message();
            streamed(match prompt.contains("which row do you declare?") {
                true if prompt.contains("- 2 seats, ") => "{\"row\": [0, 1]}",
                true => "{\"row\": [0, 1, 2]}",
                false => "{\"take\": 1}",
            })
        }));
        Self { home, server: None, endpoint, printed: String::new(), _runtime: runtime }
    }

    /// Runs a block.
    pub fn take_step(&mut self, block: &Block) {
        match block.language {
            "sh" => match block.text.trim_end().rsplit_once('\n') {
                Some((first, last)) if last.starts_with("lastnim serve ") => {
                    self.run(block, first);
                    self.start_server(block, last);
                }
                _ => self.run(block, &block.text),
            },
            "text" => assert!(
                is_shown(&block.text, &self.printed),
                "{} shows\n{}but this is printed:\n{}",
                block.place,
                block.text,
                self.printed
            ),
            "toml" | "python" | "ts" | "rust,no_run" => {
                let (name, text) = block.file();
                self.run(block, &format!("cat > {name} <<'END'\n{text}END\n"));
            }
            other => panic!("{}: nobody runs a block of {other:?}", block.place),
        }
    }

    /// Returns the last line that the last step printed.
    pub fn last_line(&self) -> &str {
        self.printed.lines().last().unwrap_or_default()
    }

    /// Returns a page of the server, by its URL or path.
    pub fn open_page(&self, url: &str) -> String {
        let address = &self.server.as_ref().expect("the page starts a server").address;
        let path = url.strip_prefix(&format!("http://{address}")).unwrap_or(url);
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{url}: {answer}");
        answer
    }

    /// Runs lines in the shell.
    fn run(&mut self, block: &Block, lines: &str) {
        let after = format!(
            "{lines}\n{{ export -p; printf 'cd \"%s\"\\n' \"$PWD\"; }} > '{}/shell'\n",
            self.home.display()
        );
        let mut shell = self.shell(&after);
        // What `lastnim login` asks for.
        let typed = self.home.join("typed");
        let token = self.server.as_ref().map_or("", |server| &server.admin_token);
        fs::write(&typed, format!("{token}\n")).unwrap();
        shell.stdin(File::open(typed).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (sender, ended) = mpsc::channel();
        let shell = shell.spawn().unwrap();
        thread::spawn(move || sender.send(shell.wait_with_output()));
        let output = ended.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{}: {error}", block.place));
        let output = output.unwrap();
        self.printed = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}:\n{lines}\n{}{errors}", block.place, self.printed);
    }

    /// Starts a server in the first terminal, in place of the one before.
    fn start_server(&mut self, block: &Block, line: &str) {
        self.server = None;
        let mut process = self.shell(line);
        let log = File::create(self.home.join("serve.log")).unwrap();
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = process.spawn().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut value_after = |label: &str| {
            let mut line = String::new();
            while output.read_line(&mut line).unwrap() > 0 {
                if let Some((_, value)) = line.split_once(label) {
                    return value.trim().to_owned();
                }
                line.clear();
            }
            panic!("{}: the server prints no {label:?}", block.place);
        };
        let (address, admin_token) = (value_after(" listens on "), value_after("admin token: "));
        self.server = Some(Server { process, address, admin_token, _output: output });
    }

    /// Returns a shell that continues where the last one ended, and runs lines.
    fn shell(&self, lines: &str) -> Command {
        let home = self.home.display();
        let mut lines = lines.replace("~/", &format!("{home}/"));
        let endpoint = self.endpoint.url.trim_start_matches("http://").trim_end_matches("/v1");
        lines = lines.replace("127.0.0.1:11434", endpoint);
        if let Some(server) = &self.server {
            lines = lines.replace("127.0.0.1:7600", &server.address);
        }
        let mut shell = Command::new("sh");
        let server = self.server.as_ref().map(|server| format!("export LASTNIM_SERVER={}\n", server.address));
        let server = server.unwrap_or_default();
        shell.args(["-euc", &format!(". '{home}/shell'\n{server}{FUNCTIONS}\n{lines}")]);
        for (name, _) in env::vars_os() {
            // A reader does not have the variables of the test.
            if name.to_str().is_some_and(|name| name.starts_with("LASTNIM_") || name == "CARGO_TARGET_DIR") {
                shell.env_remove(name);
            }
        }
        let path = env::var_os("PATH").unwrap();
        let program = Path::new(LASTNIM).parent().unwrap().to_owned();
        shell.env("PATH", env::join_paths([program].into_iter().chain(env::split_paths(&path))).unwrap());
        shell.env("XDG_CONFIG_HOME", self.home.join("config"));
        shell.env("RUST_TARGET", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-bot"));
        shell
    }
}
