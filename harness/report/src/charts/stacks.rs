//! Horizontal stacked bars.
use maud::{Markup, html};

use crate::{
    charts::{bars::anchor, scale::Scale},
    number_format::{plain, short},
};

/// Stacked bars in one unit.
#[derive(Debug, Clone, Default)]
pub struct Stacks {
    /// The unit, for the axis.
    pub unit: String,
    /// The parts in their order: the index of the colour, and the name.
    pub parts: Vec<(usize, String)>,
    /// The bars, from top to bottom.
    pub stacks: Vec<Stack>,
}

/// One bar.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    /// Its name.
    pub name: String,
    /// The total as a short text.
    pub text: String,
    /// The length of each part, in the order of [`Stacks::parts`].
    pub values: Vec<f64>,
}

/// The height of a bar with its text.
const ROW: usize = 36;

impl Stacks {
    /// Returns the SVG.
    pub fn svg(&self, name: &str) -> Markup {
        let total = |stack: &Stack| stack.values.iter().sum::<f64>();
        let scale = Scale::linear(self.stacks.iter().map(total).fold(0.0, f64::max));
        let percent = |value: f64| format!("{:.2}%", 100.0 * scale.at(value));
        let bottom = self.stacks.len() * ROW;
        html! {
            svg.chart role="img" aria-label=(name) height=(bottom + 34) {
                @for tick in scale.ticks() {
                    @let x = percent(tick);
                    line.grid x1=(x) x2=(x) y1="0" y2=(bottom) {}
                    text.tick x=(x) y=(bottom + 15) text-anchor=(anchor(scale.at(tick))) { (plain(tick)) }
                }
                text.tick x="100%" y=(bottom + 31) text-anchor="end" { (self.unit) }
                @for (i, stack) in self.stacks.iter().enumerate() {
                    @let y = i * ROW;
                    text.name x="0" y=(y + 13) { (stack.name) }
                    text.value x="100%" y=(y + 13) text-anchor="end" { (stack.text) }
                    @for (part, from, value) in stack.placed() {
                        g.mark {
                            title {
                                (stack.name) ": " (self.parts[part].1) " " (short(value)) " " (self.unit) ", "
                                (format!("{:.0} %", 100.0 * value / total(stack))) " of " (stack.text)
                            }
                            rect class=(format!("part fill{}", self.parts[part].0)) x=(percent(from)) y=(y + 18)
                                width=(percent(value)) height="13" {}
                        }
                    }
                }
            }
        }
    }
}

impl Stack {
    /// Returns the parts with a positive length: index, start, length.
    fn placed(&self) -> Vec<(usize, f64, f64)> {
        let mut end = 0.0;
        let mut place = |(part, &value): (usize, &f64)| {
            end += value;
            (value > 0.0).then_some((part, end - value, value))
        };
        self.values.iter().enumerate().filter_map(&mut place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_begins_where_the_one_before_ends() {
        let stack = |values: &[f64]| Stack { name: "a".into(), text: "10 ms".into(), values: values.into() };
        let parts = [(0, "x"), (1, "y"), (5, "z")].map(|(style, name)| (style, name.to_string())).into();
        let stacks =
            Stacks { unit: "ms".into(), parts, stacks: vec![stack(&[4.0, 0.0, 6.0]), stack(&[1.0, 1.0, 1.0])] };
        let svg = stacks.svg("n").into_string();
        assert!(svg.contains(r#"fill5" x="40.00%" y="18" width="60.00%""#), "{svg}");
        assert!(svg.contains("a: z 6 ms, 60 % of 10 ms"), "{svg}");
        assert_eq!(svg.matches("class=\"mark\"").count(), 5);
    }
}
