"use strict";
// Draws positions, as experiments/replay/position.py describes them.

const SVG = "http://www.w3.org/2000/svg";
const SMALLEST = { width: 16, height: 10 }; // of the table that is shown, in halves of a tile

function make(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// One tile, 2 by 1, its middle at (x, y) and its `one` half first in the direction of the angle.
function face(one, other, x, y, angle) {
  const title = make("title", {}, `${Math.min(one, other)}-${Math.max(one, other)}`);
  return make("g", { transform: `translate(${x} ${y}) rotate(${angle})`, class: "face" },
    title, make("use", { href: "#tile" }),
    make("use", { href: `#half${one}`, x: -0.5 }), make("use", { href: `#half${other}`, x: 0.5 }));
}

function along(angle) {
  const radians = (angle * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
}

// The table into an svg element, as large as its tiles need.
function drawTable(svg, position) {
  const parts = [];
  if (position.hub) parts.push(make("circle", { r: position.hub, class: "hub" }));
  for (const [attach, free, x, y, angle] of position.tiles) {
    parts.push(face(attach, free, x, y, angle));
  }
  const [, , x, y, angle] = position.tiles[position.tiles.length - 1];
  if (position.laid) {
    parts.push(make("rect", { x: -1, y: -0.5, width: 2, height: 1, rx: 0.14, class: "last",
      transform: `translate(${x} ${y}) rotate(${angle})` }));
  }
  const waits = position.ends.some((end) => end[4]);
  for (const end of position.ends) parts.push(drawEnd(end, waits));
  svg.replaceChildren(...parts);
  svg.setAttribute("viewBox", viewBox(position));
  svg.setAttribute("aria-label", `the table: ${count(position.tiles.length, "tile")}`);
}

function drawEnd([pip, x, y, angle, owed], waits) {
  const [dx, dy] = along(angle);
  const far = owed ? 0.5 : 0.45;
  const label = make("text", { x: x + far * dx, y: y + far * dy, dy: ".35em",
    "font-size": owed ? 0.6 : pip < 10 ? 0.46 : 0.38 }, `${pip}`);
  if (!owed) {
    const disc = make("circle", { cx: x + far * dx, cy: y + far * dy, r: 0.35 });
    return make("g", { class: waits ? "end waits" : "end" }, disc, label);
  }
  const ghost = make("rect", { x: 0.05, y: -0.45, width: 1.9, height: 0.9, rx: 0.12,
    transform: `translate(${x} ${y}) rotate(${angle})` });
  return make("g", { class: "owed" }, ghost, label);
}

function viewBox({ tiles, ends, hub }) {
  let left = -SMALLEST.width / 2, right = -left, top = -SMALLEST.height / 2, bottom = -top;
  const reach = (x, y, width, height) => {
    left = Math.min(left, x - width);
    right = Math.max(right, x + width);
    top = Math.min(top, y - height);
    bottom = Math.max(bottom, y + height);
  };
  reach(0, 0, hub, hub);
  for (const [, , x, y, angle] of tiles) {
    const [dx, dy] = along(angle).map(Math.abs);
    reach(x, y, dx + dy / 2, dy + dx / 2);
  }
  for (const [, x, y, angle, owed] of ends) {
    const [dx, dy] = along(angle);
    reach(x + (owed ? 2 : 0.9) * dx, y + (owed ? 2 : 0.9) * dy, 0.4, 0.4);
  }
  const margin = 0.3;
  return [left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin]
    .map((number) => number.toFixed(2)).join(" ");
}

// A tile in a hand, upright; null: its back.
function drawInHand(tile) {
  const svg = make("svg", { viewBox: "-.55 -1.05 1.1 2.1", class: "tile" });
  if (tile === null) {
    svg.append(make("rect", { x: -0.5, y: -1, width: 1, height: 2, rx: 0.14, class: "back" }));
  } else {
    const [one, other] = tile.split("-").map(Number);
    svg.append(face(one, other, 0, 0, 90));
  }
  return svg;
}

// Everything about one seat in a card.
function drawSeat(position, seat, name, open) {
  const hand = position.hands[seat];
  const tiles = open && hand.tiles ? hand.tiles : Array(hand.count).fill(null);
  const classes = ["seat", seat === position.toAct ? "acts" : "", open ? "" : "closed"];
  return html("section", { class: classes.join(" "), "data-seat": seat },
    html("h3", {}, html("span", { class: "name", title: name }, name),
      html("span", { class: "soft" }, `${hand.points} pts, ${count(hand.count, "tile")}`)),
    html("div", { class: "tiles" }, ...tiles.map(drawInHand)),
    html("p", { class: "most soft" }, tellEvidence(hand.most)));
}

function tellEvidence(most) {
  const bounds = new Map();
  for (const [pip, bound] of Object.entries(most)) {
    bounds.set(bound, [...(bounds.get(bound) || []), pip]);
  }
  const told = [...bounds.keys()].sort((a, b) => a - b).map((bound) => {
    const pips = bounds.get(bound).join(" ");
    return bound === 0 ? `no ${pips}` : `at most ${bound} of ${pips}`;
  });
  return told.length ? `shown: ${told.join(", ")}` : "";
}
