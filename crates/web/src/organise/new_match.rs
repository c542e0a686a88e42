//! The form for an exhibition: a match of named bots outside of any tournament.

use super::settings_input::out_of_range_text;
use crate::address::PageAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, form_status, private_response, redirect_response};
use crate::site::Site;
use crate::trail::organise_trail;
use crate::typed_piles::read_piles;
use crate::typed_wants::{
    DEALT_OPTION, DECLARED_OPTION, GIVEN_OPTION, STANDARD_OPTION, WANTS_MISSING, WANTS_UNUSED, read_wants,
};
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::game::{AllianceMatrix, SeatCount};
use lastnim_proto::pb;
use lastnim_proto::tournament_settings::{SettingsJsonDraft, TournamentSetting, all_settings};
use lastnim_report::words::count_with_noun;
use pb::match_service_server::MatchService as _;
use std::collections::BTreeMap;
use tonic::codegen::http::StatusCode;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// A field of the form.
#[derive(Debug)]
struct MatchField {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    /// The initial value.
    default: &'static str,
    /// The options, each with its text; empty for text fields.
    choices: &'static [(&'static str, &'static str)],
}

const fn typed_field(
    name: &'static str,
    label: &'static str,
    default: &'static str,
    hint: &'static str,
) -> MatchField {
    MatchField { name, label, hint, default, choices: &[] }
}

/// All fields, in the order of the form.
static FIELDS: [MatchField; 8] = [
    typed_field("bots", "Bots", "", "names in seat order, separated by spaces"),
    typed_field(
        "piles",
        "Piles",
        "3 4 5",
        "the counters in each pile; the last pile that is not empty is in play",
    ),
    typed_field("first", "First seat", "1", "the seat that moves first, counted from 1"),
    MatchField {
        name: "ending",
        label: "Who wins",
        hint: "",
        default: "to_move_wins",
        choices: &[
            ("to_move_wins", "the seat to move when no counter is left"),
            ("last_mover_wins", "the seat that moved last"),
        ],
    },
    MatchField {
        name: "alliance",
        label: "What the seats want",
        hint: "which winner each seat prefers, which next, and so on",
        default: "",
        choices: &[
            ("", "two seats each want to win; three or more say what they want"),
            DECLARED_OPTION,
            STANDARD_OPTION,
            GIVEN_OPTION,
            DEALT_OPTION,
        ],
    },
    typed_field(
        "assigned",
        "Wants",
        "",
        "if written here: for each seat, its first choice first, such as 1>3>2; 2>3>1; 3>2>1",
    ),
    typed_field(
        "clock",
        "Time",
        "10m+100ms",
        "for all takes of a seat, and what each take adds: 10m+5s is 10 minutes, and 5 seconds for each take",
    ),
    typed_field(
        "clock.declaration_ms",
        "Time to say it",
        "1m",
        "for each seat to say what it wants, such as 1m30s",
    ),
];

/// The choice that needs the field with what each seat wants.
const GIVEN: &str = GIVEN_OPTION.0;

/// A match as it was typed.
#[derive(Debug, Clone, Default)]
struct MatchInput {
    values: BTreeMap<&'static str, String>,
    mistakes: BTreeMap<&'static str, String>,
    /// Errors that belong to no field.
    other_mistakes: Vec<String>,
}

#[derive(Debug, Template)]
#[template(path = "organise/new_match.html")]
struct NewMatchForm {
    form_token: FormToken,
    fields: &'static [MatchField],
    typed: MatchInput,
}

impl MatchInput {
    fn with_values(value: impl Fn(&MatchField) -> String) -> Self {
        let values = FIELDS.iter().map(|field| (field.name, value(field))).collect();
        Self { values, ..Self::default() }
    }

