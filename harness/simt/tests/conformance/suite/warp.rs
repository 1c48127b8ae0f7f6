//! Cases of operations among the lanes of a warp.

use super::Case;
use super::values::ValueKind;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = shuffles();
    list.extend(votes());
    list.extend(matches());
    list.extend(reductions());
    list.extend(special());
    list
}

fn shuffles() -> Vec<Case> {
    let (word, lane) = (ValueKind::Int(32), ValueKind::Amount);
    let mut list = Vec::new();
    for kind in ["up", "down", "bfly", "idx"] {
        let op = format!("shfl.sync.{kind}.b32");
        list.push(Case::new(
            format!("{op} any"),
            format!("{op} %d0|%d1, %s0, %s1, %s2, 0xffffffff;"),
            &[word, lane, ValueKind::Clamp],
            &[32, 0],
        ));
        list.push(Case::new(
            format!("{op} plain"),
            format!("{op} %d0, %s0, %s1, {}, -1;", if kind == "up" { 0 } else { 31 }),
            &[word, lane],
            &[32],
        ));
        for width in [2, 4, 8, 16, 32u32] {
            for distance in [1, 5] {
                let c = ((32 - width) << 8) | if kind == "up" { 0 } else { 31 };
                list.push(Case::new(
                    format!("{op} width {width} by {distance}"),
                    format!("{op} %d0|%d1, %s0, {distance}, {c}, 0xffffffff;"),
                    &[word],
                    &[32, 0],
                ));
            }
        }
    }
    list.push(Case::new(
        "shfl.sync.idx.b32 some",
        "mov.u32 %d0, 0;\nvote.sync.ballot.b32 %n, %s1, -1;\nbfind.u32 %t, %n;\n@%s1 shfl.sync.idx.b32 %d0, %s0, %t, 31, %n;",
        &[word, ValueKind::Pred],
        &[32],
    ));
    list
}

fn votes() -> Vec<Case> {
    let mut list = Vec::new();
    for (kind, bits) in [("all.pred", 0), ("any.pred", 0), ("uni.pred", 0), ("ballot.b32", 32)] {
        for not in ["", "!"] {
            let op = format!("vote.sync.{kind}");
            list.push(Case::new(
                format!("{op} {not}p"),
                format!("setp.ne.u32 %d1, %s0, 7;\n{op} %d0, {not}%d1, 0xffffffff;"),
                &[ValueKind::Few(32)],
                &[bits, 0],
            ));
        }
        let clear = match bits {
            0 => "setp.ne.u32 %d0, 0, 0;",
            _ => "mov.u32 %d0, 0;",
        };
        list.push(Case::new(
            format!("vote.sync.{kind} some"),
            format!(
                "{clear}\nsetp.ne.u32 %d1, %s0, 7;\nvote.sync.ballot.b32 %n, %s1, -1;\n@%s1 vote.sync.{kind} %d0, %d1, %n;"
            ),
            &[ValueKind::Few(32), ValueKind::Pred],
            &[bits, 0],
        ));
    }
    list
}

fn matches() -> Vec<Case> {
    let mut list = Vec::new();
    for bits in [32, 64] {
        let value = ValueKind::Few(bits);
        let ballot = "vote.sync.ballot.b32 %n, %s1, -1;";
        list.push(Case::new(
            format!("match.any.sync.b{bits}"),
            format!("match.any.sync.b{bits} %d0, %s0, 0xffffffff;"),
            &[value],
            &[32],
        ));
        list.push(Case::new(
            format!("match.all.sync.b{bits}"),
            format!("match.all.sync.b{bits} %d0|%d1, %s0, 0xffffffff;"),
            &[value],
            &[32, 0],
        ));
        list.push(Case::new(
            format!("match.any.sync.b{bits} some"),
            format!("mov.u32 %d0, 0;\n{ballot}\n@%s1 match.any.sync.b{bits} %d0, %s0, %n;"),
            &[value, ValueKind::Pred],
            &[32],
        ));
        list.push(Case::new(
            format!("match.all.sync.b{bits} some"),
            format!("mov.u32 %d0, 0;\nsetp.ne.u32 %d1, 0, 0;\n{ballot}\n@%s1 match.all.sync.b{bits} %d0|%d1, %s0, %n;"),
            &[value, ValueKind::Pred],
            &[32, 0],
        ));
    }
    list
}

fn reductions() -> Vec<Case> {
    let mut list = Vec::new();
    for op in ["add.s32", "add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"] {
        list.push(Case::new(
            format!("redux.sync.{op}"),
            format!("redux.sync.{op} %d0, %s0, 0xffffffff;"),
            &[ValueKind::Int(32)],
            &[32],
        ));
        list.push(Case::new(
            format!("redux.sync.{op} some"),
            format!("mov.u32 %d0, 0;\nvote.sync.ballot.b32 %n, %s1, -1;\n@%s1 redux.sync.{op} %d0, %s0, %n;"),
            &[ValueKind::Int(32), ValueKind::Pred],
            &[32],
        ));
    }
    list
}

fn special() -> Vec<Case> {
    let mut list = vec![
        Case::new("activemask.b32", "activemask.b32 %d0;", &[], &[32]),
        Case::new("elect.sync", "elect.sync %d0|%d1, 0xffffffff;", &[], &[32, 0]),
        Case::new(
            "elect.sync some",
            "mov.u32 %d0, 99;\nsetp.ne.u32 %d1, 0, 0;\nvote.sync.ballot.b32 %n, %s0, -1;\n@%s0 elect.sync %d0|%d1, %n;",
            &[ValueKind::Pred],
            &[32, 0],
        ),
        Case::new("bar.red.popc.u32", "bar.red.popc.u32 %d0, 0, %s0;", &[ValueKind::Pred], &[32]),
        Case::new("bar.red.popc.u32 !p", "bar.red.popc.u32 %d0, 1, 256, !%s0;", &[ValueKind::Pred], &[32]),
        Case::new(
            "bar.red.and.pred",
            "setp.ne.u32 %d1, %s0, 99;\nbar.red.and.pred %d0, 0, %d1;",
            &[ValueKind::Below(200)],
            &[0, 0],
        ),
        Case::new(
            "bar.red.or.pred",
            "setp.eq.u32 %d1, %s0, 99;\nbar.red.or.pred %d0, 0, %d1;",
            &[ValueKind::Below(900)],
            &[0, 0],
        ),
    ];
    for name in [
        "laneid",
        "lanemask_eq",
        "lanemask_le",
        "lanemask_lt",
        "lanemask_ge",
        "lanemask_gt",
        "tid.x",
        "tid.y",
        "ntid.x",
        "ntid.z",
        "ctaid.x",
        "nctaid.x",
        "nctaid.y",
        "warpid",
        "nwarpid",
        "dynamic_smem_size",
        "total_smem_size",
    ] {
        // The numbers of warps in a multiprocessor depend on the scheduler.
        if !matches!(name, "warpid" | "nwarpid") {
            list.push(Case::new(format!("mov.u32 %{name}"), format!("mov.u32 %d0, %{name};"), &[], &[32]));
        }
    }
    list.push(Case::new("mov.u32 WARP_SZ", "mov.u32 %d0, WARP_SZ;", &[], &[32]));
    list
}
