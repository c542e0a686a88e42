//! What seats want, as people type it: for each seat the seats in its order of preference, counted from 1.

use lastnim_core::game::SeatCount;
use lastnim_proto::pb;
use lastnim_report::words::{count_with_noun, join_items};

/// An example for errors.
const EXAMPLE: &str = "1>3>2; 2>3>1; 3>2>1";

/// The error if the orders are missing although the form says that they are written in it.
pub(super) const WANTS_MISSING: &str = "write here what each seat wants, or choose above who says it";
/// The error if there are orders although the form says something else.
pub(super) const WANTS_UNUSED: &str = "leave this empty, or choose \"as written below\"";

/// An option of a form, with its text: each seat declares its row.
pub(super) const DECLARED_OPTION: (&str, &str) = ("declared", "each seat says what it wants");
/// Each seat has the standard row.
pub(super) const STANDARD_OPTION: (&str, &str) =
    ("standard", "each seat wants itself to win, then the seats after it in order");
/// The rows are those of the orders in the form.
pub(super) const GIVEN_OPTION: (&str, &str) = ("given", "as written below");
/// The server deals a private row to each seat.
pub(super) const DEALT_OPTION: (&str, &str) =
    ("dealt", "the server tells each seat in private what it wants; each seat then says something");

/// The winners that one seat wants, as groups of offsets from that seat. The winners of a group are tied.
type OffsetGroups = Vec<Vec<u64>>;

/// Parses an order for each seat, such as `1>3>2; 2>3>1; 3>2>1`. Blanks and commas separate seats as well, and lines
/// separate orders. Returns the offsets of each seat's row.
///
/// # Errors
/// If an order has a tie, or does not have each seat once; the error names the first such order. Also if there is not one
/// order for each seat; without `seats`, if there are not 2 to 32 orders.
pub(super) fn read_wants(text: &str, seats: Option<SeatCount>) -> Result<Vec<Vec<u64>>, String> {
    let count = typed_orders(text).count();
    if let Some(seats) = seats.filter(|seats| seats.get() != count) {
        let orders = count_with_noun(count as u64, "order", "orders");
        return Err(format!("{orders}: expected {seats}, one for each seat"));
    }
    let orders = (1..).zip(read_tied_wants(text)?);
    orders
        .map(|(seat, order)| without_ties(&order).map_err(|why| format!("what seat {seat} wants: {why}")))
        .collect()
}

/// Parses an order for each seat as [`read_wants`] does, in which `=` ties winners: `1>2=3`.
///
/// # Errors
/// If the number of orders is not 2 to 32, or an order does not have each seat once. The error names the first such
/// order.
pub(super) fn read_tied_wants(text: &str) -> Result<Vec<OffsetGroups>, String> {
    let orders: Vec<_> = typed_orders(text).map(|(_, order)| order).collect();
    let seats = SeatCount::new(orders.len()).map_err(|_| {
        let orders = count_with_noun(orders.len() as u64, "order", "orders");
        format!("{orders}: expected one for each of 2 to 32 seats, such as {EXAMPLE}")
    })?;
    let read_seat_order = |(own, order): (usize, &&str)| {
        read_order(order, own, seats).map_err(|why| format!("what seat {} wants: {why}", own + 1))
    };
    orders.iter().enumerate().map(read_seat_order).collect()
}

/// Splits a text at the ends of lines. Each line that is not empty comes with its number, from 1.
pub(super) fn typed_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty())
}

/// Splits a text at semicolons and ends of lines. Each order comes with the number of its line, from 1.
pub(super) fn typed_orders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let orders =
        typed_lines(text).flat_map(|(line, orders)| orders.split(';').map(move |order| (line, order.trim())));
    orders.filter(|(_, order)| !order.is_empty())
}

