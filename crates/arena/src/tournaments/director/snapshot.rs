//! Snapshots of a tournament between two events of its director.

use super::Director;
use crate::tournaments::manifest::RunningSnapshot;
use crate::tournaments::tournament_handle::SnapshotRequest;

impl Director {
    /// Answers with a snapshot.
    pub(super) fn answer_snapshot(&self, request: SnapshotRequest) {
        // Matches that begin later get greater ids.
        let before = self.arena.inner.ids.next_match();
        let mut open: Vec<_> = self.open.values().map(|open| (open.id, open.pairing.number)).collect();
        open.sort_unstable();
        // A failure to send is ignored, because the caller may be gone.
        let _ = request.send(RunningSnapshot {
            changes: self.field.stored_change_count(),
            events: self.handle.events(),
            open,
            before,
            standings: self.handle.unrated_standings(),
            verdict: self.handle.format_verdict(),
        });
    }
}