    fn value(&self, name: &str) -> &str {
        self.values.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the error of a field; empty if it is valid.
    fn mistake(&self, name: &str) -> &str {
        self.mistakes.get(name).map(String::as_str).unwrap_or_default()
    }

    fn ok_or_note<T>(&mut self, name: &'static str, read: Result<T, String>) -> Option<T> {
        read.map_err(|mistake| self.mistakes.insert(name, mistake)).ok()
    }

    /// Returns the request, or `None` after noting the errors.
    fn read(&mut self) -> Option<pb::CreateMatchRequest> {
        let names = self.value("bots").split([',', ' ', '\t', '\r', '\n']).filter(|name| !name.is_empty());
        let bots: Vec<_> = names.map(str::to_owned).collect();
        let seats = SeatCount::new(bots.len())
            .map_err(|_| format!("{}: expected 2 to 32", count_with_noun(bots.len() as u64, "bot", "bots")));
        let seats = self.ok_or_note("bots", seats);
        let piles = read_piles(self.value("piles"));
        let piles = self.ok_or_note("piles", piles);
        let first = seats.and_then(|seats| self.ok_or_note("first", self.read_first(seats)));
        let ending = match self.value("ending") {
            "to_move_wins" => Ok(pb::Ending::ToMoveWins),
            "last_mover_wins" => Ok(pb::Ending::LastMoverWins),
            other => Err(format!("{other:?}: choose who wins from the list")),
        };
        let ending = self.ok_or_note("ending", ending);
        let alliance = match self.value("alliance") {
            "" => Ok(pb::AllianceMode::Unspecified),
            "declared" => Ok(pb::AllianceMode::Declared),
            "standard" => Ok(pb::AllianceMode::Standard),
            GIVEN => Ok(pb::AllianceMode::Given),
            "dealt" => Ok(pb::AllianceMode::Dealt),
            other => Err(format!("{other:?}: choose what the seats want from the list")),
        };
        let alliance = self.ok_or_note("alliance", alliance);
        let assigned = seats.and_then(|seats| self.ok_or_note("assigned", self.read_assigned(seats)));
        let clock = self.read_clock();
        Some(pb::CreateMatchRequest {
            bots,
            piles: piles?.as_slice().to_vec(),
            first: first?,
            ending: ending?.into(),
            alliance: alliance?.into(),
            assigned: assigned?,
            clock: Some(clock?),
            ..pb::CreateMatchRequest::default()
        })
    }

    /// Returns the index of the seat that moves first.
    fn read_first(&self, seats: SeatCount) -> Result<u32, String> {
        let typed = self.value("first").trim();
        let index = typed.parse().ok().filter(|seat| (1..=seats.get() as u32).contains(seat));
        index.map(|seat| seat - 1).ok_or_else(|| format!("{typed:?} is not a seat: expected 1 to {seats}"))
    }

    /// Returns what each seat wants if that is written in the form.
    fn read_assigned(&self, seats: SeatCount) -> Result<Option<pb::AllianceMatrix>, String> {
        let typed = self.value("assigned").trim();
        match (self.value("alliance"), typed) {
            (GIVEN, "") => Err(WANTS_MISSING.to_owned()),
            (_, "") => Ok(None),
            ("" | GIVEN, typed) => {
                let matrix = AllianceMatrix::parse(&read_wants(typed, Some(seats))?);
                matrix.map(|matrix| Some((&matrix).into())).map_err(|error| error.to_string())
            }
            _ => Err(format!("{typed:?}: {WANTS_UNUSED}")),
        }
    }

    /// Parses the clock, or notes the errors in its two fields.
    fn read_clock(&mut self) -> Option<pb::Clock> {
        let mut draft = SettingsJsonDraft::default();
        for setting in clock_settings() {
            let typed = self.value(setting.field).trim().to_owned();
            for wrong in draft.set_value(setting, &typed.into()) {
                self.mistakes.insert(setting.field, wrong.description);
            }
        }
        if clock_settings().any(|setting| self.mistakes.contains_key(setting.field)) {
            return None;
        }
        draft.finish().ok()?.clock
    }

    /// Assigns the errors of the service to fields.
    fn note_refusal(&mut self, status: &Status) {
        let request = status.get_details_bad_request();
        let violations = request.map(|request| request.field_violations).unwrap_or_default();
        if violations.is_empty() {
            self.other_mistakes.push(status.message().to_owned());
        }
        for violation in violations {
            let path = violation.field;
            let fields = FIELDS.iter().filter(|field| path.starts_with(field.name));
            match fields.max_by_key(|field| field.name.len()) {
                Some(field) => {
                    let setting = clock_settings().find(|setting| setting.field == field.name);
                    let range = setting.map(|setting| out_of_range_text(setting, self.value(field.name)));
                    self.mistakes.insert(field.name, range.unwrap_or(violation.description));
                }
                None => self.other_mistakes.push(format!("{path}: {}", violation.description)),
            }
        }
    }
}

/// Returns the settings of tournaments that are fields of this form.
fn clock_settings() -> impl Iterator<Item = &'static TournamentSetting> {
    all_settings().filter(|setting| {
        FIELDS.iter().any(|field| field.name == setting.field && field.name.starts_with("clock"))
    })
}

pub(super) fn new_match_page(organiser: &Visitor) -> Result<PageResponse, Status> {
    let typed = MatchInput::with_values(|field| field.default.to_owned());
    form_response(organiser, StatusCode::OK, typed)
}

/// Starts the match, or shows the errors.
pub(super) async fn create_match(
    site: &Site,
    organiser: &Visitor,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    let mut typed = MatchInput::with_values(|field| fields.value(field.name).to_owned());
    let Some(request) = typed.read() else {
        return form_response(organiser, StatusCode::UNPROCESSABLE_ENTITY, typed);
    };
    match site.matches.create_match(organiser.request(request)).await {
        Ok(created) => {
            let created = created.into_inner().r#match.map(|game| game.id);
            let id = created.and_then(|id| id.parse().ok());
            let id = id.ok_or_else(|| Status::internal("the response has no match"))?;
            Ok(redirect_response(&PageAddress::Match { id, ply: None }))
        }
        Err(status) if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) => Err(status),
        Err(status) => {
            typed.note_refusal(&status);
            Ok(with_refusal(form_response(organiser, form_status(&status), typed)?, &status))
        }
    }
}

