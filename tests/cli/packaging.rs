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
    let about = |said: &str, unit: &str| said.lines().any(|line| line.contains(unit));
    let (is_right, said) = verify(&path);
    assert!(is_right && !about(&said, "lastnim.service"), "{said}");
    let (_, said) = verify(&broken);
    assert!(about(&said, "broken.service"), "a mistake is found: {said}");
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
fn every_command_has_a_manual_page() {
    let folder = new_folder("man1");
    let said = printed(Command::new(LASTNIM).arg("man").arg(&folder));
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name()).collect();
    assert_eq!(said, format!("{} pages in {}\n", pages.len(), folder.display()));
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
