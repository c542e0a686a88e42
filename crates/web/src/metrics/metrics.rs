//! All metrics of a server.

use super::exposition::{CONTENT_TYPE, Exposition};
use super::process_memory::resident_bytes;
use crate::kept_pages::KeptPages;
use crate::response::{Freshness, PageResponse, text_response};
use lastnim_arena::{Arena, ArenaMeasurements, LatencyCounts};
use lastnim_core::referee::RefusalReason;
use lastnim_proto::pb;
use lastnim_rpc::{OracleRpc, TrafficCounts};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Handle;
use tonic::codegen::http::StatusCode;

/// Knows where everything is counted. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// Counts what is played.
    pub arena: Arena,
    /// Counts questions.
    pub oracle: OracleRpc,
    /// Counts connections, refused calls and pages.
    pub traffic: Arc<TrafficCounts>,
    /// Counts pages that were made.
    pub kept: KeptPages,
    /// When the server started.
    pub started: Instant,
}

impl Metrics {
    /// Answers with all metrics.
    pub fn response(&self) -> PageResponse {
        text_response(StatusCode::OK, CONTENT_TYPE, Freshness::Now, self.text())
    }

    /// Writes all metrics, which docs/reference/metrics.md lists.
    fn text(&self) -> String {
        let mut out = Exposition::default();
        out.head("lastnim_build_info", "The version of the server.", "gauge");
        out.sample("lastnim_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        write_play(&mut out, &self.arena.measurements());
        self.write_calls(&mut out);
        self.write_runtime(&mut out);
        out.into_text()
    }

    fn write_calls(&self, out: &mut Exposition) {
        let (accepted, turned_away) = self.traffic.connections();
        out.gauge("lastnim_connections", "TCP connections that are open.", self.traffic.open_connections());
        out.counter("lastnim_connections_total", "TCP connections that were accepted.", accepted);
        out.counter(
            "lastnim_connections_turned_away_total",
            "TCP connections refused for lack of room.",
            turned_away,
        );
        let name = "lastnim_refused_calls_total";
        out.head(
            name,
            "Calls of gRPC that were refused or broken off, limits included, by code and reason.",
            "counter",
        );
        for (refused, count) in self.traffic.refused_calls() {
            out.sample(name, &[("code", refused.code), ("reason", &refused.reason)], count);
        }
        let name = "lastnim_pages_total";
        out.head(name, "Requests for pages, by the status of the answer.", "counter");
        for (status, count) in self.traffic.pages() {
            out.sample(name, &[("status", &status.to_string())], count);
        }
        let made = self.kept.made_pages();
        out.counter("lastnim_made_pages_total", "Pages that were made, not shown again.", made);
        let name = "lastnim_refused_pages_total";
        out.head(name, "Requests for pages that were refused, by status and reason.", "counter");
        for (refused, count) in self.traffic.refused_pages() {
            let status = refused.status.to_string();
            out.sample(name, &[("status", &status), ("reason", &refused.reason)], count);
        }
        let (asked, under_way) = self.oracle.question_counts();
        out.counter("lastnim_oracle_questions_total", "Questions that the oracle has worked on.", asked);
        out.gauge("lastnim_oracle_questions", "Questions that wait or are worked on.", under_way);
    }

    fn write_runtime(&self, out: &mut Exposition) {
        let runtime = Handle::current().metrics();
        out.gauge("lastnim_runtime_tasks", "Tasks of the runtime.", runtime.num_alive_tasks());
        out.gauge("lastnim_runtime_workers", "Threads that carry messages.", runtime.num_workers());
        out.gauge(
            "lastnim_runtime_queued_tasks",
            "Tasks that wait for a thread in the shared queue.",
            runtime.global_queue_depth(),
        );
        out.gauge(
            "lastnim_uptime_seconds",
            "Time since the server started.",
            self.started.elapsed().as_secs_f64(),
        );
        if let Some(bytes) = resident_bytes() {
            out.gauge("process_resident_memory_bytes", "Memory that the process holds.", bytes);
        }
    }
}

fn write_play(out: &mut Exposition, measured: &ArenaMeasurements) {
    out.gauge("lastnim_sessions", "Open sessions of bots.", measured.sessions);
    out.gauge("lastnim_bots", "Registered bots.", measured.bots);
    out.gauge("lastnim_open_matches", "Matches that are not over.", measured.open_matches);
    out.gauge("lastnim_open_tournaments", "Tournaments that are not over.", measured.open_tournaments);
    let played = &measured.played;
    out.counter("lastnim_plies_total", "Takes that were announced.", played.plies);
    out.counter("lastnim_matches_ended_total", "Matches that came to an end.", played.ended_matches);
    out.counter("lastnim_forfeits_total", "Seats that were forfeited.", played.forfeits);
    let name = "lastnim_refused_actions_total";
    out.head(name, "Declarations and takes that were refused in a match, by reason.", "counter");
    for (reason, count) in RefusalReason::ALL.into_iter().zip(played.refusals) {
        let reason = pb::RefusalReason::from(reason).as_str_name();
        let reason = reason.trim_start_matches("REFUSAL_REASON_");
        out.sample(name, &[("reason", reason)], count);
    }
    out.counter("lastnim_store_transactions_total", "Transactions of the store.", measured.transactions);
    out.gauge("lastnim_waiting_commits", "Commits that wait for the store.", measured.waiting_commits);
    write_latencies(
        out,
        "lastnim_commit_duration_seconds",
        "Time from the submission of a commit until its changes last.",
        &measured.commits,
    );
    let standstills = measured.standstills;
    out.counter(
        "lastnim_standstills_total",
        "Times in which the server did not run, which no bot pays for.",
        standstills.count,
    );
    out.counter(
        "lastnim_standstill_seconds_total",
        "How long the server did not run in all.",
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