fn form_response(organiser: &Visitor, status: StatusCode, typed: MatchInput) -> Result<PageResponse, Status> {
    let form_token = organiser.form_token()?;
    let content = NewMatchForm { form_token, fields: &FIELDS, typed };
    let page =
        Page::of_template("New match", "Start a match of named bots outside of any tournament", &content)
            .with_trail(organise_trail());
    Ok(private_response(organiser, status, page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed_input(changes: &[(&'static str, &str)]) -> MatchInput {
        let mut typed = MatchInput::with_values(|field| field.default.to_owned());
        typed.values.extend(changes.iter().map(|&(name, value)| (name, value.to_owned())));
        typed
    }

    #[test]
    fn typed_fields_become_the_request() {
        let changes = [
            ("bots", " ann, bob\n"),
            ("piles", "2,7"),
            ("first", "2"),
            ("alliance", "given"),
            ("assigned", "1>2; 1>2"),
            ("clock", "1m30s+5s"),
        ];
        let request = typed_input(&changes).read().unwrap();
        assert_eq!((request.bots, request.piles), (vec!["ann".into(), "bob".into()], vec![2, 7]));
        assert_eq!((request.first, &request.assigned.unwrap().rows[1].offsets[..]), (1, &[1, 0][..]));
        let clock = request.clock.unwrap();
        assert_eq!([clock.initial_ms, clock.increment_ms, clock.declaration_ms], [90_000, 5_000, 60_000]);
        let usual = typed_input(&[("bots", "ann bob")]).read().unwrap();
        assert_eq!((usual.assigned, usual.clock.unwrap().initial_ms), (None, 600_000));
    }

    #[test]
    fn errors_are_noted_by_field() {
        for (changes, field, why) in [
            (&[("bots", "ann")][..], "bots", "1 bot: expected 2 to 32"),
            (
                &[("piles", "3 0")],
                "piles",
                "pile 2 has 0 counters: expected 1 to 9223372036854775807 at the start",
            ),
            (&[("first", "0")], "first", "\"0\" is not a seat: expected 1 to 2"),
            (&[("first", "3")], "first", "\"3\" is not a seat: expected 1 to 2"),
            (&[("ending", "never")], "ending", "\"never\": choose who wins from the list"),
            (
                &[("alliance", "given")],
                "assigned",
                "write here what each seat wants, or choose above who says it",
            ),
            (
                &[("alliance", "dealt"), ("assigned", "1>2; 2>1")],
                "assigned",
                "\"1>2; 2>1\": leave this empty, or choose \"as written below\"",
            ),
            (
                &[("assigned", "1>2; 2>y")],
                "assigned",
                "what seat 2 wants: \"y\" is not a seat: expected 1 to 2",
            ),
            (&[("assigned", "1>2>3; 2>3>1; 3>2>1")], "assigned", "3 orders: expected 2, one for each seat"),
            (
                &[("clock", "600000")],
                "clock",
                "\"600000\" is not a time and an increment with units, such as 10s+100ms",
            ),
            (
                &[("clock.declaration_ms", "9")],
                "clock.declaration_ms",
                "\"9\" is not a duration with units (ms, s, m, h, d), such as 10s or 1m30s",
            ),
        ] {
            let mut wrong = typed_input(&[&[("bots", "ann bob")], changes].concat());
            assert_eq!(wrong.read(), None);
            assert_eq!(wrong.mistake(field), why);
            assert_eq!(wrong.mistakes.len(), 1, "{wrong:?}");
        }
    }

    #[test]
    fn a_refused_time_is_quoted_with_its_range() {
        let mut refused = typed_input(&[("clock", "0s+0s"), ("clock.declaration_ms", "2h")]);
        let mut details = tonic_types::ErrorDetails::new();
        details.add_bad_request_violation("clock.initial_ms", "initial_ms is 0 ms");
        details.add_bad_request_violation("clock.declaration_ms", "declaration_ms is 7200000 ms");
        refused.note_refusal(&Status::with_error_details(Code::InvalidArgument, "refused", details));
        assert_eq!(refused.mistake("clock"), "\"0s+0s\": expected 1ms to 1d, and 0s to 1h a take");
        assert_eq!(refused.mistake("clock.declaration_ms"), "\"2h\": expected 1ms to 1h");
    }

    proptest! {
        #[test]
        fn no_input_causes_a_panic(field in 0..FIELDS.len(), value in "\\PC{0,40}") {
            let _ = typed_input(&[(FIELDS[field].name, &value)]).read();
        }
    }
}
