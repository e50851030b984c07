// The fourth view: a code object that somebody drops on the page.
"use strict";

const SAMPLES = [["gfx942-matmul", "matrix multiplication, gfx942"], ["gfx1100-mixed", "several kernels, gfx1100"]];

const opened = { object: null, listing: null };

function startObject() {
  const sample = async (id) => openBytes(await unpacked(id));
  byId("samples").append(...SAMPLES.map(([id, name]) => [chip(name, () => sample(id), { "data-sample": id }), " "]).flat());
  byId("file").addEventListener("change", (event) => openFile(event.target.files[0]));
  // A file can be dropped on any view.
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("drop").classList.add("over");
    if (state.view !== "object") change({ view: "object" }, true);
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget || byId("drop").classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("drop").classList.remove("over");
    openFile(event.dataTransfer.files[0]);
  });
  watch((changed) => {
    if (state.view === "object" && changed.includes("view")) opened.listing?.draw();
  });
}

async function openFile(file) {
  if (file) openBytes(new Uint8Array(await file.arrayBuffer()));
}

function openBytes(bytes) {
  change({ view: "object" }, true);
  let object;
  try {
    object = isa.open(bytes);
  } catch (error) {
    byId("refused").textContent = String(error);
    return;
  }
  byId("refused").textContent = "";
  opened.object?.free();
  opened.object = object;
  const about = JSON.parse(object.about());
  // The other views are about the same target, then.
  if (about.target !== state.target) change({ target: about.target, words: [], text: "", field: "" });
  byId("drop").classList.add("small");
  byId("opened").hidden = false;
  byId("detail").replaceChildren(el("p", { class: "quiet" }, "Point at a line, or move with the arrow keys: enter follows a branch, backspace comes back."));
  opened.listing = new Listing(byId("listing"), object, about.rows, showDetail);
  showKernels(about);
  // A link has the address of a line, for whoever has the same file.
  const row = state.at ? object.find(Number(state.at)) : undefined;
  if (row !== undefined) opened.listing.select(row);
  byId("listing").focus({ preventScroll: true });
}

function showKernels(about) {
  const size = about.bytes < 10000 ? `${about.bytes} bytes` : `${Math.round(about.bytes / 1000)} kB`;
  const text = `${about.target}: ${about.kernels.length} kernels, ${about.instructions.toLocaleString("en")} instructions in ${size}, ${about.branches.toLocaleString("en")} branches`;
  byId("kernels").replaceChildren(el("p", { class: "about quiet" }, text), ...about.kernels.map((kernel, n) => drawKernel(kernel, n === 0)));
}

function drawKernel(kernel, isOpen) {
  const row = ([name, value]) => el("tr", null, el("td", null, name), el("td", null, number(value)));
  const table = el("table", { hidden: !isOpen, "aria-label": "Descriptor of " + kernel.name }, el("tbody", null, kernel.directives.map(row)));
  const button = el("button", { type: "button", "aria-expanded": String(isOpen), title: kernel.target }, kernel.name);
  button.addEventListener("click", () => {
    const go = kernel.row !== null;
    if (go) opened.listing.goTo(kernel.row);
    if (go) opened.listing.select(kernel.row);
    for (const other of byId("kernels").querySelectorAll("table")) {
      other.hidden = other !== table;
      other.previousSibling.setAttribute("aria-expanded", String(other === table));
    }
  });
  return el("div", { class: "kernel" }, button, table);
}

// Where its values come from, and what it waits for, as links to these lines.
function drawOrigins({ sources, awaited }) {
  const link = ({ row, address, what, mnemonic }) => chip(`${what} ${mnemonic} at ${address}`, () => opened.listing.follow(opened.listing.at, row));
  const list = (name, origins) => (origins.length ? [el("dt", null, name), el("dd", null, el("div", { class: "chips" }, origins.slice(0, 40).map(link)))] : []);
  opened.listing?.mark(new Set([...sources, ...awaited].map((origin) => origin.row)));
  return sources.length + awaited.length ? el("dl", { class: "facts origins" }, list("values from", sources), list("waits for", awaited)) : "";
}

// What the instruction of a row does.
function showDetail(row) {
  const { object, listing } = opened;
  const [shown] = JSON.parse(object.rows(row, 1));
  if (row === listing?.at) change({ at: "0x" + shown.address.replace(/^0+(?=.)/, "").toLowerCase() });
  const card = JSON.parse(object.detail(row));
  const detail = byId("detail");
  if (!card) opened.listing?.mark(new Set());
  if (!card) return detail.replaceChildren(el("h2", null, shown.label + ":"), el("p", { class: "quiet" }, "Branches come here, or a symbol has this name."));
  const open = () => change({ view: "instruction", target: shown.target, words: card.words, text: "", field: "" }, true);
  detail.replaceChildren(el("h2", null, card.refused ? shown.text : card.text, " "),
    el("div", { class: "quiet" }, card.refused ? card.refused.message + " · " : card.format + " · ", el("button", { class: "link", type: "button", onclick: open }, "show its bits")),
    drawFacts(card) || "", drawOrigins(card), card.rule ? el("p", { class: "rule" }, card.rule) : "");
}
