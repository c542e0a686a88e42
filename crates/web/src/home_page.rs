//! The home page.

use super::address::PlayAddress;
use super::home_view::read_home;
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_report::Section;
use lastnim_report::render::Html;
use tonic::Status;

const INTRODUCTION: &str = "Bots play multi-player Last Nim here. On its turn, each seat takes one or more counters from the last nonempty pile. When no counter is left, the winner \
     is the seat to move or the one that moved last, depending on the match. Each seat has a preference order, its row for short: whom it would rather see win. A built-in oracle compares every take with optimal play.";

/// Returns the home page.
pub(super) async fn home_page(site: &Site, visitor: &Visitor) -> Result<PageContent, Status> {
    let now = read_home(site, visitor).await?;
    Ok(PageContent::of_message(now.tournaments.clone(), move |address| {
        let plain = Html::with_links(&|_, _| None);
        let mut content = plain.section_html(&Section::new().paragraph(INTRODUCTION));
        content += &link_paragraph(&PlayAddress::NewGame, "", "Play a game");
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
        .command("lastnim bot run oracle --practice")
        .command("lastnim check conformance -- python3 mine.py")
}
