//! Snapshots of a tournament between two events of its director.

use super::Director;
use crate::tournaments::manifest::RunningSnapshot;
use crate::tournaments::tournament_handle::SnapshotRequest;
use lastnim_core::game::MatchId;
use std::time::Duration;

impl Director {
    /// Answers with a snapshot.
    pub(super) async fn answer_snapshot(&self, request: SnapshotRequest) {
        // Ids rise with each millisecond: from the next one on, ids of new matches are greater.
        let before = loop {
            let now_ms = self.arena.now().as_micros() / 1_000;
            if self.last_begun.is_none_or(|last| last.unix_ms() < now_ms) {
                break MatchId::new(now_ms, &[0; 10]);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        let mut open: Vec<_> = self.open.values().map(|open| (open.id, open.pairing.number)).collect();
        open.sort_unstable();
        // The caller may have gone.
        let _ = request.send(RunningSnapshot {
            changes: self.field.stored_changes(),
            events: self.handle.events(),
            open,
            before,
            standings: self.handle.unrated_standings(),
            verdict: self.handle.format_verdict(),
        });
    }
}
