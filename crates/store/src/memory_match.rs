//! One match in memory.

use super::{
    FinishedMatch, LostSeat, MatchHead, MatchSummary, QuestionPlace, StoreError, StoredMatch,
    StoredTranscript,
};
use lastnim_core::game::{BotName, MatchId, Seat, SeatVersions};
use lastnim_core::referee::{EndReason, Event, MatchPhase, MatchSetup, Record, TimedEvent, Timestamp};
use lastnim_proto::ListedState;
use lastnim_proto::manifest::ListedRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The approximate size of an event in memory.
const EVENT_BYTES: usize = 150;

/// One match: its events, and totals that are updated with each event, so that lists of matches need not read the
/// events.
#[derive(Debug)]
pub(super) struct MemoryMatch {
    setup: Arc<MatchSetup>,
    events: Vec<TimedEvent>,
    plies: u32,
    is_revealed: bool,
    end: Option<(EndReason, Option<Seat>)>,
    /// Set once the match is over.
    pub(super) over: Option<FinishedMatch>,
    damage: Option<Arc<str>>,
    is_pruned: bool,
    void_reason: Option<Arc<str>>,
    /// The versions of the bot in each seat; empty if no version was reported.
    pub(super) versions: Vec<SeatVersions>,
    /// The published transcripts.
    transcripts: BTreeMap<QuestionPlace, Arc<StoredTranscript>>,
    /// The size of the published transcripts, in bytes.
    transcript_bytes: usize,
}

impl MemoryMatch {
    /// Creates a match without events.
    pub(super) fn new(setup: Arc<MatchSetup>) -> Self {
        let (events, plies, is_revealed, is_pruned, versions) = Default::default();
        let (damage, void_reason) = (None, None);
        Self {
            setup,
            events,
            plies,
            is_revealed,
            end: None,
            over: None,
            damage,
            is_pruned,
            void_reason,
            versions,
            transcripts: BTreeMap::new(),
            transcript_bytes: 0,
        }
    }

    pub(super) fn push_event(&mut self, event: TimedEvent) {
        match event.event {
            Event::Revealed { .. } => self.is_revealed = true,
            Event::Took { .. } => self.plies += 1,
            Event::Ended { reason, winner } => {
                self.end = Some((reason, winner));
                self.events.reserve_exact(1);
            }
            Event::Created(_)
            | Event::Dealt(_)
            | Event::Said(_)
            | Event::TalkEnded { .. }
            | Event::Heard { .. }
            | Event::Declared { .. }
            | Event::Struck { .. }
            | Event::Forfeited { .. } => {}
        }
        self.events.push(event);
    }

    /// Returns the number of events.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns the size of the match, counted in events. Transcripts count as one event per `EVENT_BYTES`.
    pub(super) fn size_in_events(&self) -> usize {
        self.events.len() + self.transcript_bytes / EVENT_BYTES
    }

    /// Stores a published transcript.
    pub(super) fn publish(&mut self, stored: Arc<StoredTranscript>) {
        self.transcript_bytes += stored.lines.len();
        if let Some(before) = self.transcripts.insert(stored.place, stored) {
            self.transcript_bytes -= before.lines.len();
        }
    }

    /// Removes the published transcripts of a seat.
    pub(super) fn unpublish(&mut self, seat: Seat) {
        self.transcripts.retain(|place, _| place.seat != seat);
        self.transcript_bytes = self.transcripts.values().map(|stored| stored.lines.len()).sum();
    }

    /// Returns the published transcripts, ordered by seat and ply.
    pub(super) fn transcripts(&self) -> impl Iterator<Item = &StoredTranscript> {
        self.transcripts.values().map(Arc::as_ref)
    }

    /// Calls `visit` with the publication time of each transcript.
    pub(super) fn for_each_publication_time(&mut self, visit: impl FnMut(&mut Timestamp)) {
        self.transcripts.values_mut().map(|stored| &mut Arc::make_mut(stored).published_at).for_each(visit);
    }

