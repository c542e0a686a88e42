//! The verdict on a manifest, as text and JSON.

use super::{
    manifest::{ManifestRefusal, RecordsVerdict, StandingsVerdict},
    record_comparison::{RecordFinding, RecordFindingKind},
    standings_comparison::StandingsDifference,
};
use lastnim_core::{referee::PublicKey, shown_number::shown_number};
use lastnim_proto::manifest::Manifest;
use lastnim_report::{Cell, Column, Report, Section, Table, words::count_with_noun};
use serde_json::{Value, json};

/// The verdict on a manifest.
#[derive(Debug)]
pub struct ManifestVerdict {
    /// The name of the file with the manifest.
    pub file: String,
    /// The key that signed the manifest; `None` if the signature is invalid.
    pub signer: Option<PublicKey>,
    /// The trusted key, if given.
    pub key: Option<PublicKey>,
    /// The content of the manifest, if it can be read.
    pub manifest: Option<Manifest>,
    /// The reasons why the manifest as a whole does not verify.
    pub refusals: Vec<ManifestRefusal>,
    /// The verdict on the records, if any are given.
    pub records: Option<RecordsVerdict>,
    /// Whether the standings follow from the records.
    pub standings: StandingsVerdict,
}

impl ManifestRefusal {
    fn name(&self) -> &'static str {
        match self {
            Self::Flaw(_) => "signature",
            Self::OtherSigner(_) => "other_signer",
            Self::Unreadable(_) => "unreadable",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Flaw(flaw) => flaw.to_string(),
            Self::OtherSigner(signer) => format!("it is intact, but signed by another key: {signer}"),
            Self::Unreadable(why) => {
                format!("it cannot be read, perhaps because a newer lastnim wrote it: {why}")
            }
        }
    }
}

impl ManifestVerdict {
    /// Creates a verdict without refusals, records or standings.
    pub fn new(file: String, signer: Option<PublicKey>, key: Option<PublicKey>) -> Self {
        let (manifest, refusals, records) = (None, Vec::new(), None);
        Self { file, signer, key, manifest, refusals, records, standings: StandingsVerdict::NotAsked }
    }

    /// Returns whether everything verifies.
    pub fn is_verified(&self) -> bool {
        let records_hold = self
            .records
            .as_ref()
            .is_none_or(|records| !records.findings.iter().any(|finding| finding.kind.is_flaw()));
        let standings_hold = match &self.standings {
            StandingsVerdict::NotAsked => true,
            StandingsVerdict::NotComparable(_) => false,
            StandingsVerdict::Compared(differences) => differences.is_empty(),
        };
        self.refusals.is_empty() && records_hold && standings_hold
    }

    /// Describes the result in words.
    pub fn report(&self) -> Report {
        let mut section = Section::new();
        if let Some(manifest) = &self.manifest {
            section = section.paragraph(self.summary(manifest));
        }
        for refusal in &self.refusals {
            section = section.alert(format!("{}: {}", self.file, refusal.message()));
        }
        if let Some(records) = &self.records {
            section = with_records(section, records);
        }
        section = match &self.standings {
            StandingsVerdict::NotAsked => section,
            StandingsVerdict::NotComparable(why) => {
                section.alert(format!("the standings could not be computed from the records: {why}"))
            }
            StandingsVerdict::Compared(differences) if differences.is_empty() => {
                section.paragraph("the standings follow from the records")
            }
            StandingsVerdict::Compared(differences) => section
                .alert("the standings do not follow from the records")
                .table(differences_table(differences)),
        };
        section.into()
    }

    fn summary(&self, manifest: &Manifest) -> String {
        let what = if manifest.is_interim() { "interim manifest" } else { "manifest" };
        let signer = match (self.signer, self.key) {
            (None, _) => String::new(),
            (Some(signer), Some(key)) if signer == key => ", signed by the given key".to_owned(),
            (Some(signer), _) => format!(", signed by {signer}"),
        };
        format!(
            "{}: {what} of tournament {}, {:?}: {}, {}{signer}",
            self.file,
            manifest.id,
            manifest.settings.title,
            manifest.state,
            count_with_noun(manifest.matches.len() as u64, "match", "matches"),
        )
    }

