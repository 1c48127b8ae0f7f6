//! What is known of a module once it is loaded.

/// A later version of PTX may have instructions that this table lacks: only the kernels that use them are refused.
#[test]
fn instructions_of_a_later_version_are_not_modelled() {
    let text = ".version 99.0\n.target sm_90\n.address_size 64\n\
                .entry new() { later.u32 0; ret; }\n.entry known() { ret; }";
    let memory = std::sync::Arc::new(simt::memory::Memory::new(1 << 24));
    let module = simt::machine::Module::load(text, &memory, gpu::Part::default_part()).unwrap();
    let refusal = module.unsupported("new").expect("an unmodelled instruction").to_string();
    assert!(refusal.contains("`later.u32`"), "{refusal}");
    assert!(module.unsupported("known").is_none());
}

/// A module states its target, wherever it is in the text.
#[test]
fn a_module_knows_its_target() {
    let memory = std::sync::Arc::new(simt::memory::Memory::new(1 << 24));
    let text = "/*\n.target sm_50\n*/ .version 8.0 .target sm_90a .address_size 64\n.visible .entry k() { ret; }";
    let module = simt::machine::Module::load(text, &memory, gpu::Part::default_part()).unwrap();
    assert_eq!(module.target(), "sm_90a");
}
