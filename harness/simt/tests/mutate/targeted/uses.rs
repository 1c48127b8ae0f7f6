//! The instructions of each family.

use super::{Draw, Family, MAPS};
use simt::tensor::{Shape, TensorMap};
use std::fmt::Write;

/// Returns a use of a family's target.
pub(super) fn usage(family: Family, draw: &mut Draw, maps: &[TensorMap], step: u64) -> String {
    match family {
        Family::TensorMaps => tensor(draw, maps),
        Family::Descriptors => product(draw),
        Family::Barriers => barrier(draw),
        Family::Calls => call(draw, step),
        Family::Stacks => stack(draw),
        Family::Heap => heap(draw),
        Family::Handles => handle(draw),
        Family::Copies => copy(draw, step),
    }
}

fn tensor(draw: &mut Draw, maps: &[TensorMap]) -> String {
    let which = draw.below(MAPS);
    let own = &maps[which as usize];
    // Mostly as the map requires.
    let rank = if draw.one_in(8) { 1 + draw.below(5) as usize } else { own.rank as usize };
    let columns = rank >= 3 && matches!(own.shape, Shape::Im2col { .. }) != draw.one_in(8);
    let map = if draw.one_in(8) { "%kept2".to_owned() } else { format!("%map+{}", 128 * which) };
    let mut lines = String::new();
    for d in 0..rank {
        let coordinate = if draw.one_in(8) { draw.edge() as i32 } else { draw.below(6) as i32 * 16 - 16 };
        let _ = writeln!(lines, "  mov.b32 %c{d}, {coordinate};");
    }
    let list: Vec<String> = (0..rank).map(|d| format!("%c{d}")).collect();
    let list = format!("{{{}}}", list.join(", "));
    let tile = format!("tile+{}", draw.pick(&[0, 0, 0, 0, 128, 1024, 8192, 16256, 64]));
    let offsets: Vec<String> = (0..rank.saturating_sub(2)).map(|_| format!("%h{}", draw.below(4))).collect();
    let offsets = if columns { format!(", {{{}}}", offsets.join(", ")) } else { String::new() };
    let at = draw.pick(&["global", "shared::cta"]);
    let place = if at == "global" { format!("[{}]", map.replace("%kept2", "%map")) } else { "[tile]".to_owned() };
    match draw.below(8) {
        0..=2 => {
            let how = if columns { "im2col" } else { "tile" };
            let (cast, mask) = if draw.one_in(4) { (".multicast::cluster", ", %h0") } else { ("", "") };
            let _ = writeln!(lines, "  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], {};", draw.below(4096));
            let _ = writeln!(lines, "  mov.b16 %h0, {};", draw.below(4));
            let _ = writeln!(
                lines,
                "  cp.async.bulk.tensor.{rank}d.shared::cluster.global.{how}.mbarrier::complete_tx::bytes{cast} \
                 [{tile}], [{map}, {list}], [bar]{offsets}{mask};"
            );
        }
        3 => {
            let how = if columns { "im2col_no_offs" } else { "tile" };
            let _ = writeln!(
                lines,
                "  cp.async.bulk.tensor.{rank}d.global.shared::cta.{how}.bulk_group [{map}, {list}], [{tile}];"
            );
            lines += "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n";
        }
        4 => {
            let operation = draw.pick(&["add", "min", "max", "inc", "dec", "and", "or", "xor"]);
            let _ = writeln!(
                lines,
                "  cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{operation}.tile.bulk_group [{map}, {list}], \
                 [{tile}];\n  cp.async.bulk.commit_group;"
            );
        }
        5 => {
            let _ = writeln!(lines, "  cp.async.bulk.prefetch.tensor.{rank}d.L2.global.tile [{map}, {list}];");
        }
        6 => {
            let value = draw.edge() as i64;
            let ordinal = draw.below(5);
            let (field, width, value) = match draw.below(9) {
                0 => ("global_address", 64, format!("{value}")),
                1 => ("rank", 32, format!("{}", value & 7)),
                2 => ("box_dim", 32, format!("{ordinal}, {}", value as i32)),
                3 => ("global_dim", 32, format!("{ordinal}, {}", value as i32)),
                4 => ("global_stride", 64, format!("{}, {value}", ordinal % 4)),
                5 => ("element_stride", 32, format!("{ordinal}, {}", value as i32)),
                6 => ("elemtype", 32, format!("{}", draw.below(13))),
                7 => ("interleave_layout", 32, format!("{}", draw.below(3))),
                _ => ("swizzle_mode", 32, format!("{}", draw.below(4))),
            };
            let _ = writeln!(lines, "  tensormap.replace.tile.{field}.{at}.b1024.b{width} {place}, {value};");
        }
        _ => {
            lines += "  fence.proxy.tensormap::generic.acquire.gpu [%map], 128;\n";
            let to = draw.pick(&["%map", "%map+128"]);
            let _ = writeln!(
                lines,
                "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [{to}], \
                 [tile], 128;"
            );
        }
    }
    lines
}

