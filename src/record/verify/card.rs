//! `lastnim record verify` for a benchmark card: checks its signer, and whether every figure follows from the
//! records.

use super::command::VerifyArgs;
use crate::{
    Failure,
    audit::list_files,
    check::RECORDS_FILE,
    progress::StatusLine,
    record_input::{self, InputFile},
};
use lastnim_benchmark::{
    CONFIDENCE, ItemSet, PlayedItem, SetItem, StoppingRule, Tier, card_difference, compute_tier,
    score_record, with_results,
};
use lastnim_core::{
    game::BotName,
    referee::{Clock, EventHash, PublicKey},
};
use lastnim_proto::{
    benchmark_card::read_card,
    parse_request, pb,
    record::{SealedRecord, verify_record},
    record_file::read_record,
    setup::parse_terms,
};
use lastnim_report::{Report, Section, benchmark_card::citation, words::count_with_noun};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, BufRead, Read as _},
    path::{Path, PathBuf},
};

/// The maximum size of a card in bytes.
const MAX_CARD_BYTES: u64 = 16 << 20;

/// A flaw in a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFinding {
    /// The machine-readable name of the kind of flaw.
    kind: &'static str,
    /// The description of the flaw.
    why: String,
}

/// The verdict on a card.
#[derive(Debug)]
pub struct CardVerdict {
    file: String,
    key: Option<PublicKey>,
    signer: Option<PublicKey>,
    card: Option<pb::BenchmarkCard>,
    /// The number of records that belong to the card.
    records: usize,
    findings: Vec<CardFinding>,
}

/// Verifies a card against its records: those named on the command line, or else those next to the card.
pub fn verify_card(file: &Path, input: &mut dyn BufRead, args: &VerifyArgs) -> Result<CardVerdict, Failure> {
    let name = record_input::input_name(file);
    let mut text = String::new();
    let read = (&mut *input).take(MAX_CARD_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| Failure::runtime(error, &name))?;
    let mut verdict =
        CardVerdict { file: name, key: args.key, signer: None, card: None, records: 0, findings: Vec::new() };
    if text.len() as u64 > MAX_CARD_BYTES {
        verdict
            .add_finding("unreadable", format!("more than {MAX_CARD_BYTES} bytes: expected a shorter card"));
        return Ok(verdict);
    }
    let (card, signer) = match read_card(&text) {
        Ok(read) => read,
        Err(flaw) => {
            verdict.add_finding("signature", flaw.to_string());
            return Ok(verdict);
        }
    };
    verdict.signer = Some(signer);
    if args.key.is_some_and(|key| key != signer) {
        verdict.add_finding("other_signer", format!("it is intact, but signed by another key: {signer}"));
    }
    verdict.card = Some(card.clone());
    match CardTerms::of_card(&card) {
        Ok(terms) => {
            let _line = StatusLine::show("comparing records");
            let records = RecordsByHead::read(&record_files(file, args)?, &mut verdict)?;
            verdict.compare_with_records(&card, &terms, &records);
        }
        Err((kind, why)) => verdict.add_finding(kind, why),
    }
    Ok(verdict)
}

/// Returns the files that contain the records of a card.
fn record_files(card: &Path, args: &VerifyArgs) -> Result<Vec<PathBuf>, Failure> {
    if args.records.is_empty() {
        let records_file = card.with_file_name(RECORDS_FILE);
        return Ok(if records_file.is_file() { vec![records_file] } else { Vec::new() });
    }
    list_files(&args.records)
}

/// The set, rule, clock and tiers of a card.
struct CardTerms {
    set: &'static ItemSet,
    rule: StoppingRule,
    clock: Clock,
    tiers: Vec<Tier>,
}

