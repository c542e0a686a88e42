//! Reads manifests and checks their signatures.

use super::listed_match::parse_key;
use super::{ListedMatch, ListedRecord, ManifestWriter, VERSION, pb};
use crate::deal::parse_published_secret;
use crate::field_history::parse_field_change;
use crate::json::{message_from_proto3_json, parse_document};
use crate::{RequestField, parse_request};
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::{ManifestHasher, PublicKey, PublishedSecret, Seal, Signature};
use lastnim_tournament::{FieldChange, TournamentState};
use pb::manifest_line::Line;
use thiserror::Error;

/// The contents of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The id of the tournament.
    pub id: TournamentId,
    /// Its state.
    pub state: TournamentState,
    /// The public part of the secret from which its rows are dealt; `None` if no rows are dealt.
    pub deal_secret: Option<PublishedSecret>,
    /// Its settings.
    pub settings: pb::TournamentSettings,
    /// The bots that the tournament started with, in the order in which they joined.
    pub field: Vec<BotName>,
    /// The changes to the field while the tournament ran.
    pub changes: Vec<FieldChange>,
    /// The organiser's actions.
    pub events: Vec<pb::TournamentEvent>,
    /// Its matches, ordered by id.
    pub matches: Vec<ListedMatch>,
    /// Its standings, by place.
    pub standings: Vec<pb::Standing>,
    /// The format's result, in addition to the standings.
    pub verdict: pb::Verdict,
}

impl Manifest {
    /// Returns whether the tournament was still running when the manifest was made.
    pub fn is_interim(&self) -> bool {
        !self.state.is_over()
    }

    /// Returns whether a match began after this manifest was made, which is possible only if the tournament was still
    /// running. The id of such a match is greater than all ids in the manifest.
    pub fn is_newer_match(&self, id: MatchId) -> bool {
        self.is_interim() && self.matches.last().is_none_or(|last| id > last.id)
    }

    /// Returns the index of a match in `matches`, if the manifest lists it.
    pub fn index_of_match(&self, id: MatchId) -> Option<usize> {
        self.matches.binary_search_by_key(&id, |listed| listed.id).ok()
    }
}

/// The result of reading a manifest to the end.
#[derive(Debug, Clone, PartialEq)]
pub struct ManifestReadResult {
    /// The signer, or the reason why the signature is invalid.
    pub signed: Result<PublicKey, ManifestFlaw>,
    /// The contents, or the first mistake in them.
    pub manifest: Result<Manifest, ManifestFlaw>,
}

/// The reason why a text is not a manifest, or why its signature is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ManifestFlaw {
    /// A line is invalid or out of order.
    #[error("line {line}: {why}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// The mistake in the line.
        why: String,
    },
    /// A required line is missing.
    #[error("the line `{what}` is missing")]
    Missing {
        /// The kind of the missing line.
        what: &'static str,
    },
    /// The last line is not the signature.
    #[error("it is truncated: its last line is not a signature")]
    CutOff,
    /// Lines follow the signature.
    #[error("line {line} follows the signature")]
    AfterSeal {
        /// The number of the line, from 1.
        line: u64,
    },
    /// The signature does not match the lines.
    #[error(
        "the signature does not match these lines: a line was changed, added, removed or moved, or the signature was changed"
    )]
    Signature,
}

/// Returns whether a string begins like a manifest.
pub fn looks_like_manifest(text: &[u8]) -> bool {
    let mut bytes = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    b"{\"manifest\":".iter().all(|expected| bytes.next() == Some(expected))
}

/// Reads a manifest line by line.
#[derive(Debug, Default)]
pub struct ManifestReader {
    hasher: ManifestHasher,
    /// Number of lines read so far.
    lines: u64,
    /// The first mistake in the contents.
    flaw: Option<ManifestFlaw>,
    seal: Option<Result<Seal, ManifestFlaw>>,
    line_after_seal: Option<u64>,
    parts: ManifestParts,
}

