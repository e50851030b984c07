// Starts the page: tabs, the choice of a target, colours, keys.
"use strict";

const VIEWS = ["instruction", "generations", "opcodes", "object"];

function startTabs() {
  const tabs = VIEWS.map((view) => byId("tab-" + view));
  tabs.forEach((tab, n) => tab.addEventListener("click", () => change({ view: VIEWS[n] }, true)));
  byId("tabs").addEventListener("keydown", (event) => roving(event, tabs, 1));
  watch(() => VIEWS.forEach((view, n) => {
    const isShown = view === state.view;
    byId("view-" + view).hidden = !isShown;
    tabs[n].setAttribute("aria-selected", String(isShown));
    tabs[n].tabIndex = isShown ? 0 : -1;
  }));
}

// Fills the list of processors, by generation. Processors with waves of two sizes have a switch beside the list.
function startTargets() {
  const select = byId("target");
  const groups = new Map();
  const seen = new Set();
  for (const target of isa.targets) {
    if (seen.has(target.processor)) continue;
    seen.add(target.processor);
    const products = target.aliases.filter((name) => !/^(gfx|amdgpu)/.test(name)).slice(0, 3).join(", ");
    const option = el("option", { value: target.processor }, products ? `${target.processor} – ${products}` : target.processor);
    if (!groups.has(target.generation)) groups.set(target.generation, el("optgroup", { label: target.generation }));
    groups.get(target.generation).append(option);
  }
  select.append(...groups.values());
  select.addEventListener("change", () => chooseTarget(select.value));
  watch(() => {
    const here = isa.targets.find((target) => target.name === state.target);
    if (!here) return;
    select.value = here.processor;
    byId("target-of").textContent = state.view === "object" && opened.object ? "Target of the other views" : "Target";
    const sizes = isa.targets.filter((target) => target.processor === here.processor);
    const size = (target) => chip("wave" + target.wave_size, () => chooseTarget(target.name), { role: "radio", "aria-checked": String(target === here) });
    byId("wave").replaceChildren(...(sizes.length > 1 ? sizes.map(size) : []));
  });
}

// Changes the target. Typed words stay. Text stays if the new target accepts it; otherwise its words stay.
function chooseTarget(target) {
  if (state.text) {
    const made = isa.assemble(target, state.text);
    if (!made.errors.length) return change({ target, words: made.words, text: "", field: "" }, true);
  } else if (state.typed === "text" && state.words && state.words.length) {
    const text = isa.explain(state.target, state.words).map((card) => card.text).join("\n");
    const made = isa.assemble(target, text);
    if (!made.errors.length) return change({ target, words: made.words, field: "" }, true);
  }
  change({ target, field: "" }, true);
}

// A setting of the last visit; empty if the browser has kept none.
function remembered(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {}
}

function startTheme() {
  const themes = [["", "as the system", "◐"], ["light", "light", "☀"], ["dark", "dark", "☾"]];
  const button = byId("theme");
  let at = Math.max(themes.findIndex(([scheme]) => scheme === remembered("colours")), 0);
  const show = () => {
    const [scheme, name, sign] = themes[at];
    document.documentElement.style.colorScheme = scheme;
    button.textContent = sign;
    button.setAttribute("aria-label", "Colours: " + name);
    button.title = "Colours: " + name;
  };
  button.addEventListener("click", () => {
    at = (at + 1) % themes.length;
    remember("colours", themes[at][0]);
    show();
  });
  show();
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (event.key === "/") {
      event.preventDefault();
      if (state.view === "opcodes") return byId("search").focus();
      if (state.view === "object" && opened.object) return byId("find").focus();
      if (state.view !== "instruction") change({ view: "instruction" }, true);
      byId("text").focus();
    } else if (event.key >= "1" && event.key <= String(VIEWS.length)) {
      change({ view: VIEWS[event.key - 1] }, true);
    }
  });
  byId("link").addEventListener("click", async (event) => {
    try {
      await navigator.clipboard.writeText(location.href);
      event.target.textContent = "copied";
    } catch {
      event.target.textContent = "copy it from the address bar";
    }
  });
}

async function start() {
  try {
    await loadIsa();
  } catch (error) {
    byId("loading").textContent = "This browser cannot run the page: " + error;
    return;
  }
  byId("loading").hidden = true;
  startTabs();
  startTargets();
  startTheme();
  startKeys();
  startInstruction();
  startGenerations();
  startOpcodes();
  startObject();
  const read = readHash();
  // A link may have an alias of a target.
  const named = isa.targets.find((target) => target.name === read.target || target.aliases.includes(read.target));
  read.target = named.name;
  if (!read.words && !read.text && read.view !== "object") {
    const example = EXAMPLES.find((text) => isa.assemble(read.target, text).errors.length === 0);
    read.words = example ? isa.assemble(read.target, example).words : [];
    read.typed = "text";
  }
  change(read);
  document.documentElement.dataset.ready = "yes";
}

start();