/// Returns a descriptor with a start in the tile, offsets, a base offset and a mode, each valid or not.
fn descriptor(draw: &mut Draw) -> u64 {
    let field = |draw: &mut Draw, bits: u32, usual: u64| {
        if draw.one_in(12) { draw.edge() & ((1 << bits) - 1) } else { usual }
    };
    let (start, leading, stride) = (draw.below(256), draw.below(16), draw.below(16));
    let word = field(draw, 14, start) | field(draw, 14, leading) << 16 | field(draw, 14, stride) << 32;
    let mode = draw.below(4) << 62;
    word | field(draw, 3, 0) << 49 | mode | if draw.one_in(12) { draw.edge() } else { 0 }
}

fn product(draw: &mut Draw) -> String {
    let (a, b) = (descriptor(draw) as i64, descriptor(draw) as i64);
    let (a, b) = match draw.below(16) {
        0 => ("%kept0".to_owned(), b.to_string()),
        1 => (a.to_string(), "%kept1".to_owned()),
        _ => (a.to_string(), b.to_string()),
    };
    let (shape, types, rest) = draw.pick(&[
        ("m64n8k16", "f32.f16.f16", ", 1, 1, 0, 0"),
        ("m64n8k16", "f32.bf16.bf16", ", 1, -1, 1, 1"),
        ("m64n8k8", "f32.tf32.tf32", ", 1, 1"),
        ("m64n8k32", "f32.e4m3.e5m2", ", 1, 1"),
    ]);
    let spread = if draw.one_in(16) { "  cvt.u64.u32 %d2, %t;\n  add.u64 %d0, %d0, %d2;\n" } else { "" };
    format!(
        "  mov.b64 %d0, {a};\n  mov.b64 %d1, {b};\n{spread}  setp.eq.u32 %q, 0, {};\n  wgmma.fence.sync.aligned;\n  \
         wgmma.mma_async.sync.aligned.{shape}.{types} {{%s0, %s1, %s2, %s3}}, %d0, %d1, %q{rest};\n  \
         wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n",
        draw.below(2)
    )
}

