//! Compares records with the manifest of their tournament.

use crate::record::standings::{OmittedMatches, ReplayedResults, ShownTournament};
use lastnim_core::{
    game::MatchId,
    referee::{DealtRows, Record},
    shown_number::shown_number,
};
use lastnim_proto::{
    manifest::{ListedMatch, ListedRecord, Manifest},
    pb,
    record::{SealedRecord, verify_record},
};
use lastnim_report::words::count_with_noun;
use std::collections::BTreeMap;

/// What a comparison can find out about a match or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordFindingKind {
    /// The manifest lists the match, but no record of it was given.
    Missing,
    /// A record of the match was given, but the manifest does not list it.
    Added,
    /// The record of the match differs from the one in the manifest.
    Changed,
    /// The file or line is not a valid record.
    Unreadable,
    /// The schedule has a match with this number, but the manifest does not list it.
    Omitted,
    /// The manifest lists two matches with this number, and neither is voided.
    DuplicateNumber,
    /// The organiser voided the match.
    Voided,
    /// The match does not count, because the server has no complete record of it.
    Unrecorded,
    /// The match was not over when the interim manifest was made.
    Later,
}

impl RecordFindingKind {
    /// Returns whether this kind of finding is a flaw.
    pub fn is_flaw(self) -> bool {
        self <= Self::DuplicateNumber
    }

    /// Returns the name of this kind in the output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Unreadable => "unreadable",
            Self::Omitted => "omitted",
            Self::DuplicateNumber => "doubled",
            Self::Voided => "voided",
            Self::Unrecorded => "unrecorded",
            Self::Later => "later",
        }
    }
}

/// A finding about one match or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFinding {
    /// The kind of finding.
    pub kind: RecordFindingKind,
    /// The match, if known.
    pub id: Option<MatchId>,
    /// The number of the match in the tournament, if known.
    pub number: Option<u64>,
    /// The file of its record, with the line if the file has several records.
    pub file: Option<String>,
    /// The explanation.
    pub why: String,
}

/// Compares records with a manifest one by one.
#[derive(Debug)]
pub struct RecordComparison<'a> {
    manifest: &'a Manifest,
    shown: &'a ShownTournament,
    /// Whether the record of each match was given, in the order of the manifest.
    given: Vec<bool>,
    /// The results of the records that match the manifest.
    pub replayed: ReplayedResults,
    /// The number of records that match the manifest.
    pub verified: u64,
    /// The number of records that belong to another tournament or to none.
    pub of_others: u64,
    /// The findings.
    pub findings: Vec<RecordFinding>,
}

impl<'a> RecordComparison<'a> {
    /// Creates a comparison without records.
    pub fn new(manifest: &'a Manifest, shown: &'a ShownTournament) -> Self {
        Self {
            manifest,
            shown,
            given: vec![false; manifest.matches.len()],
            replayed: ReplayedResults::new(shown),
            verified: 0,
            of_others: 0,
            findings: Vec::new(),
        }
    }

    /// Adds a file or a line that is not a record.
    pub fn add_unreadable(&mut self, file: String, why: &impl ToString) {
        let (kind, why) = (RecordFindingKind::Unreadable, why.to_string());
        self.findings.push(RecordFinding { kind, id: None, number: None, file: Some(file), why });
    }

    /// Compares a record with what the manifest says about its match.
    pub fn add_record(&mut self, file: String, given: &pb::MatchRecord) {
        let (manifest, id) = (self.manifest, given.match_id.parse().ok());
        let place = id.and_then(|id| manifest.index_of_match(id));
        let listed = place.map(|place| (place, &manifest.matches[place]));
        let sealed = match verify_record(given) {
            Ok(sealed) => sealed,
            Err(flaw) => {
                let why = format!("its record does not verify: {flaw}");
                let kind = match listed {
                    Some((place, _)) => {
                        self.given[place] = true;
                        RecordFindingKind::Changed
                    }
                    None => RecordFindingKind::Unreadable,
                };
                let number = listed.map(|(_, listed)| listed.number);
                self.findings.push(RecordFinding { kind, id, number, file: Some(file), why });
                return;
            }
        };
        match listed {
            Some((place, listed)) => {
                self.given[place] = true;
                self.add_listed(file, listed, &sealed);
            }
            None => self.add_unlisted(file, sealed.record()),
        }
    }

    fn add_listed(&mut self, file: String, listed: &ListedMatch, sealed: &SealedRecord) {
        let (kind, why) = match record_difference(self.manifest, listed, sealed) {
            None if listed.record == ListedRecord::Open => {
                (RecordFindingKind::Later, "it was not over when the manifest was made".to_owned())
            }
            None => match self.count_result(listed, sealed.record()) {
                Ok(()) => {
                    self.verified += 1;
                    return;
                }
                Err(why) => (RecordFindingKind::Changed, why),
            },
            Some(why) => (RecordFindingKind::Changed, why),
        };
        let (id, number) = (Some(listed.id), Some(listed.number));
        self.findings.push(RecordFinding { kind, id, number, file: Some(file), why });
    }

