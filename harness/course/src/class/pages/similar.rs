//! The page about very similar submissions, with names: for the teacher only.
use maud::html;

use super::layout::page;
use crate::class::{
    sheet::Sheet,
    similar::{Group, Member},
};

/// The page.
pub fn similar(sheet: &Sheet, members: &[Member], groups: &[Group]) -> String {
    let body = html! {
        p {
            "These compile to nearly the same instructions, without what was handed out. It is a reason "
            "to look at them, and proves nothing: a small task has few good solutions, and in a large group everyone "
            "may have found the same one. What few have in common is listed first."
        }
        @if groups.is_empty() { p { "No two are much alike." } } @else {
            table {
                tr { th { "alike" } th { "who" } }
                @for group in groups {
                    tr {
                        td { (percent(group)) }
                        td {
                            @for (place, member) in group.members.iter().enumerate() {
                                @if place > 0 { "; " }
                                (members[*member].name)
                            }
                        }
                    }
                }
            }
        }
    };
    page(&format!("{}: much alike", sheet.rubric.title), &body)
}

fn percent(group: &Group) -> String {
    let (least, greatest) = (100.0 * group.likeness.0, 100.0 * group.likeness.1);
    if greatest - least < 0.5 { format!("{least:.0} %") } else { format!("{least:.0} to {greatest:.0} %") }
}
