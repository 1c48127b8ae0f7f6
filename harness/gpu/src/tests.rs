use super::*;

fn get(name: &str) -> &'static Part {
    Part::find(name).unwrap()
}

const L4: &str = include_str!("../parts/l4.toml");
const H200: &str = include_str!("../parts/h200.toml");

#[test]
fn names_are_found_however_they_are_written() {
    assert_eq!(get("Titan X").name, "titan-x");
    assert_eq!(get("RTX 3090").name, "rtx3090");
    assert_eq!(Part::find("gt-210"), None);
    assert_eq!(Part::default_part().name, "a100");
    for part in PARTS {
        assert_eq!(get(part.name), part);
    }
}

#[test]
fn parts_are_in_the_order_of_their_compute_capabilities() {
    assert!(PARTS.is_sorted_by_key(|part| (part.compute_capability, part.name)));
    assert_eq!((PARTS[0].name, PARTS.iter().filter(|part| part.at_least(9, 0)).count() > 3), ("titan-x", true));
}

#[test]
fn figures_are_plausible_and_have_sources() {
    for part in PARTS {
        assert!(part.sms > 0 && part.total_memory >= 8 << 30 && part.copy_engines > 0, "{}", part.name);
        assert!(part.shared_per_block_optin + part.shared_reserved_per_block <= part.shared_per_sm, "{}", part.name);
        // A bandwidth between those of a laptop's memory and twice that of HBM3e: two transfers a clock.
        let gb_per_s = 2.0 * f64::from(part.mem_clock_khz) * f64::from(part.bus_bits) / 8e6;
        assert!((200.0..9_000.0).contains(&gb_per_s), "{}: {gb_per_s} GB/s", part.name);
        assert!((1_000_000..3_000_000).contains(&part.clock_khz), "{}", part.name);
        assert_eq!(part.sources.len(), 10, "{}", part.name);
    }
}

/// The data sheets' bandwidths, in GB/s.
#[test]
fn clocks_and_buses_have_the_bandwidths_of_the_data_sheets() {
    for (name, published) in [
        ("rtx3060", 360.0),
        ("l4", 300.0),
        ("l40s", 864.0),
        ("b200", 7_700.0),
        ("rtx5090", 1_792.0),
        ("h200", 4_800.0),
        ("t4", 320.0),
    ] {
        let part = get(name);
        let gb_per_s = 2.0 * f64::from(part.mem_clock_khz) * f64::from(part.bus_bits) / 8e6;
        assert!((gb_per_s / published - 1.0).abs() < 0.03, "{name}: {gb_per_s}");
    }
}

#[test]
fn the_t4_is_as_its_device_query_prints_it() {
    let t4 = get("t4");
    assert_eq!((t4.total_memory, t4.sms, t4.max_threads_per_sm), (15_828_320_256, 40, 1024));
    assert_eq!((t4.max_blocks_per_sm, t4.regs_per_sm, t4.single_to_double), (16, 65536, 32));
}

/// CUDA C++ Programming Guide, technical specifications per compute capability.
#[test]
fn limits_are_those_of_the_compute_capability() {
    for (name, threads, blocks, shared, single_to_double) in [
        ("titan-x", 2048, 32, 96, 32),
        ("v100", 2048, 32, 96, 2),
        ("a100", 2048, 32, 164, 2),
        ("rtx3060", 1536, 16, 100, 64),
        ("l40s", 1536, 24, 100, 64),
        ("b200", 2048, 32, 228, 2),
        ("rtx5090", 1536, 24, 100, 64),
    ] {
        let part = get(name);
        let limits = (part.max_threads_per_sm, part.max_blocks_per_sm, part.shared_per_sm >> 10, part.single_to_double);
        assert_eq!(limits, (threads, blocks, shared, single_to_double), "{name}");
    }
}

#[test]
fn constants_say_where_they_come_from() {
    let known: Vec<_> = PARTS.iter().filter_map(|part| Some((part.name, part.model?))).collect();
    assert_eq!(known.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["h100", "h200"]);
    for (name, model) in known {
        for (constant, known) in model.constants() {
            let words = ["measured by ", "fitted to ", "from "];
            assert!(words.iter().any(|w| known.source.starts_with(w)), "{name}: {constant}: {}", known.source);
        }
    }
}

#[test]
fn a_figure_that_is_missing_misspelt_or_without_source_is_named() {
    let error = |text: &str| PartFile::read(text).unwrap_err();
    let line = |name: &str| L4.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(error(&L4.replace(line("sms"), "")).contains("missing field `sms`"));
    assert!(error(&L4.replace("sms =", "smx =")).contains("unknown field `smx`"));
    assert!(error(&L4.replace(line("ecc"), "ecc = { value = true, source = \" \" }")).contains("`ecc` needs a source"));
    assert!(error(&L4.replace("name = \"l4\"", "name = \"l4\"\nage = 1")).contains("age"));
}

#[test]
fn a_constant_that_is_missing_misspelt_or_without_source_is_named() {
    let error = |text: &str| PartFile::read(text).unwrap_err();
    let section = |name: &str| {
        let start = H200.find(&format!("[constants.{name}]")).unwrap();
        let end = H200[start..].find("\n\n").unwrap() + start;
        &H200[start..end]
    };
    assert!(error(&H200.replace("[constants.flag_ns]", "[constants.flag_nx]")).contains("unknown field `flag_nx`"));
    assert!(error(&H200.replace(section("flag_ns"), "")).contains("missing field `flag_ns`"));
    let none = H200.replace(section("flag_ns"), "[constants.flag_ns]\nvalue = 0\nsource = \"from nowhere\"");
    assert!(error(&none).contains("`flag_ns` needs a value above 0"));
}