fn barrier(draw: &mut Draw) -> String {
    let other = draw.pick(&["bar+24", "bar+4", "tile"]);
    let bar = if draw.one_in(12) { other } else { draw.pick(&["bar", "bar+8", "bar+16"]) };
    let count = if draw.one_in(8) { draw.edge() as u32 } else { 1 + draw.below(3) as u32 };
    match draw.below(12) {
        0 => format!("  mov.b32 %r1, {count};\n  mbarrier.init.shared::cta.b64 [{bar}], %r1;\n"),
        1 => format!("  mbarrier.arrive.shared::cta.b64 %state, [{bar}];\n"),
        2 => format!("  mov.b32 %r1, {count};\n  mbarrier.arrive.release.cta.shared::cta.b64 %state, [{bar}], %r1;\n"),
        3 => format!("  mov.b32 %r1, {count};\n  mbarrier.arrive.noComplete.shared::cta.b64 %state, [{bar}], %r1;\n"),
        4 => format!("  mov.b32 %r1, {count};\n  mbarrier.arrive_drop.shared::cta.b64 %state, [{bar}], %r1;\n"),
        5 => format!("  mov.b32 %r1, {count};\n  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{bar}], %r1;\n"),
        6 => format!("  mov.b32 %r1, {count};\n  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [{bar}], %r1;\n"),
        7 => format!("  mbarrier.test_wait.shared::cta.b64 %p, [{bar}], %state;\n"),
        8 => format!("  mov.b32 %r1, {count};\n  mbarrier.try_wait.parity.shared::cta.b64 %p, [{bar}], %r1;\n"),
        9 => format!("  mov.b64 %state, {};\n  mbarrier.pending_count.b64 %r1, %state;\n", draw.edge() as i64),
        10 => format!("  mbarrier.inval.shared::cta.b64 [{bar}];\n"),
        _ => format!(
            "  mov.u32 %r1, {bar};\n  mapa.shared::cluster.u32 %r2, %r1, {};\n  \
             mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];\n",
            draw.below(2)
        )
        .replace("bar+", "bar;\n  add.u32 %r1, %r1, "),
    }
}

fn call(draw: &mut Draw, step: u64) -> String {
    let depth = draw.below(7);
    let at = draw.pick(&["%own", "%own", "%own", "%map", "%kept1"]);
    let call = |function: &str, proto: &str| {
        format!(
            "  {{ .param .b64 a; .param .b64 b; .param .b64 c; st.param.b64 [a], {depth}; st.param.b64 [b], {at};\n    \
             call (c), {function}, (a, b){proto}; ld.param.b64 %v, [c]; }}\n"
        )
    };
    let proto = format!("P{step}: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b64 _);\n");
    let by = call("%d3", &format!(", P{step}"));
    match draw.below(5) {
        0 | 1 => call(draw.pick(&["f", "g"]), ""),
        2 => format!(
            "{proto}  mov.u64 %d2, table;\n  ld.global.u64 %d3, [%d2+{}];\n{}{by}",
            8 * draw.below(4),
            if draw.one_in(6) { format!("  add.u64 %d3, %d3, {};\n", draw.edge() as i64) } else { String::new() }
        ),
        3 if draw.one_in(3) => format!("{proto}  mov.u64 %d3, %kept{};\n{by}", draw.below(4)),
        3 => call("f", ""),
        _ => format!(
            "  mov.b32 %r1, {};\nT{step}: .branchtargets A{step}, B{step}, C{step};\n  brx.idx %r1, T{step};\nA{step}:\n  \
             add.u64 %v, %v, 1;\nB{step}:\n  add.u64 %v, %v, 2;\nC{step}:\n",
            if draw.one_in(6) { draw.edge() as i32 } else { draw.below(3) as i32 }
        ),
    }
}

fn stack(draw: &mut Draw) -> String {
    let value = if draw.one_in(2) { draw.edge() as i64 } else { draw.below(600) as i64 };
    match draw.below(7) {
        0 | 1 => {
            let align = 1 << draw.below(24);
            format!("  mov.b64 %d0, {value};\n  alloca.u64 %to, %d0, {align};\n  cvta.local.u64 %to, %to;\n")
        }
        2 => "  stacksave.u64 %saved;\n".to_owned(),
        3 => "  stackrestore.u64 %saved;\n".to_owned(),
        4 => format!("  mov.b64 %saved, {value};\n  stackrestore.u64 %saved;\n"),
        5 => format!("  add.s64 %saved, %saved, {};\n", value % 2048),
        _ => format!("  st.b64 [%to+{}], %saved;\n  ld.b64 %v, [%to];\n", 8 * draw.below(64)),
    }
}

