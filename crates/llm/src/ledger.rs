//! Ledgers of spending, in memory or in a file.

use super::amount::Amount;
use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::FileExt as _,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The name of the account that adds up all calls in a ledger.
pub const TOTAL_ACCOUNT: &str = "total";
/// The maximum length of an account's name: the length of a match id.
const NAME_CHARS: usize = 36;
/// The length of a line, which is constant so that it can be overwritten in place.
const LINE_BYTES: usize = NAME_CHARS + 2 * (1 + 20 + 1 + 20 + 1 + 39) + 1;

/// Spent and reserved amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// The spent amount.
    pub spent: Amount,
    /// The maximum cost of open calls.
    pub reserved: Amount,
}

/// Accounts by name. Programs that share the file see each other's changes.
#[derive(Debug)]
pub struct Ledger {
    file: Option<File>,
    accounts: Mutex<HashMap<String, Entry>>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    account: Account,
    /// The offset of its line.
    offset: u64,
}

impl Ledger {
    /// Creates a ledger in memory.
    pub fn in_memory() -> Self {
        Self { file: None, accounts: Mutex::default() }
    }

    /// Opens or creates a file.
    ///
    /// # Errors
    /// If it cannot be read or written, or is not a ledger.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let ledger = Self { file: Some(file), accounts: Mutex::default() };
        ledger.update(TOTAL_ACCOUNT, |_| ())?;
        Ok(ledger)
    }

    /// Changes an account while the ledger is locked.
    ///
    /// # Errors
    /// If the file cannot be read or written, or is not a ledger.
    pub fn update<T>(&self, name: &str, change: impl FnOnce(&mut Account) -> T) -> io::Result<T> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &self.file else {
            let entry =
                accounts.entry(name.to_owned()).or_insert(Entry { account: Account::default(), offset: 0 });
            return Ok(change(&mut entry.account));
        };
        file.lock()?;
        let changed = update_line(file, &mut accounts, name, change);
        let unlocked = file.unlock();
        changed.and_then(|value| unlocked.map(|()| value))
    }

    /// Counts what a killed program had reserved as spent, in this ledger and in the shared one that has the same
    /// reservations, if any.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn settle_leftovers(&self, shared: Option<&Self>) -> io::Result<()> {
        let names: Vec<_> =
            self.accounts.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        for name in names {
            let left = self.update(&name, |account| {
                let left = account.reserved;
                *account = Account { spent: account.spent + left, reserved: Amount::default() };
                left
            })?;
            if let (Some(shared), TOTAL_ACCOUNT) = (shared, name.as_str()) {
                shared.update(TOTAL_ACCOUNT, |account| {
                    *account = Account { spent: account.spent + left, reserved: account.reserved - left };
                })?;
            }
        }
        Ok(())
    }
}

/// Reads all accounts of a ledger that programs may be using. An incomplete line is left out.
///
/// # Errors
/// If the file cannot be read, or is not a ledger.
pub fn read_accounts(path: &Path) -> io::Result<Vec<(String, Account)>> {
    let mut file = File::open(path)?;
    file.lock_shared()?;
    let mut bytes = Vec::new();
    let read = file.read_to_end(&mut bytes);
    file.unlock()?;
    read?;
    bytes.as_chunks::<LINE_BYTES>().0.iter().map(parse_line).collect()
}