    /// Returns the JSON of the verdict.
    pub fn json(&self) -> Value {
        let manifest = self.manifest.as_ref();
        let so_far = manifest.map(Manifest::is_interim);
        let records = self.records.as_ref().map(|records| {
            json!({
                "verified": records.verified,
                "of_other_tournaments": records.of_others,
                "findings": records.findings.iter().map(RecordFinding::json).collect::<Value>(),
            })
        });
        let standings = match &self.standings {
            StandingsVerdict::NotAsked => Value::Null,
            StandingsVerdict::NotComparable(why) => {
                json!({ "follow": null, "message": why, "differences": [] })
            }
            StandingsVerdict::Compared(differences) => json!({
                "follow": differences.is_empty(),
                "message": null,
                "differences": differences.iter().map(StandingsDifference::json).collect::<Value>(),
            }),
        };
        json!({
            "file": self.file,
            "tournament_id": manifest.map(|manifest| manifest.id.to_string()),
            "state": manifest.map(|manifest| manifest.state.to_string()),
            "so_far": so_far,
            "matches": manifest.map(|manifest| manifest.matches.len()),
            "verified": self.is_verified(),
            "signer": self.signer.map(|signer| signer.to_string()),
            "signed_by_key": self.key.and_then(|key| self.signer.map(|signer| signer == key)),
            "flaws": self.refusals.iter().map(ManifestRefusal::name).collect::<Vec<_>>(),
            "messages": self.refusals.iter().map(ManifestRefusal::message).collect::<Vec<_>>(),
            "records": records,
            "standings": standings,
        })
    }
}

impl RecordFinding {
    fn json(&self) -> Value {
        json!({
            "finding": self.kind.as_str(),
            "is_flaw": self.kind.is_flaw(),
            "match_id": self.id.map(|id| id.to_string()),
            "number": self.number,
            "file": self.file,
            "message": self.why,
        })
    }
}

impl StandingsDifference {
    fn json(&self) -> Value {
        json!({ "bot": self.bot, "figure": self.figure, "said": self.said, "computed": self.computed })
    }
}

fn with_records(section: Section, records: &RecordsVerdict) -> Section {
    let mut summary = match records.verified {
        1 => "1 record matches the manifest".to_owned(),
        verified => format!("{verified} records match the manifest"),
    };
    if records.of_others > 0 {
        let others = count_with_noun(
            records.of_others,
            "record of another tournament was skipped",
            "records of other tournaments were skipped",
        );
        summary = format!("{summary}; {others}");
    }
    let mut section = section.paragraph(summary);
    // Records that are newer than the manifest are only counted, because nearly all records are newer than a manifest
    // that was made early.
    let (later, listed): (Vec<_>, Vec<_>) =
        records.findings.iter().partition(|finding| finding.kind == RecordFindingKind::Later);
    if !later.is_empty() {
        let records = count_with_noun(later.len() as u64, "record belongs", "records belong");
        section =
            section.paragraph(format!("{records} to matches that were not over when the manifest was made"));
    }
    if listed.is_empty() {
        return section;
    }
    section.table(
        Table::of_items(&listed)
            .column(Column::text("finding"), |finding| finding.kind.as_str())
            .column(Column::integer("number"), |finding| finding.number.map(shown_number))
            .column(Column::text("match"), |finding| finding.id.map(|id| id.to_string()))
            .column(Column::text("file"), |finding| finding.file.clone())
            .column(Column::text("why"), |finding| finding.why.clone())
            .alert_where(|finding| finding.kind.is_flaw())
            .into_table(),
    )
}

fn differences_table(differences: &[StandingsDifference]) -> Table {
    Table::of_items(differences)
        .column(Column::text("bot"), |difference| difference.bot.clone())
        .column(Column::text("figure"), |difference| difference.figure.clone())
        .column(Column::text("manifest"), |difference| value_cell(&difference.said))
        .column(Column::text("records"), |difference| value_cell(&difference.computed))
        .into_table()
}

fn value_cell(value: &Value) -> Cell {
    if value.is_null() { Cell::NONE } else { Cell::from(value.to_string()) }
}
