//! The id of a tournament.

use super::uuid_id::uuid_id;

uuid_id!(
    /// The id of a tournament: a version 7 UUID, so ids sort by the time at which their tournaments were created.
    TournamentId,
    /// A word that is not a tournament id.
    TournamentIdError,
    "tournament id"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip() {
        let id = TournamentId::new(1_700_000_000_000, &[7; 10]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(
            "spring".parse::<TournamentId>().unwrap_err().to_string(),
            "tournament id \"spring\": expected a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057"
        );
    }
}
