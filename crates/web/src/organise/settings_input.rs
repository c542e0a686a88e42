//! The settings of a tournament as they were typed.

use super::setting_fields::{DEALT_ORDERS, FORMAT, FieldGroup, FormField, POSITION_SOURCE};
use crate::forms::FormFields;
use crate::typed_piles::read_piles;
use crate::typed_wants::{
    GIVEN_OPTION, WANTS_MISSING, WANTS_UNUSED, read_strict_order, read_wants, typed_lines, typed_orders,
};
use lastnim_core::game::SeatCount;
use lastnim_proto::pb;
use lastnim_proto::tournament_settings::{
    SectionCondition, SettingsJsonDraft, TournamentSetting, ValueKind, all_settings,
};
use std::collections::BTreeMap;
use tonic::Status;
use tonic_types::StatusExt as _;

/// The field with what each seat wants.
const GIVEN_WANTS: &str = "alliance_matrix.rows";

/// The value and the errors of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingsInput {
    values: BTreeMap<&'static str, String>,
    mistakes: BTreeMap<&'static str, String>,
    /// Errors that belong to no field.
    pub other_mistakes: Vec<String>,
}

impl SettingsInput {
    /// Returns the initial form.
    pub(super) fn initial() -> Self {
        Self::of_values(FormField::initial_value)
    }

    /// Reads a form.
    pub(super) fn of_form(fields: &FormFields) -> Self {
        Self::of_values(|field| fields.value(field.name()).to_owned())
    }

    fn of_values(value: impl Fn(FormField) -> String) -> Self {
        let values = FormField::all().map(|field| (field.name(), value(field))).collect();
        Self { values, mistakes: BTreeMap::new(), other_mistakes: Vec::new() }
    }