/// Reads new lines, changes an account, and writes its line.
fn update_line<T>(
    file: &File,
    accounts: &mut HashMap<String, Entry>,
    name: &str,
    change: impl FnOnce(&mut Account) -> T,
) -> io::Result<T> {
    let size = file.metadata()?.len();
    let whole = size - size % LINE_BYTES as u64;
    for index in accounts.len() as u64..whole / LINE_BYTES as u64 {
        let offset = index * LINE_BYTES as u64;
        let (name, account) = read_line(file, offset)?;
        accounts.insert(name, Entry { account, offset });
    }
    // An incomplete line of a killed program is overwritten.
    let entry =
        accounts.entry(name.to_owned()).or_insert(Entry { account: Account::default(), offset: whole });
    if entry.offset < whole {
        entry.account = read_line(file, entry.offset)?.1;
    }
    let before = entry.account;
    let value = change(&mut entry.account);
    if entry.account != before || entry.offset == whole {
        let Account { spent, reserved } = entry.account;
        let line = format!(
            "{name:<NAME_CHARS$} {:>20} {:>20} {:>39} {:>20} {:>20} {:>39}\n",
            spent.tokens,
            spent.reply_tokens,
            spent.money,
            reserved.tokens,
            reserved.reply_tokens,
            reserved.money
        );
        file.write_all_at(line.as_bytes(), entry.offset)?;
    }
    Ok(value)
}

fn read_line(file: &File, offset: u64) -> io::Result<(String, Account)> {
    let mut line = [0; LINE_BYTES];
    file.read_exact_at(&mut line, offset)?;
    parse_line(&line)
}

fn parse_line(line: &[u8; LINE_BYTES]) -> io::Result<(String, Account)> {
    let parse = || {
        let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
        let name = words.next()?.to_owned();
        let mut amount = || {
            Some(Amount {
                tokens: words.next()?.parse().ok()?,
                reply_tokens: words.next()?.parse().ok()?,
                money: words.next()?.parse().ok()?,
            })
        };
        Some((name, Account { spent: amount()?, reserved: amount()? }))
    };
    parse().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a lastnim ledger"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process};

    fn amount(tokens: u64) -> Amount {
        Amount { tokens, reply_tokens: tokens, money: u128::from(tokens) << 64 }
    }

    #[test]
    fn a_ledger_file_keeps_and_shares_spending() {
        let path = env::temp_dir().join(format!("lastnim-ledger-{}", process::id()));
        let _ = fs::remove_file(&path);
        let (one, other) = (Ledger::open(&path).unwrap(), Ledger::open(&path).unwrap());
        one.update(TOTAL_ACCOUNT, |account| account.spent = amount(7)).unwrap();
        other.update(TOTAL_ACCOUNT, |account| account.spent = account.spent + amount(u64::MAX / 2)).unwrap();
        one.update("01890a5d-ac96-774b-bcce-b302099a8057", |account| account.reserved = amount(3)).unwrap();
        other.update(TOTAL_ACCOUNT, |account| account.reserved = amount(5)).unwrap();
        let expected = Account { spent: amount(7) + amount(u64::MAX / 2), reserved: amount(5) };
        assert_eq!(one.update(TOTAL_ACCOUNT, |account| *account).unwrap(), expected);
        // A killed program leaves part of a line, and reservations.
        let mut text = fs::read(&path).unwrap();
        assert_eq!(text.len(), 2 * LINE_BYTES);
        text.extend(b"01890a5d");
        fs::write(&path, text).unwrap();
        let again = Ledger::open(&path).unwrap();
        let shared = Ledger::in_memory();
        shared.update(TOTAL_ACCOUNT, |account| account.reserved = amount(9)).unwrap();
        again.settle_leftovers(Some(&shared)).unwrap();
        let all = amount(12) + amount(u64::MAX / 2);
        assert_eq!(
            again.update(TOTAL_ACCOUNT, |account| *account).unwrap(),
            Account { spent: all, reserved: amount(0) }
        );
        let match_amount =
            again.update("01890a5d-ac96-774b-bcce-b302099a8057", |account| account.spent).unwrap();
        assert_eq!(match_amount, amount(3));
        assert_eq!(
            shared.update(TOTAL_ACCOUNT, |account| *account).unwrap(),
            Account { spent: amount(5), reserved: amount(4) }
        );
        fs::write(&path, "x".repeat(500)).unwrap();
        assert!(Ledger::open(&path).unwrap_err().to_string().contains("not a lastnim ledger"));
        fs::remove_file(&path).unwrap();
    }
}