fn heap(draw: &mut Draw) -> String {
    let bytes = if draw.one_in(3) { draw.edge() as i64 } else { draw.below(5000) as i64 };
    match draw.below(8) {
        0 | 1 => format!(
            "  {{ .param .b64 a; .param .b64 b; st.param.b64 [a], {bytes}; call.uni (b), malloc, (a); \
             ld.param.b64 %to, [b]; }}\n  mov.b64 %kept{}, %to;\n",
            draw.below(4)
        ),
        2 => format!(
            "  {{ .param .b64 a; st.param.b64 [a], {}; call.uni free, (a); }}\n",
            if draw.one_in(8) { draw.pick(&["%kept1", "%own", "%map"]) } else { "%to" }
        ),
        // Accesses to bytes before and after an allocation.
        3 => format!("  st.b64 [%to+{}], {bytes};\n", draw.pick(&[-8i64, -16, -32, -64, 0, 0, 0, 8, 4096])),
        4..=6 => {
            let format = draw.pick(&["%d0", "%d0", "%kept0", "%own", "%map"]);
            let list = draw.pick(&["%own", "%kept1", "%map", "0"]);
            format!(
                "  mov.u64 %d0, format;\n  cvta.global.u64 %d0, %d0;\n  st.b64 [%own], {bytes};\n  st.b64 [%own+8], %own;\n  \
                 {{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], {format}; st.param.b64 [b], {list}; \
                 call.uni (c), vprintf, (a, b); ld.param.b32 %r1, [c]; }}\n"
            )
        }
        _ if !draw.one_in(6) => "  st.b64 [%own+16], %to;\n".to_owned(),
        _ => {
            let text = draw.pick(&["%kept0", "%own", "%map", "%d0"]);
            format!(
                "  mov.u64 %d0, format;\n  cvta.global.u64 %d0, %d0;\n  {{ .param .b64 a; .param .b64 b; .param .b32 c; \
                 .param .b64 d; .param .b64 e; st.param.b64 [a], {text}; st.param.b64 [b], %d0; st.param.b32 [c], 7; \
                 st.param.b64 [d], {text}; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }}\n"
            )
        }
    }
}

fn handle(draw: &mut Draw) -> String {
    let which = draw.below(9);
    let is_surface = matches!(which, 4..=6 | 8);
    let mut lines = match draw.below(12) {
        0 => format!("  mov.b64 %d0, {};\n", draw.edge() as i64),
        1 => "  mov.b64 %d0, %kept0;\n".to_owned(),
        2 => format!("  add.u64 %d0, %handle, {};\n", draw.below(6)),
        _ => format!("  add.u64 %d0, %handle, {};\n", u64::from(is_surface)),
    };
    for at in 0..4 {
        let whole = if draw.one_in(6) { draw.edge() as i32 } else { 4 * draw.below(8) as i32 };
        let float = if draw.one_in(3) { draw.edge() as u32 } else { (draw.below(20) as f32 - 2.0).to_bits() };
        let _ = writeln!(lines, "  mov.b32 %c{at}, {whole};\n  mov.b32 %f{at}, 0f{float:08X};");
    }
    let clamp = draw.pick(&["trap", "clamp", "zero"]);
    let value = "{%r1, %r2, %r3, %r4}";
    lines += &match which {
        0 => format!("  tex.1d.v4.u32.s32 {value}, [%d0, {{%c0}}];\n"),
        1 => format!("  tex.2d.v4.u32.f32 {value}, [%d0, {{%f0, %f1}}];\n"),
        2 => format!("  tex.level.3d.v4.u32.f32 {value}, [%d0, {{%f0, %f1, %f2, %f3}}], %f3;\n"),
        3 => format!("  tex.a2d.v4.u32.s32 {value}, [%d0, {{%c0, %c1, %c2, %c3}}];\n"),
        4 => format!("  suld.b.2d.v4.b32.{clamp} {value}, [%d0, {{%c0, %c1}}];\n"),
        5 => format!("  sust.b.2d.b32.{clamp} [%d0, {{%c0, %c1}}], %c2;\n"),
        6 => format!("  sured.b.2d.add.u32.{clamp} [%d0, {{%c0, %c1}}], %c2;\n"),
        7 => format!("  txq.{}.b32 %r1, [%d0];\n", draw.pick(&["width", "height", "depth", "num_mipmap_levels"])),
        _ => format!("  suq.{}.b32 %r1, [%d0];\n", draw.pick(&["width", "height", "channel_order"])),
    };
    lines
}

