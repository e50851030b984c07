// The second view: the same instruction on every target, one beside the other.
"use strict";

function startGenerations() {
  watch((changed) => {
    if (state.view === "generations" && changed.some((name) => ["view", "target", "words", "text"].includes(name))) showGenerations();
  });
}

function showGenerations() {
  const view = byId("view-generations");
  const all = state.text ? null : isa.everywhere(state.target, state.words || []);
  const back = el("button", { class: "link", type: "button", onclick: () => change({ view: "instruction" }, true) }, "Type another one");
  if (!all) return view.replaceChildren(el("p", { class: "panel" }, `This is not an instruction of ${state.target}, so there is nothing to compare. `, back, "."));
  const here = isa.explain(state.target, state.words)[0];
  const has = all.on.filter((on) => on.encodings.length);
  const since = has.length < all.on.length ? `first on ${has[0].processor}, ${has[0].generation}; ` : "";
  const head = el("div", { class: "head" }, el("h2", null, here.text),
    el("p", { class: "quiet" }, `${all.opcode}: ${since}${has.length} of ${all.on.length} targets have it. Targets with the same bits are in one box. `, back, "."));
  const colours = fieldColours(all.on);
  const groups = grouped(all.on);
  view.replaceChildren(head, ...groups.map((group, n) => drawGroup(group, lastWith(groups, n), colours)));
}

// Groups neighbours with the same bits and the same text.
function grouped(on) {
  const key = ({ same, error, encodings }) => JSON.stringify([same && [same.words, same.text, layoutOf(same)], error, encodings]);
  const groups = [];
  for (const one of on) {
    const last = groups[groups.length - 1];
    if (last && key(last[0]) === key(one)) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

// The last group before the group `n` that has the operation.
function lastWith(groups, n) {
  return groups.slice(0, n).reverse().find(([one]) => one.same)?.[0];
}

function layoutOf(card) {
  return card.fields.map((field) => [field.name, field.pieces]);
}

// The colours of fields, which are the same on all targets.
function fieldColours(on) {
  const names = new Set(on.flatMap(({ same }) => (same ? same.fields.map((field) => field.name) : [])));
  return new Map([...names].map((name, n) => [name, n]));
}

function drawGroup(group, before, colours) {
  const [one] = group;
  const generations = [...new Set(group.map((on) => on.generation))].join(", ");
  const go = (on) => change(on.same ? { target: on.target, words: on.same.words, field: "" } : { target: on.target }, true);
  const button = (on) => chip(on.processor, () => go(on), { title: [on.target, ...on.products].join(", "), "data-target": on.target, class: on.target === state.target ? "chip here" : "chip" });
  const left = el("div", null, el("h3", null, generations), el("div", { class: "chips" }, group.map(button)));
  const lacks = !one.encodings.length;
  const right = el("div", null, lacks ? el("span", { class: "quiet" }, "lacks it") : drawNumbers(one, before), one.error && el("p", { class: "quiet" }, one.error), one.same && drawStrips(one.same, colours));
  return el("article", { class: "card generation" + (lacks ? " lacks" : "") }, left, right);
}

function drawNumbers(one, before) {
  const names = one.encodings.map((e) => `${e.format} ${hex(e.number)}`);
  const tags = one.same && before ? differences(one, before) : [];
  const text = one.same ? one.same.text : one.encodings[0].mnemonic;
  return [
    el("div", { class: "text" }, text, tags.map((tag) => el("span", { class: "tag" }, tag))),
    el("div", { class: "quiet mono" }, one.same ? one.same.words.map(dword).join(" ") + " · " : "", names.join(", ")),
  ];
}

function differences(one, before) {
  const numbers = (on) => JSON.stringify(on.encodings.map((e) => [e.format, e.number]));
  const tags = [];
  if (one.same.text !== before.same.text) tags.push("other spelling");
  if (numbers(one) !== numbers(before)) tags.push("other number");
  if (JSON.stringify(layoutOf(one.same)) !== JSON.stringify(layoutOf(before.same))) tags.push("other layout");
  return tags;
}

// A line of coloured boxes for each dword.
function drawStrips(card, colours) {
  const owner = owners(card);
  return card.words.map((word, n) => el("div", { class: "strip" }, cells(owner, 32 * n, 32).map((cell) => {
    const field = cell.owner && card.fields[cell.owner.index];
    const width = cell.high - cell.low + 1;
    const title = field ? `${field.name} ${range(field)} = ${number(field.value)} ${field.meaning}` : "no field";
    const name = !field ? "" : field.name.length * (NARROW.matches ? 5.5 : 6.7) < width * (NARROW.matches ? 9 : 24) ? field.name : "";
    return el("span", { class: field ? "" : "unnamed", style: `flex: ${width}; ${field ? hue(colours.get(field.name)) : ""}`, title }, name);
  })));
}
