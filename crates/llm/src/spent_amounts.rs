//! The cost of a bot's model so far, and an estimate of its cost until the end of a tournament.

use super::{
    amount::Amount,
    ledger::{TOTAL_ACCOUNT, read_accounts},
};
use std::{
    collections::{HashMap, HashSet},
    io,
    path::Path,
};

/// The cost of a model, by match. Calls that are still open do not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpentAmounts {
    total: Amount,
    /// By the id of the match. Each call that only checked the endpoint has an id that no match has.
    of_matches: HashMap<String, Amount>,
}

impl SpentAmounts {
    /// Reads the ledger of a bot, which may be playing.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a ledger.
    pub fn read(ledger: &Path) -> io::Result<Self> {
        let mut of_matches: HashMap<_, _> =
            read_accounts(ledger)?.into_iter().map(|(name, account)| (name, account.spent)).collect();
        let total = of_matches.remove(TOTAL_ACCOUNT).unwrap_or_default();
        Ok(Self { total, of_matches })
    }

    /// Returns the cost so far.
    pub fn total(&self) -> Amount {
        self.total
    }

    /// Estimates the cost from now until `all` matches of the tournament are over, assuming that the other matches will
    /// cost as much as the `played` ones did, and that the model plays in the same share of them. Those in `open` have
    /// begun. `None` if no match of the model is over, or there are more matches than `all`.
    pub fn estimate_remaining_cost(&self, played: u64, all: u64, open: &HashSet<String>) -> Option<Amount> {
        let spent_in_open = open.iter().filter_map(|id| self.of_matches.get(id));
        let spent_in_open = spent_in_open.fold(Amount::default(), |sum, &amount| sum + amount);
        let spent_in_played = self.total - spent_in_open;
        let left = all.checked_sub(played)?;
        let open = left.min(open.len() as u64);
        let expected = |matches| spent_in_played.scaled(matches, played);
        // An open match may already have cost more than others.
        (played > 0 && spent_in_played != Amount::default())
            .then(|| expected(left - open) + (expected(open) - spent_in_open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;
    use std::{env, fs, io::Write as _, process};

    fn amount(tokens: u64) -> Amount {
        Amount { tokens, reply_tokens: 0, money: u128::from(tokens) * 1_000 }
    }

    #[test]
    fn the_future_cost_is_estimated_from_finished_matches() {
        let path = env::temp_dir().join(format!("lastnim-spent-{}", process::id()));
        let ledger = Ledger::open(&path).unwrap();
        for (name, tokens) in [("one", 300), ("two", 500), ("three", 60), (TOTAL_ACCOUNT, 860)] {
            ledger.update(name, |account| account.spent = amount(tokens)).unwrap();
        }
        ledger.update(TOTAL_ACCOUNT, |account| account.reserved = amount(7)).unwrap();
        fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(b"fo")).unwrap();
        let spent = SpentAmounts::read(&path).unwrap();
        assert_eq!(spent.total(), amount(860));
        let open = HashSet::from(["three".to_owned(), "of other bots".to_owned()]);
        // 800 in 4 of 10 matches: 1200 for the other 6, of which 60 are already spent.
        assert_eq!(spent.estimate_remaining_cost(4, 10, &open), Some(amount(1_140)));
        assert_eq!(spent.estimate_remaining_cost(4, 4, &HashSet::new()), Some(amount(0)));
        // 360 in 4 matches are 90 per match; the open match has already cost more than that.
        let expensive = HashSet::from(["two".to_owned()]);
        assert_eq!(spent.estimate_remaining_cost(4, 6, &expensive), Some(amount(90)));
        assert_eq!(spent.estimate_remaining_cost(0, 10, &open), None);
        assert_eq!(spent.estimate_remaining_cost(4, 0, &open), None, "the number of matches is unknown");
        let all_open = ["one", "two", "three"].map(str::to_owned).into();
        assert_eq!(spent.estimate_remaining_cost(4, 10, &all_open), None);
        fs::write(&path, "x".repeat(500)).unwrap();
        assert!(SpentAmounts::read(&path).unwrap_err().to_string().contains("not a lastnim ledger"));
        fs::remove_file(&path).unwrap();
    }
}
