//! Streams the manifest of a tournament in parts, and keeps only one part in memory at a time.

use super::read_scheduler::ReadScheduler;
use super::scheduling::{Permit, WaitingCaller};
use super::status::arena_status;
use lastnim_arena::{Arena, ArenaError, ListedMatches, ManifestSnapshot};
use lastnim_core::game::MatchId;
use lastnim_proto::manifest::ManifestWriter;
use lastnim_proto::pb::{self, manifest_line::Line};
use lastnim_proto::tournament::settings_message;
use std::sync::Arc;
use tokio::sync::mpsc;
use tonic::Status;

/// The maximum number of bytes of a part that one message holds; a larger part is sent in several messages.
const MAX_MESSAGE_BYTES: usize = 256 << 10;
/// The target size of one part in bytes. The last line or page of matches of a part may exceed it.
const PART_BYTES: usize = 128 << 10;
/// The number of matches per read. The line of a match is about 150 bytes long.
const PAGE_SIZE: usize = 1_000;

/// Lines of a manifest that are still to be written.
type ManifestLines = Box<dyn Iterator<Item = Line> + Send>;

/// A manifest that is being written.
pub(super) struct ManifestSource {
    arena: Arena,
    snapshot: ManifestSnapshot,
    writer: ManifestWriter,
    stage: ManifestStage,
}

/// The next section to write.
enum ManifestStage {
    /// The lines before the matches.
    Header(ManifestLines),
    /// The matches after this one, or all matches if it is `None`.
    Matches(Option<MatchId>),
    /// The standings and the format's verdict.
    Standings(ManifestLines),
    Seal,
    Done,
}

impl ManifestSource {
    pub(super) fn new(arena: Arena, snapshot: ManifestSnapshot) -> Self {
        let stored = &snapshot.stored;
        let over_at = stored.over.as_ref().map(|over| over.at);
        let secret = stored.published_secret();
        let writer =
            ManifestWriter::begin(stored.id, stored.state, stored.created_at, over_at, secret.as_ref());
        let stage = ManifestStage::Header(lines_before_matches(&snapshot));
        Self { arena, snapshot, writer, stage }
    }

    /// Writes and returns the next part, which is empty after the last one.
    pub(super) async fn next_part(&mut self) -> Result<Vec<u8>, ArenaError> {
        while self.writer.text_len() < PART_BYTES {
            match &mut self.stage {
                ManifestStage::Header(lines) => match lines.next() {
                    Some(line) => self.writer.push_line(line),
                    None => self.stage = ManifestStage::Matches(None),
                },
                ManifestStage::Matches(after) => {
                    let page = self.arena.listed_matches(&self.snapshot, *after, PAGE_SIZE).await?;
                    let ListedMatches { matches, next } = page;
                    for listed in &matches {
                        self.writer.push_match(listed);
                    }
                    self.stage = match next {
                        Some(_) => ManifestStage::Matches(next),
                        None => ManifestStage::Standings(lines_after_matches(&self.snapshot)),
                    };
                }
                ManifestStage::Standings(lines) => match lines.next() {
                    Some(line) => self.writer.push_line(line),
                    None => self.stage = ManifestStage::Seal,
                },
                ManifestStage::Seal => {
                    self.writer.push_seal(&self.arena.seal_manifest(self.writer.hash()));
                    self.stage = ManifestStage::Done;
                }
                ManifestStage::Done => break,
            }
        }
        Ok(self.writer.take_text())
    }

    /// Sends the manifest to its end, or until the receiver is gone. Each part waits for its turn in the read
    /// scheduler.
    pub(super) async fn send(
        mut self,
        reads: ReadScheduler,
        reader: WaitingCaller,
        receiver: mpsc::Sender<Result<pb::GetManifestResponse, Status>>,
        _place: Permit,
    ) {
        let arena = self.arena.clone();
        loop {
            let read = async move {
                let part = self.next_part().await.map_err(arena_status)?;
                Ok((self, part))
            };
            let part = match reads.run_watcher_read(&reader, read).await {
                Ok((source, part)) => {
                    self = source;
                    part
                }
                Err(status) => {
                    // An error is ignored: the receiver may be gone.
                    let _ = receiver.send(Err(status)).await;
                    return;
                }
            };
            if part.is_empty() {
                return;
            }
            for text in part.chunks(MAX_MESSAGE_BYTES) {
                let message = pb::GetManifestResponse { text: text.to_vec() };
                tokio::select! {
                    sent = receiver.send(Ok(message)) => if sent.is_err() { return },
                    () = arena.wait_until_stopped() => {
                        let _ = receiver.send(Err(arena_status(ArenaError::Stopping))).await;
                        return;
                    }
                }
            }
        }
    }
}

fn lines_before_matches(snapshot: &ManifestSnapshot) -> ManifestLines {
    let ManifestSnapshot { stored, history, events, .. } = snapshot;
    let settings = Line::Settings(settings_message(&stored.settings, &stored.terms));
    let bots = history.start.clone().into_iter();
    let bots = bots.map(|bot| Line::Bot(pb::ManifestBot { name: bot.to_string() }));
    let changes = history.changes.clone().into_iter().map(|change| Line::FieldChange((&change).into()));
    let events = events.clone().into_iter().map(|event| Line::Event((&event).into()));
    Box::new([settings].into_iter().chain(bots).chain(changes).chain(events))
}

fn lines_after_matches(snapshot: &ManifestSnapshot) -> ManifestLines {
    let standings = Arc::clone(&snapshot.standings);
    let standings = (0..standings.len()).map(move |index| Line::Standing((&standings[index]).into()));
    let verdict = Line::Verdict(snapshot.verdict.as_ref().into());
    Box::new(standings.chain([verdict]))
}
