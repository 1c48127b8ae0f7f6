//! The kinds of picture: what each shows, and how it is drawn.
//!
//! A picture is an SVG without a `viewBox`: places along the width are per cent, heights and letters are pixels. So it
//! fills a telephone's screen and a wide one, and its words keep their size. Colours, lines and letters come from the
//! page's style sheet by class; a mark's `<title>` holds its values, which the page's script shows beside the pointer
//! and reads out when the arrow keys go from mark to mark.
pub mod bars;
pub mod figure;
pub mod plot;
pub mod scale;
pub mod stacks;
