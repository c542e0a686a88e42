//! Removes from output everything that differs from run to run.

use regex::{Captures, Regex, RegexBuilder};
use std::{collections::HashMap, sync::LazyLock};

/// The public key of every server here, which is the same in every run.
pub const PUBLIC_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

/// Patterns and their replacements. In a table, a replacement has the same width as the original.
static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"lastnim_[A-Za-z0-9_-]{20,}", "lastnim_TOKEN"),
        (r"\b[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}\b", "ENTRY-CODE"),
        (r"[A-Za-z0-9+/]{86}==", "SIGNATURE"),
        (r"\b[0-9a-f]{32}\b", "DATABASE"),
        (r"\bprocess [0-9]+", "process PID"),
        // A record leaves them out if they are 0, which is possible.
        (r#","(charged|lag)_us":"[0-9]+""#, ""),
        (r#""([a-z_]*_us)":( ?"?)[0-9]+"#, r#""$1":${2}0"#),
        (r"\b(charged_us|lag_us) [0-9]+", "$1 0"),
        (r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ])[0-9]{2}:[0-9]{2}:[0-9]{2}", "2000-01-01${1}00:00:00"),
        (r"00:00:00\.[0-9]{6}", "00:00:00.000000"),
        (r"(?m)^ *[0-9]+\.[0-9]{3} s  ", "   0.000 s  "),
        (r"\bin [0-9]+ ms\b", "in 0 ms"),
        (r"127\.0\.0\.1:[0-9]{2,5}", "127.0.0.1:PORT"),
    ];
    patterns.into_iter().map(|(pattern, shown)| (ascii_regex(pattern), shown)).collect()
});
/// A hash or a key, and the spaces after it in a table.
static HASH: LazyLock<Regex> = LazyLock::new(|| ascii_regex("([A-Za-z0-9+/]{43}=)(  )?"));
static ID: LazyLock<Regex> = LazyLock::new(|| ascii_regex(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"));

/// Compiles a pattern with ASCII word characters.
fn ascii_regex(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).unicode(false).build().unwrap()
}

/// The ids found so far, numbered in order of appearance.
#[derive(Debug, Default)]
pub struct SeenIds(HashMap<String, usize>);

impl SeenIds {
    /// Replaces random and measured values. An id becomes its number, padded to the same length, so equal ids remain
    /// recognisable.
    pub fn stable(&mut self, text: &str) -> String {
        let mut text = without_times(text);
        for (pattern, shown) in &*PATTERNS {
            text = pattern.replace_all(&text, *shown).into_owned();
        }
        let text = HASH.replace_all(&text, |found: &Captures| match (&found[1], found.get(2)) {
            (PUBLIC_KEY, _) => found[0].to_owned(),
            (_, None) => "HASH".to_owned(),
            (_, Some(_)) => format!("{:46}", "HASH"),
        });
        let number_id = |id: &Captures| {
            let next = self.0.len() + 1;
            let number = *self.0.entry(id[0].to_owned()).or_insert(next);
            format!("00000000-0000-0000-0000-{number:012}")
        };
        ID.replace_all(&text, number_id).into_owned()
    }
}

/// Replaces the version of the program, since a new version is not a change in behaviour.
pub fn without_version(text: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    text.replace(&format!("lastnim {version}"), "lastnim VERSION")
        .replace(&format!("\"server_version\":\"{version}\""), "\"server_version\":\"VERSION\"")
}

/// Replaces the values of the columns of CSV whose names end in `_us`.
fn without_times(text: &str) -> String {
    let mut times: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.contains("_id,") {
            times = (0..)
                .zip(line.split(','))
                .filter(|(_, name)| name.ends_with("_us"))
                .map(|(at, _)| at)
                .collect();
        } else if !times.is_empty() && line.contains(',') {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let row = reader.records().next().unwrap().unwrap();
            let mut writer = csv::Writer::from_writer(Vec::new());
            let cells = row.iter().enumerate();
            writer
                .write_record(cells.map(|(at, cell)| if times.contains(&at) { "0" } else { cell }))
                .unwrap();
            lines.push(String::from_utf8(writer.into_inner().unwrap()).unwrap().trim_end().to_owned());
            continue;
        }
        lines.push(line.to_owned());
    }
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn variable_output_is_replaced() {
    let mut ids = SeenIds::default();
    let (one, other) = ("01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058");
    let text = format!(
        "{one} {other} {one}: took 2, in 17 ms, at 127.0.0.1:40123\n\
         {{\"at_us\":\"1700\",\"took\":{{\"take\":\"2\",\"charged_us\":\"5\",\"lag_us\":\"1\"}}}}\n\
         match_id,at_us,take,lag_us\n{one},17,2,0\n"
    );
    let expected = "00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-000000000002 \
         00000000-0000-0000-0000-000000000001: took 2, in 0 ms, at 127.0.0.1:PORT\n\
         {\"at_us\":\"0\",\"took\":{\"take\":\"2\"}}\n\
         match_id,at_us,take,lag_us\n00000000-0000-0000-0000-000000000001,0,2,0\n";
    assert_eq!(ids.stable(&text), expected);
    assert_eq!(ids.stable(other), "00000000-0000-0000-0000-000000000002\n");
}
