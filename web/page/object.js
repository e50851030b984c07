// The fourth view: a code object that the user drops on the page.
"use strict";

const SAMPLES = [["gfx942-matmul", "matrix multiplication, gfx942"], ["gfx1100-mixed", "several kernels, gfx1100"]];

// The size of code in bytes above which it is only checked if the user asks for it, because a check takes seconds.
const CHECKED_AT_ONCE = 1_000_000;

// The number of rows that are searched before the page is drawn again.
const SEARCHED = 50_000;

const opened = { object: null, listing: null, bytes: null, search: 0 };

function startObject() {
  const sample = async (id) => openBytes(await unpacked(id));
  byId("samples").append(...SAMPLES.map(([id, name]) => [chip(name, () => sample(id), { "data-sample": id }), " "]).flat());
  byId("file").addEventListener("change", (event) => openFile(event.target.files[0]));
  byId("find").addEventListener("keydown", (event) => event.key === "Enter" && findNext(byId("find").value));
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

// Opens a code object of a file: the one with a number, or else the one in the link, or else the first.
function openBytes(bytes, number) {
  change({ view: "object" }, true);
  let object;
  try {
    object = openImage(bytes, number);
  } catch (error) {
    byId("refused").textContent = error instanceof WebAssembly.RuntimeError ? "This file is too much for the page; `amdgpu-isa dis` reads it." : String(error);
    return;
  }
  opened.bytes = bytes;
  byId("refused").textContent = "";
  opened.object?.free();
  opened.object = object;
  const about = JSON.parse(object.about());
  change({ image: about.opened ? String(about.opened) : "" });
  // The other views show the same target from now on.
  if (about.target !== state.target) change({ target: about.target, words: [], text: "", field: "" });
  byId("drop").classList.add("small");
  byId("opened").hidden = false;
  byId("detail").replaceChildren(el("p", { class: "quiet" }, "Point at a line, or move with the arrow keys: enter follows a branch, backspace comes back."));
  opened.listing = new Listing(byId("listing"), object, about.rows, showDetail);
  showKernels(about);
  byId("find").value = byId("hits").textContent = "";
  if (about.bytes <= CHECKED_AT_ONCE) showFindings();
  else byId("findings").replaceChildren(el("button", { type: "button", onclick: showFindings }, "Check waits and distances"));
  // A link has the address of a line, for users with the same file.
  const row = state.at ? object.find(Number(state.at)) : undefined;
  if (row !== undefined) opened.listing.select(row);
  byId("listing").focus({ preventScroll: true });
}

function openImage(bytes, number) {
  if (number !== undefined) return isa.open(bytes, number, state.target);
  // The link names the code object, if it is about this file.
  if (!opened.object && /^[0-9]+$/.test(state.image)) {
    try {
      return isa.open(bytes, Number(state.image), state.target);
    } catch {}
  }
  return isa.open(bytes, undefined, state.target);
}

// The code objects of the file as a list, if there are several, and the parts that were skipped.
function drawImages({ images, opened: shown, notes }) {
  const text = ({ label, target, kernels, unknown }, n) => {
    const where = label.replace(/(^|: )[a-z0-9]+-amdgcn-amd-amdhsa-.*$/, "");
    const what = unknown ? "not known here" : kernels === 1 ? "1 kernel" : `${kernels} kernels`;
    return `${n + 1}. ${[where, target, what].filter((part) => part).join(", ")}`;
  };
  const option = (image, n) => el("option", { value: n, selected: n === shown, disabled: !!image.unknown, title: image.unknown || image.label }, text(image, n));
  const select = el("select", { id: "images", "aria-label": "Code object", onchange: (event) => { change({ at: "" }); openBytes(opened.bytes, Number(event.target.value)); } }, images.map(option));
  const several = images.length > 1 && el("label", { class: "images" }, el("span", { class: "quiet" }, `${images.length} code objects in this file`), select);
  const parts = notes.length === 1 ? "A part was passed over" : `${notes.length} parts were passed over`;
  const passed = notes.length > 0 && el("details", { class: "notes quiet" }, el("summary", null, parts), el("ul", null, notes.map((note) => el("li", null, note))));
  return [several, passed];
}

// Shows the findings of lint, in a list beside the kernels, and beside their lines.
function showFindings() {
  const findings = JSON.parse(opened.object.findings(opened.bytes));
  const rows = new Map();
  for (const finding of findings) {
    if (finding.row === null) continue;
    if (!rows.has(finding.row)) rows.set(finding.row, []);
    rows.get(finding.row).push(finding);
  }
  opened.listing.findings = rows;
  const count = (severity) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number > 0 && `${number} ${severity}${number === 1 ? "" : "s"}`;
  };
  const counts = ["error", "warning", "hint"].map(count).filter((part) => part).join(", ");
  const item = (finding) => el("li", null, el("button", { type: "button", class: finding.severity, title: finding.rule, disabled: finding.row === null, onclick: () => opened.listing.follow(opened.listing.at, finding.row) }, `${finding.function ?? finding.address}: ${finding.message}`));
  const list = findings.length > 0 && el("ul", null, findings.slice(0, 200).map(item));
  byId("findings").replaceChildren(el("details", { open: findings.some((finding) => finding.severity === "error") }, el("summary", null, counts || "No wait and no distance is missing"), list));
  opened.listing.draw();
}

