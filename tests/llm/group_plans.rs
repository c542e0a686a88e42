//! `lastnim tournament plan`: the size and the cost of a tournament, from a pilot.

use super::{
    asking::fresh_file,
    programs::{lastnim, run},
    scripted_endpoint::{ScriptedEndpoint, simplest_answer},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

const GREEDY: &str = "[[bot]]\nname = \"greedy\"\nhouse = \"greedy\"\n";

/// Writes the file of a tournament with these settings and bots.
fn write_plan(folder: &Path, name: &str, settings: &str, bots: &str) -> PathBuf {
    let file = folder.join(name);
    let text = format!(
        "title = \"Plan\"\nclock = \"10m\"\ndeclare_within = \"10m\"\n{settings}\n\
         positions = {{ drawn = {{ count = 12 }} }}\n{bots}"
    );
    fs::write(&file, text).unwrap();
    file
}

async fn plan(file: &Path, words: &[&str]) -> Result<Value, String> {
    let mut command = lastnim(&["tournament", "plan", "--json", "--detect", "0.2"]);
    command.arg(file).args(words);
    let (output, stdout, stderr) = run(command).await;
    if output.status.success() { Ok(serde_json::from_str(&stdout).unwrap()) } else { Err(stderr) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pilot_tells_how_many_groups_are_needed_and_what_they_cost() {
    let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let model = |name: &str| {
        let url = &endpoint.url;
        format!(
            "[[bot]]\nname = \"{name}\"\n[bot.llm]\nmodel = \"{name}\"\nbase_url = \"{url}\"\nprompt_price = 1\ncompletion_price = 10\n"
        )
    };
    let folder = fresh_file("plans");
    fs::create_dir_all(&folder).unwrap();
    let pilot = write_plan(&folder, "pilot.toml", "seats = 2", &format!("{GREEDY}{}", model("m1")));
    let refused = plan(&pilot, &[]).await.unwrap_err();
    assert!(refused.contains("pilot.toml: this pilot has not been played"), "{refused}");
    let mut command = lastnim(&["tournament", "run"]);
    command.arg(&pilot);
    let (output, _, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");

    let found = plan(&pilot, &[]).await.unwrap();
    let pair = &found["pairs"][0];
    assert_eq!((&pair["bots"], &pair["pilot_groups"]), (&json!(["greedy", "m1"]), &json!(12)), "{found}");
    let [variance, needed] = ["variance", "needed"].map(|key| {
        let place = if key == "variance" { pair } else { &pair["plan"] };
        place[key].as_f64().unwrap()
    });
    let expected = (1.959_964_f64 + 0.841_621).powi(2) * variance / 0.04 + 1.959_964_f64.powi(2) / 2.0;
    assert!((needed - expected.ceil()).abs() < 0.5, "{found}");
    let number = |value: &Value| value.as_u64().unwrap();
    let cautious = number(&pair["plan"]["cautious"]);
    assert!(cautious as f64 > needed, "{found}");
    let sizes = |found: &Value| {
        let planned = &found["pairs"][0]["plan"];
        [&planned["groups"], &planned["matches"], &planned["cost"]["tokens"]].map(number)
    };
    // Every call costs 120 tokens, including the one that only tries the endpoint. All 24 matches are of m1.
    let spent = 120 * (endpoint.calls().len() as u64 + 1);
    assert_eq!(sizes(&found), [cautious, 2 * cautious, spent * 2 * cautious / 24], "{found}");

    // Three bots play in three pairs, and the pilot shows the cost of one of two models.
    let bots = format!("{GREEDY}{}{}", model("m1"), model("m2"));
    let larger = write_plan(&folder, "cup.toml", "seats = 2", &bots);
    let flags = ["--pilot", pilot.to_str().unwrap()];
    let found = plan(&larger, &flags).await.unwrap();
    assert_eq!(found["models_without_cost"], json!(["m2"]), "{found}");
    assert_eq!(sizes(&found), [3 * cautious, 6 * cautious, spent * 4 * cautious / 24], "{found}");
    let by_regret = plan(&larger, &[&flags[..], &["--measure", "regret"]].concat()).await.unwrap();
    assert_ne!(by_regret["pairs"][0]["variance"], found["pairs"][0]["variance"], "{by_regret}");
    let mut command = lastnim(&["tournament", "plan", "--detect", "0.2"]);
    command.arg(&larger).args(flags);
    let (_, stdout, _) = run(command).await;
    assert!(stdout.contains("The pilot does not show the cost of m2"), "{stdout}");

    let threes = write_plan(&folder, "threes.toml", "seats = 3", &bots);
    let refused = plan(&threes, &flags).await.unwrap_err();
    assert!(refused.contains("pilot.toml: seats: 2 in the pilot, but 3 in the plan"), "{refused}");
    // In a gauntlet each other bot plays half as often as the first, which is the only one of the pilot with a model.
    let others = format!("{GREEDY}{}[[bot]]\nname = \"timid\"\nhouse = \"timid\"\n", model("m1"));
    let gauntlet = "seats = 2\nformat = { kind = \"gauntlet\", bot = \"greedy\" }";
    let gauntlet = write_plan(&folder, "gauntlet.toml", gauntlet, &others);
    let found = plan(&gauntlet, &flags).await.unwrap();
    assert_eq!(sizes(&found), [2 * cautious, 4 * cautious, spent * 2 * cautious / 24], "{found}");
    let hosted = "seats = 2\nformat = { kind = \"gauntlet\", bot = \"m1\" }";
    let hosted = write_plan(&folder, "hosted.toml", hosted, &others);
    let found = plan(&hosted, &flags).await.unwrap();
    assert_eq!(sizes(&found), [2 * cautious, 4 * cautious, spent * 4 * cautious / 24], "{found}");
    let foreign = "seats = 2\nformat = { kind = \"gauntlet\", bot = \"timid\" }";
    let foreign = write_plan(&folder, "foreign.toml", foreign, &others);
    let refused = plan(&foreign, &flags).await.unwrap_err();
    assert!(refused.contains("no two bots of the pilot"), "{refused}");
    for (kind, why) in [
        ("kind = \"swiss\", rounds = 2", "swiss: earlier results decide which bots meet"),
        (
            "kind = \"sprt\", candidate = \"greedy\", baseline = \"m1\", effect_some = 0.2, groups = 40",
            "sprt: it plays until the answer is known",
        ),
    ] {
        let settings = format!("seats = 2\nformat = {{ {kind} }}");
        let file = write_plan(&folder, "other.toml", &settings, &format!("{GREEDY}{}", model("m1")));
        let refused = plan(&file, &flags).await.unwrap_err();
        assert!(refused.contains(&format!("other.toml: format.kind: {why}")), "{refused}");
        assert!(refused.contains("expected round-robin or gauntlet"), "{refused}");
    }
    for (detect, why) in [
        ("0", "expected a number above 0"),
        ("-1", "expected a number above 0"),
        ("1.5", "expected a number above 0 and up to 1, such as 0.1"),
    ] {
        let mut command = lastnim(&["tournament", "plan", "--detect", detect]);
        command.arg(&larger);
        let (_, _, refused) = run(command).await;
        assert!(refused.contains(why), "{detect}: {refused}");
    }
    let refused = plan(&larger, &["--pilot", "nowhere.toml"]).await.unwrap_err();
    assert!(refused.contains("--pilot nowhere.toml: there is no such file"), "{refused}");
}
