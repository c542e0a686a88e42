//! The row that a guest declares, as it was chosen.

use crate::forms::FormFields;

/// Returns the name of the field that has a wish; the first is wish 0.
pub(super) fn wish_field(wish: usize) -> String {
    format!("wish-{wish}")
}

/// Reads the seats in the order in which a guest would like to see them win, and returns them as offsets from its own seat.
///
/// # Errors
/// Says which seat is named twice, or what is no seat.
pub(super) fn read_row(fields: &FormFields, seat: usize, seats: usize) -> Result<Vec<u64>, String> {
    let mut wanted = Vec::new();
    for wish in 0..seats {
        let given = fields.value(&wish_field(wish));
        let named = given.parse::<usize>().ok().filter(|named| *named < seats);
        let named = named.ok_or_else(|| {
            let given: String = given.chars().take(40).collect();
            format!("wish {}, {given:?}: expected a seat from 0 to {}", wish + 1, seats - 1)
        })?;
        if wanted.contains(&named) {
            return Err(format!("seat {named} is named twice: name each seat once"));
        }
        wanted.push(named);
    }
    Ok(wanted.iter().map(|named| ((named + seats - seat) % seats) as u64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_become_offsets() {
        let read = |fields: &str| read_row(&FormFields::parse(fields.as_bytes()).unwrap(), 1, 3);
        assert_eq!(read("wish-0=1&wish-1=2&wish-2=0"), Ok(vec![0, 1, 2]));
        assert_eq!(read("wish-0=0&wish-1=1&wish-2=2"), Ok(vec![2, 0, 1]));
        assert_eq!(
            read("wish-0=0&wish-1=0&wish-2=2").unwrap_err(),
            "seat 0 is named twice: name each seat once"
        );
        assert_eq!(read("wish-0=0&wish-1=3").unwrap_err(), "wish 2, \"3\": expected a seat from 0 to 2");
        assert_eq!(read("").unwrap_err(), "wish 1, \"\": expected a seat from 0 to 2");
    }
}
