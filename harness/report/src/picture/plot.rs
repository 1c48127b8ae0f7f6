//! Lines and points over two axes.
use maud::{Markup, html};

use crate::{
    picture::{bars::anchor, scale::Scale},
    words::plain,
};

/// Lines and points.
#[derive(Debug, Clone)]
pub struct Plot {
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn, the first one below all others.
    pub series: Vec<Series>,
    /// Places along the x axis that are marked, with words.
    pub marks: Vec<(f64, String)>,
}

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The quantity with its unit.
    pub title: String,
    /// Where values lie.
    pub scale: Scale,
    /// The values to name, with words; the scale's own if there are none.
    pub named: Vec<(f64, String)>,
}

/// Things of one kind.
#[derive(Debug, Clone)]
pub struct Series {
    /// Their name in the legend.
    pub name: String,
    /// Which colour and shape, of [`STYLES`].
    pub style: usize,
    /// How they are drawn.
    pub draw: Draw,
    /// The points, with all that is known of each.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Debug, Clone)]
pub struct Point {
    /// Along the x axis.
    pub x: f64,
    /// Along the y axis.
    pub y: f64,
    /// All that is known of it.
    pub tip: String,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Points that a line joins.
    Line,
    /// The same, dashed: something calculated, beside what was measured.
    Dashed,
    /// Points alone.
    Points,
    /// Points alone, hatched: predicted, not measured.
    Predicted,
    /// A line alone, for a limit.
    Limit,
}

/// Colours that differ; each has its own shape too.
pub const STYLES: usize = 8;

/// Shapes around the origin, so that no one has to tell colours apart.
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
    /// The picture.
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

    /// What is what, as a list.
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

/// The room, in pixels, for words of so many letters to the left of the axis.
fn gutter(letters: usize) -> usize {
    (12 + 8 * letters).max(52)
}

impl Axis {
    /// An axis with the scale's own ticks.
    pub fn new(title: &str, scale: Scale) -> Self {
        Self { title: title.into(), scale, named: Vec::new() }
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        if self.named.is_empty() {
            return self.scale.ticks().into_iter().map(|value| (value, plain(value))).collect();
        }
        // A telephone has room for about four names.
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

    /// How its points are filled.
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
