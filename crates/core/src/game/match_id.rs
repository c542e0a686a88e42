//! The id of a match.

use super::uuid_id::uuid_id;

uuid_id!(
    /// The id of a match: a version 7 UUID, so ids sort by the time at which their matches were created.
    MatchId,
    /// A word that is not a match id.
    MatchIdError,
    "match id"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_sort_by_time() {
        let early = MatchId::new(1_700_000_000_000, &[7; 10]);
        let late = MatchId::new(1_700_000_000_001, &[0; 10]);
        assert!(early < late);
        assert_eq!((early.unix_ms(), late.unix_ms()), (1_700_000_000_000, 1_700_000_000_001));
        assert_eq!(early.to_string().parse(), Ok(early));
        assert!("01890a5d".parse::<MatchId>().is_err());
        assert!("{01890a5dac96774bbcceb302099a8057}".parse::<MatchId>().is_err());
    }
}
