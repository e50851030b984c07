// Makes elements. Text is always inserted as text, because names in files can have any characters.
"use strict";

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") made.style.cssText = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function hex(value, digits = 1) {
  return "0x" + value.toString(16).padStart(digits, "0");
}

function dword(word) {
  return (word >>> 0).toString(16).padStart(8, "0");
}

// A number as the tool writes it: small ones in decimal, and others in hexadecimal.
function number(value) {
  return value < 10 ? String(value) : hex(value);
}

// A button that looks like a label.
function chip(content, onclick, more) {
  return el("button", { class: "chip", type: "button", onclick, ...more }, content);
}

// The hues of fields. Neighbours differ clearly, as in the tool's pictures.
const HUES = [210, 35, 140, 275, 0, 180, 55, 320];

function hue(index) {
  return "--hue: " + HUES[index % HUES.length];
}

// The arrow keys move among the elements of a group. The tab key reaches one of them.
function roving(event, items, step) {
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: step, ArrowUp: -step, Home: -Infinity, End: Infinity };
  if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
  const at = items.indexOf(document.activeElement);
  if (at < 0) return;
  const to = Math.min(Math.max(at + steps[event.key], 0), items.length - 1);
  event.preventDefault();
  items.forEach((item, n) => (item.tabIndex = n === to ? 0 : -1));
  items[to].focus();
}
