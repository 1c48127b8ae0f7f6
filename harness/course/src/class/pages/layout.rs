//! What all pages have in common.
use maud::{DOCTYPE, Markup, html};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.25rem .75rem;border-bottom:1px solid #ccc;\
vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
pre{background:#f5f5f5;padding:.5rem;overflow-x:auto;white-space:pre-wrap}.lost{color:#a11}.earned{color:#161}\
.bar{display:inline-block;height:.8rem;background:#47a}.quiet{color:#666}";

/// A page, which loads nothing and runs nothing.
pub fn page(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
            }
            body { h1 { (title) } (body) }
        }
    }
    .into_string()
}

/// A bar for `part` of `all`.
pub fn bar(part: usize, all: usize) -> Markup {
    let width = 100.0 * part as f64 / all.max(1) as f64;
    html! { span .bar style=(format!("width:{:.2}rem", width / 5.0)) {} }
}
