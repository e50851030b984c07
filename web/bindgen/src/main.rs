//! `bindgen IN.wasm DIRECTORY NAME`: writes `NAME.js` and `NAME_bg.wasm` into the directory.

use wasm_bindgen_cli_support::Bindgen;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().expect("usage: bindgen IN.wasm DIRECTORY NAME");
    let (input, directory, name) = (next(), next(), next());
    let mut bindgen = Bindgen::new();
    let made = bindgen
        .input_path(input)
        .out_name(&name)
        .remove_name_section(true)
        .no_modules(true)
        .and_then(|b| b.typescript(false).generate(directory));
    made.expect("wasm-bindgen");
}
