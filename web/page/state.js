// The address bar has the state of the page after the `#`.
"use strict";

// `view`, `target`, `words`, `text` (only if it is not an instruction), `field`, `format`, `search`, `image` (the
// number of a code object in its file), `at` (an address), `typed` (`text` if the words come from a text).
const state = {};

const watchers = [];

// Calls `show` whenever the state has changed, with the names of the changed parts.
function watch(show) {
  watchers.push(show);
}

function defaults() {
  const names = isa.targets.map((target) => target.name);
  return { view: "instruction", target: names.includes("gfx942") ? "gfx942" : names[0], words: null, text: "", field: "", format: "", search: "", image: "", at: "", typed: "" };
}

function readHash() {
  const read = defaults();
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (name === "words") read.words = value.split(/[^0-9a-fA-F]+/).filter((w) => w).slice(0, 4096).map((w) => parseInt(w.slice(-8), 16));
    else if (name in read) read[name] = value;
  }
  if (!byId("view-" + read.view)) read.view = "instruction";
  const known = isa.targets.some((target) => target.name === read.target || target.aliases.includes(read.target));
  if (!known) read.target = defaults().target;
  return read;
}

function hash() {
  const said = [["view", state.view], ["target", state.target]];
  if (state.words && state.words.length) said.push(["words", state.words.map(dword).join("_")]);
  for (const name of ["text", "field", "format", "search", "image", "at", "typed"]) if (state[name]) said.push([name, state[name]]);
  return "#" + said.map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
}

// Changes the state. `push`: whether the back button undoes the change, unlike typing.
function change(values, push = false) {
  const before = { ...state };
  Object.assign(state, values);
  const there = hash();
  if (there !== location.hash) history[push ? "pushState" : "replaceState"](null, "", there);
  tell(before);
}

function tell(before) {
  const changed = Object.keys(state).filter((name) => String(before[name]) !== String(state[name]));
  for (const show of watchers) show(changed);
}

window.addEventListener("popstate", () => change(readHash()));
