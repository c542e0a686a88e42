//! The row that a player chose.

use crate::forms::FormFields;

/// Returns the name of the field of a place in the row, from 0.
pub(super) fn wish_field(wish: usize) -> String {
    format!("wish-{wish}")
}

/// The field of a whole row, for few seats.
pub(super) const ROW_FIELD: &str = "row";

/// Parses a row of seats, the preferred winner first, into offsets from the player's own seat. The row is one field, or
/// one for each place.
///
/// # Errors
/// Names the place of a repeated or invalid seat, counted from 1, as on the page.
pub(super) fn read_row(fields: &FormFields, seat: usize, seats: usize) -> Result<Vec<u64>, String> {
    let whole = fields.find(ROW_FIELD).map(|row| row.split(' ').collect::<Vec<_>>());
    let mut wanted = Vec::new();
    for wish in 0..seats {
        let given = match &whole {
            Some(row) => row.get(wish).copied().unwrap_or_default(),
            None => fields.value(&wish_field(wish)),
        };
        let named = given.parse::<usize>().ok().filter(|named| *named < seats);
        let named = named.ok_or_else(|| {
            format!("no seat was chosen for place {}: choose one of the {seats} seats", wish + 1)
        })?;
        if wanted.contains(&named) {
            return Err(format!("the seat in place {} was already chosen: choose each seat once", wish + 1));
        }
        wanted.push(named);
    }
    Ok(wanted.iter().map(|named| ((named + seats - seat) % seats) as u64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_seats_become_offsets() {
        let read = |fields: &str| read_row(&FormFields::parse(fields.as_bytes()).unwrap(), 1, 3);
        assert_eq!(read("wish-0=1&wish-1=2&wish-2=0"), Ok(vec![0, 1, 2]));
        assert_eq!(read("wish-0=0&wish-1=1&wish-2=2"), Ok(vec![2, 0, 1]));
        assert_eq!(read("row=0+1+2"), Ok(vec![2, 0, 1]));
        assert_eq!(
            read("wish-0=0&wish-1=0&wish-2=2").unwrap_err(),
            "the seat in place 2 was already chosen: choose each seat once"
        );
        assert_eq!(
            read("wish-0=0&wish-1=3").unwrap_err(),
            "no seat was chosen for place 2: choose one of the 3 seats"
        );
        assert_eq!(read("").unwrap_err(), "no seat was chosen for place 1: choose one of the 3 seats");
    }
}
