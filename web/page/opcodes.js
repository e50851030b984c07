// The third view: the numbers of a format, with the holes between them, and a search.
"use strict";

const maps = { target: "", formats: [] };

function startOpcodes() {
  byId("search").addEventListener("input", () => change({ search: byId("search").value }));
  byId("formats").addEventListener("keydown", (event) => roving(event, [...byId("formats").children], 1));
  matchMedia("(max-width: 1000px)").addEventListener("change", () => showOpcodes());
  NARROW.addEventListener("change", () => showOpcodes());
  watch((changed) => {
    if (state.view === "opcodes" && changed.some((name) => ["view", "target", "format", "search"].includes(name))) showOpcodes();
  });
}

// A function that tells whether an operation matches: every word of the search must be in its data.
function matcher(search) {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word);
  return (format, operation) => {
    const all = [operation.mnemonic, operation.opcode, operation.operands, operation.flags.join(" "), operation.extensions.join(" "), format].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

function showOpcodes() {
  if (state.view !== "opcodes") return;
  if (maps.target !== state.target) Object.assign(maps, { target: state.target, formats: isa.opcodes(state.target) });
  const search = byId("search");
  if (document.activeElement !== search) search.value = state.search;
  const matches = matcher(state.search);
  const counts = maps.formats.map((map) => map.operations.filter((operation) => matches(map.format, operation)).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  byId("found").textContent = state.search ? `${total} found` : `${total} in ${maps.formats.length} formats`;
  // The chosen format, if it has a match, or else the first format that has one.
  const chosen = maps.formats.findIndex((map) => map.format === state.format);
  const shown = chosen >= 0 && counts[chosen] ? chosen : Math.max(0, state.search ? counts.findIndex((count) => count) : maps.formats.findIndex((map) => map.format === "VOP2"));
  const focused = byId("formats").contains(document.activeElement);
  byId("formats").replaceChildren(...maps.formats.map((map, n) => drawFormat(map, counts[n], n === shown, matches)));
  const [box, button] = [byId("formats"), byId("formats").children[shown]];
  if (focused) button.focus();
  // On a phone the formats are in one line.
  box.scrollLeft = button.offsetLeft - box.offsetLeft - 60;
  byId("operation").replaceChildren();
  drawFound(matches);
  drawMap(maps.formats[shown], matches);
}

// Draws the matches of a search in all formats. A click shows the place of a match.
function drawFound(matches) {
  const found = state.search ? maps.formats.flatMap((map) => map.operations.filter((o) => matches(map.format, o)).map((o) => [map, o])) : [];
  const show = (map, operation) => {
    change({ format: map.format }, true);
    const slot = byId("map").querySelector(`[data-number="${operation.number}"]`);
    slot.scrollIntoView({ block: "center" });
    slot.focus({ preventScroll: true });
  };
  const button = ([map, operation]) => chip(`${operation.mnemonic} `, () => show(map, operation), { style: family(operation.mnemonic), title: `${map.format} ${hex(operation.number)}` });
  byId("results").replaceChildren(...found.slice(0, 200).map(button));
}

// The colour of an operation. Operations whose names begin alike have the same one.
function family(mnemonic) {
  const stem = mnemonic.split("_").slice(0, 2).join("_");
  let sum = 7;
  for (const c of stem) sum = (sum * 31 + c.charCodeAt(0)) % 9973;
  return hue(sum);
}

function places(map) {
  const last = map.operations[map.operations.length - 1].number;
  return Math.max(1 << map.op_bits, last + 1);
}

// A button with a small picture: a dot for each number.
function drawFormat(map, count, isShown, matches) {
  const [columns, dot] = places(map) > 512 ? [64, 2] : [32, 3];
  const rows = Math.ceil((map.operations[map.operations.length - 1].number + 1) / columns);
  const canvas = el("canvas", { width: 96 * (dot === 2 ? 4 / 3 : 1), height: rows * dot, "aria-hidden": "true" });
  const brush = canvas.getContext("2d");
  for (const operation of map.operations) {
    const on = matches(map.format, operation);
    brush.fillStyle = `hsl(${/\d+/.exec(family(operation.mnemonic))} 65% 50% / ${on ? 0.85 : 0.15})`;
    brush.fillRect((operation.number % columns) * dot, Math.floor(operation.number / columns) * dot, dot - (dot > 2), dot - (dot > 2));
  }
  const onclick = () => change({ format: map.format }, true);
  return el("button", { class: "format" + (count ? "" : " nothing"), type: "button", role: "radio", "aria-checked": String(isShown), tabindex: isShown ? 0 : -1, onclick },
    el("span", null, el("b", null, map.format), el("span", { class: "quiet" }, ` ${count}`)), canvas);
}

function columnsNow() {
  return NARROW.matches ? 2 : matchMedia("(max-width: 1000px)").matches ? 4 : 8;
}

function drawMap(map, matches) {
  const byNumber = new Map();
  for (const operation of map.operations) {
    if (!byNumber.has(operation.number)) byNumber.set(operation.number, []);
    byNumber.get(operation.number).push(operation);
  }
  const [all, columns] = [places(map), columnsNow()];
  const grid = el("div", { class: "slots", role: "group", "aria-label": `Operations of ${map.format}` });
  let free = null;
  const rows = Math.ceil(all / columns);
  for (let row = 0; row <= rows; row++) {
    const numbers = Array.from({ length: columns }, (_, n) => row * columns + n).filter((n) => n < all);
    const isFree = row < rows && !numbers.some((n) => byNumber.has(n));
    if (isFree) free ??= row;
    // Several empty rows are shown as one.
    if (!isFree && free !== null) {
      const [first, last] = [free * columns, Math.min(row * columns, all) - 1];
      grid.append(el("div", { class: "at" }, hex(first)), el("div", { class: "free" }, `${last - first + 1} free, to ${hex(last)}`));
      free = null;
    }
    if (isFree || row === rows) continue;
    grid.append(el("div", { class: "at" }, hex(row * columns)), ...numbers.map((n) => drawSlot(map, n, byNumber.get(n), matches)));
    for (let n = numbers.length; n < columns; n++) grid.append(el("span"));
  }
  const slots = [...grid.querySelectorAll("button")];
  slots.forEach((slot, n) => (slot.tabIndex = n ? -1 : 0));
  grid.addEventListener("keydown", (event) => roving(event, slots, columns));
  const used = byNumber.size;
  const about = `${map.format}: ${map.bits} bits, ${used} of ${all} numbers in use. ${map.source}.`;
  byId("map").replaceChildren(el("p", { class: "about-format quiet" }, about), layoutStrip(map), grid);
}

function drawSlot(map, n, operations, matches) {
  if (!operations) return el("span", { class: "slot hole", title: `${n} (${hex(n)}): no operation` });
  const [operation] = operations;
  const show = () => showOperation(map, operation);
  const dim = operations.some((one) => matches(map.format, one)) ? "" : " dim";
  // A line may end after each underscore.
  const name = operation.mnemonic.split(/(?<=_)/).flatMap((part, k) => (k ? [el("wbr"), part] : [part]));
  return el("button", { class: "slot" + dim, type: "button", style: family(operation.mnemonic), "data-number": n, "aria-label": `${n} ${operation.mnemonic}`, onmouseenter: show, onfocus: show, onclick: () => openExample(map.format, n) }, ...name);
}

function showOperation(map, operation) {
  const more = [operation.flags.join(", ").replaceAll("_", " "), operation.extensions.length && "also with " + operation.extensions.join(", ")].filter((part) => part).join("; ");
  const known = operation.opcode === operation.mnemonic ? "" : ` (${operation.opcode} on other targets)`;
  byId("operation").replaceChildren(el("h2", null, operation.mnemonic),
    el("span", { class: "mono" }, operation.operands), el("p", { class: "quiet" }, `${map.format} ${operation.number} (${hex(operation.number)})${known}`, more ? ". " + more : ""));
}

function openExample(format, number) {
  try {
    change({ view: "instruction", words: isa.example(state.target, format, number), text: "", field: "" }, true);
  } catch (error) {
    byId("operation").replaceChildren(el("p", { class: "wrong" }, error.message));
  }
}

// The strip with the fields of a format.
function layoutStrip(map) {
  const card = { words: new Array(map.bits / 32).fill(0), fields: map.fields.map((f) => ({ ...f, value: f.fixed ?? 0, meaning: f.about })) };
  return el("div", { style: "margin-bottom: 12px" }, drawStrips(card, new Map(card.fields.map((field, n) => [field.name, n]))));
}
