//! The files that a package contains in addition to the program: completions, manual pages, a service.

use super::child::text;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

fn packaging(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(file)
}

fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn printed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}{}", text(stdout), text(stderr));
    text(stdout)
}

/// Returns whether systemd's tool is installed. If `CI` is set, a missing tool is a failure.
fn has_systemd_analyze() -> bool {
    if Command::new("systemd-analyze").arg("--version").output().is_ok() {
        return true;
    }
    let missing = "systemd-analyze is not installed (Debian: apt-get install systemd)";
    assert!(env::var_os("CI").is_none(), "{missing}");
    eprintln!("skipped: {missing}");
    false
}

#[test]
fn the_service_starts_once_the_clock_is_set() {
    let unit = fs::read_to_string(packaging("lastnim.service")).unwrap();
    let after = unit.lines().find_map(|line| line.strip_prefix("After=")).unwrap();
    assert!(after.split(' ').any(|unit| unit == "time-sync.target"), "{after}");
}

#[test]
fn the_service_is_valid_and_hardened() {
    if !has_systemd_analyze() {
        return;
    }
    // The program of the unit must exist, so use the built one.
    let unit = fs::read_to_string(packaging("lastnim.service")).unwrap();
    let folder = new_folder("unit");
    let (path, broken) = (folder.join("lastnim.service"), folder.join("broken.service"));
    fs::write(&path, unit.replace("/usr/bin/lastnim", LASTNIM)).unwrap();
    fs::write(
        &broken,
        unit.replace("/usr/bin/lastnim", LASTNIM).replace("ProtectHome=yes", "ProtectHome=of course"),
    )
    .unwrap();
    let verify = |path: &Path| {
        let output = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(path).output().unwrap();
        (output.status.success(), text(output.stdout) + &text(output.stderr))
    };
    // Messages about other units of this machine are not about this one.
    let about = |message: &str, unit: &str| message.lines().any(|line| line.contains(unit));
    let (is_right, message) = verify(&path);
    assert!(is_right && !about(&message, "lastnim.service"), "{message}");
    let (_, message) = verify(&broken);
    assert!(about(&message, "broken.service"), "a mistake is found: {message}");
    // The exposure is from 0 to 100; a service without settings has 96.
    let mut security = Command::new("systemd-analyze");
    security.args(["security", "--offline=true", "--threshold=15"]).arg(&path);
    printed(&mut security);
}

#[test]
fn the_settings_of_the_service_are_valid() {
    let unit = fs::read_to_string(packaging("lastnim.service")).unwrap();
    assert!(unit.contains("ExecStart=/usr/bin/lastnim serve --config /etc/lastnim/serve.toml"), "{unit}");
    let mut command = Command::new(LASTNIM);
    command.args(["serve", "--print-config", "--config"]).arg(packaging("serve.toml"));
    let settings = printed(command.env_remove("LASTNIM_STORE"));
    assert!(settings.contains("store = \"sqlite:/var/lib/lastnim/lastnim.db\""), "{settings}");
    assert!(unit.contains("StateDirectory=lastnim\n"), "that is /var/lib/lastnim");
}

#[test]
fn the_service_file_for_a_standby_server_is_valid() {
    let drop_in = fs::read_to_string(packaging("lastnim.service.d/standby.conf")).unwrap();
    let command = drop_in.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/lastnim "));
    // The server accepts the flags: it refuses only the store, which the environment names.
    let arguments: Vec<_> = command.unwrap().split(' ').filter(|word| !word.starts_with("/etc/")).collect();
    let arguments = arguments.into_iter().filter(|word| *word != "--config");
    let tried = Command::new(LASTNIM)
        .args(arguments)
        .env("LASTNIM_ADMIN_TOKEN", "x")
        .env_remove("LASTNIM_STORE")
        .output();
    let message = text(tried.unwrap().stderr);
    assert!(message.contains("--standby: this needs a PostgreSQL store"), "{message}");
    if !has_systemd_analyze() {
        return;
    }
    let folder = new_folder("pair");
    let unit = fs::read_to_string(packaging("lastnim.service")).unwrap();
    fs::write(folder.join("lastnim.service"), unit.replace("/usr/bin/lastnim", LASTNIM)).unwrap();
    let place = folder.join("lastnim.service.d");
    fs::create_dir(&place).unwrap();
    let verify = |drop_in: &str| {
        fs::write(place.join("standby.conf"), drop_in.replace("/usr/bin/lastnim", LASTNIM)).unwrap();
        let mut command = Command::new("systemd-analyze");
        let output =
            command.args(["verify", "--man=no"]).arg(folder.join("lastnim.service")).output().unwrap();
        let message = text(output.stdout) + &text(output.stderr);
        message.lines().filter(|line| line.contains("standby.conf")).map(str::to_owned).collect::<String>()
    };
    assert_eq!(verify(&drop_in), "");
    assert_ne!(verify(&drop_in.replace("LoadCredential", "LoadCredentials")), "", "a mistake is found");
}

