//! SVG as PNG, with the program's own fonts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::sync::{Arc, LazyLock};

/// The fonts of pictures, which have Latin, Greek and Cyrillic letters. Other characters are drawn as boxes.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(include_bytes!("../fonts/NotoSans-Regular.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../fonts/NotoSans-Bold.ttf").to_vec());
    Arc::new(fonts)
});

/// Draws an SVG as a PNG of this size. For a picture, this takes some ten milliseconds.
///
/// # Errors
/// If the SVG is not valid.
#[expect(clippy::cast_precision_loss, reason = "pictures are small")]
pub(crate) fn render_png(svg: &str, width: u32, height: u32) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let mut pixels = Pixmap::new(width, height).ok_or("an empty picture")?;
    let scale =
        Transform::from_scale(width as f32 / tree.size().width(), height as f32 / tree.size().height());
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{PICTURE_HEIGHT, PICTURE_WIDTH, Picture};

    fn picture_pixels(headline: &str) -> Pixmap {
        let picture = Picture { headline: headline.to_owned(), ..Picture::default() };
        let pixels =
            Pixmap::decode_png(&render_png(&picture.svg(), PICTURE_WIDTH, PICTURE_HEIGHT).unwrap()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (PICTURE_WIDTH, PICTURE_HEIGHT));
        pixels
    }

    fn dark_pixels(headline: &str) -> usize {
        picture_pixels(headline).pixels().iter().filter(|pixel| pixel.red() < 64).count()
    }

    #[test]
    fn text_is_drawn_in_the_alphabets_of_the_font() {
        let blank = dark_pixels("");
        for text in ["oracle leads", "Αθήνα", "Москва", "Łódź"] {
            assert!(dark_pixels(text) > blank + 500, "{text}");
        }
    }

    #[test]
    fn characters_missing_from_the_font_cause_no_error() {
        for text in ["東京", "\u{1f980}\u{200d}", "\u{202e}abc", "\u{fffe}\u{1}", "<&\"']]>", "\u{64e}"] {
            picture_pixels(text);
        }
    }
}