/// Parses the order of the seat with the index `own`.
///
/// # Errors
/// If the order does not have each of the seats once.
fn read_order(order: &str, own: usize, seats: SeatCount) -> Result<OffsetGroups, String> {
    let is_between = |char: char| matches!(char, '>' | ',') || char.is_whitespace();
    // Blanks around an equals sign are part of the tie.
    let order = order.split('=').map(str::trim).collect::<Vec<_>>().join("=");
    let mut named = Vec::new();
    let mut offset = |word: &str| {
        let seat = word.parse().ok().filter(|seat| (1..=seats.get()).contains(seat));
        let seat = seat.ok_or_else(|| format!("{word:?} is not a seat: expected 1 to {seats}"))?;
        if named.contains(&seat) {
            return Err(format!("seat {seat} appears twice: expected each seat from 1 to {seats} once"));
        }
        named.push(seat);
        Ok(((seat - 1 + seats.get() - own) % seats.get()) as u64)
    };
    let words = order.split(is_between).filter(|word| !word.is_empty());
    let groups = words.map(|word| word.split('=').map(&mut offset).collect());
    let groups = groups.collect::<Result<OffsetGroups, String>>()?;
    match (1..=seats.get()).find(|seat| !named.contains(seat)) {
        Some(missing) => Err(format!("seat {missing} is missing: expected each seat from 1 to {seats} once")),
        None => Ok(groups),
    }
}

/// Parses the order of the seat with the index `own`, in which no winners are tied.
///
/// # Errors
/// If the order has a tie or does not have each of the seats once.
pub(super) fn read_strict_order(order: &str, own: usize, seats: SeatCount) -> Result<Vec<u64>, String> {
    read_order(order, own, seats).and_then(|groups| without_ties(&groups))
}

fn without_ties(groups: &[Vec<u64>]) -> Result<Vec<u64>, String> {
    if groups.iter().any(|group| group.len() > 1) {
        return Err("two winners are tied with =, and here no ties are possible".to_owned());
    }
    Ok(groups.concat())
}

/// Writes the rows of all seats as a person types them: `1>3>2; 2>3>1; 3>2>1`.
pub(super) fn wants_text(rows: &[pb::Row]) -> String {
    let order = |(own, row): (usize, &pb::Row)| {
        let seat = |offset: &u32| (own + *offset as usize) % rows.len() + 1;
        join_items(row.offsets.iter().map(seat), ">")
    };
    join_items(rows.iter().enumerate().map(order), "; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_become_offsets() {
        let rows = vec![vec![0, 2, 1], vec![0, 1, 2], vec![0, 2, 1]];
        assert_eq!(read_wants("1>3>2; 2 > 3 > 1\n3, 2 1;", None), Ok(rows.clone()));
        let row =
            |offsets: Vec<u64>| pb::Row { offsets: offsets.iter().map(|&offset| offset as u32).collect() };
        assert_eq!(wants_text(&rows.into_iter().map(row).collect::<Vec<_>>()), "1>3>2; 2>3>1; 3>2>1");
        let tied = read_tied_wants("1>2=3; 2 = 3>1; 3=1 = 2").unwrap();
        assert_eq!(tied, [vec![vec![0], vec![1, 2]], vec![vec![0, 1], vec![2]], vec![vec![0, 1, 2]]]);
    }

    #[test]
    fn errors_name_the_seat_and_its_invalid_choice() {
        for (typed, why) in [
            ("1>2", "1 order: expected one for each of 2 to 32 seats, such as 1>3>2; 2>3>1; 3>2>1"),
            ("", "0 orders: expected one for each of 2 to 32 seats, such as 1>3>2; 2>3>1; 3>2>1"),
            ("1>2; 2>x", "what seat 2 wants: \"x\" is not a seat: expected 1 to 2"),
            ("0>1; 2>1", "what seat 1 wants: \"0\" is not a seat: expected 1 to 2"),
            ("1>2=; 2>1", "what seat 1 wants: \"\" is not a seat: expected 1 to 2"),
            ("1>2; 2>2", "what seat 2 wants: seat 2 appears twice: expected each seat from 1 to 2 once"),
            ("1>2; 2", "what seat 2 wants: seat 1 is missing: expected each seat from 1 to 2 once"),
            ("1=2; 2>1", "what seat 1 wants: two winners are tied with =, and here no ties are possible"),
        ] {
            assert_eq!(read_wants(typed, None).unwrap_err(), why);
        }
    }
}
