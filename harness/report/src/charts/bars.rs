//! Horizontal bars, with limits as lines across all of them, and marks for values measured by others.
use maud::{Markup, html};

use crate::{charts::scale::Scale, number_format::plain};

/// Bars in one unit.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    /// The unit, for the axis.
    pub unit: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
    /// Limits that hold for all bars.
    pub limits: Vec<Limit>,
}

/// One bar.
#[derive(Debug, Clone, Default)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// Its length.
    pub value: f64,
    /// The value as a short text.
    pub text: String,
    /// All details, for the tooltip.
    pub tip: String,
    /// How it is drawn.
    pub tone: Tone,
    /// Values measured by others, each with a text.
    pub peers: Vec<(f64, String)>,
    /// The interval of the value.
    pub interval: Option<(f64, f64)>,
}

/// How a bar is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// An ordinary bar.
    #[default]
    Plain,
    /// The bar to which others are compared.
    First,
    /// Predicted, not measured: hatched.
    Predicted,
}

/// A limit.
#[derive(Debug, Clone)]
pub struct Limit {
    /// Its value.
    pub value: f64,
    /// Its name.
    pub name: String,
}

/// The height of a bar with its text.
const ROW: usize = 36;
/// The height of the limits' names.
const TOP: usize = 22;

impl Bars {
    /// Returns the axis, which does not include distant limits.
    fn scale(&self) -> Scale {
        let peers = self.bars.iter().flat_map(|bar| bar.peers.iter().map(|p| p.0));
        let ends = self.bars.iter().filter_map(|bar| bar.interval).map(|(_, high)| high);
        let most = self.bars.iter().map(|bar| bar.value).chain(peers).chain(ends).fold(0.0, f64::max);
        let limits = self.limits.iter().map(|limit| limit.value).filter(|value| *value < 20.0 * most);
        Scale::linear(limits.fold(most, f64::max))
    }

    /// Returns the SVG.
    pub fn svg(&self, name: &str) -> Markup {
        let scale = self.scale();
        let percent = |value: f64| format!("{:.2}%", 100.0 * scale.at(value));
        let top = if self.limits.is_empty() { 0 } else { TOP };
        let bottom = top + self.bars.len() * ROW;
        html! {
            svg.chart role="img" aria-label=(name) height=(bottom + 34) {
                @for tick in scale.ticks() {
                    @let x = percent(tick);
                    line.grid x1=(x) x2=(x) y1=(top) y2=(bottom) {}
                    text.tick x=(x) y=(bottom + 15) text-anchor=(anchor(scale.at(tick))) { (plain(tick)) }
                }
                text.tick x="100%" y=(bottom + 31) text-anchor="end" { (self.unit) }
                @for (i, bar) in self.bars.iter().enumerate() {
                    @let y = top + i * ROW;
                    g.mark {
                        title { (bar.tip) }
                        rect.hit x="0" y=(y) width="100%" height=(ROW) {}
                        rect.bar.first[bar.tone == Tone::First]
                            .predicted[bar.tone == Tone::Predicted]
                            x="0" y=(y + 18) width=(percent(bar.value)) height="13" {}
                        text.name x="0" y=(y + 13) { (bar.name) }
                        text.value x="100%" y=(y + 13) text-anchor="end" { (bar.text) }
                    }
                    @if let Some((low, high)) = bar.interval {
                        line.interval x1=(percent(low)) x2=(percent(high)) y1=(y + 24) y2=(y + 24) {}
                        @for end in [low, high] {
                            line.interval x1=(percent(end)) x2=(percent(end)) y1=(y + 20) y2=(y + 28) {}
                        }
                    }
                    @for (value, tip) in &bar.peers {
                        svg.mark x=(percent(*value)) y=(y + 24) {
                            title { (tip) }
                            path.peer d="M0-8 6 0 0 8-6 0Z" {}
                        }
                    }
                }
                @for limit in self.limits.iter().filter(|limit| limit.value <= scale.ends().1) {
                    @let x = percent(limit.value);
                    line.limit x1=(x) x2=(x) y1=(TOP - 4) y2=(bottom) {}
                    text.tick x=(x) y="12" text-anchor=(anchor(scale.at(limit.value))) { (limit.name) }
                }
            }
        }
    }

    /// Returns each bar as characters, relative to the longest: for places without pictures.
    pub fn letters(&self) -> Vec<String> {
        let most = self.scale().ends().1;
        self.bars.iter().map(|bar| letters(bar.value / most)).collect()
    }
}

/// Returns a fraction as up to 20 characters, in steps of an eighth.
fn letters(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * 160.0).round() as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}

/// Returns the anchor of a text at a position, so that it stays within the picture.
pub(crate) fn anchor(at: f64) -> &'static str {
    match at {
        ..0.15 => "start",
        0.15..=0.85 => "middle",
        _ => "end",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64], limit: f64) -> Bars {
        let bars = values.iter().map(|value| Bar { name: "a<b".into(), value: *value, ..Bar::default() }).collect();
        Bars { bars, limits: vec![Limit { value: limit, name: "copy".into() }], ..Bars::default() }
    }

    #[test]
    fn lengths_are_shares_of_an_axis_that_holds_the_limit() {
        let svg = bars(&[50.0, 25.0], 90.0).svg("x").into_string();
        assert!(svg.contains(r#"width="50.00%""#) && svg.contains(r#"width="25.00%""#), "{svg}");
        assert!(svg.contains(r#"x1="90.00%""#) && svg.contains(">copy<"), "{svg}");
        assert!(svg.contains("a&lt;b"), "{svg}");
    }

    #[test]
    fn a_limit_that_is_far_off_does_not_flatten_the_bars() {
        let svg = bars(&[1.0], 4000.0).svg("x").into_string();
        assert!(svg.contains(r#"width="100.00%" height="13""#) && !svg.contains("copy"), "{svg}");
    }

    #[test]
    fn what_is_predicted_is_hatched_and_has_its_interval() {
        let bar = |tone, interval| Bar { value: 50.0, tone, interval, ..Bar::default() };
        let bars = |bar| Bars { bars: vec![bar], ..Bars::default() };
        let svg = |bar| bars(bar).svg("x").into_string();
        let foretold = bar(Tone::Predicted, Some((40.0, 80.0)));
        let axis = bars(foretold.clone()).scale().ends().1;
        let predicted = svg(foretold);
        assert!(predicted.contains(r#"class="bar predicted""#), "{predicted}");
        // A line from end to end, and a stroke at each end.
        let [low, high] = [40.0, 80.0].map(|value| format!("{:.2}%", 100.0 * value / axis));
        for (from, to) in [(&low, &high), (&low, &low), (&high, &high)] {
            let line = format!(r#"<line class="interval" x1="{from}" x2="{to}""#);
            assert_eq!(predicted.matches(&line).count(), 1, "{line}: {predicted}");
        }
        let plain = svg(bar(Tone::Plain, None));
        assert!(!plain.contains("predicted") && !plain.contains("interval"), "{plain}");
    }

    #[test]
    fn bars_in_letters() {
        assert_eq!(bars(&[50.0, 26.0], 100.0).letters(), ["██████████", "█████▎"]);
    }
}
