//! The symbols that mark seats. Each has a colour and a shape. All 32 symbols are different, and the first eight differ
//! in both colour and shape.

/// The shapes. There is the same number of colours.
const SHAPES: [&str; 8] = [
    "M12 2a10 10 0 1 0 0 20a10 10 0 1 0 0-20z",
    "M3 3h18v18h-18z",
    "M12 2l10.5 19h-21z",
    "M12 .5l11.5 11.5l-11.5 11.5l-11.5-11.5z",
    "M8.3 1.5h7.4v6.8h6.8v7.4h-6.8v6.8h-7.4v-6.8h-6.8v-7.4h6.8z",
    "M12 .8l3.4 7.4l8 .9l-6 5.4l1.7 8l-7.1-4l-7.1 4l1.7-8l-6-5.4l8-.9z",
    "M12 22.5l-10.5-19.5h21z",
    "M2.5 2h19l-7 10l7 10h-19l7-10z",
];
/// The colours in the light style sheet.
const COLOURS: [&str; SHAPES.len()] =
    ["#006fbf", "#d46603", "#3d8868", "#bc1ea1", "#7f5e03", "#3a2f9c", "#90263d", "#496173"];
/// The first seat with a hollow shape; all later seats have one, too.
const FIRST_HOLLOW: usize = 16;

/// Returns the CSS class with the colour of a seat.
pub(super) fn seat_class(seat: usize) -> String {
    format!("seat-{}", seat % SHAPES.len())
}

/// Returns the colour of a seat, for drawings without a style sheet.
pub(super) fn seat_colour(seat: usize) -> &'static str {
    COLOURS[seat % COLOURS.len()]
}

/// Draws the symbol of a seat in its colour, for drawings without a style sheet.
pub(super) fn coloured_seat_sign(seat: usize, x: f64, y: f64, size: f64) -> String {
    let colour = seat_colour(seat);
    let (fill, stroke) = if seat >= FIRST_HOLLOW { ("#ffffff", "3.5") } else { (colour, "2") };
    let place = format!(
        " x=\"{x:.1}\" y=\"{y:.1}\" width=\"{size:.1}\" height=\"{size:.1}\" overflow=\"visible\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"{stroke}\" stroke-linejoin=\"round\""
    );
    placed_seat_sign(seat, &place)
}

/// Draws the symbol of a seat for use in text. Screen readers skip it, since the seat's name is next to it.
pub(super) fn seat_sign(seat: usize) -> String {
    placed_seat_sign(seat, "")
}

/// Draws the symbol of a seat inside another drawing; `place` has the attributes for its position and size.
pub(super) fn placed_seat_sign(seat: usize, place: &str) -> String {
    let shapes = SHAPES.len();
    let (class, shape) = (seat_class(seat), SHAPES[(seat + 3 * (seat / shapes)) % shapes]);
    let hollow = if seat >= FIRST_HOLLOW { " hollow" } else { "" };
    format!(
        "<svg class=\"sign {class}{hollow}\"{place} viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"{shape}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_seats_have_different_signs() {
        assert_eq!((0..32).map(seat_sign).collect::<BTreeSet<_>>().len(), 32);
    }

    #[test]
    fn colours_agree_with_the_style_sheet() {
        let style = include_str!("assets/style.css");
        for seat in 0..COLOURS.len() {
            assert!(style.contains(&format!("--{}: {};", seat_class(seat), seat_colour(seat))), "{seat}");
        }
    }

    #[test]
    fn eight_seats_have_different_shapes() {
        let shapes = (0..8).map(|seat| seat_sign(seat).replace(&seat_class(seat), "seat"));
        assert_eq!(shapes.collect::<BTreeSet<_>>().len(), 8);
    }
}
