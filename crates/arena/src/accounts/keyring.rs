//! Tokens and their holders.

use lastnim_core::game::BotName;
use lastnim_store::TokenHash;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The holder of a token, which determines what a caller may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// An admin, who has all rights.
    Admin,
    /// A bot: may play its seats, join tournaments, replace its token, and read.
    Bot(BotName),
    /// A viewer, who may only read.
    Viewer,
}

/// Maps token hashes to their holders.
#[derive(Debug, Default)]
pub struct Keyring {
    principals: RwLock<HashMap<TokenHash, Principal>>,
}

impl Keyring {
    /// Adds a token. A token that was added before keeps its holder.
    pub fn insert(&self, hash: TokenHash, principal: Principal) {
        self.principals.write().unwrap_or_else(PoisonError::into_inner).entry(hash).or_insert(principal);
    }

    pub fn remove(&self, hash: TokenHash) {
        self.principals.write().unwrap_or_else(PoisonError::into_inner).remove(&hash);
    }

    /// Returns the holder of the token that has this hash.
    pub fn principal(&self, hash: TokenHash) -> Option<Principal> {
        self.principals.read().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_store::Token;

    #[test]
    fn a_removed_token_is_invalid_and_debug_hides_tokens() {
        let keyring = Keyring::default();
        let token = Token::generate();
        keyring.insert(token.hash(), Principal::Admin);
        assert_eq!(keyring.principal(token.hash()), Some(Principal::Admin));
        keyring.insert(token.hash(), Principal::Viewer);
        assert_eq!(keyring.principal(token.hash()), Some(Principal::Admin), "a known token keeps its role");
        keyring.remove(token.hash());
        assert_eq!(keyring.principal(token.hash()), None);
        assert_ne!(Token::generate().reveal(), Token::generate().reveal());
        assert!(!format!("{token:?} {keyring:?}").contains(token.reveal()));
    }
}