#[derive(Debug, Default)]
struct ManifestParts {
    header: Option<(TournamentId, TournamentState, Option<PublishedSecret>)>,
    settings: Option<pb::TournamentSettings>,
    field: Vec<BotName>,
    changes: Vec<FieldChange>,
    events: Vec<pb::TournamentEvent>,
    matches: Vec<ListedMatch>,
    standings: Vec<pb::Standing>,
    verdict: Option<pb::Verdict>,
    /// The result of [`section_of_line`] for the previous line; 0 before the first line.
    place: u8,
    signer: Option<PublicKey>,
}

impl ManifestReader {
    /// Reads the next line, with or without its newline. Lines after an invalid one are still hashed, so that the
    /// signature can be checked.
    pub fn read_line(&mut self, line: &[u8]) {
        self.lines += 1;
        if self.seal.is_some() {
            self.line_after_seal.get_or_insert(self.lines);
            return;
        }
        let number = self.lines;
        let line_flaw = |why: String| ManifestFlaw::Line { line: number, why };
        let parsed = parse_line(line);
        if let Ok(pb::ManifestLine { line: Some(Line::Seal(seal)) }) = &parsed {
            let seal = parse_request(|field| parse_seal(seal, field.member("seal")));
            let seal = seal.map_err(|violations| violations.to_string());
            let seal = seal.and_then(|seal| {
                if is_seal_line(line, &seal) { Ok(seal) } else { Err(NONCANONICAL_SIGNATURE.to_owned()) }
            });
            self.seal = Some(seal.map_err(line_flaw));
            return;
        }
        self.hasher.update(line);
        if self.flaw.is_none() {
            let added = parsed.and_then(|parsed| self.parts.add_line(parsed));
            self.flaw = added.err().map(line_flaw);
        }
    }

    /// Returns the contents and the result of checking the signature.
    pub fn finish(self) -> ManifestReadResult {
        let Self { hasher, flaw, seal, line_after_seal, parts, .. } = self;
        let signed = match (seal, line_after_seal) {
            (None, _) => Err(ManifestFlaw::CutOff),
            (_, Some(line)) => Err(ManifestFlaw::AfterSeal { line }),
            (Some(Err(flaw)), None) => Err(flaw),
            (Some(Ok(seal)), None) if seal.verifies_manifest(hasher.hash()) => Ok(seal.signer),
            (Some(Ok(_)), None) => Err(ManifestFlaw::Signature),
        };
        let manifest = flaw.map_or_else(|| parts.finish(), Err);
        ManifestReadResult { signed, manifest }
    }
}

impl ManifestParts {
    fn add_line(&mut self, line: pb::ManifestLine) -> Result<(), String> {
        let line = line.line.ok_or("it has no key that this version of lastnim knows")?;
        let place = section_of_line(&line);
        let is_single = matches!(line, Line::Manifest(_) | Line::Settings(_) | Line::Verdict(_));
        let fits = match self.place {
            // The first two lines must be the header and the settings, because all other lines depend on them.
            before if before < SETTINGS_SECTION => place == before + 1,
            before if is_single => place > before,
            before => place >= before,
        };
        if !fits {
            return Err("it is repeated or in the wrong place".to_owned());
        }
        self.place = place;
        parse_request(|field| self.add_part(line, field)).map_err(|violations| violations.to_string())
    }

    fn add_part(&mut self, line: Line, field: RequestField<'_>) -> Option<()> {
        match line {
            Line::Manifest(header) => self.header = Some(parse_header(&header, field.member("manifest"))?),
            Line::Settings(settings) => self.settings = Some(settings),
            Line::Bot(bot) => self.field.push(field.member("bot").ok_or_report(bot.name.parse())?),
            Line::FieldChange(change) => {
                self.changes.push(parse_field_change(&change, field.member("field_change"))?);
            }
            Line::Event(event) => self.events.push(event),
            Line::Match(given) => {
                let at = field.member("match");
                let listed = ListedMatch::parse(&given, self.signer, at)?;
                let rises = self.matches.last().is_none_or(|last| last.id < listed.id);
                at.member("match_id").ok_or_report(
                    rises.then_some(()).ok_or("the ids of the lines are not in ascending order"),
                )?;
                if let ListedRecord::Signed { signer, .. } = listed.record {
                    self.signer = Some(signer);
                }
                self.matches.push(listed);
            }
            Line::Standing(standing) => self.standings.push(standing),
            Line::Verdict(verdict) => self.verdict = Some(verdict),
            Line::Seal(_) => {}
        }
        Some(())
    }

