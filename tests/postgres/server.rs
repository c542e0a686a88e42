//! A PostgreSQL server for tests, on a free loopback port and in a temporary folder.

use std::env;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the server may take to start or stop.
const START_TIMEOUT: Duration = Duration::from_mins(5);
/// The polling interval of waits.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The user of the databases.
const USER: &str = "lastnim";
/// The arguments of `initdb`, before the folder.
const INITDB_OPTIONS: [&str; 7] =
    ["--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "--username", USER, "--pgdata"];

/// A server that runs until this is dropped.
pub struct PostgresServer {
    programs: PathBuf,
    folder: PathBuf,
    /// The user of the server process if this process is root, which PostgreSQL refuses.
    runs_as: Option<(u32, u32)>,
    port: u16,
    process: Child,
}

/// The folder of a server that nobody has used, which every server of this process copies.
static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();

impl PostgresServer {
    /// Starts a server. If PostgreSQL is not installed, says so and returns `None`; if `CI` is set, that is a failure.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            let missing = "PostgreSQL is not installed (Debian: apt-get install postgresql)";
            assert!(env::var_os("CI").is_none(), "{missing}");
            eprintln!("skipped: {missing}");
            return None;
        };
        let folder = new_folder();
        let is_root = fs::metadata(&folder).unwrap().uid() == 0;
        let runs_as = is_root.then(|| unprivileged_user().expect("/etc/passwd has postgres or nobody"));
        if let Some((user, group)) = runs_as {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        let template = TEMPLATE.get_or_init(|| template(&programs, &folder, runs_as));
        copy_folder(template, &folder.join("data"));
        // Another process may take the port before it is used.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let process = spawn(&programs, &folder, runs_as, port);
            let mut server =
                Self { programs: programs.clone(), folder: folder.clone(), runs_as, port, process };
            if server.is_ready_in_time() {
                return Some(server);
            }
            // Its folder is still needed.
            server.folder = PathBuf::new();
        }
        panic!("PostgreSQL does not start: {}", fs::read_to_string(folder.join("log")).unwrap_or_default());
    }

    /// Creates a database, and returns its URL.
    pub fn create_database(&self, name: &str) -> String {
        let made = self.client("createdb").arg(name).output().unwrap();
        assert!(made.status.success(), "createdb: {}", String::from_utf8_lossy(&made.stderr));
        format!("postgres://{USER}@127.0.0.1:{}/{name}", self.port)
    }

    /// Kills the server with SIGKILL.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Restarts the server on the same port after [`kill`](Self::kill).
    pub fn restart(&mut self) {
        let until = Instant::now() + START_TIMEOUT;
        loop {
            self.process = spawn(&self.programs, &self.folder, self.runs_as, self.port);
            if self.is_ready_in_time() {
                return;
            }
            // Processes of the killed server may take a moment to end.
            assert!(Instant::now() < until, "PostgreSQL does not start again");
            sleep(POLL_INTERVAL);
        }
    }

    /// Starts a replica that follows this server.
    #[allow(dead_code, reason = "not every test that starts a server has a replica")]
    pub fn replica(&self) -> Self {
        let folder = new_folder();
        if let Some((user, group)) = self.runs_as {
            chown(&folder, Some(user), Some(group)).unwrap();
        }
        let port = self.port.to_string();
        let copied = as_user(&self.programs.join("pg_basebackup"), self.runs_as, &folder)
            .args(["--host=127.0.0.1", "--username", USER, "--port", &port])
            .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--pgdata"])
            .arg(folder.join("data"))
            .output()
            .unwrap();
        assert!(copied.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&copied.stderr));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = spawn(&self.programs, &folder, self.runs_as, port);
        let mut replica =
            Self { programs: self.programs.clone(), folder, runs_as: self.runs_as, port, process };
        assert!(replica.is_ready_in_time(), "the replica does not start");
        replica
    }

    /// Replaces this killed server with a killed replica, and starts it.
    #[allow(dead_code, reason = "not every test that starts a server has a replica")]
    pub fn fail_over(&mut self, mut replica: Self) {
        replica.port = self.port;
        replica.restart();
        let promoted = as_user(&replica.programs.join("pg_ctl"), replica.runs_as, &replica.folder)
            .args(["promote", "--wait", "--pgdata"])
            .arg(replica.folder.join("data"))
            .output()
            .unwrap();
        assert!(promoted.status.success(), "pg_ctl: {}", String::from_utf8_lossy(&promoted.stderr));
        *self = replica;
    }

    /// Returns the port on which the server listens.
    #[allow(dead_code, reason = "not every test needs it")]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Waits until the server answers. Returns false if it ends first.
    fn is_ready_in_time(&mut self) -> bool {
        let until = Instant::now() + START_TIMEOUT;
        while Instant::now() < until {
            if self.process.try_wait().unwrap().is_some() {
                return false;
            }
            if self.client("pg_isready").output().unwrap().status.success() {
                return true;
            }
            sleep(POLL_INTERVAL);
        }
        false
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        let port = self.port.to_string();
        command.args(["--host=127.0.0.1", "--username", USER, "--port", &port]);
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // On an interrupt, it ends its sessions and stops.
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        }
        let until = Instant::now() + START_TIMEOUT;
        while self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            if Instant::now() > until {
                let _ = self.process.kill();
            }
            sleep(POLL_INTERVAL);
        }
        if self.folder.is_dir() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Makes the folder of a server.
