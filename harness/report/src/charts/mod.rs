//! The kinds of charts, and how they are drawn.
//!
//! A chart is an SVG without a `viewBox`: horizontal positions are percentages, heights and font sizes are pixels. So
//! it fills a phone screen as well as a wide one, and its text keeps its size. Colours, lines and fonts come from the
//! page's style sheet by class. A mark's `<title>` contains its values, which the page's script shows next to the
//! pointer and announces when the arrow keys move between marks.
pub mod bars;
pub mod figure;
pub mod plot;
pub mod scale;
pub mod stacks;
