//! A line chart on two logarithmic axes, as an SVG file next to the CSV: the result of a sweep over sizes.
use record::Folder;
use std::{fmt::Write, path::PathBuf, rc::Rc};

use crate::{
    error::Result,
    export::{
        event::{Event, Listener},
        layout::paragraphs,
        terminal::Terminal,
    },
};

/// Draws charts into the run's folder.
#[derive(Debug)]
pub(crate) struct Drawings {
    folder: Folder,
    terminal: Rc<Terminal>,
    /// The paths of the lab's charts.
    drawn: Vec<PathBuf>,
}

impl Drawings {
    pub(crate) fn new(folder: &Folder, terminal: &Rc<Terminal>) -> Self {
        Self { folder: folder.clone(), terminal: terminal.clone(), drawn: Vec::new() }
    }

    /// Writes the chart; a chart without points is not drawn.
    fn draw(&mut self, name: &str, chart: &Chart) -> Result<()> {
        let svg = chart.svg();
        if svg.is_empty() {
            return Ok(());
        }
        self.folder.write(name, &svg)?;
        self.drawn.push(self.folder.path().join(name));
        Ok(())
    }
}

impl Listener for Drawings {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::RowsStarted(_) => self.drawn.clear(),
            Event::Chart { name, chart } => self.draw(name, chart)?,
            // Below the tables or the summary.
            Event::RowsEnded => {
                for path in &self.drawn {
                    self.terminal.say(&paragraphs(&format!("Drawn in {}", path.display())));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A line of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Points with x and y above zero, sorted by x.
    pub points: Vec<(f64, f64)>,
}

/// A chart. Both axes are logarithmic.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The title, above the chart.
    pub title: String,
    /// A smaller line below the title: where and how the data were measured.
    pub subtitle: String,
    /// The label of the x axis.
    pub x_label: String,
    /// The label of the y axis, with its unit.
    pub y_label: String,
    /// The ticks of the x axis, with their labels.
    pub x_ticks: Vec<(f64, String)>,
    /// The lines.
    pub series: Vec<Series>,
    /// Notable positions on the x axis, with explanatory labels, drawn as vertical lines.
    pub marks: Vec<(f64, String)>,
}

const WIDTH: f64 = 980.0;
const HEIGHT: f64 = 600.0;
/// The plot's edges within the picture.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 800.0;
const TOP: f64 = 122.0;
const BOTTOM: f64 = 530.0;

/// Colours that are distinguishable with any colour vision (Okabe and Ito), and dashes for when they repeat.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["", "8 4", "2 3"];

impl Chart {
    /// Returns the SVG; empty if there is no point to draw.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let positive = points().all(|(x, y)| *x > 0.0 && *y > 0.0);
        let Some(x) = Axis::over(points().map(|p| p.0), LEFT, RIGHT).filter(|_| positive) else {
            return String::new();
        };
        let Some(y) = Axis::over(points().map(|p| p.1), BOTTOM, TOP) else {
            return String::new();
        };
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        text(&mut out, LEFT, 34.0, "start", "font-size=\"20\" font-weight=\"bold\"", &self.title);
        text(&mut out, LEFT, 58.0, "start", "fill=\"#555\"", &self.subtitle);
        for (at, words) in &self.x_ticks {
            let px = x.place(*at);
            line(&mut out, (px, TOP), (px, BOTTOM), "stroke=\"#eee\"");
            text(&mut out, px, BOTTOM + 20.0, "middle", "", words);
        }
        for (at, words) in y.decades() {
            let py = y.place(at);
            line(&mut out, (LEFT, py), (RIGHT, py), "stroke=\"#ddd\"");
            text(&mut out, LEFT - 8.0, py + 4.0, "end", "", &words);
        }
        line(&mut out, (LEFT, BOTTOM), (RIGHT, BOTTOM), "stroke=\"#333\"");
        line(&mut out, (LEFT, TOP), (LEFT, BOTTOM), "stroke=\"#333\"");
        text(&mut out, f64::midpoint(LEFT, RIGHT), BOTTOM + 46.0, "middle", "", &self.x_label);
        let middle = f64::midpoint(TOP, BOTTOM);
        let upright = format!("transform=\"rotate(-90 24 {middle})\"");
        text(&mut out, 24.0, middle, "middle", &upright, &self.y_label);
        for (i, (at, words)) in self.marks.iter().enumerate() {
            let px = x.place(*at);
            // The labels of neighbouring marks are placed at three heights, so that they do not overlap.
            let top = TOP - 10.0 - 16.0 * (i % 3) as f64;
            line(&mut out, (px, top + 3.0), (px, BOTTOM), "stroke=\"#888\" stroke-dasharray=\"4 4\"");
            let (anchor, dx) = if px > RIGHT - 150.0 { ("end", -4.0) } else { ("start", 4.0) };
            text(&mut out, px + dx, top, anchor, "font-size=\"12\" fill=\"#333\"", words);
        }
        for (i, series) in self.series.iter().enumerate() {
            drawn(&mut out, i, series, &x, &y);
        }
        out + "</svg>\n"
    }
}