    /// Returns the total size in bytes of a seat's published transcripts, not counting the one at `place`.
    pub(super) fn other_transcript_bytes(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<u64, StoreError> {
        if self.is_pruned {
            return Err(StoreError::Pruned(id));
        }
        let others =
            self.transcripts().filter(|stored| stored.place.seat == place.seat && stored.place != place);
        Ok(others.map(|stored| stored.lines.len() as u64).sum())
    }

    pub(super) fn setup(&self) -> &Arc<MatchSetup> {
        &self.setup
    }

    pub(super) fn quarantine(&mut self, why: &str) {
        self.damage = Some(why.into());
    }

    /// Returns whether rows were dealt, and stay secret because the match was cancelled.
    fn is_deal_unopened(&self) -> bool {
        self.setup.deal.is_some() && matches!(self.end, Some((EndReason::Cancelled, _)))
    }

    /// Returns whether the record of the match may be removed.
    pub(super) fn is_prunable(&self) -> bool {
        let is_cancelled = matches!(self.end, Some((EndReason::Cancelled, _)));
        self.over.is_some() && !self.is_pruned && !(is_cancelled && self.plies == 0)
    }

    /// Returns the hash that identifies the record of the match, or `None` if the match is not over.
    pub(super) fn head(&self, id: MatchId) -> Result<Option<MatchHead>, StoreError> {
        let number = self.setup.origin.as_ref().map(|origin| origin.number);
        let record = match (&self.over, &self.damage) {
            (_, Some(_)) => ListedRecord::Unrecorded,
            (None, None) => return Ok(None),
            (Some(_), None) if !self.is_revealed || self.is_deal_unopened() => {
                let public_head = self.to_stored(id)?.record.public_head();
                public_head
                    .map_or(ListedRecord::Unrecorded, |public_head| ListedRecord::Unrevealed { public_head })
            }
            (Some(over), None) => ListedRecord::Signed { head: over.head, signer: over.seal.signer },
        };
        Ok(Some(MatchHead { id, number, record }))
    }

    /// Removes the events and transcripts of the match if this is allowed, and returns their size, counted in events.
    pub(super) fn prune(&mut self) -> usize {
        if !self.is_prunable() {
            return 0;
        }
        let size = self.size_in_events();
        self.is_pruned = true;
        (self.events, self.transcripts, self.transcript_bytes) = Default::default();
        size
    }

    pub(super) fn last_event_at(&self) -> Option<Timestamp> {
        self.events.last().map(|event| event.at)
    }

    pub(super) fn void(&mut self, why: &str) {
        self.void_reason = Some(why.into());
    }

    pub(super) fn is_voided(&self) -> bool {
        self.void_reason.is_some()
    }

    pub(super) fn is_quarantined(&self) -> bool {
        self.damage.is_some()
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.is_some() || self.is_quarantined()
    }

    pub(super) fn listed_state(&self) -> ListedState {
        match (&self.void_reason, &self.damage) {
            (Some(_), _) => ListedState::Voided,
            (None, Some(_)) => ListedState::Quarantined,
            (None, None) if self.end.is_some() => ListedState::Over,
            (None, None) => ListedState::Open,
        }
    }

    pub(super) fn end_reason(&self) -> Option<EndReason> {
        self.end.map(|(reason, _)| reason)
    }

    pub(super) fn summary(&self, id: MatchId) -> MatchSummary {
        let phase = match (self.is_over(), self.is_revealed) {
            (true, _) => MatchPhase::Ended,
            (false, true) => MatchPhase::Playing,
            (false, false) => MatchPhase::Declaring,
        };
        MatchSummary {
            id,
            setup: Some(Arc::clone(&self.setup)),
            phase,
            plies: self.plies,
            end: self.end,
            damage: self.damage.clone(),
            void_reason: self.void_reason.clone(),
            versions: self.versions.clone(),
        }
    }

    /// Returns the seat of a bot, with its strikes and how it was lost; `None` if the bot has no seat in the match.
    pub(super) fn lost_seat(&self, id: MatchId, bot: &BotName) -> Option<LostSeat> {
        let tournament = self.setup.origin.as_ref().map(|origin| origin.tournament);
        let mut lost = LostSeat::new(id, tournament, self.setup.seat_of(bot)?);
        self.events.iter().for_each(|event| lost.note_event(event));
        Some(lost)
    }

    /// Returns the complete match, as a database would return it.
    pub(super) fn to_stored(&self, id: MatchId) -> Result<StoredMatch, StoreError> {
        if let Some(why) = &self.damage {
            return Err(StoreError::Quarantined { id, why: why.to_string() });
        }
        if self.is_pruned {
            return Err(StoreError::Pruned(id));
        }
        let record = Record::replay(id, self.events.iter().cloned()).map_err(|error| {
            StoreError::Damaged { what: format!("the record of match {id}"), why: error.to_string() }
        })?;
        let seal = self.over.as_ref().map(|over| over.seal);
        Ok(StoredMatch { record, seal, versions: self.versions.clone() })
    }
}
