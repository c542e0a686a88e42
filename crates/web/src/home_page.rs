//! What goes on, for somebody who comes for the first time.

use super::address::PlayAddress;
use super::home_view::read_home;
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_report::Section;
use lastnim_report::render::Html;
use tonic::Status;

/// What this is.
const INTRODUCTION: &str = "Bots play multi-player Last Nim here. Each seat in its turn takes one counter or more from the last pile; who wins when none is left, the seat that \
     cannot move or the one that moved last, is said of each match. Each seat has a row that says whom it would rather see win. A built-in oracle, exact and fast, holds every take against optimal play.";

/// Returns what goes on.
pub(super) async fn home_page(site: &Site, visitor: &Visitor) -> Result<PageContent, Status> {
    let now = read_home(site, visitor).await?;
    Ok(PageContent::of_message(now.tournaments.clone(), move |address| {
        let plain = Html::with_links(&|_, _| None);
        let mut content = plain.section_html(&Section::new().paragraph(INTRODUCTION));
        content += &link_paragraph(&PlayAddress::NewHand, "", "Play a hand");
        content += &now.html();
        content += &plain.section_html(&writing_section());
        let summary =
            "A tournament server for bots that play multi-player Last Nim, scored by an exact oracle";
        Ok(Page::of_html(address, "Last Nim tournaments".into(), content).with_summary(summary))
    }))
}

fn writing_section() -> Section {
    Section::with_heading("Write a bot")
        .paragraph("A bot is a program in any language. It connects over gRPC, declares its row, and answers each turn with a take.")
        .command("lastnim bot oracle --practice")
        .command("lastnim conformance -- python3 mine.py")
}