/// Draws the `i`th line with its points, and its legend entry.
fn drawn(out: &mut String, i: usize, series: &Series, x: &Axis, y: &Axis) {
    let colour = COLOURS[i % COLOURS.len()];
    let dash = DASHES[i / COLOURS.len() % DASHES.len()];
    let style = format!("stroke=\"{colour}\" stroke-dasharray=\"{dash}\" stroke-width=\"2\"");
    let mut path = String::new();
    for (px, py) in &series.points {
        let (px, py) = (x.place(*px), y.place(*py));
        let _ = write!(path, "{px:.1},{py:.1} ");
        let _ = writeln!(out, "<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let _ = writeln!(out, "<polyline points=\"{}\" fill=\"none\" {style}/>", path.trim_end());
    let row = TOP + 10.0 + 22.0 * i as f64;
    line(out, (RIGHT + 16.0, row), (RIGHT + 44.0, row), &style);
    text(out, RIGHT + 52.0, row + 4.0, "start", "", &series.name);
}

/// A logarithmic axis between two positions in the picture.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Option<Self> {
        let least = values.clone().min_by(f64::total_cmp)?;
        let most = values.max_by(f64::total_cmp)?;
        // A margin, so that no point lies on the frame; a single value is centred.
        let room = (most / least).powf(0.04).max(1.05);
        Some(Self { least: (least / room).log10(), most: (most * room).log10(), from, to })
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.log10() - self.least) / (self.most - self.least);
        self.from + share * (self.to - self.from)
    }

    /// Returns the powers of ten within the axis, and if there are few, also twice and five times each.
    fn decades(&self) -> Vec<(f64, String)> {
        let steps: &[f64] = if self.most - self.least > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        (self.least.floor() as i32..=self.most.ceil() as i32)
            .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
            .filter(|v| (self.least..=self.most).contains(&v.log10()))
            .map(|v| (v, plain(v)))
            .collect()
    }
}

/// Formats a tick's label: `0.001`, `0.5`, `20`.
fn plain(v: f64) -> String {
    let digits = (-v.log10().floor()).max(0.0) as usize;
    format!("{v:.digits$}")
}

fn line(out: &mut String, a: (f64, f64), b: (f64, f64), style: &str) {
    let _ = writeln!(out, "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" {style}/>", a.0, a.1, b.0, b.1);
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, style: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>) -> Chart {
        Chart {
            title: "a < b".into(),
            subtitle: String::new(),
            x_label: "x".into(),
            y_label: "y".into(),
            x_ticks: vec![(1.0, "one".into())],
            series: vec![Series { name: "line".into(), points }],
            marks: vec![(10.0, "here".into())],
        }
    }

    #[test]
    fn larger_is_further_right_and_higher() {
        let svg = chart(vec![(1.0, 0.01), (10.0, 0.1), (100.0, 1.0)]).svg();
        let points = svg.split("points=\"").nth(1).unwrap();
        let places: Vec<(f64, f64)> = points[..points.find('"').unwrap()]
            .split(' ')
            .map(|p| {
                let (x, y) = p.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        assert_eq!(places.len(), 3);
        for pair in places.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1, "{places:?}");
        }
        // Equal factors are equal distances.
        let step = |i: usize| places[i + 1].0 - places[i].0;
        assert!((step(0) - step(1)).abs() < 0.2, "{places:?}");
        assert!(places.iter().all(|p| (LEFT..=RIGHT).contains(&p.0)));
        assert!(places.iter().all(|p| (TOP..=BOTTOM).contains(&p.1)));
        assert!(svg.contains("a &lt; b") && svg.contains(">here</text>"));
        assert!(svg.contains(">0.01</text>") && svg.contains(">1</text>"));
    }

    #[test]
    fn without_points_above_zero_there_is_no_picture() {
        assert!(chart(Vec::new()).svg().is_empty());
        assert!(chart(vec![(1.0, 0.0)]).svg().is_empty());
        assert!(chart(vec![(5.0, 3.0)]).svg().contains("<circle"));
    }
}
