//! The metrics of a server.

use super::exposition::{CONTENT_TYPE, Exposition};
use super::process_memory::resident_bytes;
use crate::page_cache::PageCache;
use crate::response::{Freshness, PageResponse, text_response};
use lastnim_arena::{Arena, ArenaMeasurements, LatencyCounts};
use lastnim_core::referee::RefusalReason;
use lastnim_proto::pb;
use lastnim_rpc::{OracleRpc, TrafficCounts};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Handle;
use tonic::codegen::http::StatusCode;

/// The sources of all metrics. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// Counts matches and sessions.
    pub arena: Arena,
    /// Counts questions to the oracle.
    pub oracle: OracleRpc,
    /// Counts connections, refused calls and page requests.
    pub traffic: Arc<TrafficCounts>,
    /// Counts rendered pages.
    pub kept: PageCache,
    /// When the server started.
    pub started: Instant,
}

impl Metrics {
    /// Returns all metrics.
    pub fn response(&self) -> PageResponse {
        text_response(StatusCode::OK, CONTENT_TYPE, Freshness::Now, self.text())
    }

    /// Writes all metrics. docs/reference/metrics.md lists them.
    fn text(&self) -> String {
        let mut out = Exposition::default();
        out.head("lastnim_build_info", "The server's version.", "gauge");
        out.sample("lastnim_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        write_match_metrics(&mut out, &self.arena.measurements());
        self.write_calls(&mut out);
        self.write_runtime(&mut out);
        out.into_text()
    }

    fn write_calls(&self, out: &mut Exposition) {
        let (accepted, turned_away) = self.traffic.connections();
        out.gauge("lastnim_connections", "Open TCP connections.", self.traffic.open_connection_count());
        out.counter("lastnim_connections_total", "Accepted TCP connections.", accepted);
        out.counter(
            "lastnim_connections_turned_away_total",
            "TCP connections closed because the limit was reached.",
            turned_away,
        );
        let name = "lastnim_refused_calls_total";
        out.head(name, "gRPC calls that were refused or aborted, by code and reason.", "counter");
        for (refused, count) in self.traffic.refused_calls() {
            out.sample(name, &[("code", refused.code), ("reason", &refused.reason)], count);
        }
        let name = "lastnim_pages_total";
        out.head(name, "Page requests, by status.", "counter");
        for (status, count) in self.traffic.pages() {
            out.sample(name, &[("status", &status.to_string())], count);
        }
        let made = self.kept.rendered_page_count();
        out.counter("lastnim_made_pages_total", "Pages rendered because no cached page was valid.", made);
        let name = "lastnim_refused_pages_total";
        out.head(name, "Refused page requests, by status and reason.", "counter");
        for (refused, count) in self.traffic.refused_pages() {
            let status = refused.status.to_string();
            out.sample(name, &[("status", &status), ("reason", &refused.reason)], count);
        }
        let (asked, under_way) = self.oracle.question_counts();
        out.counter("lastnim_oracle_questions_total", "Questions answered or started by the oracle.", asked);
        out.gauge(
            "lastnim_oracle_questions",
            "Questions that the oracle is working on, or that are waiting for it.",
            under_way,
        );
    }

    fn write_runtime(&self, out: &mut Exposition) {
        let runtime = Handle::current().metrics();
        out.gauge("lastnim_runtime_tasks", "Runtime tasks.", runtime.num_alive_tasks());
        out.gauge("lastnim_runtime_workers", "Runtime worker threads.", runtime.num_workers());
        out.gauge(
            "lastnim_runtime_queued_tasks",
            "Tasks waiting in the shared queue.",
            runtime.global_queue_depth(),
        );
        out.gauge(
            "lastnim_uptime_seconds",
            "Time since the server started.",
            self.started.elapsed().as_secs_f64(),
        );
        if let Some(bytes) = resident_bytes() {
            out.gauge("process_resident_memory_bytes", "The process's resident memory.", bytes);
        }
    }
}

fn write_match_metrics(out: &mut Exposition, measured: &ArenaMeasurements) {
    out.gauge("lastnim_sessions", "Open bot sessions.", measured.sessions);
    out.gauge("lastnim_bots", "Registered bots.", measured.bots);
    out.gauge("lastnim_open_matches", "Matches that are not over.", measured.open_matches);
    out.gauge("lastnim_open_tournaments", "Tournaments that are not over.", measured.open_tournaments);
    let played = &measured.played;
    out.counter("lastnim_plies_total", "Announced takes.", played.plies);
    out.counter("lastnim_matches_ended_total", "Ended matches.", played.ended_matches);
    out.counter("lastnim_forfeits_total", "Forfeited seats.", played.forfeits);
    let name = "lastnim_refused_actions_total";
    out.head(name, "Refused declarations and takes, by reason.", "counter");
    for (reason, count) in RefusalReason::ALL.into_iter().zip(played.refusals) {
        let reason = pb::RefusalReason::from(reason).as_str_name();
        let reason = reason.trim_start_matches("REFUSAL_REASON_");
        out.sample(name, &[("reason", reason)], count);
    }
    out.counter("lastnim_store_transactions_total", "Store transactions.", measured.transactions);
    out.gauge("lastnim_waiting_commits", "Commits waiting for the store.", measured.waiting_commits);
    write_latencies(
        out,
        "lastnim_commit_duration_seconds",
        "Time from the submission of a commit until it is durable.",
        &measured.commits,
    );
    let standstills = measured.standstills;
    out.counter(
        "lastnim_standstills_total",
        "Server pauses, not charged to any bot's clock.",
        standstills.count,
    );
    out.counter(
        "lastnim_standstill_seconds_total",
        "Total time of server pauses, not charged to any bot's clock.",
        standstills.total.as_secs_f64(),
    );
}

fn write_latencies(out: &mut Exposition, name: &str, help: &str, latencies: &LatencyCounts) {
    out.head(name, help, "histogram");
    let bucket = format!("{name}_bucket");
    for (bound, count) in &latencies.up_to {
        out.sample(&bucket, &[("le", &bound.as_secs_f64().to_string())], count);
    }
    out.sample(&bucket, &[("le", "+Inf")], latencies.count);
    out.sample(&format!("{name}_sum"), &[], latencies.sum.as_secs_f64());
    out.sample(&format!("{name}_count"), &[], latencies.count);
}
