//! The layout that all pages share.
use maud::{DOCTYPE, Markup, html};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.25rem .75rem;border-bottom:1px solid #ccc;\
vertical-align:top}td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}\
pre{background:#f5f5f5;padding:.5rem;overflow-x:auto;white-space:pre-wrap}.lost{color:#a11}.earned{color:#161}\
.bars{width:50%;min-width:7rem;white-space:nowrap}.bar{display:inline-block;height:.8rem;margin-right:.4rem;background:#47a}\
.quiet{color:#666}.words{overflow-wrap:anywhere}\
@media(max-width:40rem){td,th{padding:.25rem .3rem}th.n{white-space:normal}.bars{min-width:5rem}\
.marks tr{display:flex;flex-wrap:wrap;border-bottom:1px solid #ccc}.marks td{border:0}.marks .words{flex-basis:100%}}\
@media(prefers-color-scheme:dark){:root{color-scheme:dark}body{color:#e8eaed;background:#15171a}a{color:#8ab8ff}\
td,th,.marks tr{border-color:#3a3f46}pre{background:#1e2125}.lost{color:#ff8a80}.earned{color:#62d394}.bar{background:#7aa7d9}\
.quiet{color:#a9b0b9}}";

/// A page without external resources or scripts.
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

/// A bar for `part` of `all`, with how many per cent that is.
pub fn bar(part: f64, all: f64) -> Markup {
    let percent = if all > 0.0 { 100.0 * part / all } else { 0.0 };
    // The longest bar leaves room for its label.
    html! { span .bar style=(format!("width:{:.1}%", 0.7 * percent.clamp(0.0, 100.0))) {} (format!("{percent:.0} %")) }
}
