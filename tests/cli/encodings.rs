//! Files that other editors saved: with a byte order mark, or as UTF-16.

use super::record_fixture::{FROZEN_KEY, Folder, frozen, offline};

#[test]
fn a_byte_order_mark_is_ignored() {
    let folder = Folder::new("byte-order-marks");
    let marked = |name: &str, text: &str| folder.write(name, &format!("\u{feff}{text}"));
    let cup = "title = \"Spring\"\nseats = 2\npositions = { list = [[3]] }\n\
               [[bot]]\nname = \"a\"\nhouse = \"random\"\n[[bot]]\nname = \"b\"\nhouse = \"oracle\"\n";
    let cup = marked("cup.toml", cup);
    let record = marked("record.json", &frozen("record.json"));
    let manifest = marked("cup.manifest", &frozen("tournament.manifest"));
    let game = "{\"piles\":[2],\"alliance_matrix\":[[0,1],[1,0]],\"first\":0,\"takes\":[2]}";
    let game = marked("game.json", game);
    let settings = marked("serve.toml", "listen = \"127.0.0.1:0\"\n");
    for words in [
        &["tournament", "check", &cup][..],
        &["record", "verify", "--key", FROZEN_KEY, &record],
        &["record", "replay", &record],
        &["record", "verify", &manifest],
        &["audit", "match", &game],
        &["audit", "match", "--batch", &game],
        &["serve", "--config", &settings, "--print-config"],
    ] {
        let (code, output, errors) = offline(words, "");
        assert_eq!(code, 0, "{words:?}: {output}{errors}");
    }
}

#[test]
fn files_in_utf_16_are_refused_with_a_clear_error() {
    let folder = Folder::new("utf-16");
    let path = folder.path("text");
    let text: Vec<u8> = "\u{feff}title = \"x\"".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&path, text).unwrap();
    for words in [
        &["tournament", "check", &path][..],
        &["record", "verify", &path],
        &["record", "replay", &path],
        &["audit", "match", &path],
        &["serve", "--config", &path],
        &["record", "standings", "--settings", &path, &path],
        &["tournament", "list", "--token-file", &path],
        &["tournament", "list", "--server", "https://localhost:1", "--ca", &path],
    ] {
        let (code, output, errors) = offline(words, "");
        let all_output = output + &errors;
        assert!(
            code != 0 && all_output.contains("the text is UTF-16: save it as UTF-8"),
            "{words:?}: {all_output}"
        );
    }
}