    fn finish(self) -> Result<Manifest, ManifestFlaw> {
        let Self { header, settings, field, changes, events, matches, standings, verdict, .. } = self;
        let (id, state, deal_secret) = header.ok_or(ManifestFlaw::Missing { what: "manifest" })?;
        let settings = settings.ok_or(ManifestFlaw::Missing { what: "settings" })?;
        let verdict = verdict.ok_or(ManifestFlaw::Missing { what: "verdict" })?;
        Ok(Manifest { id, state, deal_secret, settings, field, changes, events, matches, standings, verdict })
    }
}

/// The place of the settings in the order of lines.
const SETTINGS_SECTION: u8 = 2;

/// Returns the place, from 1, of a line's kind in the order that every manifest must follow.
fn section_of_line(line: &Line) -> u8 {
    match line {
        Line::Manifest(_) => 1,
        Line::Settings(_) => SETTINGS_SECTION,
        Line::Bot(_) => 3,
        Line::FieldChange(_) => 4,
        Line::Event(_) => 5,
        Line::Match(_) => 6,
        Line::Standing(_) => 7,
        Line::Verdict(_) => 8,
        Line::Seal(_) => 9,
    }
}

fn parse_header(
    header: &pb::ManifestHeader,
    field: RequestField<'_>,
) -> Option<(TournamentId, TournamentState, Option<PublishedSecret>)> {
    if header.version != VERSION {
        let version = header.version;
        field.member("version").report(format_args!("{version}: this program reads version {VERSION}"));
        return None;
    }
    let id = field.member("tournament_id").ok_or_report(header.tournament_id.parse());
    let state_field = field.member("state");
    let state: Option<TournamentState> = state_field.optional_enum(header.state)?;
    let state = state_field.require(state.as_ref()).copied();
    let secret_fields = [field.member("deal_secret_hash"), field.member("deal_secret")];
    let secret = parse_published_secret(&header.deal_secret_hash, &header.deal_secret, secret_fields);
    Some((id?, state?, secret?))
}

/// The error for a signature line that is not written as lastnim writes it.
const NONCANONICAL_SIGNATURE: &str =
    "the signature is not written exactly as lastnim writes it: its line was changed";

fn parse_line(line: &[u8]) -> Result<pb::ManifestLine, String> {
    let text = str::from_utf8(line).map_err(|error| error.to_string())?;
    message_from_proto3_json(&parse_document(text)?).map_err(|error| error.to_string())
}

/// Returns whether a line is byte for byte what lastnim writes for this seal. The hash does not cover the seal, so
/// nothing else would reveal a changed layout.
fn is_seal_line(line: &[u8], seal: &Seal) -> bool {
    let mut writer = ManifestWriter::default();
    writer.push_seal(seal);
    writer.take_text() == line
}

fn parse_seal(given: &pb::ManifestSeal, field: RequestField<'_>) -> Option<Seal> {
    let signer = parse_key(&given.signer, field.member("signer"));
    let signature = <[u8; Signature::BYTES]>::try_from(given.signature.as_slice());
    let signature = signature.map_err(|_| {
        format!("{} bytes: expected {} in a signature", given.signature.len(), Signature::BYTES)
    });
    let signature = field.member("signature").ok_or_report(signature).map(Signature::from_bytes);
    Some(Seal { signer: signer?, signature: signature? })
}
