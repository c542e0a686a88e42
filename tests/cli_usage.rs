//! How commands are called: what is refused before anything is done, and what their help says.

use std::process::{Command, Output, Stdio};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const ADMIN: &str = "the-token-of-the-admin";

fn lastnim(args: &[&str]) -> Command {
    let mut command = Command::new(LASTNIM);
    for variable in ["LASTNIM_ADMIN_TOKEN", "LASTNIM_VIEWER_TOKEN", "LASTNIM_TOKEN", "LASTNIM_SERVER"] {
        command.env_remove(variable);
    }
    command.args(args).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// Returns the one line that says why a command line is refused.
fn refused(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let error = text(&stderr);
    assert_eq!((status.code(), text(&stdout), error.lines().count()), (Some(2), "", 1), "{error}");
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

#[test]
fn tokens_that_let_the_wrong_ones_in_are_refused() {
    let serve = || lastnim(&["serve", "--listen", "127.0.0.1:0", "--private"]);
    let cases = [
        (Some(""), None, "LASTNIM_ADMIN_TOKEN: a token of 0 characters: it has at least 16"),
        (Some("short"), None, "LASTNIM_ADMIN_TOKEN: a token of 5 characters: it has at least 16"),
        (None, Some(""), "LASTNIM_VIEWER_TOKEN: a token of 0 characters: it has at least 16"),
        (Some(ADMIN), Some("  \n"), "LASTNIM_VIEWER_TOKEN: a token of 0 characters: it has at least 16"),
        (Some("two words in one token"), None, "of visible ASCII characters only"),
        (Some(ADMIN), Some(ADMIN), "the admin and the viewer have the same token"),
        (Some(ADMIN), Some(" the-token-of-the-admin "), "the admin and the viewer have the same token"),
    ];
    for (admin, viewer, expected) in cases {
        let mut serve = serve();
        let given = [("LASTNIM_ADMIN_TOKEN", admin), ("LASTNIM_VIEWER_TOKEN", viewer)];
        serve.envs(given.into_iter().filter_map(|(name, token)| Some((name, token?))));
        let why = refused(&mut serve);
        assert!(why.contains(expected), "{why:?} does not contain {expected:?}");
        assert!(!why.contains("short") && !why.contains("two words"), "{why:?} repeats a token");
    }
}
