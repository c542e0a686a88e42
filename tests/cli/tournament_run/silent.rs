//! A bot that opens a session and never sends anything, as a program started by a run.

use lastnim_client::{Bot, MatchInfo, MatchView, Options, run};
use lastnim_core::game::Row;
use std::{env, thread};

struct Silent;

impl Bot for Silent {
    fn declare(&mut self, _: &MatchInfo) -> Row {
        say_nothing()
    }

    fn play(&mut self, _: &MatchView) -> u64 {
        say_nothing()
    }
}

fn say_nothing() -> ! {
    loop {
        thread::park();
    }
}

/// Returns the command that starts the bot: this binary, running only the test that acts as the bot.
pub fn command() -> [&'static str; 5] {
    let program = env::current_exe().expect("a test knows its binary").into_os_string().into_string();
    let program = program.expect("its path is text").leak();
    [program, "--ignored", "--exact", "tournament_run::silent::is_a_bot", "--nocapture"]
}

#[tokio::test]
#[ignore = "a bot, started by tests as a program"]
async fn is_a_bot() {
    run(Silent, Options::from_env().expect("the run names server and token")).await.expect("a session");
}
