// The bits of an instruction, in coloured fields. A click inverts a bit.
"use strict";

const NARROW = matchMedia("(max-width: 700px)");

// The field and the piece that each bit belongs to. If fields overlap, the first one.
function owners(card) {
  const all = new Array(card.words.length * 32).fill(null);
  card.fields.forEach((field, index) => {
    field.pieces.forEach(([lsb, width], piece) => {
      for (let bit = lsb; bit < lsb + width; bit++) if (bit < all.length && !all[bit]) all[bit] = { index, piece };
    });
  });
  return all;
}

// Neighbouring bits of a row that belong together, from the highest down.
function cells(owner, low, count) {
  const made = [];
  for (let bit = low + count - 1; bit >= low; bit--) {
    const last = made[made.length - 1];
    const same = last && last.owner?.index === owner[bit]?.index && last.owner?.piece === owner[bit]?.piece;
    if (same) last.low = bit;
    else made.push({ low: bit, high: bit, owner: owner[bit] });
  }
  return made;
}

function isSet(words, bit) {
  return (words[bit >> 5] >>> (bit & 31)) & 1;
}

function turned(words, bit) {
  const other = [...words];
  other[bit >> 5] = (other[bit >> 5] ^ (1 << (bit & 31))) >>> 0;
  return other;
}

// Draws the bits. `edit` is called with the new words, and `select` with the name of a field; `selected` is such a
// name.
function drawBits(card, { edit, select, selected }) {
  const owner = owners(card);
  const perRow = NARROW.matches ? 16 : 32;
  const grid = el("div", { class: "diagram", role: "group", "aria-label": "Bits" });
  card.words.forEach((word, n) => {
    grid.append(el("div", { class: "word" }, el("span", null, "dword " + n), el("span", null, dword(word))));
    for (let low = 32 * n + 32 - perRow; low >= 32 * n; low -= perRow) {
      const row = el("div", { class: "row", style: `grid-template-columns: repeat(${perRow}, minmax(0, 1fr))` });
      row.append(...cells(owner, low, perRow).map((cell) => drawCell(card, cell, { edit, select, selected, perRow })));
      grid.append(row);
    }
  });
  const bits = [...grid.querySelectorAll(".bit")];
  bits.forEach((bit, n) => (bit.tabIndex = n ? -1 : 0));
  grid.addEventListener("keydown", (event) => roving(event, bits, perRow));
  return grid;
}

// The hint under the pointer: `src0 = 5: s5`, the purpose of the field, and its place in the manual.
function titleOf(card, field) {
  const about = field.about === field.meaning ? "" : field.about;
  return [`${field.name} = ${number(field.value)}${field.meaning ? ": " + field.meaning : ""}`, about, sourceOf(card, field.format)].filter((line) => line).join("\n");
}

function drawCell(card, cell, { edit, select, selected, perRow }) {
  const field = cell.owner && card.fields[cell.owner.index];
  const width = cell.high - cell.low + 1;
  const inBad = (bad) => bad && cell.low < bad[0] + bad[1] && cell.high >= bad[0];
  const classes = ["cell"];
  if (!field) classes.push("unnamed");
  if (width === 1) classes.push("one");
  if (field && field.name === selected) classes.push("selected");
  if (inBad(card.refused?.bits)) classes.push("bad");
  const numbers = width === 1 ? [cell.low] : [cell.high, cell.low];
  const bit = (n) => {
    const on = isSet(card.words, n);
    const label = `bit ${n}${field ? " of " + field.name : ""}`;
    const onclick = () => edit(turned(card.words, n), n);
    return el("button", { class: "bit", type: "button", "aria-pressed": String(!!on), "aria-label": label, "data-bit": n, onclick }, String(on));
  };
  const all = Array.from({ length: width }, (_, n) => bit(cell.high - n));
  const name = field ? field.name : "";
  const fits = name.length * 7.4 <= (width * (NARROW.matches ? 330 : 1100)) / perRow;
  return el("div", { class: classes.join(" "), style: `grid-column: span ${width}; ${field ? hue(cell.owner.index) : ""}`, title: field ? titleOf(card, field) : "no field" },
    el("div", { class: "numbers" }, numbers.map((n) => el("span", null, String(n)))),
    el("div", { class: "name", onclick: () => field && select(name) }, fits ? name : name.slice(0, width > 1 ? Math.max(1, Math.floor(width * 3)) : 1)),
    el("div", { class: "bits" }, all));
}
