// The table below the bits: each field with its value, which can be changed, and its meaning.
"use strict";

// The bits of a field: `15:0`, or `14 60:59` for a split field, with the highest piece first.
function range(field) {
  const piece = ([lsb, width]) => (width <= 1 ? String(lsb) : `${lsb + width - 1}:${lsb}`);
  return [...field.pieces].reverse().map(piece).join(" ");
}

function withField(words, field, value) {
  const made = [...words];
  let rest = BigInt(value);
  for (const [lsb, width] of field.pieces) {
    for (let bit = lsb; bit < lsb + width; bit++, rest >>= 1n) {
      if (bit >= made.length * 32) continue;
      if (isSet(made, bit) !== Number(rest & 1n)) made[bit >> 5] = (made[bit >> 5] ^ (1 << (bit & 31))) >>> 0;
    }
  }
  return made;
}

function widthOf(field) {
  return field.pieces.reduce((sum, [, width]) => sum + width, 0);
}

// A number as people type it, or null. Negative numbers are two's complement.
function typed(text, width) {
  const [, sign, digits] = /^\s*(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)\s*$/.exec(text) || [];
  if (digits === undefined) return null;
  const size = 1n << BigInt(width);
  const value = sign ? -BigInt(digits) : BigInt(digits);
  return value >= size || value < -(size / 2n) ? null : (value + size) % size;
}

// Draws the table, with the arguments of drawBits. `words` begin with the instruction.
function drawFields(card, { target, edit, select, selected }) {
  const body = el("tbody");
  let format = "";
  card.fields.forEach((field, index) => {
    if (field.format !== format) body.append(sourceRow(card, (format = field.format)));
    body.append(fieldRow(card, field, index, { edit, select, selected }));
    if (field.name === selected && !card.refused) body.append(valuesRow(card, field, { target, edit }));
  });
  const head = ["Field", "Bits", "Value", "Meaning", "What it is for"];
  const th = (text, n) => el("th", { scope: "col", class: n === 4 && "about-head", style: n === 1 && "text-align: right" }, text);
  return el("table", { class: "fields" }, el("thead", null, el("tr", null, head.map(th))), body);
}

// A row with the name of a format and its place in the manual. The fields of the format follow.
function sourceRow(card, format) {
  return el("tr", { class: "source" }, el("th", { colspan: 5, scope: "rowgroup" }, el("b", null, format), " " + sourceOf(card, format)));
}

function sourceOf(card, format) {
  return card.sources.find((source) => source.format === format)?.text || "";
}

function fieldRow(card, field, index, { edit, select, selected }) {
  const width = widthOf(field);
  const input = el("input", { value: number(field.value), "aria-label": "value of " + field.name, "data-field": field.name, spellcheck: "false", autocomplete: "off" });
  input.addEventListener("click", (event) => event.stopPropagation());
  input.addEventListener("change", () => {
    const value = typed(input.value, width);
    input.classList.toggle("wrong", value === null);
    input.title = value === null ? `a number of ${width} bits` : "";
    if (value !== null) edit(withField(card.words, field, value));
  });
  const about = field.about && field.about !== field.meaning ? field.about : "";
  const choose = () => select(field.name === selected ? "" : field.name);
  return el("tr", { class: "field" + (field.name === selected ? " selected" : ""), style: hue(index), onclick: choose },
    el("td", { class: "field-name" }, el("span", { class: "swatch" }), el("button", { class: "plain", type: "button", "aria-expanded": String(field.name === selected) }, field.name)),
    el("td", { class: "range" }, range(field)),
    el("td", null, input),
    el("td", { class: "meaning" }, field.meaning === field.about ? "" : field.meaning),
    el("td", { class: "about" }, about || (field.meaning === field.about ? field.about : "")));
}

// The other values that the field could have.
function valuesRow(card, field, { target, edit }) {
  const runs = isa.values(target, card.words, field.name);
  const width = widthOf(field);
  const none = field.name === "encoding" ? "These bits tell the format." : `Any number of ${width} bits.`;
  const set = (value) => edit(withField(card.words, field, value));
  return el("tr", { class: "values" }, el("td", { colspan: 5 }, runs.length ? drawRuns(runs, set, field.value) : el("span", { class: "quiet" }, none)));
}

function drawRuns(runs, set, value) {
  const text = ({ first, last, text: [a, b] }) => {
    const numbers = first === last ? number(first) : `${number(first)}–${number(last)}`;
    const names = a === b || first === last ? a : `${a} … ${b}`;
    return names ? [el("span", { class: "code" }, numbers), " " + names] : [numbers];
  };
  const draw = (run) => chip(text(run), (event) => { event.stopPropagation(); set(run.first); }, { class: "chip" + (value >= run.first && value <= run.last ? " here" : "") });
  return el("div", { class: "chips" }, runs.map(draw));
}
