// The listing: only the rows in sight are decoded and drawn, so that its length does not matter.
"use strict";

const ROW = 20;
// Browsers do not scroll farther than some ten million pixels. In longer listings one pixel of the scroll bar stands
// for several rows.
const TALLEST = 8_000_000;

// `object` is an open code object with `rows` rows; `onrow` is called with the row under the pointer or the cursor.
// `findings` has the findings of each row with any.
class Listing {
  constructor(box, object, rows, onrow) {
    Object.assign(this, { box, object, rows, onrow, findings: new Map(), first: 0, at: -1, shown: 0 });
    this.lines = el("div", { class: "lines", role: "rowgroup" });
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("class", "arrows");
    this.svg.setAttribute("aria-hidden", "true");
    this.height = Math.min(rows * ROW + 8, TALLEST);
    const pane = el("div", { class: "window" });
    pane.append(this.lines, this.svg);
    this.pane = pane;
    box.replaceChildren(pane, el("div", { style: `height: ${this.height}px` }));
    box.setAttribute("aria-rowcount", rows);
    box.onscroll = () => this.scrolled();
    box.onwheel = (event) => this.wheel(event);
    box.onkeydown = (event) => this.key(event);
    new ResizeObserver(() => this.draw()).observe(box);
    this.draw();
  }

  get visible() {
    return Math.max(1, Math.floor(this.box.clientHeight / ROW));
  }

  get last() {
    return Math.max(0, this.rows - this.visible);
  }

  // The user or `goTo` has moved the scroll bar.
  scrolled() {
    if (this.expected === this.box.scrollTop) return;
    this.expected = this.box.scrollTop;
    const most = this.height - this.box.clientHeight;
    this.first = most > 0 ? Math.round((this.box.scrollTop / most) * this.last) : 0;
    this.later();
  }

  // The wheel moves by rows, even if one pixel of the scroll bar stands for several rows.
  wheel(event) {
    if (event.ctrlKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    if (this.height < TALLEST) return;
    event.preventDefault();
    this.goTo(this.first + Math.sign(event.deltaY) * Math.max(1, Math.round(Math.abs(event.deltaY) / ROW)));
  }

  goTo(first) {
    this.first = Math.min(Math.max(Math.round(first), 0), this.last);
    const most = this.height - this.box.clientHeight;
    this.box.scrollTop = this.last ? (this.first / this.last) * most : 0;
    this.expected = this.box.scrollTop;
    this.later();
  }

  // Puts the cursor on a row.
  select(row) {
    this.at = Math.min(Math.max(row, 0), this.rows - 1);
    if (this.at < this.first || this.at >= this.first + this.visible - 1) this.goTo(this.at - Math.floor(this.visible / 3));
    this.onrow(this.at);
    this.draw();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    const rows = JSON.parse(this.object.rows(this.first, this.visible + 1));
    this.shown = rows.length;
    this.pane.style.height = this.box.clientHeight + "px";
    this.lines.replaceChildren(...rows.map((row, n) => this.line(row, this.first + n)));
    const isHere = this.at >= this.first && this.at < this.first + rows.length;
    if (isHere) this.box.setAttribute("aria-activedescendant", "row-" + this.at);
    else this.box.removeAttribute("aria-activedescendant");
    if (this.origins) this.mark(this.origins);
    this.drawArrows();
  }

  line(row, n) {
    const here = n === this.at ? " at" : "";
    const events = { onmouseenter: () => this.hover(n), onclick: () => this.select(n), "data-row": n, id: "row-" + n, role: "row", "aria-rowindex": n + 1, "aria-selected": String(n === this.at) };
    if (row.label) {
      const name = row.is_kernel ? `${row.label}:   kernel, ${row.target}` : `${row.label}:`;
      return el("div", { class: "line label" + here, ...events }, el("span", { class: "address", role: "gridcell" }, NARROW.matches ? row.address.slice(-6) : row.address), el("span", { role: "gridcell" }, name));
    }
    const address = NARROW.matches ? row.address.slice(-6) : row.address;
    const [mnemonic, ...rest] = row.text.split(/(?<=^\S+)(?= )/);
    let operands = rest.join("");
    let target = null;
    if (row.to) {
      const [to, name] = row.to;
      operands = operands.slice(0, operands.length - name.length);
      target = el("button", { class: "to", type: "button", tabindex: -1, onclick: (event) => { event.stopPropagation(); this.follow(n, to); } }, name);
    }
    const [found] = this.findings?.get(n) ?? [];
    const remark = found && `${found.severity}: ${found.message}`;
    const kind = row.error ? " wrong" : found ? " found " + found.severity : "";
    return el("div", { class: "line" + kind + here, title: row.error ?? remark, ...events },
      el("span", { class: "address", role: "gridcell" }, address),
      el("span", { class: "code", role: "gridcell" }, el("span", { class: "mnemonic" }, mnemonic), operands, target),
      el("span", { class: "encoding", role: "gridcell" }, row.error ?? remark ?? row.words));
  }

  hover(row) {
    this.onrow(row);
    this.marked = row;
    this.drawArrows();
  }

  // Marks the rows that are related to the one under the pointer.
  mark(rows) {
    this.origins = rows;
    for (const line of this.lines.children) line.classList.toggle("origin", rows.has(Number(line.dataset.row)));
  }

  follow(from, to) {
    (this.back ??= []).push(from);
    this.select(to);
  }

  key(event) {
    const page = this.visible - 2;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.select((this.at < 0 ? this.first : this.at) + steps[event.key]);
    else if (event.key === "Enter") this.lines.querySelector(".at .to")?.click();
    else if (event.key === "Backspace" && this.back?.length) this.select(this.back.pop());
    else return;
    event.preventDefault();
  }

  // Draws an arrow beside the rows: out of a branch to the left, along its lane, and to the row of its target.
  drawArrows() {
    const all = this.object.arrows(this.first, this.shown);
    const marked = this.marked ?? this.at;
    const right = this.svg.clientWidth - 6 || 78;
    const gap = (right - 14) / 10;
    const end = this.shown * ROW + ROW;
    this.svg.setAttribute("height", this.box.clientHeight);
    this.svg.setAttribute("style", `height: ${this.box.clientHeight}px`);
    const y = (row) => Math.min(Math.max((row - this.first) * ROW + ROW / 2, -ROW), end);
    const drawn = [];
    for (let n = 0; n + 2 < all.length; n += 3) {
      const [from, to, lane] = [all[n], all[n + 1], all[n + 2]];
      const x = right - 10 - lane * gap;
      const on = from === marked || to === marked || to + 1 === marked ? " on" : "";
      const [a, b] = [y(from), y(to)];
      const turn = Math.min(5, Math.abs(b - a) / 2) * Math.sign(b - a);
      drawn.push(path(`M${right} ${a} H${x + 5} Q${x} ${a} ${x} ${a + turn} V${b - turn} Q${x} ${b} ${x + 5} ${b} H${right - 4}`, on, lane));
      drawn.push(path(`M${right + 1} ${b} l-6 -3.5 v7 z`, " head" + on, lane));
    }
    this.svg.replaceChildren(...drawn);
  }
}

function path(d, kind, lane) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("d", d);
  made.setAttribute("class", kind.trim());
  made.setAttribute("style", hue(lane));
  return made;
}
