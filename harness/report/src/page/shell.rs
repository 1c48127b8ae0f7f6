//! The frame of every page.
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Returns a whole page around `main`, with a heading and a table of contents.
pub fn shell(title: &str, heading: &str, contents: &Markup, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                // The hatching for predicted values, once for all charts.
                svg.unseen width="0" height="0" aria-hidden="true" {
                    defs {
                        pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                            line.hatch x1="0" x2="0" y1="0" y2="6" {}
                        }
                    }
                }
                a.skip href="#content" { "To the content" }
                header {
                    h1 { (heading) }
                    (contents)
                }
                main id="content" { (main) }
                // The elements in which the script shows and announces the values of the current mark.
                div #tip aria-hidden="true" hidden {}
                div #said .unseen aria-live="polite" {}
                script { (PreEscaped(include_str!("script.js"))) }
            }
        }
    };
    page.into_string()
}

/// Returns links to the sections of a page, each an id and a title. The first one is the main subject of the page.
pub fn contents(sections: &[(&str, &str)]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (i, (id, title)) in sections.iter().enumerate() {
                    li { a href=(format!("#{id}")) { @if i == 0 { strong { (title) } } @else { (title) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_predicted_is_filled_with_a_pattern_that_is_on_the_page() {
        let page = shell("t", "h", &html! {}, &html! {});
        for mark in [".bar.predicted", ".point.predicted"] {
            let rule = page.split_once(&format!("{mark} {{")).unwrap_or_else(|| panic!("no rule for {mark}")).1;
            let filled = rule.split_once("url(#").and_then(|(before, id)| Some((before, id.split_once(')')?.0)));
            let (before, id) = filled.unwrap_or_else(|| panic!("{mark} is not filled with a pattern"));
            assert!(!before.contains('}'), "{mark} is not filled with a pattern");
            assert!(page.contains(&format!(r#"<pattern id="{id}""#)), "no pattern {id} for {mark}");
        }
    }
}