impl CardTerms {
    /// Reads the set, rule, clock and tiers of a card.
    fn of_card(card: &pb::BenchmarkCard) -> Result<Self, (&'static str, String)> {
        let set = ItemSet::of_name(&card.set).map_err(|error| ("unknown_set", error.to_string()))?;
        if card.set_hash != set.hash {
            return Err((
                "unknown_set",
                format!("its set {} differs from this program's set of that name", card.set),
            ));
        }
        let wrong_rule = |why: String| ("rule", why);
        let rule = card.rule.unwrap_or_default();
        let fits = rule.confidence.to_bits() == CONFIDENCE.to_bits()
            && rule.width > 0.0
            && rule.width <= 1.0
            && (1..=set.max_items()).contains(&rule.max_items);
        if !fits {
            return Err(wrong_rule(format!(
                "rule: a confidence of {}, a width of {} and at most {} items: expected a confidence of {CONFIDENCE}, a width above 0 and up to 1, and 1 to {} items",
                rule.confidence,
                rule.width,
                rule.max_items,
                set.max_items()
            )));
        }
        let terms = parse_request(|field| parse_terms(rule.clock.as_ref(), 0, 0, None, field));
        let clock = terms.map_err(|violations| wrong_rule(format!("rule.{violations}")))?.clock;
        let tiers = card.tiers.iter().map(|tier| {
            Tier::of_number(tier.tier)
                .ok_or_else(|| wrong_rule(format!("tier {}: expected 1 to {}", tier.tier, Tier::MAX)))
        });
        let tiers = tiers.collect::<Result<Vec<_>, _>>()?;
        if !tiers.is_sorted_by(|before, after| before < after) {
            return Err(wrong_rule("the tiers are not in ascending order, or one is repeated".to_owned()));
        }
        Ok(Self { set, rule: StoppingRule { width: rule.width, max_items: rule.max_items }, clock, tiers })
    }
}

/// The given records by their heads, which are the hashes of their last events.
#[derive(Default)]
struct RecordsByHead {
    by_head: BTreeMap<[u8; 32], SealedRecord>,
}

impl RecordsByHead {
    fn read(files: &[PathBuf], verdict: &mut CardVerdict) -> Result<Self, Failure> {
        let mut given = Self::default();
        for file in files {
            given.read_file(file, verdict)?;
        }
        if files.is_empty() {
            verdict.add_finding(
                "missing",
                format!(
                    "no records were found: put {RECORDS_FILE} next to the card, or name the records with --records"
                ),
            );
        }
        Ok(given)
    }

    fn read_file(&mut self, file: &Path, verdict: &mut CardVerdict) -> Result<(), Failure> {
        let name = record_input::input_name(file);
        let failure = |error: io::Error| Failure::runtime(error, &name);
        let InputFile::Records(mut documents) = InputFile::open(file).map_err(failure)? else {
            return Ok(());
        };
        loop {
            let document = match documents.next_document() {
                Ok(None) => return Ok(()),
                Ok(Some(document)) => document,
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    verdict.add_finding("unreadable", format!("{name}: {error}"));
                    continue;
                }
                Err(error) => return Err(failure(error)),
            };
            if document.text.trim_ascii().is_empty() {
                continue;
            }
            let record = read_record(&document.text).map_err(|error| error.to_string());
            match record.and_then(|record| verify_record(&record).map_err(|flaw| flaw.to_string())) {
                Ok(sealed) => {
                    self.by_head.insert(*sealed.record().last_hash().as_bytes(), sealed);
                }
                Err(why) => {
                    let place = document.line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
                    verdict.add_finding("changed", format!("{place}: the record does not verify: {why}"));
                }
            }
        }
    }
}

impl CardVerdict {
    /// Returns whether everything verifies.
    pub fn is_verified(&self) -> bool {
        self.findings.is_empty()
    }

    fn add_finding(&mut self, kind: &'static str, why: String) {
        self.findings.push(CardFinding { kind, why });
    }

    fn compare_with_records(&mut self, card: &pb::BenchmarkCard, terms: &CardTerms, records: &RecordsByHead) {
        let mut results = Vec::new();
        let mut times = None;
        let mut used = BTreeSet::new();
        for (given, &tier) in card.tiers.iter().zip(&terms.tiers) {
            let Some(items) = self.find_played_items(given, tier, terms, records, &mut used) else {
                continue;
            };
            for played in &items {
                let (began, ended) = times.unwrap_or((played.began, played.ended));
                times = Some((began.min(played.began), ended.max(played.ended)));
            }
            match compute_tier(tier, &items, terms.rule) {
                Ok(result) => results.push(result),
                Err(why) => self.add_finding("stopping", why),
            }
        }
        self.records = used.len();
        self.add_unused(terms.set, records, &used);
        // The figures can only be checked if all records were found.
        if results.len() == card.tiers.len() {
            let computed = with_results(card.clone(), &results, times);
            if let Some(difference) = card_difference(card, &computed) {
                self.add_finding("figure", difference);
            }
        }
    }

