// The library. Its functions return JSON.
"use strict";

const isa = {};

// Unpacks data that bundle.py has put into the page.
async function unpacked(id) {
  const text = byId(id).textContent;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A Rust `Result` is an object with one of two keys.
function result(text) {
  const value = JSON.parse(text);
  if (value && "Err" in value) throw new Error(value.Err);
  return value && "Ok" in value ? value.Ok : value;
}

async function loadIsa() {
  await wasm_bindgen({ module_or_path: await unpacked("wasm") });
  isa.targets = JSON.parse(wasm_bindgen.targets());
  isa.explain = (target, words) => result(wasm_bindgen.explain(target, Uint32Array.from(words)));
  isa.words = (text) => result(wasm_bindgen.words(text));
  isa.assemble = (target, text) => result(wasm_bindgen.assemble(target, text));
  isa.values = (target, words, field) => result(wasm_bindgen.values(target, Uint32Array.from(words), field));
  isa.everywhere = (target, words) => result(wasm_bindgen.everywhere(target, Uint32Array.from(words)));
  isa.opcodes = (target) => result(wasm_bindgen.opcodes(target));
  isa.example = (target, format, number) => result(wasm_bindgen.example(target, format, number));
  isa.open = (bytes, number, target) => new wasm_bindgen.CodeObject(bytes, number, target);
}
