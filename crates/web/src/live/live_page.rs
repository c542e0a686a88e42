//! The content of a live page, and the messages that bring a tab up to date.

use super::page_parts::PageParts;
use prost::bytes::Bytes;
use serde::Serialize;
use std::collections::BTreeMap;

/// A live page at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LivePage {
    /// How many events it shows; `None` if it does not show events.
    pub event: Option<u64>,
    pub parts: PageParts,
    /// The part to which rows are added, if there is one.
    pub list: Option<LiveList>,
    /// A short sentence about the latest event for screen readers; may be empty.
    pub announcement: String,
}

/// A part of a page to which rows are added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveList {
    /// The id of the element.
    pub id: &'static str,
    /// All its HTML.
    pub whole: String,
    /// Its last rows, each with the number of its event, from 1. If empty, the list is always sent whole.
    pub rows: Vec<(u64, String)>,
}

/// What a tab shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum TabState<'a> {
    /// The page that was sent last.
    Page(&'a LivePage),
    /// A page with this many events.
    After(u64),
    /// Unknown.
    Unknown,
}

/// A message for the page's script.
#[derive(Debug, Default, Serialize)]
struct LiveMessage<'a> {
    /// New HTML by element.
    parts: PageParts,
    /// New rows by element.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    append: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    say: &'a str,
}

impl LivePage {
    /// Returns the last row shown by a tab that has seen this many events; `None` if the tab may have missed rows, or
    /// has seen events that the server has lost since then.
    pub(super) fn last_row_within(&self, events: u64) -> Option<u64> {
        self.event.filter(|&event| events <= event)?;
        let rows = self.list.as_ref()?.rows.iter().map(|(number, _)| *number);
        rows.take_while(|&number| number <= events).last()
    }

    /// Writes the message that updates a tab; `None` if the tab is current.
    pub(super) fn message_since(&self, shown: TabState<'_>) -> Option<Bytes> {
        let mut message = match shown {
            TabState::Page(before) => {
                let parts = self.parts.changed_since(&before.parts);
                let say = if self.announcement == before.announcement { "" } else { &self.announcement };
                LiveMessage { parts, say, ..LiveMessage::default() }
            }
            TabState::After(_) | TabState::Unknown => {
                LiveMessage { parts: self.parts.clone(), ..LiveMessage::default() }
            }
        };
        if let Some(list) = &self.list {
            message.add_list(list, shown);
        }
        let is_here = matches!(shown, TabState::Page(before) if before.event == self.event);
        if is_here && message.parts.is_empty() && message.append.is_empty() {
            return None;
        }
        let json = serde_json::to_string(&message).expect("all JSON keys are strings");
        let id = self.event.map(|event| format!("id: {event}\n")).unwrap_or_default();
        Some(format!("{id}data: {json}\n\n").into())
    }
}

impl LiveMessage<'_> {
    /// Adds the rows that a tab has not seen, or the whole list if more may be missing.
    fn add_list(&mut self, list: &LiveList, shown: TabState<'_>) {
        let (known, was_same) = match shown {
            TabState::Page(before) => (before.event, before.list.as_ref() == Some(list)),
            TabState::After(event) => (Some(event), false),
            TabState::Unknown => (None, false),
        };
        if was_same {
            return;
        }
        let first = list.rows.first().map(|(number, _)| *number);
        match (known, first) {
            (Some(known), Some(first)) if known >= first => {
                let new = list.rows.iter().filter(|(number, _)| *number > known);
                let rows: String = new.map(|(_, row)| row.as_str()).collect();
                if !rows.is_empty() {
                    self.append.insert(list.id, rows);
                }
            }
            _ => self.parts = std::mem::take(&mut self.parts).with(list.id, list.whole.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn live_page_at(event: u64, board: &str, rows: std::ops::RangeInclusive<u64>) -> LivePage {
        let rows: Vec<_> = rows.map(|number| (number, format!("<tr>{number}</tr>"))).collect();
        let whole = rows.iter().map(|(_, row)| row.as_str()).collect();
        LivePage {
            event: Some(event),
            parts: PageParts::default().with("board", board).with("seats", "same"),
            list: Some(LiveList { id: "takes", whole, rows }),
            announcement: String::new(),
        }
    }

    /// Returns the id and the data of a message.
    fn parse_message(page: &LivePage, shown: TabState<'_>) -> Option<(String, Value)> {
        let message = page.message_since(shown)?;
        let text = str::from_utf8(&message).unwrap().strip_suffix("\n\n").unwrap();
        let (id, data) = text.split_once('\n').unwrap();
        Some((id.to_owned(), serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap()))
    }

    #[test]
    fn only_changed_parts_are_sent() {
        let (before, now) = (live_page_at(5, "five", 3..=5), live_page_at(7, "seven", 3..=7));
        assert_eq!(now.message_since(TabState::Page(&now)), None);
        let (id, data) = parse_message(&now, TabState::Page(&before)).unwrap();
        assert_eq!(id, "id: 7");
        assert_eq!(
            data,
            json!({ "parts": { "board": "seven" }, "append": { "takes": "<tr>6</tr><tr>7</tr>" } })
        );
    }

    #[test]
    fn an_announcement_is_sent_once() {
        let page_at = |event, announced: &str| LivePage {
            announcement: announced.to_owned(),
            ..live_page_at(event, "board", 3..=event)
        };
        let announcement = |now: LivePage, before: LivePage| {
            parse_message(&now, TabState::Page(&before)).unwrap().1["say"].as_str().map(str::to_owned)
        };
        assert_eq!(announcement(page_at(6, "new"), page_at(5, "old")).as_deref(), Some("new"));
        assert_eq!(announcement(page_at(6, "old"), page_at(5, "old")), None);
        assert_eq!(parse_message(&page_at(6, "new"), TabState::Unknown).unwrap().1["say"], Value::Null);
    }

    #[test]
    fn a_returning_tab_gets_missing_rows_or_the_whole_list() {
        let now = live_page_at(7, "seven", 3..=7);
        let sent = |shown| parse_message(&now, shown).unwrap().1;
        let (all, whole) = (sent(TabState::Unknown), "<tr>3</tr><tr>4</tr><tr>5</tr><tr>6</tr><tr>7</tr>");
        assert_eq!(all["parts"], json!({ "board": "seven", "seats": "same", "takes": whole }));
        assert_eq!(sent(TabState::After(6))["append"], json!({ "takes": "<tr>7</tr>" }));
        assert_eq!(sent(TabState::After(7))["append"], Value::Null);
        assert_eq!(
            sent(TabState::After(3))["append"]["takes"].as_str().unwrap().len(),
            4 * "<tr>4</tr>".len()
        );
        // This tab may have missed rows before the third.
        assert_eq!(sent(TabState::After(2))["parts"]["takes"], whole);
    }
}