    fn count_result(&mut self, listed: &ListedMatch, record: &Record) -> Result<(), String> {
        let origin = record.state().setup().origin.as_ref();
        let is_its_own = origin
            .is_some_and(|origin| origin.tournament == self.manifest.id && origin.number == listed.number);
        if !is_its_own {
            return Err(format!(
                "according to its record, it is not match {} of this tournament",
                shown_number(listed.number)
            ));
        }
        if self.shown.rulings.void_reason(listed.id).is_some() {
            return Ok(());
        }
        self.replayed.add_record(self.shown, record)
    }

    fn add_unlisted(&mut self, file: String, record: &Record) {
        let origin = record.state().setup().origin.as_ref();
        let Some(origin) = origin.filter(|origin| origin.tournament == self.manifest.id) else {
            self.of_others += 1;
            return;
        };
        let (kind, why) = if self.manifest.is_newer_match(record.id()) {
            (RecordFindingKind::Later, "it started after the manifest was made")
        } else {
            (RecordFindingKind::Added, "the manifest does not list it")
        };
        let (id, number) = (Some(record.id()), Some(origin.number));
        self.findings.push(RecordFinding { kind, id, number, file: Some(file), why: why.to_owned() });
    }

    /// Finishes the comparison: adds findings for missing records and for matches that do not count.
    pub fn finish(&mut self) {
        let mut numbers: BTreeMap<u64, MatchId> = BTreeMap::new();
        for (listed, is_given) in self.manifest.matches.iter().zip(&self.given) {
            let match_finding = |kind, why: String| {
                let (id, number) = (Some(listed.id), Some(listed.number));
                RecordFinding { kind, id, number, file: None, why }
            };
            let is_recorded =
                matches!(listed.record, ListedRecord::Signed { .. } | ListedRecord::Unrevealed { .. });
            if is_recorded && !is_given {
                self.findings
                    .push(match_finding(RecordFindingKind::Missing, "its record is missing".to_owned()));
            }
            if let Some(reason) = self.shown.rulings.void_reason(listed.id) {
                self.findings.push(match_finding(RecordFindingKind::Voided, reason.to_string()));
                continue;
            }
            if let Some(other) = numbers.insert(listed.number, listed.id) {
                let why = format!("match {other} has the same number, and neither is voided");
                self.findings.push(match_finding(RecordFindingKind::DuplicateNumber, why));
            }
            if listed.record == ListedRecord::Unrecorded {
                self.replayed.add_unrecorded(listed.number);
                let why = "it does not count: the server has no complete record of it".to_owned();
                self.findings.push(match_finding(RecordFindingKind::Unrecorded, why));
            }
        }
        self.sort_findings();
    }

    /// Adds findings for matches that the manifest should list but does not.
    pub fn add_omitted(&mut self, omitted: &OmittedMatches) {
        let omission = |number: Option<u64>, why: String| RecordFinding {
            kind: RecordFindingKind::Omitted,
            id: None,
            number,
            file: None,
            why,
        };
        let why = "the tournament has a match with this number, but the manifest does not list it";
        self.findings.extend(omitted.first.iter().map(|&number| omission(Some(number), why.to_owned())));
        self.sort_findings();
        let more = omitted.count - omitted.first.len() as u64;
        if more > 0 {
            let more = count_with_noun(more, "more match", "more matches");
            self.findings.push(omission(None, format!("the manifest does not list {more}")));
        }
    }

    /// Returns whether any finding is a flaw.
    pub fn has_flaws(&self) -> bool {
        self.findings.iter().any(|finding| finding.kind.is_flaw())
    }

    fn sort_findings(&mut self) {
        let key = |finding: &RecordFinding| (finding.kind, finding.number, finding.id, finding.file.clone());
        self.findings.sort_by_key(key);
    }
}

/// Describes how a valid record differs from the one that a manifest lists; `None` if there is no difference.
fn record_difference(manifest: &Manifest, listed: &ListedMatch, sealed: &SealedRecord) -> Option<String> {
    let record = sealed.record();
    if let Some(why) = deal_difference(manifest, record) {
        return Some(why);
    }
    match listed.record {
        ListedRecord::Signed { head, signer } => match sealed.seal() {
            _ if record.last_hash() != head => {
                Some(format!("its head is {}, but {head} in the manifest", record.last_hash()))
            }
            None => Some("its signature is missing".to_owned()),
            Some(seal) if seal.signer != signer => {
                Some(format!("it is signed by {}, but by {signer} in the manifest", seal.signer))
            }
            Some(_) => None,
        },
        ListedRecord::Unrevealed { public_head } => {
            let shows_secrets = record.public_events().count() < record.events().len();
            let is_same = !shows_secrets && record.public_head() == Some(public_head);
            (!is_same)
                .then(|| "it reveals rows, or its public events differ from those in the manifest".to_owned())
        }
        ListedRecord::Unrecorded => {
            Some("the manifest says that the server has no complete record of it".to_owned())
        }
        ListedRecord::Open => None,
    }
}

