//! Cases of barriers in shared memory and of bulk copies, each thread on its own memory.

use super::Case;
use super::values::ValueKind;

/// Every case.
pub fn all() -> Vec<Case> {
    let mut list = phases();
    list.extend(copies());
    list.extend(reductions());
    list
}

/// States cannot be compared, as PTX leaves their bits open; `%at` holds them.
fn phases() -> Vec<Case> {
    let count = ValueKind::Below(1000);
    let init = "add.u32 %n, %s0, 5;\nmbarrier.init.shared::cta.b64 [%shared], %n;\n";
    let pending = |to: u32| format!("mbarrier.pending_count.b64 %d{to}, %at;\n");
    let test = |to: u32| format!("mbarrier.test_wait.shared::cta.b64 %d{to}, [%shared], %at;\n");
    let parity =
        |to: u32, phase: u32| format!("mbarrier.test_wait.parity.shared::cta.b64 %d{to}, [%shared], {phase};\n");
    let some = "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %at, [%shared], 2;\n";
    let one = "mbarrier.arrive.shared::cta.b64 %at, [%shared];\n";
    let rest = "sub.u32 %n, %n, 3;\nmbarrier.arrive.release.cta.shared::cta.b64 %at, [%shared], %n;\n";
    let drop = "mbarrier.arrive_drop.shared::cta.b64 %at, [%shared];\n";
    let expect = "mbarrier.arrive.expect_tx.shared::cta.b64 %at, [%shared], 48;\n";
    let complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%shared], 48;\n";
    vec![
        Case::new(
            "mbarrier.arrive pending",
            [init, some, &pending(0), one, &pending(1), rest, &pending(2), one, &pending(3)].concat(),
            &[count],
            &[32; 4],
        ),
        Case::new(
            "mbarrier.test_wait",
            [init, &parity(0, 0), &parity(1, 1), some, one, &test(2), rest, &test(3), &parity(4, 0), &parity(5, 1)]
                .concat(),
            &[count],
            &[0; 6],
        ),
        Case::new(
            "mbarrier.arrive_drop",
            [init, drop, &pending(0), some, rest, &test(1), one, &pending(2)].concat(),
            &[count],
            &[32, 0, 32],
        ),
        Case::new(
            "mbarrier.expect_tx",
            [init, expect, &pending(0), some, rest, &test(1), complete, &test(2), one, &pending(3)].concat(),
            &[count],
            &[32, 0, 0, 32],
        ),
        Case::new(
            "mbarrier.try_wait",
            [init, some, one, rest, "mbarrier.try_wait.parity.shared::cta.b64 %d0, [%shared], 0;\n"].concat(),
            &[count],
            &[0],
        ),
    ]
}

fn copies() -> Vec<Case> {
    let long = ValueKind::Int(64);
    let wait = "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %at_end, [%shared], 0;\n@!%at_end bra WAIT;\n";
    let wait = format!(".reg .pred %at_end;\n{wait}");
    let init = "mbarrier.init.shared::cta.b64 [%shared], 1;\nfence.proxy.async;\n";
    let expect = "mbarrier.arrive.expect_tx.shared::cta.b64 %at, [%shared], 48;\n";
    vec![
        Case::new(
            "cp.async.bulk to shared",
            format!(
                "st.global.v2.b64 [%cell], {{%s0, %s1}};\nst.global.b64 [%cell+40], %s2;\n{init}fence.proxy.async;\n\
                 {expect}cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%shared+16], [%cell], 48, \
                 [%shared];\n{wait}ld.shared.v2.b64 {{%d0, %d1}}, [%shared+16];\nld.shared.b64 %d2, [%shared+56];"
            ),
            &[long; 3],
            &[64; 3],
        ),
        Case::new(
            "cp.async.bulk to global",
            "st.shared.v2.b64 [%shared], {%s0, %s1};\nst.shared.b64 [%shared+40], %s2;\nfence.proxy.async;\n\
             cp.async.bulk.global.shared::cta.bulk_group [%cell], [%shared], 48;\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group 0;\nld.global.v2.b64 {%d0, %d1}, [%cell];\nld.global.b64 %d2, [%cell+40];",
            &[long; 3],
            &[64; 3],
        ),
        Case::new(
            "cp.async.mbarrier.arrive",
            format!(
                "st.global.b64 [%cell], %s0;\nmbarrier.init.shared::cta.b64 [%shared], 1;\n\
                 cp.async.ca.shared.global [%shared+16], [%cell], 8;\ncp.async.mbarrier.arrive.noinc.shared::cta.b64 \
                 [%shared];\n{wait}ld.shared.b64 %d0, [%shared+16];"
            ),
            &[long],
            &[64],
        ),
    ]
}

fn reductions() -> Vec<Case> {
    let mut list = Vec::new();
    for (operation, kind) in [
        ("add.u32", ValueKind::Int(32)),
        ("add.s32", ValueKind::Int(32)),
        ("add.u64", ValueKind::Int(64)),
        ("add.f32", ValueKind::Single),
        ("add.f64", ValueKind::Double),
        ("min.s32", ValueKind::Int(32)),
        ("max.u32", ValueKind::Int(32)),
        ("min.u64", ValueKind::Int(64)),
        ("max.s64", ValueKind::Int(64)),
        ("and.b32", ValueKind::Int(32)),
        ("or.b64", ValueKind::Int(64)),
        ("xor.b32", ValueKind::Int(32)),
        ("inc.u32", ValueKind::Int(32)),
        ("dec.u32", ValueKind::Int(32)),
    ] {
        let bits = kind.bits();
        list.push(Case::new(
            format!("cp.reduce.async.bulk.{operation}"),
            format!(
                "st.global.b{bits} [%cell], %s0;\nst.shared.b{bits} [%shared], %s1;\nfence.proxy.async;\n\
                 cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation} [%cell], [%shared], 16;\n\
                 cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nld.global.b{bits} %d0, [%cell];"
            ),
            &[kind; 2],
            &[bits],
        ));
    }
    list
}