    /// Returns the value of a field.
    pub(super) fn value(&self, name: &str) -> &str {
        self.values.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the error of a field; empty if it is valid.
    pub(super) fn mistake(&self, name: &str) -> &str {
        self.mistakes.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the number of errors.
    pub(super) fn mistake_count(&self) -> usize {
        self.mistakes.len() + self.other_mistakes.len()
    }

    /// Returns the message, or `None` after noting the errors. The service checks whether the settings are consistent.
    pub(super) fn read(&mut self) -> Option<pb::TournamentSettings> {
        let mut draft = SettingsJsonDraft::default();
        let (format, source) = (self.value(FORMAT).to_owned(), self.value(POSITION_SOURCE).to_owned());
        for group in FieldGroup::all().iter().filter(|group| group.applies_to(&format, &source)) {
            for &field in &group.fields {
                self.read_field(field, &mut draft);
            }
        }
        if self.value("alliance") == GIVEN_OPTION.0 && self.value(GIVEN_WANTS).trim().is_empty() {
            self.mistakes.entry(GIVEN_WANTS).or_insert_with(|| WANTS_MISSING.to_owned());
        }
        if let Some(flag) =
            all_settings().find(|setting| setting.field == source && setting.kind == ValueKind::Flag)
        {
            draft.set_value(flag, &true.into());
        }
        for needed in [format, source].iter().filter_map(|table| draft.first_missing(table)) {
            self.mistakes.entry(needed.field).or_insert_with(|| "required".to_owned());
        }
        if !self.mistakes.is_empty() {
            return None;
        }
        draft.finish().map_err(|error| self.other_mistakes.push(error.to_string())).ok()
    }

    /// Reads a field, or notes its error.
    fn read_field(&mut self, field: FormField, draft: &mut SettingsJsonDraft) {
        let typed = self.value(field.name()).trim().to_owned();
        match field {
            FormField::PositionSource => {
                let words: Vec<_> = field.choices().into_iter().map(|(word, _)| word).collect();
                if !words.contains(&typed) {
                    self.note_mistake(field, &format!("{typed:?}: expected one of {}", words.join(", ")));
                }
            }
            FormField::Setting(setting) if typed.is_empty() && can_be_empty(setting) => {}
            FormField::Setting(setting) if setting.kind == ValueKind::Matrix => {
                match self.read_wants(setting, self.value(field.name())) {
                    Ok(rows) => drop(draft.set_value(setting, &rows.into())),
                    Err(mistake) => self.note_mistake(field, &mistake),
                }
            }
            FormField::Setting(setting) => {
                let mut texts = vec![typed.as_str()];
                if setting.kind == ValueKind::Positions {
                    let lines: Vec<_> = typed_lines(self.value(field.name())).collect();
                    let mistake = |(line, piles): &(usize, &str)| {
                        read_piles(piles).err().map(|why| format!("line {line}: {why}"))
                    };
                    if let Some(mistake) = lines.iter().find_map(mistake) {
                        return self.note_mistake(field, &mistake);
                    }
                    texts = lines.into_iter().map(|(_, piles)| piles).collect();
                }
                for wrong in draft.set_value(setting, &setting.value_of_texts(&texts)) {
                    self.note_mistake(field, &wrong.description);
                }
            }
        }
    }

    /// Parses the orders of a field into rows of offsets.
    ///
    /// # Errors
    /// If an order is invalid, or the number of seats, on which the orders depend.
    fn read_wants(&self, setting: &TournamentSetting, typed: &str) -> Result<Vec<Vec<u64>>, String> {
        let seats = self.value("seats").trim();
        let count = seats.parse().ok().and_then(|seats| SeatCount::new(seats).ok());
        let seats = count.ok_or_else(|| format!("these orders need 2 to 32 seats, not {seats:?}"))?;
        if setting.field == DEALT_ORDERS {
            let order = |(line, order)| {
                read_strict_order(order, 0, seats).map_err(|why| format!("line {line}: {why}"))
            };
            return typed_orders(typed).map(order).collect();
        }
        match self.value("alliance") {
            "" | "given" => read_wants(typed, Some(seats)),
            _ => Err(WANTS_UNUSED.to_owned()),
        }
    }

    fn note_mistake(&mut self, field: FormField, text: &str) {
        let mistake = self.mistakes.entry(field.name()).or_default();
        if !mistake.is_empty() {
            mistake.push_str("; ");
        }
        mistake.push_str(text);
    }

    /// Assigns the errors of the service to fields.
    pub(super) fn note_refusal(&mut self, status: &Status) {
        let request = status.get_details_bad_request();
        let violations = request.map(|request| request.field_violations).unwrap_or_default();
        if violations.is_empty() {
            self.other_mistakes.push(status.message().to_owned());
        }
        for violation in violations {
            let path = violation.field.trim_start_matches("settings.");
            match find_field(path) {
                Some(field) => {
                    let range = self.refused_time_text(field);
                    self.note_mistake(field, &range.unwrap_or(violation.description));
                }
                None => self.other_mistakes.push(format!("{path}: {}", violation.description)),
            }
        }
    }

    /// Says which times are valid, if the field is a time.
    fn refused_time_text(&self, field: FormField) -> Option<String> {
        match field {
            FormField::Setting(setting) if matches!(setting.kind, ValueKind::Clock | ValueKind::Duration) => {
                Some(out_of_range_text(setting, self.value(setting.field)))
            }
            _ => None,
        }
    }
}

impl FieldGroup {
    fn applies_to(&self, format: &str, source: &str) -> bool {
        match self.condition {
            SectionCondition::Always | SectionCondition::RarelyChanged => true,
            SectionCondition::Format(own) => own.name == format,
            SectionCondition::PositionSource(own) => own == source,
        }
    }
}

/// Says which times are valid where the service refuses a typed one.
pub(super) fn out_of_range_text(setting: &TournamentSetting, typed: &str) -> String {
    format!("{:?}: expected {}", typed.trim(), setting.range)
}

/// Returns whether a field may be empty. An empty title is an error.
fn can_be_empty(setting: &TournamentSetting) -> bool {
    !matches!(setting.kind, ValueKind::Text | ValueKind::Format)
}

/// Returns the field for a path in the message: the one with the longest matching prefix, or else the first field of
/// the same submessage.
fn find_field(path: &str) -> Option<FormField> {
    let begins = |field: &FormField| {
        path.strip_prefix(field.name()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let message = path.split(['.', '[']).next().unwrap_or_default();
    let belongs_to_message =
        |field: &FormField| field.name().split_once('.').is_some_and(|(table, _)| table == message);
    let longest = FormField::all().filter(begins).max_by_key(|field| field.name().len());
    longest.or_else(|| FormField::all().find(belongs_to_message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed_input(changes: &[(&'static str, &str)]) -> SettingsInput {
        let mut typed = SettingsInput::initial();
        typed.values.extend(changes.iter().map(|&(name, value)| (name, value.to_owned())));
        typed
    }

    #[test]
    fn typed_fields_become_the_message() {
        let changes = [
            ("title", " Spring "),
            ("positions", "3 4 5\n\n2,2\r\n"),
            ("format", "swiss"),
            ("swiss.rounds", "7"),
            ("ending", "last_mover_wins"),
            // It belongs to another format, so it is ignored.
            ("sprt.alpha", "nonsense"),
        ];
        let settings = typed_input(&changes).read().unwrap();
        assert_eq!((settings.title.as_str(), settings.seats), ("Spring", 3));
        assert_eq!(settings.positions[1].counters, [2, 2]);
        assert_eq!(settings.ending(), pb::Ending::LastMoverWins);
        let swiss = pb::SwissFormat { rounds: 7, table_groups: 1 };
        assert_eq!(settings.format, Some(pb::tournament_settings::Format::Swiss(swiss)));
        let paper = typed_input(&[("position_source", "paper_positions")]).read().unwrap();
        assert!(paper.positions.is_empty() && paper.other_positions.is_some());
        let given = typed_input(&[("alliance", "given"), ("alliance_matrix.rows", "1>2>3\n3>2>1\n2>1>3")]);
        assert_eq!(given.clone().read().unwrap().alliance_matrix.unwrap().rows[1].offsets, [1, 0, 2]);
    }

    #[test]
    fn seats_talk_if_a_field_of_the_talk_is_filled_in() {
        assert_eq!(typed_input(&[]).read().unwrap().talk, None);
        let talk =
            typed_input(&[("talk.rounds", "2"), ("talk.privacy", "open")]).read().unwrap().talk.unwrap();
        assert_eq!((talk.rounds, talk.privacy()), (2, pb::TalkPrivacy::Open));
        let mut refused = typed_input(&[("talk.rounds", "2")]);
        let mut details = tonic_types::ErrorDetails::new();
        details.add_bad_request_violation("settings.talk", "seats do not declare rows");
        refused.note_refusal(&Status::with_error_details(tonic::Code::InvalidArgument, "refused", details));
        assert_eq!(refused.mistake("talk.rounds"), "seats do not declare rows");
    }

    #[test]
    fn errors_in_wants_and_times_count_from_1_and_have_units() {
        for (changes, field, why) in [
            (
                &[("alliance_matrix.rows", "1>2>3\n2>3>4\n3>1>2")][..],
                "alliance_matrix.rows",
                "what seat 2 wants: \"4\" is not a seat: expected 1 to 3",
            ),
            (
                &[("alliance_matrix.rows", "1>2\n2>1")],
                "alliance_matrix.rows",
                "2 orders: expected 3, one for each seat",
            ),
            (
                &[("alliance", "declared"), ("alliance_matrix.rows", "1>2>3\n2>3>1\n3>1>2")],
                "alliance_matrix.rows",
                "leave this empty, or choose \"as written below\"",
            ),
            (
                &[("alliance", "given")],
                "alliance_matrix.rows",
                "write here what each seat wants, or choose above who says it",
            ),
            (
                &[("alliance", "dealt"), ("deal_rows", "\n1>2>3; 2>1>3\n\n1>2")],
                "deal_rows",
                "line 4: seat 3 is missing: expected each seat from 1 to 3 once",
            ),
            (
                &[("seats", "3.0"), ("alliance", "dealt"), ("deal_rows", "1>2>3")],
                "deal_rows",
                "these orders need 2 to 32 seats, not \"3.0\"",
            ),
            (
                &[("positions", "\n\n3 4\n\n3 0")],
                "positions",
                "line 5: pile 2 has 0 counters: expected 1 to 9223372036854775807 at the start",
            ),
        ] {
            let mut wrong = typed_input(changes);
            assert_eq!(wrong.read(), None);
            assert_eq!(wrong.mistake(field), why);
        }
        let dealt = typed_input(&[("alliance", "dealt"), ("deal_rows", "1>3>2\n2>3>1")]).read().unwrap();
        assert_eq!(
            dealt.deal_rows.iter().map(|row| &row.offsets[..]).collect::<Vec<_>>(),
            [[0, 2, 1], [1, 2, 0]]
        );
        let mut refused = typed_input(&[("clock", "2d+0s"), ("talk.round_ms", "2h")]);
        let mut details = tonic_types::ErrorDetails::new();
        details.add_bad_request_violation("settings.clock.initial_ms", "initial_ms is 172800000 ms");
        details.add_bad_request_violation("settings.talk.round_ms", "round_ms is 7200000 ms");
        refused.note_refusal(&Status::with_error_details(tonic::Code::InvalidArgument, "refused", details));
        assert_eq!(refused.mistake("clock"), "\"2d+0s\": expected 1ms to 1d, and 0s to 1h a take");
        assert_eq!(refused.mistake("talk.round_ms"), "\"2h\": expected 1ms to 1h");
    }

    #[test]
    fn errors_are_noted_by_field() {
        let mut wrong = typed_input(&[
            ("seats", "many"),
            ("positions", "3 4\nx"),
            ("format", "sprt"),
            ("sprt.effect_some", "inf"),
            ("ending", "never"),
            ("seed", "-1"),
        ]);
        assert_eq!(wrong.read(), None);
        assert_eq!(wrong.mistake("seats"), "\"many\" is not a whole number");
        assert_eq!(wrong.mistake("positions"), "line 2: piles: \"x\" is not a whole number, 0 or more");
        assert_eq!(wrong.mistake("sprt.effect_some"), "\"inf\" is not a number");
        assert!(wrong.mistake("ending").contains("never") && !wrong.mistake("seed").is_empty(), "{wrong:?}");
        assert_eq!(wrong.mistake("sprt.candidate"), "required");
        assert_eq!(wrong.mistake_count(), 6);
        let mut unknown = typed_input(&[("format", "<b>")]);
        assert_eq!(unknown.read(), None);
        assert!(unknown.mistake("format").starts_with("\"<b>\": expected one of round-robin"));
        for (path, field) in [
            ("swiss.rounds", "swiss.rounds"),
            ("positions[3].counters[0]", "positions"),
            ("positions", "positions"),
            ("alliance_matrix", "alliance_matrix.rows"),
            ("clock", "clock"),
            ("clock.increment_ms", "clock"),
            ("clock.lag_total_ms", "clock.lag_total_ms"),
        ] {
            assert_eq!(find_field(path).unwrap().name(), field);
        }
        assert_eq!(find_field("nothing"), None);
    }

    proptest! {
        #[test]
        fn no_input_causes_a_panic(field in 0..60_usize, value in "\\PC{0,40}", format in 0..7_usize) {
            let names: Vec<_> = FormField::all().map(FormField::name).collect();
            let formats = ["round_robin", "gauntlet", "swiss", "knockout", "ladder", "sprt", "x"];
            let mut typed = typed_input(&[("format", formats[format]), (names[field % names.len()], &value)]);
            let _ = typed.read();
        }
    }
}
