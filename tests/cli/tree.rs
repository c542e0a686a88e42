//! `lastnim oracle tree` and `lastnim oracle solve --explain`, by running the real binary.

use serde_json::{Value, json};
use std::{
    cmp::Ordering,
    env, fs,
    process::{Command, Output},
};

const FIGURE_1: [&str; 4] = ["--piles", "1,2,2", "--matrix", "0 2 1; 0 1 2; 0 2 1"];
const THREE_FOUR_FIVE: [&str; 4] = ["--piles", "3,4,5", "--players", "3"];

fn lastnim(args: &[&[&str]]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastnim")).args(args.concat()).output().unwrap()
}

/// Runs a command that must succeed, and returns its output.
fn printed(args: &[&[&str]]) -> String {
    let output = lastnim(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must be refused, and returns the line that says why.
fn refusal(args: &[&[&str]]) -> String {
    let output = lastnim(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.len(), error.lines().count()),
        (Some(2), 0, 1),
        "{error}"
    );
    error.trim_end().strip_prefix("error: ").unwrap().to_owned()
}

fn tree(args: &[&str], format: &str) -> String {
    printed(&[&["oracle", "tree", "--format", format], args])
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&tree(args, "json")).unwrap()
}

/// Returns the states of a document in the paper's notation.
fn states(document: &Value) -> Vec<String> {
    let nodes = document["nodes"].as_array().unwrap();
    let state = |node: &Value| {
        let mut piles = document["game"]["piles"].as_array().unwrap().clone();
        for (place, pile) in piles.iter_mut().enumerate() {
            match place.cmp(&(node["pile"].as_u64().unwrap() as usize)) {
                Ordering::Less => {}
                Ordering::Equal => *pile = node["counters"].clone(),
                Ordering::Greater => *pile = 0.into(),
            }
        }
        format!("({}, {})", node["to_move"], Value::Array(piles))
    };
    nodes.iter().map(state).collect()
}

#[test]
fn figure_1_is_drawn_as_text() {
    assert_eq!(
        printed(&[&["oracle", "tree"], &FIGURE_1]),
        "\
The tree of all possible play: 14 nodes. Before each state is the take that leads to it, with a star if the take is optimal.

(0, [1,2,2])  seat 2 wins
├─ 1* (1, [1,2,1])  seat 2 wins
│  └─ 1* (2, [1,2,0])  seat 2 wins
│     ├─ 1* (0, [1,1,0])  seat 2 wins
│     │  └─ 1* (1, [1,0,0])  seat 2 wins
│     │     └─ 1* (2, [0,0,0])  seat 2 wins
│     └─ 2 (0, [1,0,0])  seat 1 wins
│        └─ 1* (1, [0,0,0])  seat 1 wins
└─ 2 (1, [1,2,0])  seat 1 wins
   ├─ 1* (2, [1,1,0])  seat 1 wins
   │  └─ 1* (0, [1,0,0])  seat 1 wins
   │     └─ 1* (1, [0,0,0])  seat 1 wins
   └─ 2 (2, [1,0,0])  seat 0 wins
      └─ 1* (0, [0,0,0])  seat 0 wins

Best play takes 1, 1, 1, 1, 1; seat 2 wins.
"
    );
}

