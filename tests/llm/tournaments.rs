//! Models in tournament files.

use super::{
    asking::{KEY, fresh_file},
    programs::{lastnim, run},
    scripted_endpoint::{Call, ScriptedEndpoint, response, simplest_answer, streamed},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

const TOP: &str = "title = \"Small\"\nseats = 2\nclock = \"10m\"\ndeclare_within = \"10m\"\n\
                   positions = { list = [[2, 2]] }\n[[bot]]\nname = \"greedy\"\nhouse = \"greedy\"\n";

/// Writes a tournament file in a new folder.
pub fn write_file(bots: &str) -> PathBuf {
    let folder = fresh_file("cup");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("cup.toml");
    fs::write(&file, format!("{TOP}{bots}")).unwrap();
    file
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_in_tournament_files_play() {
    let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let url = &endpoint.url;
    let file = write_file(&format!(
        "[[bot]]\nname = \"m1\"\nllm = {{ model = \"model-1\", base_url = \"{url}\", api_key_env = \"MODEL_KEY\", prompt = \"p.md\", temperature = 0 }}\n"
    ));
    let folder = file.parent().unwrap();
    let prompt = "I am {{ seat }}.{% if question == 'row' %} which row do you declare?{% endif %}";
    fs::write(folder.join("p.md"), prompt).unwrap();
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(&file).env("MODEL_KEY", KEY);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let standings = report["standings"].as_array().unwrap();
    let model = standings.iter().find(|line| line["bot"] == "m1").unwrap();
    assert_eq!((&model["matches"], &model["forfeits"]), (&json!(2), &json!(0)));
    assert_eq!(model["versions"][0]["version"]["version"], "model-1", "{model}");
    let calls = endpoint.calls();
    assert_eq!(calls[0].body["temperature"], json!(0));
    for prompt in ["I am 0.", "I am 1."] {
        assert!(calls.iter().any(|call| call.last_message() == prompt), "{calls:#?}");
    }

    let run_folder = folder.join("cup.run");
    let written = fs::read_to_string(run_folder.join("m1.transcript.jsonl")).unwrap();
    assert_eq!(written.matches("\"event\":\"call\"").count(), calls.len());
    let printed = fs::read_to_string(run_folder.join("m1.log")).unwrap();
    assert!(printed.contains("\"event\":\"model\""), "{printed}");
    let files = [&run_folder, &run_folder.join("secrets")].map(|folder| fs::read_dir(folder).unwrap());
    let files = files.into_iter().flatten().map(|entry| entry.unwrap().path());
    for path in files.filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap();
        let has_key = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!has_key, "the key is in {}", path.display());
    }
    assert!(!stdout.contains(KEY) && !stderr.contains(KEY));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_with_models_plays() {
    let endpoint = ScriptedEndpoint::start(|_, call| {
        let is_row = call.last_message().contains("which row do you declare?");
        streamed(if is_row { "{\"row\": [2, 0, 1]}" } else { "{\"take\": 1}" })
    })
    .await;
    let example =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/models.toml")).unwrap();
    let played = example
        .replace("provider = \"ollama\"", &format!("base_url = \"{}\"", endpoint.url))
        .replace("count = 10", "count = 2");
    assert!(!played.contains("ollama\"") && played.contains("count = 2"), "{played}");
    let folder = fresh_file("example");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("models.toml");
    fs::write(&file, played).unwrap();
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(&file);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    for bot in ["qwen", "llama"] {
        let line = report["standings"].as_array().unwrap().iter().find(|line| line["bot"] == bot).unwrap();
        assert_eq!((&line["matches"], &line["forfeits"]), (&json!(6), &json!(0)), "{stderr}");
    }
    let models = report["models"]["models"].as_array().unwrap();
    assert_eq!(models.len(), 2, "{report}");
    // The one that does not reason gets no schema with its question.
    let has_schema = |call: &Call| call.body.get("response_format").is_some();
    let calls = endpoint.calls();
    // The first call of each model only tries its endpoint.
    let later_calls_to =
        |model: &'static str| calls.iter().filter(move |call| call.body["model"] == model).skip(1);
    assert!(later_calls_to("qwen3").all(has_schema) && !later_calls_to("llama3.2").any(has_schema));
}

#[tokio::test]
async fn errors_about_models_have_lines() {
    let file = write_file(
        "[[bot]]\nname = \"m1\"\nllm = { base_url = \"nowhere\", temperatur = 1 }\n\
         [[bot]]\nname = \"m2\"\n[bot.llm]\nmodel = \"m\"\ntemperature = 2.5\napi_key_env = \"sk-0123-456\"\ntranscript = \"t\"\n\
         [[bot]]\nname = \"m3\"\nhouse = \"greedy\"\nllm = { model = \"m\" }\n\
         [[bot]]\nname = \"m4\"\nllm = 7\n",
    );
    let mut command = lastnim(&["tournament", "check"]);
    command.arg(&file);
    let (output, stdout, stderr) = run(command).await;
    assert_eq!(output.status.code(), Some(2));
    let printed = format!("{stdout}{stderr}");
    for part in [
        ":11: bot[1].llm.temperatur: unknown key: did you mean `temperature`?",
        ":11: bot[1].llm.model: missing",
        ":11: bot[1].llm.base_url: relative URL without a base: expected a URL such as https://",
        ":16: bot[2].llm.temperature: 2.5 is not a number from 0 to 2",
        ":17: bot[2].llm.api_key_env: not the name of an environment variable",
        ":18: bot[2].llm.transcript: unknown key",
        ": bot: expected one of `command`, `house`, `llm` and `remote = true`",
        ":25: bot[4].llm: 7: expected a table",
    ] {
        assert!(printed.contains(part), "{part:?} is missing:\n{printed}");
    }
    assert!(!printed.contains("sk-0123"), "{printed}");
}

#[tokio::test]
async fn the_cost_limit_covers_all_matches() {
    for (of_all, max_tokens) in [("", 2_000), ("[llm]\ntoken_budget = 1_500\n", 1_500)] {
        let file = write_file(&format!(
            "[[bot]]\nname = \"m1\"\nllm = {{ model = \"m\", base_url = \"http://127.0.0.1:1\", match_token_budget = 1_000 }}\n{of_all}"
        ));
        let mut command = lastnim(&["tournament", "check", "--json"]);
        command.arg(&file);
        let (output, stdout, stderr) = run(command).await;
        assert!(output.status.success(), "{stderr}");
        let plan: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(plan["matches"]["matches"], 2, "{plan}");
        assert_eq!(plan["models"]["cost"]["tokens"], max_tokens, "{of_all:?}: {plan}");
    }
}

#[tokio::test]
async fn models_are_checked_before_a_run() {
    for (llm, why) in [
        (
            "model = \"m\", api_key_env = \"NO_SUCH_KEY\"",
            "bot m1: NO_SUCH_KEY: not set: the endpoint needs a key",
        ),
        ("model = \"m\", base_url = \"http://127.0.0.1:1\", prompt = \"none.md\"", "none.md: No such file"),
    ] {
        let file = write_file(&format!("[[bot]]\nname = \"m1\"\nllm = {{ {llm} }}\n"));
        let mut command = lastnim(&["tournament", "run"]);
        command.arg(&file);
        let (output, _, stderr) = run(command).await;
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
        assert!(!file.with_extension("run").exists(), "nothing was started");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_of_a_tournament_share_its_budget() {
    // Each call costs 120 tokens, 20 of them for the reply.
    for (key, budget, tokens_of_call, shown) in [
        ("token_budget", 2_000, 120, "a budget of 2000 tokens"),
        ("reply_token_budget", 250, 20, "a budget of 2000000 tokens and 250 tokens of replies"),
    ] {
        let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
        let url = &endpoint.url;
        let model = |name: &str| {
            format!(
                "[[bot]]\nname = \"{name}\"\n[bot.llm]\nmodel = \"{name}\"\nbase_url = \"{url}\"\nprompt = \"p.md\"\nmax_tokens = 100\n\
                 on_failure = \"first-legal\"\ntoken_budget = 1_000_000\n"
            )
        };
        let file = write_file(&format!("{}{}[llm]\n{key} = {budget}\n", model("m1"), model("m2")));
        let folder = file.parent().unwrap();
        let prompt = "{% if question == 'row' %}which row do you declare?{% else %}take{% endif %}";
        fs::write(folder.join("p.md"), prompt).unwrap();
        let mut check = lastnim(&["tournament", "check"]);
        check.arg(&file);
        let (_, stdout, _) = run(check).await;
        assert!(stdout.contains(shown), "{stdout}");
        let mut command = lastnim(&["tournament", "run", "--json"]);
        command.arg(&file);
        let (output, _, stderr) = run(command).await;
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(&format!("the models have {shown}")), "{stderr}");
        assert!(
            stderr.contains(
                "a budget is used up (what is left of the budget of all models is too small for another call"
            ),
            "{stderr}"
        );
        // Calls that could exceed the rest do not start.
        let calls = endpoint.calls().len();
        assert!(calls > 0 && calls * tokens_of_call <= budget, "{calls}");
        let run_folder = folder.join("cup.run");
        for ledger in ["m1.ledger", "m2.ledger", "models.llm-ledger"] {
            assert!(run_folder.join(ledger).exists(), "{ledger}");
        }
        // What was spent still counts.
        let mut command = lastnim(&["tournament", "run", "--json"]);
        command.arg(&file);
        let (output, _, stderr) = run(command).await;
        assert_eq!((output.status.code(), endpoint.calls().len()), (Some(1), calls), "{stderr}");
        let raised = fs::read_to_string(&file).unwrap();
        let raised = raised.replace(&format!("{key} = {budget}"), &format!("{key} = 90_000"));
        fs::write(&file, raised).unwrap();
        let mut command = lastnim(&["tournament", "run", "--json"]);
        command.arg(&file);
        let (output, stdout, stderr) = run(command).await;
        assert!(output.status.success(), "{stderr}");
        let amended = format!("amended: [llm]: {key} from {budget} to 90000");
        assert!(stderr.contains(&amended), "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        assert!(report["standings"].as_array().unwrap().iter().all(|line| line["forfeits"] == 0), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_with_the_same_key_share_their_limits() {
    let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let url = &endpoint.url;
    let model = |name: &str, key: &str| {
        format!(
            "[[bot]]\nname = \"{name}\"\nllm = {{ model = \"m\", base_url = \"{url}\", api_key_env = \"{key}\", requests_per_minute = 60_000 }}\n"
        )
    };
    let bots = [model("m1", "KEY_A"), model("m2", "KEY_A"), model("m3", "KEY_B")].concat();
    let file = write_file(&bots);
    let mut command = lastnim(&["tournament", "run"]);
    command.arg(&file).env("KEY_A", KEY).env("KEY_B", KEY);
    let (output, _, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let inside = fs::read_dir(file.with_extension("run")).unwrap();
    let names = inside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut rates: Vec<_> = names.filter(|name| name.ends_with(".llm-rate")).collect();
    rates.sort();
    assert!(
        matches!(rates.as_slice(), [a, b] if a.starts_with("KEY_A-http") && b.starts_with("KEY_B-http")),
        "{rates:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_name_the_call_modes_and_missing_token_counts() {
    let endpoint = ScriptedEndpoint::start(|_, call| {
        let has_schema = call.body.get("response_format").is_some();
        let answer = match (has_schema, call.body["messages"][0]["content"].as_str().unwrap()) {
            (false, _) => "First I count the piles.",
            (true, asked) if asked.contains("which row do you declare?") => "{\"row\": [0, 1]}",
            (true, _) => "{\"take\": 1}",
        };
        let body = json!({ "choices": [{ "message": { "content": answer }, "finish_reason": "stop" }] });
        response("200 OK", "content-type: application/json\r\n", &body.to_string())
    })
    .await;
    let file = write_file(&format!(
        "[[bot]]\nname = \"m1\"\nllm = {{ model = \"m\", base_url = \"{}\", think = \"before\" }}\n",
        endpoint.url
    ));
    let mut command = lastnim(&["tournament", "run"]);
    command.arg(&file);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    // Each question has a call in which the model thinks, and one with the schema.
    let schema_calls =
        endpoint.calls().iter().filter(|call| call.body.get("response_format").is_some()).count();
    let text = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let mode = "prompt 3, with memory, with bot names, with thinking before the answer";
    let asked = format!(
        "m1 was asked with {mode}, with a schema ({schema_calls} calls); {mode}, without a schema ({schema_calls} calls)"
    );
    let missing = format!(
        "the endpoint of m1 gave no token count for {} replies, so the cost is an upper bound",
        2 * schema_calls
    );
    for part in [asked, missing] {
        assert!(schema_calls > 1 && text.contains(&part), "{part:?} is missing:\n{stdout}");
    }
}
