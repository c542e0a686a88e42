//! Checks the measures of models, recomputed from the lines of transcripts and records.

use super::{
    asking::fresh_file,
    played_games::{PlayedGame, PlayedPly, number_of},
    programs::{lastnim, run},
    scripted_endpoint::{Call, Reply, ScriptedEndpoint, completion, response},
    seat_claims::{QuestionKind, SeatClaims, assert_near, check_plans, check_wants},
    server::Server,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const CUP: &str = "title = \"Measured\"\nseats = 3\nclock = \"10m\"\ndeclare_within = \"10m\"\n\
    [[bot]]\nname = \"taker\"\nhouse = \"greedy\"\n";

/// Gives good and bad answers depending on the number of the call, with claims.
fn varied_reply(number: usize, call: &Call) -> Reply {
    let asked = call.body["messages"][0]["content"].as_str().unwrap();
    let text = if asked.contains("which row do you declare?") {
        let wants = if number.is_multiple_of(2) { json!(number % 3) } else { json!("nobody") };
        json!({ "row": [0, 2, 1], "win_probability": 0.5, "wants": wants })
    } else {
        let counters = asked.split("which holds ").nth(1).unwrap().split(':').next().unwrap();
        let counters: usize = counters.parse().unwrap();
        let probability = if number % 9 == 4 { 30.0 } else { (number % 11) as f64 / 10.0 };
        let plan = if number.is_multiple_of(5) { json!("mine") } else { json!(number % 3) };
        json!({ "take": 1 + number % counters, "win_probability": probability, "plan": plan })
    };
    match number % 10 {
        3 => completion("I pass."),
        // The answer is bad twice in a row, so that the question fails.
        6 | 7 => completion("{\"take\": 99, \"row\": [0]}"),
        9 => response("503 Busy", "retry-after: 0\r\n", ""),
        _ => completion(&text.to_string()),
    }
}

/// A tournament of two models and a house bot, on a server in this process.
struct MeasuredCup {
    folder: PathBuf,
    report: Value,
    text: String,
}

impl MeasuredCup {
    async fn play() -> Self {
        Self::play_positions("[2, 3], [4], [1, 2, 2], [3, 3]", varied_reply).await
    }

    async fn play_positions(positions: &str, script: fn(usize, &Call) -> Reply) -> Self {
        let endpoint = ScriptedEndpoint::start(script).await;
        let server = Server::start().await;
        let folder = fresh_file("measured");
        fs::create_dir_all(&folder).unwrap();
        let model = |name: &str, more: &str| {
            format!(
                "[[bot]]\nname = \"{name}\"\n[bot.llm]\nmodel = \"{name}-model\"\nbase_url = \"{}\"\nanswers = 2\nretries = 2\n{more}\
                 prompt_price = 3\ncompletion_price = 15\n",
                endpoint.url
            )
        };
        let text = format!(
            "positions = {{ list = [{positions}] }}\n{CUP}{}{}",
            model("m1", "on_failure = \"first-legal\"\n"),
            model("m2", "on_failure = \"random\"\n")
        );
        let file = folder.join("cup.toml");
        fs::write(&file, text).unwrap();
        let given = ["--server", &server.address];
        let mut command = lastnim(&["tournament", "run", "--json"]);
        command.args(given).env("LASTNIM_ADMIN_TOKEN", &server.admin).arg(&file);
        let (output, stdout, stderr) = run(command).await;
        assert!(output.status.success(), "{stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        // A second run finds it finished, and prints the report as text.
        let mut command = lastnim(&["tournament", "run"]);
        command.args(given).env("LASTNIM_ADMIN_TOKEN", &server.admin).arg(&file);
        let (output, text, stderr) = run(command).await;
        assert!(output.status.success(), "{stderr}");
        let mut command = lastnim(&["record", "export", "--dir"]);
        command.arg(folder.join("records")).args(given).env("LASTNIM_ADMIN_TOKEN", &server.admin);
        let (output, _, stderr) = run(command).await;
        assert!(output.status.success(), "{stderr}");
        Self { folder, report, text }
    }

    fn transcript(&self, bot: &str) -> PathBuf {
        self.folder.join("cup.run").join(format!("{bot}.transcript.jsonl"))
    }

    fn games(&self) -> Vec<PlayedGame> {
        let files = fs::read_dir(self.folder.join("records")).unwrap().map(|entry| entry.unwrap().path());
        let read_json = |file: PathBuf| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        files.map(|file| PlayedGame::of_record(&read_json(file))).collect()
    }

    fn lines(&self, bot: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.transcript(bot)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Measures again, from files.
    async fn audit(&self, transcripts: &[&Path], more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = lastnim(&["audit", "models"]);
        command.arg(self.folder.join("records")).args(more);
        for transcript in transcripts {
            command.arg("--transcript").arg(transcript);
        }
        let (output, stdout, stderr) = run(command).await;
        (output.status.code(), stdout, stderr)
    }
}

/// Counts the non-null values of a member.
fn counts_of<'a>(lines: impl IntoIterator<Item = &'a Value>, member: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for value in lines.into_iter().filter_map(|line| line[member].as_str()) {
        *counts.entry(value.to_owned()).or_default() += 1;
    }
    counts
}

fn counts_of_message(list: &Value, member: &str) -> BTreeMap<String, u64> {
    let list = list.as_array().into_iter().flatten();
    list.map(|item| (item[member].as_str().unwrap().to_owned(), number_of(&item["count"]))).collect()
}

fn check_takes<'a>(found: &Value, plies: impl Iterator<Item = &'a PlayedPly>) -> f64 {
    let plies: Vec<_> = plies.collect();
    let count = plies.len() as f64;
    let optimal = plies.iter().filter(|ply| ply.regret() == 0).count();
    let regret: u64 = plies.iter().map(|ply| ply.regret()).sum();
    let random: f64 = plies.iter().map(|ply| ply.random_regret()).sum();
    assert_eq!(
        [&found["plies"], &found["optimal_plies"], &found["regret"]].map(number_of),
        [plies.len() as u64, optimal as u64, regret]
    );
    assert_near(&found["random_regret"], random);
    assert_near(&found["accuracy"]["value"], optimal as f64 / count);
    assert_near(&found["regret_per_ply"]["value"], regret as f64 / count);
    assert_near(&found["saved_per_ply"]["value"], (random - regret as f64) / count);
    assert!((1..=4).contains(&number_of(&found["accuracy"]["too_few_groups"])), "{found}");
    random - regret as f64
}

fn check_questions(found: &Value, decisions: &[&Value]) {
    let decided: Vec<_> = decisions.iter().filter(|line| line["by"] != "withdrawn").copied().collect();
    let answered = decided.iter().filter(|line| line["by"] == "model").count();
    assert_eq!(number_of(&found["asked"]), decisions.len() as u64);
    assert_eq!(number_of(&found["answered"]), answered as u64);
    // Only the model's own faults count against it.
    let own = decided.iter().filter(|line| line["by"] == "model" || line["fault"] == "model").count();
    assert_near(&found["answered_share"], answered as f64 / own as f64);
    assert_eq!(
        counts_of_message(&found["unanswered"], "class"),
        counts_of(decided.iter().copied(), "failure")
    );
    for failure in found["unanswered"].as_array().into_iter().flatten() {
        assert_near(&failure["share"], number_of(&failure["count"]) as f64 / decided.len() as f64);
    }
    let mut policies = counts_of(decided, "by");
    policies.remove("model");
    assert_eq!(counts_of_message(&found["policies"], "policy"), policies);
}

fn check_forecasts(found: &Value, forecasts: &[(f64, bool)]) {
    assert_eq!(number_of(&found["forecasts"]), forecasts.len() as u64);
    let happened = forecasts.iter().filter(|(_, happened)| *happened).count();
    assert_eq!(number_of(&found["happened"]), happened as u64);
    let errors: f64 =
        forecasts.iter().map(|&(said, happened)| (said - f64::from(u8::from(happened))).powi(2)).sum();
    if happened.min(forecasts.len() - happened) < 5 {
        assert!(found["brier_score"].is_null() && found["base_rate_score"].is_null(), "{found}");
    } else {
        assert_near(&found["brier_score"]["value"], errors / forecasts.len() as f64);
        let share = happened as f64 / forecasts.len() as f64;
        assert_near(&found["base_rate_score"], share * (1.0 - share));
    }
    for (tenth, bin) in found["bins"].as_array().unwrap().iter().enumerate() {
        let inside: Vec<_> =
            forecasts.iter().filter(|(said, _)| ((said * 10.0) as usize).min(9) == tenth).collect();
        assert_eq!(number_of(&bin["forecasts"]), inside.len() as u64, "{bin}");
        assert_eq!(
            number_of(&bin["happened"]),
            inside.iter().filter(|(_, happened)| *happened).count() as u64
        );
        if !inside.is_empty() {
            assert_near(&bin["mean"], inside.iter().map(|(said, _)| said).sum::<f64>() / inside.len() as f64);
        }
    }
}

fn check_cost(found: &Value, lines: &[Value], saved: f64) {
    let decisions: Vec<_> = lines.iter().filter(|line| line["event"] == "decision").collect();
    let is_for_take = |line: &Value| !line["ply"].is_null();
    let sums = |wanted: &dyn Fn(&Value) -> bool| {
        let calls = lines.iter().filter(|line| line["event"] == "call" && wanted(line));
        let (tokens, money) = calls.fold((0, 0.0), |(tokens, money), line| {
            (
                tokens + line["cost"]["tokens"].as_u64().unwrap(),
                money + line["cost"]["money"].as_f64().unwrap(),
            )
        });
        let millis: u64 = decisions
            .iter()
            .filter(|line| wanted(line))
            .map(|line| line["elapsed_ms"].as_u64().unwrap())
            .sum();
        [tokens as f64, money, millis as f64 / 1_000.0]
    };
    let check = |found: &Value, expected: [f64; 3]| {
        for (member, expected) in ["tokens", "money", "seconds"].into_iter().zip(expected) {
            assert_near(&found[member], expected);
        }
    };
    let (all, takes) = (sums(&|_| true), sums(&is_for_take));
    check(&found["rows"], sums(&|line| !is_for_take(line)));
    check(&found["takes"], takes);
    check(&found["in_all"], all);
    let mut millis: Vec<u64> = decisions
        .iter()
        .filter(|line| is_for_take(line))
        .map(|line| line["elapsed_ms"].as_u64().unwrap())
        .collect();
    check(&found["per_take"], takes.map(|sum| sum / millis.len() as f64));
    if saved > 0.0 {
        check(&found["per_saved_rank"], all.map(|sum| sum / saved));
    } else {
        assert!(found["per_saved_rank"].is_null(), "{found}");
    }
    millis.sort_unstable();
    let quantile = |share: f64| millis[(share * millis.len() as f64).ceil() as usize - 1] as f64 / 1_000.0;
    assert_near(&found["seconds_per_take"]["p50"], quantile(0.5));
    assert_near(&found["seconds_per_take"]["p95"], quantile(0.95));
}

fn check_model(found: &Value, games: &[PlayedGame], lines: &[Value]) {
    let bot = found["bot"].as_str().unwrap();
    let decisions: Vec<_> = lines.iter().filter(|line| line["event"] == "decision").collect();
    assert_eq!((number_of(&found["matches"]), number_of(&found["configurations"])), (12, 1));
    assert_eq!(found["models"], json!([format!("{bot}-model")]));
    assert_eq!(number_of(&found["answers"]), decisions.len() as u64);
    assert_eq!(found["proved_answers"], found["answers"]);
    let (rows, takes): (Vec<&Value>, Vec<&Value>) = decisions.iter().partition(|line| line["ply"].is_null());
    check_questions(&found["rows"], &rows);
    check_questions(&found["takes"], &takes);
    let calls: Vec<_> = lines.iter().filter(|line| line["event"] == "call").collect();
    let failed = counts_of(calls.iter().copied(), "failure");
    assert_eq!(number_of(&found["calls"]["calls"]), calls.len() as u64);
    assert_eq!(number_of(&found["calls"]["answered"]), calls.len() as u64 - failed.values().sum::<u64>());
    assert_eq!(counts_of_message(&found["calls"]["failed"], "class"), failed);
    let ignored = decisions.iter().flat_map(|line| line["ignored"].as_array().unwrap()).count();
    assert_eq!(number_of(&found["ignored_members"]), ignored as u64);

    let claims = SeatClaims::of_bot(bot, games, lines);
    let saved = check_takes(&found["answered"], claims.iter().flat_map(SeatClaims::own_plies));
    let all = claims
        .iter()
        .flat_map(|claim| claim.game.plies.iter().filter(|ply| ply.is_by_bot && ply.seat == claim.seat));
    check_takes(&found["overall"], all);
    check_cost(&found["cost"], lines, saved);
    let forecasts = |kind| claims.iter().flat_map(|claim| claim.forecasts(kind)).collect::<Vec<_>>();
    check_forecasts(&found["take_forecasts"], &forecasts(QuestionKind::Take));
    check_forecasts(&found["row_forecasts"], &forecasts(QuestionKind::Row));
    check_wants(&found["wants"], &claims);
    check_plans(&found["plans"], &claims);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_agree_with_lines_and_records() {
    let cup = MeasuredCup::play().await;
    let (games, found) = (cup.games(), &cup.report["models"]);
    assert_eq!(games.len(), 12);
    let models = found["models"].as_array().unwrap();
    let names: Vec<_> = models.iter().map(|model| model["bot"].as_str().unwrap()).collect();
    assert_eq!(names, ["m1", "m2"]);
    for model in models {
        check_model(model, &games, &cup.lines(model["bot"].as_str().unwrap()));
    }
    let classes: Vec<_> = models
        .iter()
        .flat_map(|model| counts_of_message(&model["calls"]["failed"], "class").into_keys())
        .collect();
    for class in ["unparsable", "illegal", "server_error"] {
        assert!(classes.iter().any(|other| other == class), "{class} of {classes:?}");
    }
    // The results from files are the same, even if a transcript is given twice.
    let run_folder = cup.folder.join("cup.run");
    let (code, stdout, stderr) = cup.audit(&[&run_folder], &["--json"]).await;
    assert_eq!(code, Some(0), "{stderr}");
    let mut again: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(number_of(&again["records"]["read"]), 12);
    again.as_object_mut().unwrap().remove("records");
    assert_eq!(&again, found);
    let (_, stdout, _) = cup.audit(&[&run_folder, &cup.transcript("m1")], &["--json"]).await;
    let twice: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(twice["models"], found["models"]);
    assert_eq!(
        number_of(&twice["transcripts"]["given_twice"]),
        cup.lines("m1").iter().filter(|line| line["event"] == "decision").count() as u64
    );

    // In the text, rules come before strength.
    for part in [
        "2 models: m1 (m1-model) in 12 matches",
        "too few: 4 groups",
        "of m1's choices that could have led to a win for the first seat of its row",
    ] {
        assert!(cup.text.contains(part), "{part:?} is missing:\n{}", cup.text);
    }
    let place = |heading: &str| {
        cup.text.find(heading).unwrap_or_else(|| panic!("{heading} is missing:\n{}", cup.text))
    };
    assert!(place("Rule adherence") < place("Strength") && place("Strength") < place("Cost"), "{}", cup.text);
    let (_, csv, _) = cup.audit(&[&run_folder], &["--csv"]).await;
    assert!(csv.starts_with("bot,model,kind,asked,withdrawn,answered,share,answers_proved,answers_proved_of\nm1,m1-model,rows,12,0,"), "{csv}");
}

/// Always takes 1, wants seat 1 to win, and says that it plays for seat 0.
fn reply_with_plan(_: usize, call: &Call) -> Reply {
    let is_row = call.last_message().contains("which row do you declare?");
    let answer =
        if is_row { json!({ "row": [0, 2, 1], "wants": 1 }) } else { json!({ "take": 1, "plan": 0 }) };
    completion(&answer.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wishes_and_plans_are_compared_with_takes() {
    let cup = MeasuredCup::play_positions("[3, 3, 3, 3], [4, 4, 4]", reply_with_plan).await;
    let games = cup.games();
    let mut sums = [0; 3];
    for model in cup.report["models"]["models"].as_array().unwrap() {
        let bot = model["bot"].as_str().unwrap();
        let lines = cup.lines(bot);
        let claims = SeatClaims::of_bot(bot, &games, &lines);
        let [kept, broken] = check_plans(&model["plans"], &claims);
        let conflicts = check_wants(&model["wants"], &claims);
        sums = [sums[0] + kept, sums[1] + broken, sums[2] + conflicts];
        let finding = format!("{bot} named the seat that it would play for from then on: ");
        assert!(cup.text.contains(&finding), "{}", cup.text);
    }
    assert!(sums.iter().all(|&sum| sum > 0), "{sums:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unproved_questions_are_excluded_and_named() {
    let cup = MeasuredCup::play().await;
    let written = fs::read_to_string(cup.transcript("m1")).unwrap();
    // Decisions about takes are forged, and not those about rows, so that each counted match still has a question.
    let is_take = |line: &&str| {
        line.contains("\"decision\"") && line.contains("{\"take\":") && line.contains("\"by\":\"model\"")
    };
    let decisions: Vec<_> = written.lines().filter(is_take).collect();
    let (changed, elsewhere) = (decisions[0], decisions[1]);
    let id =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["match_id"].as_str().unwrap().to_owned();
    let other_id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let forged = written
        .replace(changed, &changed.replace("\"win_probability\":", "\"win_probability\":0.99,\"was\":"))
        .replace(elsewhere, &elsewhere.replace(&id(elsewhere), other_id));
    let transcript = fresh_file("forged.jsonl");
    fs::write(&transcript, format!("{forged}no line\n{{\"event\":\"call\",\"run\":\"x\"}}\n")).unwrap();
    let (code, stdout, stderr) = cup.audit(&[&transcript], &["--json"]).await;
    assert_eq!(code, Some(0), "{stderr}");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    let (read, model) = (&found["transcripts"], &found["models"][0]);
    let lines = written.lines().count();
    assert_eq!(number_of(&read["unread_lines"]), 2);
    let place = |line: usize| format!("{}:{line}", transcript.display());
    assert_eq!(read["unread_places"], json!([place(lines + 1), place(lines + 2)]));
    // The decision without calls belongs to an unknown match, and the calls without a decision to an unfinished
    // question.
    assert_eq!(
        ["of_other_matches", "unfinished", "unproved"].map(|member| number_of(&read[member])),
        [1, 1, 1]
    );
    assert_eq!(read["other_matches"], json!([other_id]));
    let example = &read["unproved_examples"][0];
    assert_eq!((&example["match_id"], &example["why"]), (&json!(id(changed)), &json!("changed")));
    let whole = &cup.report["models"]["models"][0];
    assert_eq!(number_of(&model["proved_answers"]) + 2, number_of(&whole["proved_answers"]));
    assert_eq!(model["answers"], whole["answers"]);
    let (_, text, _) = cup.audit(&[&transcript], &[]).await;
    assert!(text.contains("2 lines that cannot be read (") && text.contains("changed"), "{text}");

    let (code, _, stderr) = cup.audit(&[&cup.folder], &[]).await;
    assert!(
        code == Some(2)
            && stderr.contains("this folder has no transcripts: expected files that end in .jsonl"),
        "{stderr}"
    );
    let empty = fresh_file("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let (code, _, stderr) = cup.audit(&[&empty], &[]).await;
    assert!(
        code == Some(1)
            && stderr.contains("none of the records that count belongs to a match in the transcripts"),
        "{stderr}"
    );
    let (code, _, stderr) = cup.audit(&[], &["--csv"]).await;
    assert!(code == Some(2) && stderr.contains("--transcript <FILE|DIR>"), "{stderr}");
}
