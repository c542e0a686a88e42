//! Bots: connection, versions and lost seats.

use super::{
    Cell, Column, FactValue, NumberUnit, Report, Section, Table,
    versions::version_text,
    words::{enum_phrase, join_items},
};
use lastnim_proto::pb;

/// Returns when a bot connected, in microseconds since 1970-01-01 UTC; `None` if it is not connected.
fn connected_since(bot: &pb::Bot) -> Option<u64> {
    bot.connected.then_some(bot.connected_at_us)
}

#[expect(clippy::cast_precision_loss, reason = "a lag is far below 2^53 microseconds")]
fn lag_ms(bot: &pb::Bot) -> Option<f64> {
    bot.lag_us.map(|micros| micros as f64 / 1_000.0)
}

/// Returns the name of the house bot that the server hosts as this bot; `None` if the server does not host it.
fn house_bot(bot: &pb::Bot) -> Option<String> {
    (!bot.house_bot.is_empty()).then(|| bot.house_bot.clone())
}

/// Tabulates bots, a row for each.
pub fn bot_table(bots: &[pb::Bot]) -> Table {
    Table::of_items(bots)
        .column(Column::text("name"), |bot| bot.name.clone())
        .column(Column::text("connected since (UTC)"), |bot| connected_since(bot).map(Cell::Time))
        .column(Column::text("version"), |bot| bot.version.as_ref().map(version_text))
        .column(Column::number("lag (ms)", NumberUnit::Count, 1), lag_ms)
        .column(Column::integer("open matches"), |bot| bot.open_matches)
        .column(Column::text("house bot"), house_bot)
        .column(Column::text("registered (UTC)"), |bot| Cell::Time(bot.registered_at_us))
        .into_table()
}

/// Reports everything about a bot.
pub fn bot_report(shown: &pb::GetBotResponse) -> Report {
    let bot = shown.bot.clone().unwrap_or_default();
    let connected = match connected_since(&bot) {
        Some(since) => FactValue::Since(since),
        None => FactValue::from("no".to_owned()),
    };
    let open = match shown.open_match_ids.len() {
        0 => bot.open_matches.to_string(),
        _ => format!("{}: {}", bot.open_matches, join_items(&shown.open_match_ids, ", ")),
    };
    let pb::BotProfile { team, author, link } = bot.profile.clone().unwrap_or_default();
    let said = |text: String| (!text.is_empty()).then(|| FactValue::from(text));
    let facts = [
        ("name", Some(bot.name.clone().into())),
        ("team", said(team)),
        ("author", said(author)),
        ("link", said(link)),
        ("registered", Some(FactValue::At(bot.registered_at_us))),
        ("house bot", house_bot(&bot).map(FactValue::from)),
        ("connected", Some(connected)),
        ("version", bot.version.as_ref().map(version_text).map(FactValue::from)),
        ("lag", lag_ms(&bot).map(|lag| format!("{lag:.1} ms").into())),
        ("waiting messages", bot.connected.then(|| bot.waiting_messages.to_string().into())),
        ("open matches", Some(open.into())),
    ];
    let facts = facts.into_iter().filter_map(|(label, fact)| Some((label, fact?)));
    let versions = (!shown.versions.is_empty())
        .then(|| Section::with_heading("Versions, newest first").table(version_table(&shown.versions)));
    let lost = (!shown.lost_seats.is_empty())
        .then(|| Section::with_heading("Lost seats, newest first").table(lost_seat_table(&shown.lost_seats)));
    [Section::new().facts(facts)].into_iter().chain(versions).chain(lost).collect()
}

fn version_table(versions: &[pb::SeenVersion]) -> Table {
    let text = |seen: &pb::SeenVersion| seen.version.as_ref().map(version_text);
    Table::of_items(versions)
        .column(Column::text("version"), text)
        .column(Column::text("first seen (UTC)"), |seen| Cell::Time(seen.first_seen_at_us))
        .column(Column::text("last seen (UTC)"), |seen| Cell::Time(seen.last_seen_at_us))
        .into_table()
}

fn lost_seat_table(seats: &[pb::LostSeat]) -> Table {
    let tournament = |lost: &pb::LostSeat| match lost.tournament_id.as_str() {
        "" => Cell::Missing(Some("exhibition".to_owned())),
        id => id.into(),
    };
    Table::of_items(seats)
        .column(Column::text("match"), |lost| lost.match_id.clone())
        .column(Column::integer("seat"), |lost| lost.seat)
        .column(Column::text("reason"), lost_seat_text)
        .column(Column::text("at (UTC)"), |lost| Cell::Time(lost.at_us))
        .column(Column::text("tournament"), tournament)
        .into_table()
}

/// Describes how a seat was lost.
pub fn lost_seat_text(lost: &pb::LostSeat) -> String {
    let reason = enum_phrase(lost.reason().as_str_name(), "FORFEIT_REASON_");
    if lost.reason() != pb::ForfeitReason::Strikes {
        return reason;
    }
    let strikes = lost.strikes().map(|strike| enum_phrase(strike.as_str_name(), "REFUSAL_REASON_"));
    format!("{reason}: {}", join_items(strikes, ", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Block;

    #[test]
    fn a_report_shows_what_is_said_about_a_bot() {
        let labels = |profile: Option<pb::BotProfile>| -> Vec<String> {
            let bot = Some(pb::Bot { name: "ann".into(), profile, ..Default::default() });
            let report = bot_report(&pb::GetBotResponse { bot, ..Default::default() });
            let Block::Facts(facts) = &report.sections[0].blocks[0] else { panic!("{report:?}") };
            facts.iter().map(|(label, _)| label.clone()).collect()
        };
        let profile =
            pb::BotProfile { team: "a".into(), link: "https://a.example".into(), ..Default::default() };
        let shown = labels(Some(profile));
        assert_eq!(shown[..4], ["name", "team", "link", "registered"]);
        assert_eq!(labels(None)[..2], ["name", "registered"]);
    }

    #[test]
    fn a_seat_lost_by_strikes_lists_the_strikes() {
        let mut lost = pb::LostSeat { reason: pb::ForfeitReason::TimedOut.into(), ..Default::default() };
        assert_eq!(lost_seat_text(&lost), "timed out");
        lost.reason = pb::ForfeitReason::Strikes.into();
        lost.strikes =
            [pb::RefusalReason::IllegalTake, pb::RefusalReason::FuturePly].map(Into::into).to_vec();
        assert_eq!(lost_seat_text(&lost), "strikes: illegal take, future ply");
    }
}
