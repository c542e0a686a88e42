//! `lastnim bot run llm`, as a program.

use super::{
    asking::{KEY, LONG, fresh_file},
    scripted_endpoint::{ScriptedEndpoint, response, simplest_answer},
    server::Server,
};
use lastnim_core::game::ConfigHash;
use lastnim_llm::Provider;
use serde_json::{Value, json};
use std::{
    fs,
    process::{Command, Output},
};
use tokio::{task::spawn_blocking, time::timeout};

/// Returns a command without the variables in the environment of the tests.
pub fn lastnim(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    for variable in
        ["LASTNIM_TOKEN", "LASTNIM_SERVER", "LASTNIM_TOURNAMENT", "OPENAI_API_KEY", "NO_PROXY", "no_proxy"]
    {
        command.env_remove(variable);
    }
    // The secrets of runs are kept there.
    command.env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"));
    command.args(words);
    command
}

pub async fn run(mut command: Command) -> (Output, String, String) {
    let output = timeout(LONG, spawn_blocking(move || command.output()))
        .await
        .expect("the program does not end")
        .unwrap()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    (output, stdout, stderr)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_practises_through_a_proxy_without_leaking_its_key() {
    // It acts as the proxy, and answers by itself.
    let proxy = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let server = Server::start().await;
    let token = server.register("model").await;
    let transcript = fresh_file("program.jsonl");
    let mut command =
        lastnim(&["bot", "run", "llm", "--model", "model-1", "--practice", "--piles", "2,2", "--json"]);
    command
        .args([
            "--base-url",
            "http://model.example/v1",
            "--api-key-env",
            "MODEL_KEY",
            "--server",
            &server.address,
        ])
        .arg("--transcript")
        .arg(&transcript)
        .env("LASTNIM_TOKEN", token)
        .env("MODEL_KEY", KEY)
        .env("RUST_LOG", "trace")
        .env("HTTP_PROXY", proxy.url.trim_end_matches("/v1"))
        .env("http_proxy", proxy.url.trim_end_matches("/v1"));
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["budget", "connected", "match_ended", "match_ended", "model", "summary"], "{stdout}");
    let model = &lines[4];
    assert_eq!((&model["unanswered"], &model["failures"]), (&json!({}), &json!({})));
    assert_eq!(model["answered"], model["questions"]);
    let head = &proxy.calls()[0].head;
    assert!(head.starts_with("post http://model.example/v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    let written = fs::read_to_string(&transcript).unwrap();
    for (what, text) in [("stdout", &stdout), ("stderr", &stderr), ("transcript", &written)] {
        assert!(!text.contains(KEY), "the key is in {what}:\n{text}");
    }
    // Standings distinguish models and settings.
    let version = server.get_bot("model").await.versions.remove(0).version.unwrap();
    let header: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    let hash = ConfigHash::from_bytes(version.config_hash.try_into().unwrap()).to_string();
    assert_eq!((version.version.as_str(), header["config_hash"].as_str()), ("model-1", Some(hash.as_str())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_usual_key_goes_to_another_address_only_if_its_variable_is_named() {
    let endpoint = ScriptedEndpoint::start(|_, call| {
        let is_known = call.head.contains(&format!("authorization: bearer {KEY}"));
        if is_known { simplest_answer(call) } else { response("401 Unauthorized", "", "who are you?") }
    })
    .await;
    let server = Server::start().await;
    let token = server.register("model").await;
    for (words, is_sent) in [
        (&[][..], false),
        (&["--provider", "openai"], false),
        (&["--provider", "azure"], false),
        (&["--api-key-env", "OPENAI_API_KEY"], true),
    ] {
        let mut command = lastnim(&["bot", "run", "llm", "--model", "m", "--practice", "--piles", "2,2"]);
        command
            .args(["--base-url", &endpoint.url, "--server", &server.address])
            .args(words)
            .env("LASTNIM_TOKEN", &token)
            .env("OPENAI_API_KEY", KEY)
            .env("AZURE_OPENAI_API_KEY", KEY);
        let (output, _, stderr) = run(command).await;
        assert_eq!(output.status.success(), is_sent, "{words:?}: {stderr}");
        let why = "no key was sent: set --api-key-env to the name of the environment variable with the key): who are you?";
        assert_eq!(stderr.contains(why), !is_sent, "{words:?}: {stderr}");
    }
    let has_key = endpoint.calls().into_iter().map(|call| call.head.contains(KEY)).collect::<Vec<_>>();
    assert!(has_key.contains(&true) && has_key.contains(&false));
    assert!(has_key.is_sorted(), "only the last run names the variable: {has_key:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_says_what_its_endpoint_cannot_do() {
    let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let server = Server::start().await;
    let token = server.register("model").await;
    for provider in ["openai", "anthropic", "gemini", "azure", "openrouter", "vllm", "ollama", "llama.cpp"] {
        let mut command =
            lastnim(&["bot", "run", "llm", "--model", "m", "--practice", "--piles", "1", "--json"]);
        command
            .args(["--provider", provider, "--base-url", &endpoint.url, "--server", &server.address])
            .env("LASTNIM_TOKEN", &token);
        let (output, stdout, stderr) = run(command).await;
        assert!(output.status.success(), "{provider}: {stderr}");
        let lines = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found = lines.filter(|line| line["event"] == "provider").collect::<Vec<_>>();
        assert_eq!((found.len(), &found[0]["provider"]), (1, &json!(provider)), "{stdout}");
        let limits = provider.parse::<Provider>().unwrap().limits();
        assert!(!limits.is_empty() && found[0]["limits"] == limits, "{stdout}");
    }
}

#[tokio::test]
async fn invalid_settings_are_refused_before_play() {
    let prompt = fresh_file("prompt.md");
    fs::write(&prompt, "{{ seet }}").unwrap();
    let prompt = prompt.to_str().unwrap();
    let local = ["--model", "m", "--base-url", "http://127.0.0.1:1"];
    for (words, why) in [
        (&["llm"][..], "OPENAI_API_KEY: not set: the endpoint needs a key"),
        (&["llm", "--base-url", "http://127.0.0.1:1"], "--model: required"),
        (
            &[&["llm"][..], &local, &["--api-key-env", "NO_SUCH_KEY"]].concat(),
            "NO_SUCH_KEY: not set: the endpoint needs a key",
        ),
        (&[&["llm"][..], &local, &["--api-key-env", "sk-0123-456"]].concat(), "--api-key-env: not the name"),
        (&["llm", "--model", "m", "--base-url", "127.0.0.1:1"], "--base-url: "),
        (&[&["llm"][..], &local, &["--prompt", prompt]].concat(), "line 1: undefined value"),
        (
            &[&["llm"][..], &local, &["--transcript", "/no/such/folder/t"]].concat(),
            "--transcript /no/such/folder/t",
        ),
        (
            &[&["llm"][..], &local, &["--temperature", "3"]].concat(),
            "--temperature: \"3\" is not a number from 0 to 2",
        ),
        (
            &[&["llm"][..], &local, &["--on-failure", "guess"]].concat(),
            "expected forfeit, first-legal or random",
        ),
        (
            &["greedy", "--model", "m"],
            "--model: only language models have this setting, but greedy is a house bot",
        ),
        (&["model"], "or llm for a language model"),
    ] {
        let (output, _, stderr) =
            run(lastnim(&[&["bot", "run"][..], words, &["--token", "t"]].concat())).await;
        assert_eq!(output.status.code(), Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains(why) && !stderr.contains("sk-0123"), "{words:?}: {stderr}");
    }
}
