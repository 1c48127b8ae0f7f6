//! A figure on the page: the chart, its text, and its data in a collapsed section.
use maud::{Markup, html};

use super::table::table;
use crate::charts::{
    figure::{Chart, Figure},
    stacks::Stacks,
};

/// Returns the figure. `level` is that of its heading, so that the outline has no gaps; `whose` distinguishes it from
/// others with its title.
pub fn figure(figure: &Figure, level: u8, whose: &str) -> Markup {
    html! {
        figure.wide[matches!(figure.chart, Chart::Plot(_))] {
            figcaption {
                @if level == 4 { h4 { (figure.title) } } @else { h3 { (figure.title) } }
                @for sentence in &figure.says { p { (with_code(sentence)) } }
            }
            (picture(figure))
            details {
                summary { "The data" span.unseen { " of: " (figure.title) } }
                (table(&figure.table, &format!("Data of: {} ({whose})", figure.title)))
            }
        }
    }
}

/// Returns the chart alone. The arrow keys move between its marks; the script listens here.
pub fn picture(figure: &Figure) -> Markup {
    html! {
        div.picture tabindex="0" role="group" aria-label=(format!("{}. Arrow keys go through the values.", figure.title)) {
            @match &figure.chart {
                Chart::Bars(bars) => (bars.svg(&figure.title)),
                Chart::Stacks(stacks) => { (stacks.svg(&figure.title)) (legend(stacks)) },
                Chart::Plot(plot) => (plot.svg(&figure.title)),
            }
        }
    }
}

/// Formats a sentence in which code is enclosed in backquotes.
fn with_code(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn legend(stacks: &Stacks) -> Markup {
    html! {
        ul.legend {
            @for (style, name) in &stacks.parts {
                li {
                    svg width="14" height="14" aria-hidden="true" {
                        rect class=(format!("part fill{style}")) width="14" height="14" {}
                    }
                    (name)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_code() {
        assert_eq!(with_code("CUB's beside `wide<4>`.").into_string(), "CUB's beside <code>wide&lt;4&gt;</code>.");
    }
}
