//! Lines and points over two axes.
use maud::{Markup, html};

use crate::{
    charts::{bars::anchor, scale::Scale},
    number_format::plain,
};

/// Lines and points.
#[derive(Debug, Clone)]
pub struct Plot {
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The series, the first one below all others.
    pub series: Vec<Series>,
    /// Marked positions on the x axis, with labels.
    pub marks: Vec<(f64, String)>,
}

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The quantity with its unit.
    pub title: String,
    /// Its scale.
    pub scale: Scale,
    /// The labelled values; empty for the scale's own ticks.
    pub named: Vec<(f64, String)>,
}

/// A series of points or a line.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The index of its colour and shape, below [`STYLES`].
    pub style: usize,
    /// How they are drawn.
    pub draw: Draw,
    /// The points, with their tooltips.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Debug, Clone)]
pub struct Point {
    /// The x value.
    pub x: f64,
    /// The y value.
    pub y: f64,
    /// All details, for the tooltip.
    pub tip: String,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Points joined by a line.
    Line,
    /// Points joined by a dashed line: calculated values, next to measured ones.
    Dashed,
    /// Points alone.
    Points,
    /// Hatched points without a line: predicted, not measured.
    Predicted,
    /// A line without points, for a limit.
    Limit,
}

/// The number of distinct colours, each with its own shape.
pub const STYLES: usize = 8;

/// Shapes around the origin, so that series are distinguishable without colours.
const SHAPES: [&str; STYLES] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
    "M-4-4h8v8h-8Z",
    "M0-5 5 4H-5Z",
    "M0-6 5 0 0 6-5 0Z",
    "M0 5 5-4H-5Z",
    "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3Z",
    "M-5-2.5h10v5h-10Z",
    "M-2.5-5h5v10h-5Z",
];

const HEIGHT: f64 = 300.0;

impl Plot {
    /// Returns the SVG.
    pub fn svg(&self, name: &str) -> Markup {
        let (x, y) = (|v: f64| 100.0 * self.x.scale.at(v), |v: f64| HEIGHT * (1.0 - self.y.scale.at(v)));
        let line = |points: &[Point]| {
            let places: Vec<String> = points.iter().map(|p| format!("{:.2},{:.1}", x(p.x), y(p.y))).collect();
            places.join(" ")
        };
        let ticks = self.y.ticks();
        let longest = ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        html! {
            p.axis { (self.y.title) }
            svg.chart.plot role="img" aria-label=(name) height=(HEIGHT + 22.0) style=(format!("--gutter: {}px", gutter(longest))) {
                @for (value, text) in ticks {
                    line.grid x1="0" x2="100%" y1=(y(value)) y2=(y(value)) {}
                    text.tick x="-6" y=(y(value) + 4.0) text-anchor="end" { (text) }
                }
                @for (value, text) in self.x.ticks() {
                    @let place = format!("{:.2}%", x(value));
                    line.grid x1=(place) x2=(place) y1="0" y2=(HEIGHT) {}
                    text.tick x=(place) y=(HEIGHT + 17.0) text-anchor="middle" { (text) }
                }
                @for (value, text) in &self.marks {
                    @let place = format!("{:.2}%", x(*value));
                    line.limit x1=(place) x2=(place) y1="14" y2=(HEIGHT) {}
                    text.tick x=(place) y="10" text-anchor=(anchor(self.x.scale.at(*value))) { (text) }
                }
                svg viewBox=(format!("0 0 100 {HEIGHT}")) preserveAspectRatio="none" width="100%" height=(HEIGHT) {
                    @for series in self.series.iter().filter(|series| series.draw.has_line()) {
                        polyline class=(series.class()) points=(line(&series.points)) {}
                    }
                }
                @for series in self.series.iter().filter(|series| series.draw != Draw::Limit) {
                    @for point in &series.points {
                        svg.mark x=(format!("{:.2}%", x(point.x))) y=(format!("{:.1}", y(point.y))) {
                            title { (point.tip) }
                            path class=(series.point()) d=(SHAPES[series.style % STYLES]) {}
                        }
                    }
                }
            }
            p.axis.right { (self.x.title) }
            (self.legend())
        }
    }

    /// Returns the legend, as a list.
    fn legend(&self) -> Markup {
        html! {
            ul.legend {
                @for series in &self.series {
                    li {
                        svg width="28" height="14" aria-hidden="true" {
                            @if series.draw.has_line() {
                                line class=(series.class()) x1="0" x2="28" y1="7" y2="7" {}
                            }
                            @if series.draw != Draw::Limit {
                                svg x="14" y="7" {
                                    path class=(series.point()) d=(SHAPES[series.style % STYLES]) {}
                                }
                            }
                        }
                        (series.name)
                    }
                }
            }
        }
    }
}

/// Returns the width, in pixels, for labels of `letters` characters to the left of the axis.
fn gutter(letters: usize) -> usize {
    (12 + 8 * letters).max(52)
}

impl Axis {
    /// Returns an axis with the scale's own ticks.
    pub fn new(title: &str, scale: Scale) -> Self {
        Self { title: title.into(), scale, named: Vec::new() }
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        if self.named.is_empty() {
            return self.scale.ticks().into_iter().map(|value| (value, plain(value))).collect();
        }
        // A phone screen has space for about four labels.
        self.named.iter().step_by(self.named.len().div_ceil(4)).cloned().collect()
    }
}

impl Series {
    fn class(&self) -> String {
        let dashes = match self.draw {
            Draw::Dashed => " dashed",
            Draw::Limit => " roof",
            Draw::Line | Draw::Points | Draw::Predicted => "",
        };
        format!("line stroke{}{dashes}", self.style % STYLES)
    }

    /// Returns the class that fills its points.
    fn point(&self) -> String {
        let style = self.style % STYLES;
        if self.draw == Draw::Predicted {
            format!("point predicted stroke{style}")
        } else {
            format!("point fill{style}")
        }
    }
}

impl Draw {
    fn has_line(self) -> bool {
        !matches!(self, Draw::Points | Draw::Predicted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_where_their_values_are() {
        let point = |x: f64, y: f64| Point { x, y, tip: format!("{x} & {y}") };
        let series =
            |draw| Series { name: "s".into(), style: 9, draw, points: vec![point(5.0, 0.0), point(10.0, 10.0)] };
        let axis = || Axis::new("t", Scale::linear(10.0));
        let plot = Plot {
            x: axis(),
            y: axis(),
            series: vec![series(Draw::Line), series(Draw::Limit)],
            marks: vec![(5.0, "here".into())],
        };
        let svg = plot.svg("n").into_string();
        assert!(svg.contains(r#"points="50.00,300.0 100.00,0.0""#), "{svg}");
        assert!(svg.contains(r#"class="mark" x="50.00%" y="300.0"><title>5 &amp; 0<"#), "{svg}");
        assert_eq!(svg.matches("class=\"mark\"").count(), 2);
        assert!(svg.contains("--gutter: 52px"), "{svg}");
        let wide = Plot { y: Axis { named: vec![(1.0, "1,000,000".into())], ..axis() }, ..plot }.svg("n").into_string();
        assert!(wide.contains("--gutter: 84px"), "{wide}");
        assert!(svg.contains("stroke1 roof") && svg.contains(">here<"), "{svg}");
    }
}
