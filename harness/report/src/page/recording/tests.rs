use recording::{BlockRange, Change, Header, InstructionInfo, Recording, RegisterInfo, SourceFile, SourceLine, Step};

use super::*;

/// A recording of `steps` steps with values that do not compress.
fn recording(steps: u32) -> Recording {
    let mut random = 1u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 32
    };
    let header = Header {
        kernel_name: "sum(float<int>)".into(),
        grid: [9, 1, 1],
        block: [32, 1, 1],
        blocks: BlockRange { first: 0, last: 0 },
        launch: 1,
        instructions: vec![InstructionInfo {
            text: "add.f32 %f1, %f1, %f2;".into(),
            source: Some(SourceLine { file: 0, line: 1 }),
            ..InstructionInfo::default()
        }],
        registers: vec![RegisterInfo { name: "%f1".into(), function: String::new(), bytes: 4 }],
        sources: vec![SourceFile { name: "a.cu".into(), text: Some("x += y; // </script>\n".into()) }],
        steps: steps.into(),
        ..Header::default()
    };
    let change = |values| Change { register: 0, values };
    let step = |_| Step { mask: u32::MAX, changes: vec![change([0; 32].map(|_| next()))], ..Step::default() };
    Recording { header, steps: (0..steps).map(step).collect() }
}

#[test]
fn a_page_is_one_file_that_names_no_other() {
    let page = of_recording(&recording(3));
    assert!(page.len() < 200_000, "{} bytes", page.len());
    for outside in ["http://", "https://", "src=\"", "@import", "fetch("] {
        assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(outside), "{outside}");
    }
    assert!(page.contains("Only block 0 of 9 blocks was recorded"));
    assert!(page.contains("sum(float&lt;int&gt;)"));
    assert_eq!(page.matches("</script>").count(), 2);
    for id in ["source", "warps", "lanes", "banks", "sectors", "access", "at", "play", "said"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[test]
fn a_page_that_would_be_too_large_says_what_it_lacks() {
    let recording = recording(200);
    let (data, steps) = data::packed(&recording, 10_000);
    assert!(data.len() <= 10_000 && (20..200).contains(&steps), "{} bytes, {steps} steps", data.len());
    assert_eq!(data::packed(&recording, 1_000_000).1, 200);
    let page = page(&recording.header, &data, steps);
    assert!(page.contains(&format!("first {steps} of 200 steps; more would make it too large")));
}

#[test]
fn a_kernel_without_lines_is_shown_as_ptx() {
    let mut recording = recording(1);
    recording.header.instructions[0].source = None;
    assert!(of_recording(&recording).contains("no line information, so the PTX is shown"));
}

#[test]
fn what_a_recording_lacks_is_said() {
    let mut recording = recording(1);
    recording.header.cut = Some(recording::Cut { limit: 77 });
    recording.header.fault = Some("a trap".into());
    let page = of_recording(&recording);
    assert!(page.contains("after 1 steps, because the rest exceeds its limit of 77 bytes"));
    assert!(page.contains("did not run to its end: a trap"));
}
