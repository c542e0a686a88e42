//! The service for published transcripts of language models.

use super::access::Access;
use super::read_scheduler::ReadScheduler;
use super::status::{arena_status, parse_field, read_request};
use lastnim_arena::{Arena, NewTranscript};
use lastnim_core::game::MatchId;
use lastnim_proto::{pb, transcript::check_published_lines};
use lastnim_store::TranscriptHead;
use tonic::{Request, Response, Status};

/// Serves `lastnim.v1.TranscriptService`.
#[derive(Debug, Clone)]
pub struct TranscriptRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
}

impl TranscriptRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access, reads: ReadScheduler) -> Self {
        Self { arena, access, reads }
    }
}

fn parse_match_id(id: &str) -> Result<MatchId, Status> {
    parse_field("match_id", id.parse())
}

fn published_question_message(head: &TranscriptHead) -> pb::PublishedQuestion {
    pb::PublishedQuestion {
        seat: head.place.seat.into(),
        ply: head.place.ply,
        bytes: head.bytes,
        published_at_us: head.published_at.as_micros(),
    }
}

#[tonic::async_trait]
impl pb::transcript_service_server::TranscriptService for TranscriptRpc {
    async fn publish_transcript(
        &self,
        request: Request<pb::PublishTranscriptRequest>,
    ) -> Result<Response<pb::PublishTranscriptResponse>, Status> {
        let publisher = self.access.require_admin_or_any_bot(&request)?;
        let request = request.into_inner();
        let match_id = read_request(|field| {
            let match_id = field.member("match_id").ok_or_report(request.match_id.parse())?;
            check_published_lines(&request, match_id, field.member("lines"))?;
            Some(match_id)
        })?;
        let pb::PublishTranscriptRequest { seat, ply, lines, .. } = request;
        let transcript = NewTranscript { match_id, seat: seat as usize, ply, lines: lines.into() };
        self.arena.publish_transcript(publisher.as_ref(), transcript).await.map_err(arena_status)?;
        Ok(Response::new(pb::PublishTranscriptResponse {}))
    }

    async fn list_transcripts(
        &self,
        request: Request<pb::ListTranscriptsRequest>,
    ) -> Result<Response<pb::ListTranscriptsResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_match_id(&request.get_ref().match_id)?;
        let arena = self.arena.clone();
        let read = async move {
            let published = arena.transcripts(id).await.map_err(arena_status)?;
            Ok(pb::ListTranscriptsResponse {
                questions: published.iter().map(published_question_message).collect(),
            })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn get_transcript(
        &self,
        request: Request<pb::GetTranscriptRequest>,
    ) -> Result<Response<pb::GetTranscriptResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let pb::GetTranscriptRequest { match_id, seat, ply } = request.into_inner();
        let id = parse_match_id(&match_id)?;
        let arena = self.arena.clone();
        let read = async move {
            let found = arena.transcript(id, seat as usize, ply).await.map_err(arena_status)?;
            let published_at_us = found.published_at.as_micros();
            Ok(pb::GetTranscriptResponse { published_at_us, lines: found.lines.as_ref().to_owned() })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn remove_transcript(
        &self,
        request: Request<pb::RemoveTranscriptRequest>,
    ) -> Result<Response<pb::RemoveTranscriptResponse>, Status> {
        let caller = self.access.require_admin_or_any_bot(&request)?;
        let pb::RemoveTranscriptRequest { match_id, seat } = request.into_inner();
        let id = parse_match_id(&match_id)?;
        let removed = self.arena.remove_transcript(caller.as_ref(), id, seat as usize).await;
        let removed = u32::try_from(removed.map_err(arena_status)?).unwrap_or(u32::MAX);
        Ok(Response::new(pb::RemoveTranscriptResponse { removed }))
    }
}
