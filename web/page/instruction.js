// The first view: words and text, each of which follows changes of the other, and the bits below.
"use strict";

const EXAMPLES = [
  "v_fma_f32 v0, s1, v2, |v3|",
  "s_load_dwordx4 s[4:7], s[0:1], 0x10",
  "s_load_b128 s[4:7], s[0:1], 0x10",
  "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]",
  "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
  "v_dual_mul_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4",
  "global_load_dwordx4 v[0:3], v4, s[2:3] offset:16",
  "global_load_b128 v[0:3], v4, s[2:3] offset:16",
  "image_sample v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf dim:SQ_RSRC_IMG_2D",
  "v_add_f32_dpp v0, v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
  "s_waitcnt vmcnt(0) lgkmcnt(1)",
  "s_mov_b32 s0, 0x3f800001",
];

// The length of the longest instruction in dwords.
const MOST = 5;

function startInstruction() {
  byId("text").addEventListener("input", () => typeText(byId("text").value));
  byId("hex").addEventListener("input", () => typeHex(byId("hex").value));
  NARROW.addEventListener("change", () => showInstruction());
  watch((changed) => {
    if (state.view === "instruction" && changed.some((name) => ["view", "target", "words", "text", "field"].includes(name))) showInstruction();
  });
}

// Whether the target has the operation of an example, and spells it like that.
function isHere(example) {
  const made = isa.assemble(state.target, example);
  return !made.errors.length && isa.explain(state.target, made.words)[0].text === example;
}

function typeText(text) {
  const made = isa.assemble(state.target, text);
  if (made.errors.length) change({ text });
  else change({ text: "", words: made.words, field: "", typed: "text" });
}

function typeHex(text) {
  try {
    change({ words: text.trim() ? isa.words(text) : [], text: "", field: "", typed: "" });
  } catch (error) {
    byId("hex").classList.add("bad");
    byId("problem").replaceChildren(error.message);
  }
}

function fit(area) {
  area.rows = Math.min(Math.max(area.value.split("\n").length, 1), 14);
}

function showInstruction() {
  const cards = isa.explain(state.target, state.words || []);
  const [text, words] = [byId("text"), byId("hex")];
  const shown = cards.map((card) => card.text).join("\n");
  // Text that the user is typing is not changed.
  if (state.text) text.value = state.text;
  else if (document.activeElement !== text) text.value = shown;
  if (document.activeElement !== words) words.value = cards.map((card) => card.words.map(dword).join(" ")).join("\n");
  words.classList.toggle("stale", !!state.text);
  words.classList.remove("bad");
  text.classList.toggle("bad", !!state.text);
  [text, words].forEach(fit);
  showProblem();
  const fits = EXAMPLES.filter(isHere).slice(0, 5);
  const button = (example) => chip(example, () => change({ text: "", field: "", typed: "text", words: isa.assemble(state.target, example).words }, true));
  byId("examples").replaceChildren("Try", ...fits.map(button));
  byId("cards").replaceChildren(...(state.text ? [] : drawCards(cards)));
}

// Draws the cards again, and puts the focus where it was.
function drawCards(cards) {
  const shown = cards.slice(0, 24);
  let first = 0;
  const drawn = shown.map((card) => {
    const at = first;
    first += card.words.length;
    return drawCard(card, at);
  });
  if (shown.length < cards.length) drawn.push(el("p", { class: "quiet" }, `and ${cards.length - shown.length} more`));
  return drawn;
}