/// Says how the deal in a record differs from the one that follows from the tournament's settings and secret.
fn deal_difference(manifest: &Manifest, record: &Record) -> Option<String> {
    let setup = record.state().setup();
    let is_dealt = manifest.settings.alliance() == pb::AllianceMode::Dealt;
    let (published, deal) = match (&manifest.deal_secret, &setup.deal) {
        (Some(published), Some(deal)) if is_dealt => (published, deal),
        (None, None) if !is_dealt => return None,
        (_, None) => return Some("it has no dealt rows, but the tournament deals rows".to_owned()),
        (_, Some(_)) => {
            return Some("it has dealt rows, but the tournament has no secret for dealing them".to_owned());
        }
    };
    let wire = pb::Deal::from(deal.as_ref());
    if (wire.rule(), &wire.rows) != (manifest.settings.deal(), &manifest.settings.deal_rows) {
        return Some(
            "its rows are dealt by a different rule from that in the tournament's settings".to_owned(),
        );
    }
    let secret = published.secret.as_ref()?;
    let dealt = DealtRows::of_match(secret, record.id(), &deal.rule, setup.seats());
    (dealt.commitments() != deal.commitments)
        .then(|| "its dealt rows do not follow from the tournament's secret".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{BySeat, Piles};
    use lastnim_core::referee::{
        Deal, DealRule, DealSecret, MatchSetup, PublishedSecret, Referee, Timestamp,
    };
    use lastnim_tournament::TournamentState;

    /// Returns the record of a match whose rows are dealt from a secret; without one, no rows are dealt.
    fn record_of(dealt_from: Option<(u8, DealRule)>) -> Record {
        let id = MatchId::new(1, &[1; 10]);
        let bots = vec!["a".parse().unwrap(), "b".parse().unwrap(), "c".parse().unwrap()];
        let mut setup = MatchSetup::new(bots.try_into().unwrap(), Piles::parse(&[3]).unwrap());
        let dealt = dealt_from.map(|(secret, rule)| {
            let secret = DealSecret::from_bytes([secret; 32]);
            let dealt = DealtRows::of_match(&secret, id, &rule, setup.seats());
            setup.deal = Some(Box::new(Deal::of_rows(rule, &dealt)));
            Box::new(dealt)
        });
        let present = BySeat::filled(setup.seats(), &true);
        Referee::begin_dealt(id, setup, dealt, present, Timestamp::from_micros(1)).0.into_record()
    }

    fn manifest(deal_secret: Option<PublishedSecret>, settings: pb::TournamentSettings) -> Manifest {
        Manifest {
            id: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
            state: TournamentState::Finished,
            deal_secret,
            settings,
            field: Vec::new(),
            changes: Vec::new(),
            events: Vec::new(),
            matches: Vec::new(),
            standings: Vec::new(),
            verdict: pb::Verdict::default(),
        }
    }

    #[test]
    fn dealt_rows_must_follow_from_the_secret_of_the_tournament() {
        let settings = pb::TournamentSettings {
            alliance: pb::AllianceMode::Dealt.into(),
            deal: pb::DealRule::All.into(),
            ..Default::default()
        };
        let secret = DealSecret::from_bytes([1; 32]);
        let dealing = manifest(Some(secret.publish(true)), settings.clone());
        let difference = |manifest: &Manifest, record| deal_difference(manifest, &record).unwrap_or_default();
        assert_eq!(difference(&dealing, record_of(Some((1, DealRule::All)))), "");
        assert_eq!(
            difference(&dealing, record_of(Some((2, DealRule::All)))),
            "its dealt rows do not follow from the tournament's secret"
        );
        assert_eq!(
            difference(&dealing, record_of(Some((1, DealRule::SelfFirst)))),
            "its rows are dealt by a different rule from that in the tournament's settings"
        );
        assert_eq!(
            difference(&dealing, record_of(None)),
            "it has no dealt rows, but the tournament deals rows"
        );
        let plain = manifest(None, pb::TournamentSettings::default());
        assert_eq!(difference(&plain, record_of(None)), "");
        assert_eq!(
            difference(&plain, record_of(Some((1, DealRule::All)))),
            "it has dealt rows, but the tournament has no secret for dealing them"
        );
        let running = manifest(Some(secret.publish(false)), settings);
        assert_eq!(
            difference(&running, record_of(Some((2, DealRule::All)))),
            "",
            "the secret is not open yet"
        );
    }
}