    /// Returns the played items of a tier in order; `None` if a record is missing or wrong.
    fn find_played_items(
        &mut self,
        given: &pb::BenchmarkTier,
        tier: Tier,
        terms: &CardTerms,
        records: &RecordsByHead,
        used: &mut BTreeSet<[u8; 32]>,
    ) -> Option<Vec<PlayedItem<'static>>> {
        let set_items = terms.set.items_of_tier(tier);
        if given.heads.len() != given.items as usize || given.heads.len() > set_items.len() {
            self.add_finding(
                "figure",
                format!(
                    "tier {tier} lists {} and the heads of {}, but this tier has {} items in the set",
                    count_with_noun(given.items, "item", "items"),
                    count_with_noun(given.heads.len() as u64, "record", "records"),
                    set_items.len()
                ),
            );
            return None;
        }
        let before = self.findings.len();
        let mut played = Vec::new();
        for (item, head) in set_items.iter().zip(&given.heads) {
            let head = <[u8; 32]>::try_from(head.as_slice()).unwrap_or_default();
            let Some(sealed) = records.by_head.get(&head) else {
                let shown = EventHash::from_bytes(head);
                self.add_finding(
                    "missing",
                    format!("{item}: no record has the head {shown}: the record is missing or was changed"),
                );
                continue;
            };
            if !used.insert(head) {
                self.add_finding("misfit", format!("{item}: it has the same record as an earlier item"));
                continue;
            }
            match self.score_item_record(item, sealed, &terms.clock) {
                Ok(of_item) => played.push(of_item),
                Err((kind, why)) => self.add_finding(kind, format!("{item}: {why}")),
            }
        }
        (self.findings.len() == before).then_some(played)
    }

    fn score_item_record(
        &self,
        item: &'static SetItem,
        sealed: &SealedRecord,
        clock: &Clock,
    ) -> Result<PlayedItem<'static>, (&'static str, String)> {
        match sealed.seal() {
            None => return Err(("signer", "its record is not signed".to_owned())),
            Some(seal) if Some(seal.signer) != self.signer => {
                let why = format!("its record is not signed by the card's key, but by {}", seal.signer);
                return Err(("signer", why));
            }
            Some(_) => {}
        }
        let score = score_record(item, sealed.record(), clock);
        let score =
            score.map_err(|misfit| ("misfit", format!("its record does not fit this item: {misfit}")))?;
        Ok(PlayedItem::new(item, sealed.record(), score))
    }

    /// Reports records that the card's signer signed, that belong to items of the card's set, but that are not on the
    /// card: somebody may have played an item twice and kept the better result.
    fn add_unused(&mut self, set: &ItemSet, records: &RecordsByHead, used: &BTreeSet<[u8; 32]>) {
        for (_, sealed) in records.by_head.iter().filter(|(head, _)| !used.contains(*head)) {
            let (record, state) = (sealed.record(), sealed.record().state());
            let is_own = sealed.seal().map(|seal| seal.signer) == self.signer;
            let bots: &lastnim_core::game::BySeat<BotName> = &state.setup().bots;
            let item = state.game().and_then(|game| set.find_item(bots, game));
            if let (true, Some(item)) = (is_own, item) {
                self.add_finding(
                    "left_out",
                    format!("match {} belongs to {item}, but the card does not list it", record.id()),
                );
            }
        }
    }

    /// Describes the result in words.
    pub fn report(&self) -> Report {
        let mut section = Section::new();
        if let (Some(card), Some(signer)) = (&self.card, self.signer) {
            let signer = if self.key == Some(signer) {
                "signed by the given key".to_owned()
            } else {
                format!("signed by {signer}")
            };
            section = section.paragraph(format!("{}: card of {}; {signer}", self.file, citation(card)));
        }
        for finding in &self.findings {
            section = section.alert(format!("{}: {}", self.file, finding.why));
        }
        if self.is_verified() {
            let records = count_with_noun(self.records as u64, "record", "records");
            section = section.paragraph(format!(
                "The figures follow from {records}: in each tier, the items were played in order until the tier ended, against the set's opponents. The records do not prove who played."
            ));
        }
        section.into()
    }

    /// Returns the JSON of the verdict.
    pub fn json(&self) -> Value {
        json!({
            "file": self.file,
            "set": self.card.as_ref().map(|card| card.set.clone()),
            "verified": self.is_verified(),
            "signer": self.signer.map(|signer| signer.to_string()),
            "signed_by_key": self.key.and_then(|key| self.signer.map(|signer| signer == key)),
            "records": self.records,
            "findings": self.findings.iter().map(|finding| json!({ "finding": finding.kind, "message": finding.why })).collect::<Value>(),
        })
    }
}
