//! The service that manages the server itself.

use super::access::Access;
use super::status::arena_status;
use lastnim_arena::{Arena, HandOver};
use lastnim_proto::pb;
use tonic::{Request, Response, Status};

/// Serves `lastnim.v1.ServerService`.
#[derive(Debug, Clone)]
pub struct ServerRpc {
    arena: Arena,
    access: Access,
}

impl ServerRpc {
    /// Creates the service.
    pub fn new(arena: Arena, access: Access) -> Self {
        Self { arena, access }
    }
}

#[tonic::async_trait]
impl pb::server_service_server::ServerService for ServerRpc {
    async fn hand_over(
        &self,
        request: Request<pb::HandOverRequest>,
    ) -> Result<Response<pb::HandOverResponse>, Status> {
        self.access.require_admin(&request)?;
        let HandOver { server, standby_servers } =
            self.arena.request_hand_over().await.map_err(arena_status)?;
        Ok(Response::new(pb::HandOverResponse { server, standby_servers }))
    }
}
