//! Pictures of matches and tournaments for link previews, as SVG and as PNG.

mod frame;
mod png_image;
mod text_fit;
mod tournament_picture;

pub(super) use frame::{DrawPicture, PICTURE_HEIGHT, PICTURE_WIDTH, Picture, PictureColour, xml_text};
pub(super) use png_image::render_png;
pub(super) use text_fit::fitted_size;
pub(super) use tournament_picture::{current_finding, tournament_picture};