fn copy(draw: &mut Draw, step: u64) -> String {
    let bytes = if draw.one_in(8) { draw.edge() as u32 } else { 16 * draw.below(20) as u32 };
    let from = if draw.one_in(12) { "%own" } else { draw.pick(&["%data", "%map", "%kept0"]) };
    let value = if draw.one_in(6) { draw.edge() as i32 } else { 16 * draw.below(2) as i32 };
    let tile = format!("tile+{}", if draw.one_in(12) { draw.pick(&[16368, 16376, 4]) } else { 16 * draw.below(600) });
    match draw.below(9) {
        0 => format!("  mov.b32 %r1, {bytes};\n  cp.async.ca.shared.global [{tile}], [{from}], 16, %r1;\n"),
        1 => "  cp.async.commit_group;\n  cp.async.wait_group 0;\n".to_owned(),
        2 => format!(
            "  mov.b32 %r1, {bytes};\n  \
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{tile}], [{from}], %r1, [bar];\n"
        ),
        3 => format!(
            "  mov.b32 %r1, {bytes};\n  cp.async.bulk.global.shared::cta.bulk_group [{from}], [{tile}], %r1;\n  \
             cp.async.bulk.commit_group;\n"
        ),
        4 => format!(
            "  mov.b32 %r1, {bytes};\n  cp.reduce.async.bulk.global.shared::cta.bulk_group.{}.u32 [{from}], [{tile}], %r1;\n",
            draw.pick(&["add", "min", "inc", "xor"])
        ),
        5 => format!(
            "  mov.u32 %r1, tile;\n  mov.b32 %r3, {};\n  mapa.shared::cluster.u32 %r2, %r1, %r3;\n  \
             ld.shared::cluster.u32 %r4, [%r2];\n  st.shared::cluster.u32 [%r2+{}], %r4;\n",
            if draw.one_in(6) { value } else { draw.below(2) as i32 },
            4 * draw.below(64)
        ),
        6 => format!(
            "  mov.u32 %r1, tile;\n  add.u32 %r1, %r1, {};\n  mapa.shared::cluster.u32 %r2, %r1, {};\n  mov.u32 %r5, bar;\n  \
             mapa.shared::cluster.u32 %r6, %r5, {};\n  \
             st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [%r6];\n",
            value as u32,
            draw.below(2 + step % 2),
            draw.below(2)
        ),
        7 => format!(
            "  mov.u32 %r1, tile;\n  mapa.shared::cluster.u32 %r2, %r1, {};\n  mov.b32 %r3, {bytes};\n  mov.u32 %r5, bar;\n  \
             mapa.shared::cluster.u32 %r6, %r5, {};\n  \
             cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2], [{tile}], %r3, [%r6];\n",
            draw.below(2 + step % 2),
            draw.below(2)
        ),
        _ => format!(
            "  mov.u32 %r1, tile;\n  add.u32 %r1, %r1, {value};\n  ldmatrix.sync.aligned.m8n8.x4.shared.b16 \
             {{%r2, %r3, %r4, %r5}}, [%r1];\n"
        ),
    }
}
