//! Who was in a tournament when, on the wire.

use super::{Field, Violations, pb};
use crate::game::BotName;
use crate::tournament::{FieldChange, Movement};

impl From<Movement> for pb::FieldMovement {
    fn from(movement: Movement) -> Self {
        match movement {
            Movement::Enters => Self::Enters,
            Movement::Leaves => Self::Leaves,
        }
    }
}

impl From<&FieldChange> for pb::FieldChange {
    fn from(change: &FieldChange) -> Self {
        let movement = pb::FieldMovement::from(change.movement).into();
        Self { round: change.round, bot: change.bot.to_string(), movement }
    }
}

/// Reads the bots with which a tournament started, and what changed while it ran.
pub fn parse_field_history(
    given: &pb::FieldHistory,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<(Vec<BotName>, Vec<FieldChange>)> {
    let (at_start, at_changes) = (field.member("start"), field.member("changes"));
    let start: Vec<_> =
        given.start.iter().map(|bot| violations.keep(at_start, bot.parse::<BotName>())).collect();
    let mut changes = Vec::new();
    for change in &given.changes {
        let bot = violations.keep(at_changes, change.bot.parse());
        let movement = match violations.known(at_changes, change.movement) {
            Some(pb::FieldMovement::Enters) => Some(Movement::Enters),
            Some(pb::FieldMovement::Leaves) => Some(Movement::Leaves),
            Some(pb::FieldMovement::Unspecified) => {
                violations.report(at_changes, "a change without a movement");
                None
            }
            None => None,
        };
        changes.push(bot.zip(movement).map(|(bot, movement)| FieldChange {
            round: change.round,
            bot,
            movement,
        }));
    }
    let start = start.into_iter().collect::<Option<_>>();
    start.zip(changes.into_iter().collect::<Option<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_comes_back_and_what_is_none_is_named() {
        let bot = |name: &str| name.parse::<BotName>().unwrap();
        let changes = [(1, "c", Movement::Enters), (7, "a", Movement::Leaves)]
            .map(|(round, name, movement)| FieldChange { round, bot: bot(name), movement });
        let mut written = pb::FieldHistory {
            start: vec!["a".into(), "b".into()],
            changes: changes.iter().map(Into::into).collect(),
        };
        let read = |written: &pb::FieldHistory| {
            let mut violations = Violations::default();
            let read = parse_field_history(written, Field::root("history"), &mut violations);
            violations.finish(read).map_err(|violations| violations.to_string())
        };
        assert_eq!(read(&written), Ok((vec![bot("a"), bot("b")], changes.to_vec())));
        written.changes[0].movement = 0;
        assert_eq!(read(&written), Err("history.changes: a change without a movement".to_owned()));
        written.start[1] = "B!".into();
        assert!(read(&written).unwrap_err().starts_with("history.start: "));
    }
}
