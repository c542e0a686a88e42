//! The form for an exhibition: a match of named bots outside of any tournament.

use crate::address::PageAddress;
use crate::forms::{FormFields, FormToken};
use crate::page::Page;
use crate::page_refusal::with_refusal;
use crate::response::{PageResponse, form_status, private_response, redirect_response};
use crate::site::Site;
use crate::trail::organise_trail;
use crate::visitor::Visitor;
use askama::Template;
use lastnim_core::referee::Clock;
use lastnim_proto::number_text::read_numbers;
use lastnim_proto::pb;
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
    typed_field("first", "First seat", "0", "the seat that moves first, counted from 0"),
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
        label: "Rows",
        hint: "whom each seat wants to see win, its first choice first",
        default: "",
        choices: &[
            ("", "standard for two seats, declared for more"),
            ("declared", "each seat declares its own row"),
            ("standard", "the standard rows"),
            ("given", "as given below"),
            ("dealt", "each seat is dealt a private row, and declares one"),
        ],
    },
    typed_field("assigned", "Given rows", "", "offsets from each seat, such as 0 1; 1 0"),
    typed_field("initial_ms", "Time", "600000", "for each seat, in milliseconds"),
    typed_field("declaration_ms", "Time for rows", "60000", "in milliseconds"),
];

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

    fn number<N: std::str::FromStr>(&mut self, name: &'static str) -> Option<N> {
        let given = self.value(name).trim();
        let read =
            given.parse().map_err(|_| format!("{given:?}: expected a whole number from 0 to {}", u32::MAX));
        self.ok_or_note(name, read)
    }

    /// Returns the request, or `None` after noting the errors.
    fn read(&mut self) -> Option<pb::CreateMatchRequest> {
        let names = self.value("bots").split([',', ' ', '\t', '\r', '\n']).filter(|name| !name.is_empty());
        let bots = names.map(str::to_owned).collect();
        let piles = read_numbers(self.value("piles"), "piles");
        let piles = self.ok_or_note("piles", piles);
        let first = self.number("first");
        let ending = match self.value("ending") {
            "to_move_wins" => Ok(pb::Ending::ToMoveWins),
            "last_mover_wins" => Ok(pb::Ending::LastMoverWins),
            other => Err(format!("{other:?}: expected to_move_wins or last_mover_wins")),
        };
        let ending = self.ok_or_note("ending", ending);
        let alliance = match self.value("alliance") {
            "" => Ok(pb::AllianceMode::Unspecified),
            "declared" => Ok(pb::AllianceMode::Declared),
            "standard" => Ok(pb::AllianceMode::Standard),
            "given" => Ok(pb::AllianceMode::Given),
            "dealt" => Ok(pb::AllianceMode::Dealt),
            other => Err(format!("{other:?}: expected declared, standard, given or dealt")),
        };
        let alliance = self.ok_or_note("alliance", alliance);
        let assigned = self.read_rows();
        let assigned = self.ok_or_note("assigned", assigned);
        let (initial_ms, declaration_ms) = (self.number("initial_ms"), self.number("declaration_ms"));
        let usual = pb::Clock::from(&Clock::default());
        Some(pb::CreateMatchRequest {
            bots,
            piles: piles?,
            first: first?,
            ending: ending?.into(),
            alliance: alliance?.into(),
            assigned: assigned?,
            clock: Some(pb::Clock { initial_ms: initial_ms?, declaration_ms: declaration_ms?, ..usual }),
            ..pb::CreateMatchRequest::default()
        })
    }

    /// Parses the typed rows; `None` if the field is empty.
    fn read_rows(&self) -> Result<Option<pb::AllianceMatrix>, String> {
        let typed = self.value("assigned").trim();
        if typed.is_empty() {
            return Ok(None);
        }
        let row = |(seat, row): (usize, &str)| {
            let offsets = read_numbers(row, &format!("row of seat {seat}"))?;
            let offset = |offset: u64| {
                u32::try_from(offset).map_err(|_| {
                    format!("row of seat {seat}, offset {offset}: expected less than the number of seats")
                })
            };
            Ok(pb::Row { offsets: offsets.into_iter().map(offset).collect::<Result<_, String>>()? })
        };
        let rows = typed.split(';').enumerate().map(row).collect::<Result<_, String>>()?;
        Ok(Some(pb::AllianceMatrix { rows }))
    }

    /// Assigns the errors of the service to fields.
    fn note_refusal(&mut self, status: &Status) {
        let request = status.get_details_bad_request();
        let violations = request.map(|request| request.field_violations).unwrap_or_default();
        if violations.is_empty() {
            self.other_mistakes.push(status.message().to_owned());
        }
        for violation in violations {
            let path = violation.field.trim_start_matches("clock.");
            let name = path.split(['.', '[']).next().unwrap_or_default();
            match FIELDS.iter().find(|field| field.name == name) {
                Some(field) => drop(self.mistakes.insert(field.name, violation.description)),
                None => self.other_mistakes.push(format!("{path}: {}", violation.description)),
            }
        }
    }
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
    let page = Page::of_template("New match", &content).with_trail(organise_trail());
    Ok(private_response(organiser, status, page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn typed(changes: &[(&'static str, &str)]) -> MatchInput {
        let mut typed = MatchInput::with_values(|field| field.default.to_owned());
        typed.values.extend(changes.iter().map(|&(name, value)| (name, value.to_owned())));
        typed
    }

    #[test]
    fn typed_fields_become_the_request() {
        let changes =
            [("bots", " ann, bob\n"), ("piles", "2,7"), ("alliance", "given"), ("assigned", "0 1; 1 0")];
        let request = typed(&changes).read().unwrap();
        assert_eq!((request.bots, request.piles), (vec!["ann".into(), "bob".into()], vec![2, 7]));
        assert_eq!(request.assigned.unwrap().rows[1].offsets, [1, 0]);
        assert_eq!(request.clock.unwrap().initial_ms, 600_000);
        assert_eq!(typed(&[("bots", "ann bob")]).read().unwrap().assigned, None);
    }

    #[test]
    fn errors_are_noted_by_field() {
        let mut wrong =
            typed(&[("piles", "3 x"), ("first", "-1"), ("ending", "never"), ("assigned", "0 1; y")]);
        assert_eq!(wrong.read(), None);
        assert_eq!(wrong.mistake("first"), "\"-1\": expected a whole number from 0 to 4294967295");
        assert_eq!(wrong.mistake("ending"), "\"never\": expected to_move_wins or last_mover_wins");
        for (field, part) in [("piles", "\"x\""), ("assigned", "row of seat 1")] {
            assert!(wrong.mistake(field).contains(part), "{wrong:?}");
        }
        assert_eq!(wrong.mistakes.len(), 4);
    }

    proptest! {
        #[test]
        fn no_input_causes_a_panic(field in 0..FIELDS.len(), value in "\\PC{0,40}") {
            let _ = typed(&[(FIELDS[field].name, &value)]).read();
        }
    }
}
