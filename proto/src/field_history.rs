//! Converts the history of a tournament's field to and from messages.

use super::{RequestField, pb};
use lastnim_core::game::BotName;
use lastnim_tournament::FieldChange;

impl From<&FieldChange> for pb::FieldChange {
    fn from(change: &FieldChange) -> Self {
        let movement = pb::FieldMovement::from(change.movement).into();
        Self { round: change.round, bot: change.bot.to_string(), movement }
    }
}

/// Reads the history of a field. Returns the bots at the start, and the changes while the tournament ran.
pub fn parse_field_history(
    given: &pb::FieldHistory,
    field: RequestField<'_>,
) -> Option<(Vec<BotName>, Vec<FieldChange>)> {
    let (at_start, at_changes) = (field.member("start"), field.member("changes"));
    let start = at_start.parse_each(&given.start, |bot, _| at_start.ok_or_report(bot.parse()));
    let changes = at_changes.parse_each(&given.changes, |change, _| parse_field_change(change, at_changes));
    start.zip(changes)
}

/// Reads a change to the field, in which a bot entered or left the tournament.
pub fn parse_field_change(given: &pb::FieldChange, field: RequestField<'_>) -> Option<FieldChange> {
    let bot = field.ok_or_report(given.bot.parse());
    let movement = field.required_enum(given.movement, "missing");
    Some(FieldChange { round: given.round, bot: bot?, movement: movement? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_request;
    use lastnim_tournament::FieldMovement;

    #[test]
    fn history_reads_back_and_mistakes_are_named() {
        let bot = |name: &str| name.parse::<BotName>().unwrap();
        let changes = [(1, "c", FieldMovement::Enters), (7, "a", FieldMovement::Leaves)]
            .map(|(round, name, movement)| FieldChange { round, bot: bot(name), movement });
        let mut written = pb::FieldHistory {
            start: vec!["a".into(), "b".into()],
            changes: changes.iter().map(Into::into).collect(),
        };
        let parse = |written: &pb::FieldHistory| {
            let parsed = parse_request(|request| parse_field_history(written, request.member("history")));
            parsed.map_err(|violations| violations.to_string())
        };
        assert_eq!(parse(&written), Ok((vec![bot("a"), bot("b")], changes.to_vec())));
        written.changes[0].movement = 0;
        assert_eq!(parse(&written), Err("history.changes: missing".to_owned()));
        written.start[1] = "B!".into();
        assert!(parse(&written).unwrap_err().starts_with("history.start: "));
    }
}
