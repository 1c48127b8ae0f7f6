//! Tables. A wide one scrolls in its own box.
use maud::{Markup, html};

use crate::charts::figure::FigureTable;

/// Returns a table, with a name for screen readers.
pub fn table(table: &FigureTable, name: &str) -> Markup {
    with_links(table, name, |_| None)
}

/// Returns a table whose first column has links.
pub fn with_links(table: &FigureTable, name: &str, link: impl Fn(&str) -> Option<String>) -> Markup {
    let numbers: Vec<bool> = (0..table.headings.len()).map(|column| table.is_number(column)).collect();
    html! {
        div.scroll role="region" aria-label=(name) tabindex="0" {
            table {
                thead {
                    tr {
                        @for (heading, number) in table.headings.iter().zip(&numbers) {
                            th.number[*number] scope="col" { (heading) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (i, (cell, number)) in row.iter().zip(&numbers).enumerate() {
                                @if i == 0 {
                                    th scope="row" {
                                        @match link(cell) {
                                            Some(to) => a href=(to) { (cell) },
                                            None => (cell),
                                        }
                                    }
                                } @else if table.headings[i] == "verdict" {
                                    td { span class=(format!("verdict {cell}")) { (cell) } }
                                } @else {
                                    td.number[*number].note[table.headings[i] == "note"] { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if !table.left_out.is_empty() {
            p.small { (table.left_out) }
        }
    }
}
