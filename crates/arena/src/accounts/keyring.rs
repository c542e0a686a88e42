//! Tokens and whom they stand for.

use lastnim_core::game::BotName;
use lastnim_store::TokenHash;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Who is calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Principal {
    /// May do everything.
    Admin,
    /// A bot: may play its own seats, enter itself, replace its own token, and look.
    Bot(BotName),
    /// May look.
    Viewer,
}

/// Knows every token's hash.
#[derive(Debug, Default)]
pub struct Keyring {
    principals: RwLock<HashMap<TokenHash, Principal>>,
}

impl Keyring {
    /// Lets a token in; one that is in already keeps whom it stands for.
    pub fn insert(&self, hash: TokenHash, principal: Principal) {
        self.principals.write().unwrap_or_else(PoisonError::into_inner).entry(hash).or_insert(principal);
    }

    /// Makes a token void.
    pub fn remove(&self, hash: TokenHash) {
        self.principals.write().unwrap_or_else(PoisonError::into_inner).remove(&hash);
    }

    /// Returns whom a token stands for.
    pub fn principal(&self, token: &str) -> Option<Principal> {
        let hash = TokenHash::of_token(token);
        self.principals.read().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_store::Token;

    #[test]
    fn a_removed_token_is_void_and_none_is_printed() {
        let keyring = Keyring::default();
        let token = Token::generate();
        keyring.insert(token.hash(), Principal::Admin);
        assert_eq!(keyring.principal(token.reveal()), Some(Principal::Admin));
        keyring.insert(token.hash(), Principal::Viewer);
        assert_eq!(keyring.principal(token.reveal()), Some(Principal::Admin), "nobody is demoted");
        keyring.remove(token.hash());
        assert_eq!(keyring.principal(token.reveal()), None);
        assert_ne!(Token::generate().reveal(), Token::generate().reveal());
        assert!(!format!("{token:?} {keyring:?}").contains(token.reveal()));
    }
}