// Draws a card. `at`: the number of its first dword.
function drawCard(card, at) {
  const edit = (words, bit) => {
    // Zeros are added, so that a change that needs another dword gets one. A change that needs fewer dwords gives them
    // back.
    const padded = [...words, ...new Array(MOST).fill(0)];
    const first = isa.explain(state.target, padded)[0];
    const made = first.refused ? words : first.words;
    const all = state.words || [];
    change({ words: [...all.slice(0, at), ...made, ...all.slice(at + card.words.length)] });
    if (bit !== undefined) byId("cards").querySelector(`[data-at="${at}"] [data-bit="${bit}"]`)?.focus();
  };
  const shared = { target: state.target, selected: state.field, edit, select: (field) => change({ field }) };
  const bytes = card.words.length * 4;
  const under = [state.target, card.format, `${bytes} bytes`].filter((part) => part).join(" · ");
  return el("article", { class: "card" + (card.refused ? " refused" : ""), "data-at": at },
    el("h2", null, card.refused ? card.words.map((word) => ".long " + hex(word, 8)).join(" ") : card.text),
    el("p", { class: "under quiet" }, under),
    card.refused && drawReason(card, edit),
    card.rule && el("p", { class: "rule" }, "It decodes, but breaks a rule: " + card.rule),
    drawBits(card, shared),
    card.fields.length ? drawFields(card, shared) : null,
    drawFacts(card));
}

function drawFacts(card) {
  if (!card.facts.length) return null;
  return el("dl", { class: "facts" }, card.facts.map(([about, fact]) => [el("dt", null, about), el("dd", null, fact)]));
}

// The reason why a dword is refused, and the values that would be accepted.
function drawReason(card, edit) {
  const { message, field, legal, formats } = card.refused;
  const place = card.fields.find((f) => f.name === field) || { pieces: card.refused.bits ? [card.refused.bits] : [] };
  const reason = el("div", { class: "reason" }, el("p", null, `No instruction of ${state.target}: `, el("b", null, message), "."));
  if (legal.length) {
    const bits = { pieces: message.startsWith("reserved bit") ? [card.refused.bits] : place.pieces };
    reason.append(el("p", { class: "quiet" }, `Accepted in ${field}, all other bits being as they are:`), drawRuns(legal, (value) => edit(withField(card.words, bits, value)), -1));
  }
  if (formats.length) {
    const pattern = ({ mask, value }) => Array.from({ length: 32 }, (_, n) => 31 - n).map((bit) => ((mask >>> bit) & 1 ? (value >>> bit) & 1 : "·")).join("");
    const set = ({ mask, value }) => edit([((card.words[0] & ~mask) | value) >>> 0, ...card.words.slice(1)]);
    reason.append(el("p", { class: "quiet" }, "The first dword of a format begins like this:"),
      el("div", { class: "chips" }, formats.map((f) => chip(`${pattern(f).replace(/·+$/, "…")} ${f.format}`, () => set(f)))));
  }
  if (message.startsWith("truncated")) {
    const needed = Number(/[0-9]+/.exec(message)[0]) / 4;
    reason.append(chip("add what is missing, as zeros", () => edit([...card.words, ...new Array(needed - card.words.length).fill(0)])));
  }
  return reason;
}

// Shows the error in the text, its place, and the names that could be there.
function showProblem() {
  const problem = byId("problem");
  const [wrong] = state.text ? isa.assemble(state.target, state.text).errors : [];
  if (!wrong) return problem.replaceChildren();
  const start = state.text.lastIndexOf("\n", wrong.start - 1) + 1;
  const line = state.text.slice(start).split("\n")[0];
  const [from, to] = [wrong.start - start, Math.max(wrong.end - start, wrong.start - start + 1)];
  const mark = el("mark", null, line.slice(from, to) || " ");
  const replace = (name) => typeText(state.text.slice(0, wrong.start) + name + state.text.slice(wrong.end));
  const hints = [];
  if (wrong.nearest) hints.push(" Similar: ", chip(wrong.nearest, () => replace(wrong.nearest)));
  if (wrong.elsewhere) hints.push(" It exists on ", chip(wrong.elsewhere, () => { change({ target: wrong.elsewhere }, true); typeText(state.text); }));
  problem.replaceChildren(el("pre", null, line.slice(0, from), mark, line.slice(to)), el("span", null, wrong.message, "."), ...hints);
}