#[test]
fn the_slurm_script_gives_each_bot_its_token() {
    let folder = new_folder("slurm");
    let tokens = folder.join("tokens");
    fs::write(&tokens, "first\nsecond\n").unwrap();
    let run = |task: &str, words: &[&str]| {
        let mut command = Command::new("bash");
        command.arg(packaging("slurm/bots.sbatch")).args(words).env("SLURM_ARRAY_TASK_ID", task);
        command.env("LASTNIM_SERVER", "127.0.0.1:7600").env("LASTNIM_TOKENS", &tokens).output().unwrap()
    };
    let print = ["sh", "-c", "echo $LASTNIM_TOKEN at $LASTNIM_SERVER"];
    assert_eq!(text(run("2", &print).stdout), "second at 127.0.0.1:7600\n");
    for (task, words, expected) in [
        ("3", &print[..], "has no token on line 3: use an array that ends at the last line"),
        ("1", &[], "give the command of the bot"),
        ("", &print[..], "start this script with sbatch --array=1-10"),
    ] {
        let output = run(task, words);
        let message = text(output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(expected), "{message}");
    }
}

#[test]
fn alerts_and_dashboard_name_metrics_of_the_server() {
    // The test `book` compares this page with a running server.
    let page = fs::read_to_string(packaging("../docs/reference/metrics.md")).unwrap();
    let metrics =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | ")).collect::<Vec<_>>();
    assert!(metrics.len() > 20, "{metrics:?}");
    let is_metric = |word: &str| {
        metrics.iter().any(|(name, rest)| match word.strip_suffix("_bucket") {
            Some(base) => base == *name && rest.starts_with("histogram"),
            None => word == *name,
        })
    };
    let dashboard = fs::read_to_string(packaging("grafana/dashboard.json")).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let panels = parsed["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let asked = targets.map(|target| target["expr"].as_str().unwrap().to_owned());
    let alerts = fs::read_to_string(packaging("prometheus/alerts.yml")).unwrap();
    let alerted = alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned);
    let mut checked_count = 0;
    for query in asked.chain(alerted) {
        let names = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let names: Vec<_> =
            names.filter(|word| word.starts_with("lastnim_") || word.starts_with("process_")).collect();
        assert!(!names.is_empty(), "{query}");
        for word in names {
            assert!(is_metric(word), "{word} is no metric: {query}");
            checked_count += 1;
        }
    }
    assert!(checked_count > 15, "{checked_count}");
    assert!(!is_metric("lastnim_plies") && !is_metric("lastnim_sessions_bucket"));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = new_folder("man1");
    let message = printed(Command::new(LASTNIM).arg("man").arg(&folder));
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name()).collect();
    assert_eq!(message, format!("{} pages in {}\n", pages.len(), folder.display()));
    let page =
        |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_else(|_| panic!("{name}: {pages:?}"));
    assert!(page("lastnim.1").contains("lastnim\\-serve(1)"));
    let serve = page("lastnim-serve.1");
    assert!(
        serve.contains("\\-\\-trusted\\-proxy") && serve.contains("lastnim serve \\-\\-config"),
        "{serve}"
    );
    assert!(page("lastnim-tournament-create.1").contains("\\-\\-piles"));
    assert!(
        !pages.iter().any(|name| name.to_string_lossy().contains("supervise")),
        "hidden commands have no page"
    );
}

#[test]
fn the_bash_script_completes_commands_and_flags() {
    let script = new_folder("completions").join("lastnim.bash");
    fs::write(&script, printed(Command::new(LASTNIM).args(["completions", "bash"]))).unwrap();
    let complete = |words: &str| {
        let line = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _lastnim lastnim \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        printed(Command::new("bash").args(["-c", &line]))
    };
    assert!(complete("lastnim tou").contains("tournament"));
    assert!(complete("lastnim serve --trus").contains("--trusted-proxy"));
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = printed(Command::new(LASTNIM).args(["completions", shell]));
        assert!(script.contains("tournament") && script.contains("trusted-proxy"), "{shell}");
    }
}
