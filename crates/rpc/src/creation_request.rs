//! The ids by which callers repeat requests that create something.

use lastnim_arena::CreationRequest;
use lastnim_core::game::BotName;
use lastnim_store::{RequestHash, RequestId, RequestKey};
use prost::Message;
use std::mem::take;

/// Returns what identifies a request of this caller (`None` for an admin) to this method. `id_field` selects the field
/// with the id, which is not part of the request's hash.
pub(super) fn creation_request<M: Message>(
    caller: Option<BotName>,
    id: RequestId,
    method: &str,
    mut message: M,
    id_field: impl FnOnce(&mut M) -> &mut String,
) -> CreationRequest {
    take(id_field(&mut message));
    let hash = RequestHash::of_request(method, &message.encode_to_vec());
    CreationRequest { key: RequestKey { caller, id }, hash }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb;

    #[test]
    fn the_hash_covers_everything_but_the_id() {
        let request = |id: &str, piles: &[u64]| {
            let message = pb::CreateMatchRequest {
                piles: piles.to_vec(),
                request_id: id.to_owned(),
                ..Default::default()
            };
            let id = id.parse().unwrap();
            creation_request(None, id, "CreateMatch", message, |message| &mut message.request_id).hash
        };
        assert_eq!(request("a", &[1]), request("b", &[1]));
        assert_ne!(request("a", &[1]), request("a", &[2]));
    }
}
