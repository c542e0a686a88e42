//! Counts events by address, for the log.

use super::client_address::ClientAddress;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::sleep;

/// The minimum time between two log lines.
const LOG_REPEAT_INTERVAL: Duration = Duration::from_mins(1);
/// Addresses counted separately until the next log line.
const MAX_ADDRESSES: usize = 64;
/// Addresses named in a log line.
const MAX_NAMED: usize = 8;

/// Counts events by address, so that each minute has at most one log line, however many events there are.
#[derive(Debug, Default)]
pub struct AddressTally {
    counts: Mutex<Counts>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    by_address: HashMap<ClientAddress, u64>,
    /// Events of all other addresses.
    others: u64,
}

impl Counts {
    /// Returns the total, and a description of the most frequent addresses.
    fn in_words(&self) -> (u64, String) {
        let mut counted: Vec<_> = self.by_address.iter().map(|(&address, &count)| (count, address)).collect();
        counted.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let sum = self.others + counted.iter().map(|(count, _)| count).sum::<u64>();
        let unnamed = self.others + counted.iter().skip(MAX_NAMED).map(|(count, _)| count).sum::<u64>();
        let named = counted.iter().take(MAX_NAMED).map(|(count, address)| format!("{address} ({count})"));
        let rest = (unnamed > 0).then(|| format!("others ({unnamed})"));
        (sum, named.chain(rest).collect::<Vec<_>>().join(", "))
    }
}

impl AddressTally {
    /// Counts an event of an address.
    pub fn note(&self, address: ClientAddress) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = counts.by_address.len() < MAX_ADDRESSES;
        match counts.by_address.get_mut(&address) {
            Some(count) => *count += 1,
            None if has_room => {
                counts.by_address.insert(address, 1);
            }
            None => counts.others += 1,
        }
        drop(counts);
        self.changed.notify_one();
    }

    /// Passes the total and the text to `log`: at once for the first event, then once a minute.
    pub async fn log_each_minute(&self, log: impl Fn(u64, String)) -> Infallible {
        loop {
            self.changed.notified().await;
            let counted = std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner));
            let (sum, addresses) = counted.in_words();
            if sum > 0 {
                log(sum, addresses);
            }
            sleep(LOG_REPEAT_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::mpsc;

    fn address(last: u8) -> ClientAddress {
        IpAddr::from(Ipv4Addr::new(10, 0, 0, last)).into()
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_is_logged_at_once_and_the_rest_once_a_minute() {
        let tally = AddressTally::default();
        let (log, lines) = mpsc::channel();
        let logging = tally.log_each_minute(|sum, from| log.send((sum, from)).unwrap());
        let noting = async {
            tally.note(address(1));
            sleep(Duration::from_secs(1)).await;
            assert_eq!(lines.try_recv(), Ok((1, "10.0.0.1 (1)".into())));
            for last in [2, 1, 2] {
                tally.note(address(last));
            }
            sleep(Duration::from_secs(58)).await;
            assert!(lines.try_recv().is_err());
            sleep(Duration::from_secs(2)).await;
            assert_eq!(lines.try_recv(), Ok((3, "10.0.0.2 (2), 10.0.0.1 (1)".into())));
            for last in 0..=255 {
                tally.note(address(last));
            }
            sleep(LOG_REPEAT_INTERVAL).await;
            let (sum, from) = lines.try_recv().unwrap();
            assert!(sum == 256 && from.ends_with("10.0.0.7 (1), others (248)"), "{from}");
        };
        tokio::select! {
            never = logging => match never {},
            () = noting => {}
        }
    }
}
