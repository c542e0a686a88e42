//! Finds the key that a server used to sign records before its current key.

use lastnim_core::referee::PublicKey;
use lastnim_store::{MatchFilter, Store, StoreError};

/// How many of the newest matches are searched for a signed one. Several are needed because matches that ended before
/// their rows were revealed have no signature.
const MAX_SEARCHED_MATCHES: usize = 16;

/// Returns the key that signed the newest record in a store, if it is not the key in use.
pub async fn find_former_key(store: &dyn Store, in_use: PublicKey) -> Option<PublicKey> {
    match signer_of_newest_record(store).await {
        Ok(signer) => signer.filter(|&signer| signer != in_use),
        Err(error) => {
            // An error is ignored, because this is only needed for a warning.
            tracing::warn!(%error, "cannot tell which key signed the newest record");
            None
        }
    }
}

async fn signer_of_newest_record(store: &dyn Store) -> Result<Option<PublicKey>, StoreError> {
    let newest = store.match_summaries(&MatchFilter::default(), None, MAX_SEARCHED_MATCHES).await?;
    // A quarantined match cannot be read.
    for newest in newest.into_iter().filter(|newest| newest.damage.is_none()) {
        let seal = match store.match_record(newest.id).await {
            Err(StoreError::Pruned(_)) => None,
            read => read?.and_then(|stored| stored.seal),
        };
        if let Some(seal) = seal {
            return Ok(Some(seal.signer));
        }
    }
    Ok(None)
}