fn new_folder() -> PathBuf {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("lastnim-postgres-{}-{number}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    folder
}

/// Returns the folder of PostgreSQL's programs: from PATH, or else the newest Debian package.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let initdb =
        env::split_paths(&path).map(|folder| folder.join("initdb")).find(|program| program.is_file());
    if let Some(folder) = initdb.and_then(|program| Some(program.canonicalize().ok()?.parent()?.to_owned())) {
        return Some(folder);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let installed = versions.map(|version| version.path().join("bin"));
    installed.filter(|folder| folder.join("initdb").is_file()).max_by_key(|folder| {
        let version = folder.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        version.and_then(|version| version.parse::<u32>().ok())
    })
}

/// Returns a data folder to copy for each new server, which is faster than running `initdb` again. It is kept in the
/// build folder. The first call creates it in `folder`, because the user who runs the servers has access there.
fn template(programs: &Path, folder: &Path, runs_as: Option<(u32, u32)>) -> PathBuf {
    let initdb = programs.join("initdb");
    let version = Command::new(&initdb).arg("--version").output().unwrap().stdout;
    let mut key = DefaultHasher::new();
    (version, INITDB_OPTIONS, fs::metadata(folder).unwrap().uid()).hash(&mut key);
    let name = format!("postgres-{:x}", key.finish());
    let template = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if !template.is_dir() {
        let made = folder.join("template");
        let output = as_user(&initdb, runs_as, folder).args(INITDB_OPTIONS).arg(&made).output().unwrap();
        assert!(output.status.success(), "initdb: {}", String::from_utf8_lossy(&output.stderr));
        let own = template.with_extension(process::id().to_string());
        copy_folder(&made, &own);
        // Another process may have been faster.
        if fs::rename(&own, &template).is_err() {
            fs::remove_dir_all(&own).unwrap();
        }
        fs::remove_dir_all(&made).unwrap();
    }
    template
}

/// Copies a folder, with the owners and modes of its files.
fn copy_folder(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).output().unwrap();
    assert!(copied.status.success(), "cp -a: {}", String::from_utf8_lossy(&copied.stderr));
}

/// Returns the user and group of `postgres`, or else of `nobody`.
fn unprivileged_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let ids_of_user = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    ids_of_user("postgres").or_else(|| ids_of_user("nobody"))
}

fn as_user(program: &Path, runs_as: Option<(u32, u32)>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    if let Some((user, group)) = runs_as {
        command.uid(user).gid(group);
    }
    command
}

fn spawn(programs: &Path, folder: &Path, runs_as: Option<(u32, u32)>, port: u16) -> Child {
    let log = File::options().create(true).append(true).open(folder.join("log")).unwrap();
    as_user(&programs.join("postgres"), runs_as, folder)
        .arg("-D")
        .arg(folder.join("data"))
        .args(["-p", &port.to_string()])
        .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
        .args(["-c", "shared_buffers=16MB", "-c", "max_connections=40"])
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}
