//! Modifiers in every order that the vendor's assembler accepts, and in none that it rejects.

use gpu::Part;
use simt::machine::Module;
use simt::memory::Memory;
use std::sync::Arc;

fn load(instruction: &str) -> Result<(), String> {
    let text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {{
        .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h<9>; .reg .pred %p<9>;
        {instruction}\nL: ret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 24));
    Module::load(&text, &memory, Part::default_part()).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn modifiers_are_taken_in_the_orders_that_the_assembler_takes() {
    let lines = include_str!("data/modifier_orders.txt").lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for line in lines {
        let (instruction, verdict) = line.split_once('\t').expect("an instruction and a verdict");
        match (load(instruction), verdict) {
            (Err(error), "ok") => wrong.push(format!("{instruction} is refused: {error}")),
            (Ok(()), verdict) if verdict != "ok" => wrong.push(format!("{instruction} is taken, but: {verdict}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
