//! Benchmark cards as SVG.

use crate::{
    benchmark_card::{card_title, citation, format_figure},
    words::count_with_noun,
};
use lastnim_proto::pb;
use std::fmt::{self, Write as _};

const WIDTH: f64 = 680.0;
const MARGIN: f64 = 24.0;
const ROW_HEIGHT: f64 = 34.0;
/// The start of the axis from 0 to 1, and its length.
const AXIS: (f64, f64) = (110.0, 330.0);
/// The height above the rows.
const HEADER_HEIGHT: f64 = 92.0;
/// The height below the rows.
const FOOTER_HEIGHT: f64 = 76.0;
/// The maximum number of characters in a line of small text.
const MAX_SMALL_CHARACTERS: usize = 100;

const STYLE: &str = "\
text{font:13px 'DejaVu Sans','Liberation Sans',Helvetica,Arial,sans-serif;fill:#1f2328}\
.title{font-size:18px;font-weight:bold}\
.small{font-size:11px;fill:#57606a}\
.middle{text-anchor:middle}\
.axis{stroke:#d0d7de;stroke-width:1}\
.interval{stroke:#0550ae;stroke-width:6;stroke-opacity:0.35}\
.mean{fill:#0550ae}";

/// Draws a card with the loss of each tier and its interval.
pub fn draw_benchmark_card(card: &pb::BenchmarkCard) -> String {
    let mut text = String::new();
    write_card(&mut text, card).expect("writing to a string does not fail");
    text
}

fn write_card(text: &mut String, card: &pb::BenchmarkCard) -> fmt::Result {
    let rows = f64::from(card.tiers.len() as u32) * ROW_HEIGHT;
    let height = HEADER_HEIGHT + rows + FOOTER_HEIGHT;
    writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\">"
    )?;
    writeln!(text, "<title>{}</title>\n<style>{STYLE}</style>", escape_text(&card_title(card)))?;
    writeln!(
        text,
        "<rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>"
    )?;
    write_line(text, "title", 34.0, &shorten(&card_title(card), 60))?;
    let loss = match &card.loss {
        Some(loss) => format!("Loss {}, lower is better", format_figure(loss)),
        None => "Loss by tier, lower is better".to_owned(),
    };
    write_line(text, "", 60.0, &loss)?;
    let (left, length) = AXIS;
    let bottom = HEADER_HEIGHT + rows;
    for (share, label) in [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")] {
        let x = left + share * length;
        writeln!(
            text,
            "<line class=\"axis\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>",
            HEADER_HEIGHT - 8.0
        )?;
        writeln!(
            text,
            "<text class=\"small middle\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
            bottom + 14.0
        )?;
    }
    for (row, tier) in (0_u32..).zip(&card.tiers) {
        write_tier(text, tier, HEADER_HEIGHT + (f64::from(row) + 0.5) * ROW_HEIGHT)?;
    }
    let failures: u32 = card.tiers.iter().flat_map(|tier| &tier.lost_seats).map(|lost| lost.count).sum();
    write_line(text, "small", bottom + 38.0, &shorten(&citation(card), MAX_SMALL_CHARACTERS))?;
    write_line(
        text,
        "small",
        bottom + 56.0,
        &format!("Seats lost: {failures}. The records prove the figures, but not who played."),
    )?;
    writeln!(text, "</svg>")
}

fn write_tier(text: &mut String, tier: &pb::BenchmarkTier, y: f64) -> fmt::Result {
    let (left, length) = AXIS;
    let place = |share: f64| left + share.clamp(0.0, 1.0) * length;
    writeln!(text, "<text x=\"{MARGIN:.0}\" y=\"{:.1}\">tier {}</text>", y + 4.5, tier.tier)?;
    if let Some(loss) = &tier.loss {
        let (low, mean, high) = (place(loss.low), place(loss.value), place(loss.high));
        writeln!(
            text,
            "<line class=\"interval\" x1=\"{low:.1}\" y1=\"{y:.1}\" x2=\"{high:.1}\" y2=\"{y:.1}\"/>"
        )?;
        writeln!(text, "<circle class=\"mean\" cx=\"{mean:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>")?;
        let caption = format!("{}, {}", format_figure(loss), count_with_noun(tier.items, "item", "items"));
        writeln!(text, "<text x=\"{:.1}\" y=\"{:.1}\">{caption}</text>", left + length + 16.0, y + 4.5)?;
    }
    Ok(())
}

fn write_line(text: &mut String, class: &str, y: f64, words: &str) -> fmt::Result {
    writeln!(text, "<text class=\"{class}\" x=\"{MARGIN:.0}\" y=\"{y:.1}\">{}</text>", escape_text(words))
}

/// Cuts text to fit its line.
fn shorten(text: &str, max_characters: usize) -> String {
    if text.chars().count() <= max_characters {
        return text.to_owned();
    }
    text.chars().take(max_characters - 1).chain(['…']).collect()
}

/// Escapes markup; control characters, which XML forbids, become spaces.
fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::benchmark_player::Kind;

    #[test]
    fn names_are_escaped() {
        let name = "<script>alert(1)</script> a&b\u{1}".to_owned();
        let card = pb::BenchmarkCard {
            set: "lastnim-1".to_owned(),
            player: Some(pb::BenchmarkPlayer { kind: Some(Kind::Program(pb::BenchmarkProgram { name })) }),
            tiers: vec![pb::BenchmarkTier {
                tier: 1,
                items: 9,
                loss: Some(pb::LossFigure { value: 0.5, low: 0.25, high: 0.75 }),
                ..Default::default()
            }],
            ..Default::default()
        };
        let svg = draw_benchmark_card(&card);
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"), "{svg}");
        assert!(svg.contains("a&amp;b ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains("cx=\"275.0\"") && svg.contains("x1=\"192.5\""), "{svg}");
    }
}