#[test]
fn json_names_nodes_by_their_index() {
    let document = json(&FIGURE_1);
    let line = document["line"].as_array().unwrap();
    assert_eq!(line.len(), 5);
    assert_eq!(line[4], json!({"seat": 1, "pile": 0, "counters": 1, "take": 1}));
    assert_eq!((&document["line_is_whole"], &document["form"]), (&json!(true), &json!("tree")));
    let rows = [[0, 2, 1], [0, 1, 2], [0, 2, 1]].map(|offsets| json!({"offsets": offsets}));
    let game =
        json!({"piles": [1, 2, 2], "alliance_matrix": {"rows": rows}, "first": 0, "ending": "to_move_wins"});
    assert_eq!(document["game"], game);
    assert_eq!(
        document["nodes"][0],
        json!({"to_move": 0, "pile": 2, "counters": 2, "winner": 2, "below": null, "below_log2": null})
    );
    assert_eq!(document["edges"][0], json!({"from": 0, "to": 1, "take": 1, "optimal": true}));
    let sizes = |document: &Value| ["nodes", "edges"].map(|key| document[key].as_array().unwrap().len());
    assert_eq!(sizes(&document), [14, 13]);

    let states_once = json(&[&FIGURE_1[..], &["--graph"]].concat());
    let mut states = states(&states_once);
    let nodes = states.len();
    states.sort();
    states.dedup();
    assert_eq!(states.len(), nodes, "a state is drawn once");
    assert!(nodes < 14 && states_once["edges"].as_array().unwrap().len() >= nodes);
    assert_eq!((&states_once["line"], &states_once["form"]), (&document["line"], &json!("graph")));
}

#[test]
fn a_truncated_tree_counts_the_omitted_nodes() {
    let depth_1 = [&THREE_FOUR_FIVE[..], &["--depth", "1"]].concat();
    assert_eq!(
        tree(&depth_1, "text"),
        "\
The tree of all possible play: 6 nodes. Before each state is the take that leads to it, with a star if the take is optimal.

(0, [3,4,5])  seat 1 wins
├─ 1 (1, [3,4,4])  seat 2 wins, nodes below: 583
├─ 2 (1, [3,4,3])  seat 2 wins, nodes below: 291
├─ 3 (1, [3,4,2])  seat 2 wins, nodes below: 145
├─ 4 (1, [3,4,1])  seat 2 wins, nodes below: 72
└─ 5* (1, [3,4,0])  seat 1 wins, nodes below: 71

Best play takes 5, and so on; seat 1 wins.
"
    );
    let document = json(&depth_1);
    assert_eq!(document["nodes"][1]["below"], "583");
    let giant = json(&["--piles", "300,2", "--players", "2", "--depth", "1"]);
    let cut = &giant["nodes"][2];
    assert_eq!((&cut["below"], &cut["below_log2"]), (&json!("about 2^300 (10^90)"), &json!(300.0)));
    let whole = json(&[&THREE_FOUR_FIVE[..], &["--depth", "99"]].concat());
    assert_eq!(whole, json(&THREE_FOUR_FIVE));
}

#[test]
fn a_graph_is_written_state_by_state() {
    assert_eq!(
        tree(&["--piles", "1,2", "--players", "2", "--graph"], "text"),
        "\
The graph of all states: 6 nodes, 5 edges. Before each state is the take that leads to it, with a star if the take is optimal.

(0, [1,2])  seat 0 wins
  1 (1, [1,1])  seat 1 wins
  2* (1, [1,0])  seat 0 wins

(1, [1,1])  seat 1 wins
  1* (0, [1,0])  seat 1 wins

(0, [1,0])  seat 1 wins
  1* (1, [0,0])  seat 1 wins

(1, [1,0])  seat 0 wins
  1* (0, [0,0])  seat 0 wins

(0, [0,0])  seat 0 wins

(1, [0,0])  seat 1 wins

Best play takes 2, 1; seat 0 wins.
"
    );
}

#[test]
fn dot_declares_every_node_once_and_every_edge() {
    for more in [&[][..], &["--graph"], &["--depth", "2"]] {
        let args = [&THREE_FOUR_FIVE[..], more].concat();
        let (document, dot) = (json(&args), tree(&args, "dot"));
        assert!(dot.starts_with("digraph last_nim {\n") && dot.ends_with("\n}\n"), "{dot}");
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
        assert!(dot.lines().all(|line| line.matches('"').count() % 2 == 0), "{dot}");
        for (index, state) in states(&document).iter().enumerate() {
            let declared = format!("  n{index} [label=\"{state}\\nseat ");
            assert_eq!(dot.matches(&declared).count(), 1, "{declared}");
        }
        for edge in document["edges"].as_array().unwrap() {
            let drawn = format!("  n{} -> n{} [label=\"{}\"", edge["from"], edge["to"], edge["take"]);
            assert_eq!(dot.matches(&drawn).count(), 1, "{drawn}");
        }
    }
}