// Goes to the next row after the cursor that has a text. After the last row, the search continues with the first.
async function findNext(part) {
  const { object, listing } = opened;
  if (!part || !object) return;
  const search = ++opened.search;
  const start = listing.at + 1;
  for (let looked = 0; looked < listing.rows; looked += SEARCHED) {
    const from = (start + looked) % listing.rows;
    const count = Math.min(SEARCHED, listing.rows - looked);
    const first = Math.min(count, listing.rows - from);
    const row = object.search(part, from, first) ?? (first < count ? object.search(part, 0, count - first) : undefined);
    if (row !== undefined) {
      byId("hits").textContent = "";
      return listing.follow(listing.at, row);
    }
    byId("hits").textContent = "searching…";
    await new Promise(requestAnimationFrame);
    // The user has begun another search, or has opened another file.
    if (search !== opened.search || object !== opened.object) return;
  }
  byId("hits").textContent = "not in this listing";
}

// Shows the findings about a row, in full.
function drawFindings(row) {
  const words = ({ severity, rule, message, advice }) => el("p", { class: "finding " + severity }, `${severity}[${rule}]: ${message}`, advice && `; ${advice}`);
  return (opened.listing?.findings?.get(row) ?? []).map(words);
}

function showKernels(about) {
  const size = about.bytes < 10000 ? `${about.bytes} bytes` : `${Math.round(about.bytes / 1000)} kB`;
  const kernels = about.kernels.length === 1 ? "1 kernel" : `${about.kernels.length} kernels`;
  const branches = about.branches === 1 ? "1 branch" : `${about.branches.toLocaleString("en")} branches`;
  const text = `${about.target}: ${kernels}, ${about.instructions.toLocaleString("en")} instructions in ${size}, ${branches}`;
  byId("kernels").replaceChildren(...drawImages(about).filter((part) => part), el("p", { class: "about quiet" }, text), ...about.kernels.map((kernel, n) => drawKernel(kernel, n === 0)));
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

// The relations of an instruction as links: the origins of its values, the operations that it waits for, and the waits
// for it.
function drawOrigins({ values, given, awaited, done }) {
  const link = ({ row, address, what, mnemonic, perhaps }) => chip(`${what} ${mnemonic} at ${address}${perhaps ? ", perhaps" : ""}`, () => opened.listing.follow(opened.listing.at, row));
  const list = (name, origins, more) => (origins.length || more ? [el("dt", null, name), el("dd", null, el("div", { class: "chips" }, origins.slice(0, 40).map(link), more))] : []);
  opened.listing?.mark(new Set([...values, ...awaited, ...done].map((origin) => origin.row)));
  const start = given && el("span", { class: "given" }, `${given} as the function was entered`);
  const all = [...list("values from", values, start), ...list("waits for", awaited), ...list("waited for by", done)];
  return all.length ? el("dl", { class: "facts origins" }, all) : "";
}

// Shows the effects of the instruction in a row.
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
    el("div", { class: "quiet" }, card.refused ? card.refused.message + " · " : [card.format, ...card.sources.slice(0, 1).map((source) => source.text)].join(" · ") + " · ", el("button", { class: "link", type: "button", onclick: open }, "show its bits")),
    ...drawFindings(row), drawFacts(card) || "", drawOrigins(card), card.rule ? el("p", { class: "rule" }, card.rule) : "");
}
