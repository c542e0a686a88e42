//! What the models of a tournament have cost while it is played, and what they will cost.

use super::{
    asking::LONG,
    played_games::number_of,
    programs::{lastnim, run},
    scripted_endpoint::{Reply, ScriptedEndpoint, simplest_answer},
    tournaments::write_file,
};
use serde_json::{Value, json};
use std::{
    process::Stdio,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// The tokens that every reply costs.
const TOKENS_OF_CALL: usize = 120;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_tournament_shows_its_cost_so_far_and_the_cost_to_come() {
    let rows = AtomicU64::new(0);
    let endpoint = ScriptedEndpoint::start(move |_, call| {
        let is_row = call.last_message().contains("which row do you declare?");
        // The second match waits for its row until the run is killed.
        if is_row && rows.fetch_add(1, Ordering::SeqCst) == 1 {
            Reply::ThenNothing(Vec::new())
        } else {
            simplest_answer(call)
        }
    })
    .await;
    let file = write_file(&format!(
        "[[bot]]\nname = \"m1\"\n[bot.llm]\nmodel = \"m\"\nbase_url = \"{}\"\nprompt_price = 1\ncompletion_price = 10\n",
        endpoint.url
    ));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("concurrency = 1\nalliance = \"declared\"\n{text}")).unwrap();
    let mut command = lastnim(&["tournament", "run"]);
    let mut playing = command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let show = async |words: &[&str]| {
        let mut command = lastnim(&["tournament", "show"]);
        command.arg(&file).args(words);
        let (output, stdout, _) = run(command).await;
        output.status.success().then_some(stdout)
    };
    let wait_until_held = async {
        loop {
            if let Some(shown) = show(&["--json"]).await {
                let shown: Value = serde_json::from_str(&shown).unwrap();
                let [played, open] =
                    [&shown["tournament"]["matches_played"], &shown["activity"]["open_matches"]];
                if [played, open].map(number_of) == [1, 1] {
                    return shown;
                }
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    let shown = timeout(LONG, wait_until_held).await.expect("no match is over");
    let text = show(&[]).await.unwrap();
    playing.kill().unwrap();
    playing.wait().unwrap();
    // One call only tries the endpoint, and the last one has not been answered.
    let answered = endpoint.calls().len();
    let tokens = answered * TOKENS_OF_CALL;
    let amount = json!({ "tokens": tokens, "money": answered as f64 * 0.0003 });
    assert_eq!(shown["spending"], json!([{ "bot": "m1", "spent": amount, "to_come": amount }]), "{shown}");
    let line = format!("{tokens} tokens, costing 0.00{:02}00 (about {tokens} tokens, ", answered * 3);
    assert!(text.contains("Cost of the models") && text.contains(&line), "{line:?} is missing:\n{text}");
}
