"use strict";
// The page of a recorded game: which position is shown, and what leads to another one.

const game = JSON.parse(document.getElementById("data").textContent);
const SECOND = 1000;
const at = (id) => document.getElementById(id);
const positions = whole(game.steps);
let shown = 0;
let timer = null;
let eye = game.seat; // the seat whose hand alone is shown; null: all

// The full positions from the changes that lead from one to the next.
function whole(steps) {
  let before = { tiles: [], hands: {} };
  return steps.map((changes, index) => {
    const position = { ...before, ...changes };
    for (const key of ["tiles", "ends"]) {
      if (!index || !changes[key]) continue;
      const [place, gone, added] = changes[key];
      position[key] = [...before[key].slice(0, place), ...added, ...before[key].slice(place + gone)];
    }
    position.hands = { ...before.hands, ...changes.hands };
    before = position;
    return position;
  });
}

function show(index) {
  shown = Math.min(Math.max(index, 0), positions.length - 1);
  const position = positions[shown];
  drawTable(at("table"), position);
  for (const key of ["heading", "phase", "status", "told"]) at(key).textContent = position[key];
  at("boneyard").textContent = `boneyard: ${count(position.boneyard, "tile")}`;
  at("hands").replaceChildren(...game.names.map((name, seat) => (
    drawSeat(position, seat, name, eye === null || eye === seat))));
  showMoves(position);
  for (const cell of document.querySelectorAll("#sheet [data-round]")) {
    cell.classList.toggle("now", Number(cell.dataset.round) === position.round);
  }
  at("slider").value = shown;
  at("number").textContent = `${shown} / ${positions.length - 1}`;
  at("back").disabled = at("first").disabled = shown === 0;
  at("next").disabled = at("last").disabled = shown === positions.length - 1;
  if (shown === positions.length - 1) stop();
}

// What the seat to act may do, with bars for the values.
function showMoves({ moves, toAct }) {
  const hidden = eye !== null && toAct !== eye;
  at("choices").hidden = hidden || !moves.length;
  if (at("choices").hidden) return;
  at("who").textContent = game.names[toAct];
  const values = moves.map(([, value]) => value).filter((value) => value !== null);
  const low = Math.min(...values), high = Math.max(...values);
  at("judged").hidden = !values.length;
  at("moves").replaceChildren(...moves.map(([name, value, taken]) => {
    const share = value === null ? 0 : high > low ? (value - low) / (high - low) : 1;
    const bar = html("span", { class: "bar" });
    bar.style.width = `${4 + 96 * share}%`;
    return html("tr", { class: taken ? "taken" : "" },
      html("th", { scope: "row" }, name),
      html("td", { class: "value" }, value === null ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`),
      html("td", { class: "bars" }, value === null ? "" : bar),
      html("td", {}, taken ? "taken" : ""));
  }));
}

function showSheet() {
  const head = html("tr", {}, html("th", { scope: "col" }, "round"),
    ...game.names.map((name) => html("th", { scope: "col", title: name }, name)));
  const total = game.names.map(() => 0);
  const rows = game.rounds.map(({ round, starter, first, points }) => {
    const go = html("button", { type: "button" }, `${round + 1}: ${starter}-${starter}`);
    go.addEventListener("click", () => jump(first));
    if (points) points.forEach((each, seat) => { total[seat] += each; });
    return html("tr", { "data-round": round }, html("th", { scope: "row" }, go),
      ...game.names.map((_, seat) => html("td", {}, points ? `${points[seat]}` : "")));
  });
  at("sheet").replaceChildren(html("thead", {}, head), html("tbody", {}, ...rows),
    html("tfoot", {}, html("tr", {}, html("th", { scope: "row" }, "points"),
      ...total.map((each) => html("td", {}, `${each}`)))));
}

function jump(index) {
  stop();
  show(index);
}

function stop() {
  clearInterval(timer);
  timer = null;
  at("play").setAttribute("aria-pressed", "false");
}

function playOrStop() {
  if (timer !== null) {
    stop();
    return;
  }
  if (shown === positions.length - 1) show(0);
  timer = setInterval(() => show(shown + 1), SECOND);
  at("play").setAttribute("aria-pressed", "true");
}

// The first position of the round that is so many rounds away; back goes to the start of this one.
function roundAway(way) {
  const now = game.rounds.findIndex(({ first, last }) => first <= shown && shown <= last);
  if (way < 0 && shown > game.rounds[now].first) return game.rounds[now].first;
  const other = game.rounds[now + way];
  if (other) return other.first;
  return way < 0 ? 0 : positions.length - 1;
}

const KEYS = {
  ArrowRight: () => jump(shown + 1),
  ArrowLeft: () => jump(shown - 1),
  ArrowDown: () => jump(roundAway(1)),
  ArrowUp: () => jump(roundAway(-1)),
  PageDown: () => jump(roundAway(1)),
  PageUp: () => jump(roundAway(-1)),
  Home: () => jump(0),
  End: () => jump(positions.length - 1),
  " ": playOrStop,
};

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey || event.target === at("eye")) return;
  event.preventDefault();
  act();
});
at("first").addEventListener("click", KEYS.Home);
at("back").addEventListener("click", KEYS.ArrowLeft);
at("play").addEventListener("click", playOrStop);
at("next").addEventListener("click", KEYS.ArrowRight);
at("last").addEventListener("click", KEYS.End);
at("slider").addEventListener("input", () => jump(Number(at("slider").value)));
at("eye").addEventListener("change", () => {
  eye = at("eye").value === "" ? null : Number(at("eye").value);
  show(shown);
});
addEventListener("hashchange", () => jump(Number(location.hash.slice(1)) || 0));

at("slider").max = positions.length - 1;
at("watching").hidden = game.seat !== null;
at("seen-by").hidden = game.seat === null;
if (game.seat !== null) at("seen-by").textContent = `as ${game.names[game.seat]} saw it`;
at("eye").append(...game.names.map((name, seat) => html("option", { value: seat }, `only ${name}'s`)));
if (game.judge) at("judge").textContent = game.judge === "own" ? "each agent itself" : game.judge;
showSheet();
show(Number(location.hash.slice(1)) || 0);
