//! Generates the array of the book's chapters from `docs/SUMMARY.md`.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs").canonicalize()?;
    let summary = docs.join("SUMMARY.md");
    println!("cargo::rerun-if-changed={}", summary.display());
    let (mut part, mut chapters) = (String::new(), "&[".to_owned());
    for line in fs::read_to_string(&summary)?.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            title.clone_into(&mut part);
        } else if let Some(link) = line.strip_prefix("- [") {
            let (title, file) = link.strip_suffix(')').and_then(|link| link.split_once("](")).ok_or(line)?;
            let path = docs.join(file).display().to_string();
            writeln!(
                chapters,
                "Chapter {{ part: {part:?}, title: {title:?}, file: {file:?}, markdown: include_str!({path:?}) }},"
            )?;
        }
    }
    chapters.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("chapters.rs"), chapters)?;
    Ok(())
}