/// Checks that tags are closed in the order in which they were opened, and returns the text between them.
fn texts_of_xml(document: &str) -> Vec<&str> {
    let (mut open, mut texts) = (Vec::new(), Vec::new());
    for part in document.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        assert!(!text.contains('&') && tag.matches('"').count() % 2 == 0, "{part}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
        texts.push(text);
    }
    assert!(open.is_empty(), "left open: {open:?}");
    texts
}

#[test]
fn svg_is_well_formed_and_names_every_node() {
    for more in [&[][..], &["--graph"], &["--depth", "2"]] {
        let args = [&FIGURE_1[..], more].concat();
        let (document, svg) = (json(&args), tree(&args, "svg"));
        let texts = texts_of_xml(&svg);
        let nodes = document["nodes"].as_array().unwrap();
        let named = texts.windows(4).filter(|texts| texts[0].starts_with('(') && texts[3] == texts[0]);
        assert_eq!(named.count(), nodes.len(), "each state appears as a tooltip and in its box");
        for (state, node) in states(&document).iter().zip(nodes) {
            let verdict = format!("seat {} wins", node["winner"]);
            let shown = texts.windows(3).any(|texts| texts[0] == state && texts[2].starts_with(&verdict));
            assert!(shown, "{state} {verdict}");
        }
        let optimal =
            document["edges"].as_array().unwrap().iter().filter(|edge| edge["optimal"] == true).count();
        assert_eq!(svg.matches("<path class=\"take optimal").count(), optimal + 1, "and one in the legend");
        assert_eq!(svg, tree(&args, "svg"), "it is the same picture every time");
    }
}

#[test]
fn a_tree_that_is_too_large_is_refused_with_the_limit() {
    let piles = ["--piles", "9,9,1,6", "--players", "4"];
    assert_eq!(
        refusal(&[&["oracle", "tree"], &piles]),
        "the tree has 4202560 nodes, more than 10000: give --depth 6 (2951 nodes), \
         or --graph (95 nodes and 404 edges), or a higher --max-nodes"
    );
    assert!(
        refusal(&[&["oracle", "tree", "--depth", "7"], &piles]).starts_with("the tree down to depth 7 has ")
    );
    let error = refusal(&[&["oracle", "tree", "--graph", "--max-nodes", "90"], &piles]);
    assert!(
        error.starts_with("the graph of states has 95 nodes and 404 edges, more than 90: give --depth 3 (27 nodes and 42 edges)"),
        "{error}"
    );
    let giant = ["9223372036854775807"; 1024].join(",");
    let error = refusal(&[&["oracle", "tree", "--players", "3", "--piles", &giant]]);
    assert!(
        error.starts_with("the tree has about 2^9444732965739290425345 nodes, more than 10000: "),
        "{error}"
    );
    let error = refusal(&[&["oracle", "tree", "--piles", "400", "--players", "2"]]);
    assert!(
        error.starts_with(
            "the tree has about 2^400 (10^120) nodes, more than 10000: give --depth 1 (401 nodes), "
        ),
        "{error}"
    );
    let error = refusal(&[&[
        "oracle",
        "tree",
        "--graph",
        "--piles",
        "90",
        "--players",
        "3",
        "--format",
        "svg",
        "--max-nodes",
        "20000",
    ]]);
    assert!(error.contains("the picture would have ") && error.contains("--format dot"), "{error}");
    assert_eq!(
        refusal(&[&["oracle", "tree", "--max-nodes", "1"], &piles]).split(": ").nth(1),
        Some(
            "give --depth 0 (1 node), or --graph --depth 0 (1 node and 0 edges), \
              or a higher --max-nodes (the whole graph has 95 nodes and 404 edges)"
        )
    );
    let error = String::from_utf8(lastnim(&[&["oracle", "tree", "--depth", "-1"], &piles]).stderr).unwrap();
    assert!(error.contains("--depth <TAKES>") && error.contains("a whole number of takes, 0 to "), "{error}");
}

#[test]
fn a_graph_can_be_truncated() {
    let args = ["--piles", "300,300", "--players", "3", "--graph", "--depth", "1"];
    let document = json(&args);
    assert_eq!(document["form"], "graph");
    let sizes = ["nodes", "edges"].map(|key| document[key].as_array().unwrap().len());
    assert_eq!(sizes, [301, 300]);
    assert_eq!(document["nodes"][300]["below"], "897", "the states but itself");
    let svg = |depth| tree(&["--piles", "2,2", "--players", "3", "--graph", "--depth", depth], "svg");
    assert!(svg("1").contains("cut off here") && !svg("9").contains("cut off here"));
    assert!(svg("9").contains("<path class=\"take optimal line\""));
}

#[test]
fn output_can_be_written_to_a_file() {
    let path = env::temp_dir().join(format!("lastnim-tree-{}.svg", std::process::id()));
    let name = path.to_str().unwrap();
    assert_eq!(printed(&[&["oracle", "tree", "--format", "svg", "--output", name], &FIGURE_1]), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), tree(&FIGURE_1, "svg"));
    fs::remove_file(&path).unwrap();
}

#[test]
fn a_solution_is_explained() {
    assert_eq!(
        printed(&[&["oracle", "solve", "--explain"], &FIGURE_1]),
        "\
Seat 2 wins under optimal play (value 2), with seat 0 to move.
Optimal takes: 1 (2 counters in the last pile).
Winner by the seat that moves first: 0 -> 2, 1 -> 2, 2 -> 1
Ending: to_move_wins (the seat to move wins when no counter is left).

Outcomes of seat 0's takes:
  take  winner  regret  better for        worse for
  1     seat 2       0  -                 -
  2     seat 1       1  seat 1 by 1 rank  seat 0 by 1 rank, seat 2 by 1 rank

The line of best play, with the smallest optimal take in each turn:
  (0, [1,2,2])  take 1
  (1, [1,2,1])  take 1
  (2, [1,2,0])  take 1
  (0, [1,1,0])  take 1
  (1, [1,0,0])  take 1
  (2, [0,0,0])  seat 2 wins
"
    );
    let text = printed(&[&["oracle", "solve", "--explain", "--json"], &FIGURE_1]);
    let explanation = &serde_json::from_str::<Value>(&text).unwrap()["explanation"];
    let takes = explanation["line"].as_array().unwrap().iter().map(|ply| &ply["take"]);
    assert_eq!(takes.collect::<Vec<_>>(), [1; 5]);
    assert_eq!(explanation["line_is_whole"], true);
    assert_eq!(
        explanation["options"][1],
        json!({"takes": {"lo": 2, "hi": 2}, "winner": 1, "optimal": false, "regret": 1,
               "better_for": [{"seat": 1, "ranks": 1}],
               "worse_for": [{"seat": 0, "ranks": 1}, {"seat": 2, "ranks": 1}]})
    );
    let plain = printed(&[&["oracle", "solve", "--json"], &FIGURE_1]);
    assert!(serde_json::from_str::<Value>(&plain).unwrap().get("explanation").is_none());
}

#[test]
fn an_explanation_of_large_piles_is_short() {
    let piles = ["1000000000000000000"; 100].join(",");
    let text = printed(&[&["oracle", "solve", "--explain", "--players", "3", "--piles", &piles]]);
    assert!(text.contains("\n  1 to ") && text.contains("  and so on until seat "), "{text}");
    assert!(text.lines().count() < 60, "{text}");
    let explained = printed(&[&["oracle", "solve", "--explain", "--players", "3", "--piles", "0"]]);
    assert!(!explained.contains("lead to"), "{explained}");
}
