"use strict";
// The page on which a game is played: it shows what the server tells, and sends the choices.

const at = (id) => document.getElementById(id);
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 650; // between two steps
let told = null; // the server's last answer
let index = 0; // the step of it that is shown
let timer = null;
let busy = false;

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  };
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) {
    const { detail } = answer;
    throw new Error(typeof detail === "string" ? detail : "the server did not understand");
  }
  return answer;
}

// One question at a time; what goes wrong is told in place of the last step.
async function attempt(work) {
  if (busy) return;
  busy = true;
  document.body.classList.add("waits");
  try {
    await work();
  } catch (error) {
    at("told").textContent = error.message;
  } finally {
    busy = false;
    document.body.classList.remove("waits");
  }
}

function receive(answer) {
  told = answer;
  clearTimeout(timer);
  at("log").replaceChildren();
  showStep(0);
}

function showStep(next) {
  index = next;
  const step = told.steps[index];
  drawTable(at("table"), step);
  for (const key of ["heading", "phase", "status", "told"]) at(key).textContent = step[key];
  at("boneyard").textContent = `boneyard: ${count(step.boneyard, "tile")}`;
  at("log").append(html("li", {}, step.told));
  const isLast = index === told.steps.length - 1;
  const waits = step.over === "round";
  at("go").hidden = !waits;
  at("go").textContent = "Next round";
  showHands(step, isLast);
  showChoices(isLast);
  at("result").hidden = !(isLast && told.over);
  if (isLast && told.over) showResult(step);
  if (!isLast && !waits) timer = setTimeout(() => showStep(index + 1), PAUSE);
}

function goOn() {
  if (at("go").hidden) return;
  showStep(index + 1);
}

// The person's hand first, then clockwise.
function showHands(step, isLast) {
  const seats = told.names.map((_, place) => (told.seat + place) % told.names.length);
  at("hands").replaceChildren(...seats.map((seat) => drawSeat(step, seat, told.names[seat], true)));
  if (!isLast) return;
  const tiles = step.hands[told.seat].tiles || [];
  at("hands").querySelectorAll(`[data-seat="${told.seat}"] .tile`).forEach((tile, place) => {
    const fitting = told.choices.filter((choice) => choice.tile === tiles[place]);
    if (!fitting.length) return;
    tile.classList.add("fits");
    tile.addEventListener("click", () => {
      if (fitting.length === 1) choose(fitting[0].action);
      else showChoices(true, fitting);
    });
  });
}

function showChoices(isLast, some = told.choices, advice = null) {
  at("choices").hidden = !isLast || !told.choices.length;
  at("judged").hidden = !advice || advice.every((each) => each.value === null);
  const order = advice ? advice.map(({ action }) => action) : some.map(({ action }) => action);
  at("moves").replaceChildren(...order.map((action) => {
    const number = told.choices.findIndex((choice) => choice.action === action) + 1;
    const { name } = told.choices[number - 1];
    const button = html("button", { type: "button", class: "move", "data-action": action },
      html("span", { class: "soft" }, `${number}`), html("span", {}, name));
    const hint = advice && advice.find((each) => each.action === action);
    if (hint) {
      const value = hint.value === null ? "" : `${hint.value < 0 ? "−" : "+"}${Math.abs(hint.value).toFixed(1)}`;
      button.append(html("b", {}, value), html("span", { class: "soft why" }, hint.reasons.join("; ")));
    }
    button.addEventListener("click", () => choose(action));
    return button;
  }));
}

function showResult() {
  const step = told.steps[index];
  const seats = told.names.map((_, seat) => seat).sort((a, b) => told.ranks[a] - told.ranks[b]);
  at("ranks").replaceChildren(...seats.map((seat) => html("li", { value: told.ranks[seat] },
    `${told.names[seat]}: ${count(step.hands[seat].points, "point")}`)));
}

function choose(action) {
  attempt(async () => receive(await ask("/game/choose", { action, ply: told.ply })));
}

function hint() {
  if (at("choices").hidden) return;
  attempt(async () => {
    at("hint").textContent = "Thinking …"; // the first one may take half a minute, to compile
    try {
      showChoices(true, told.choices, await ask("/game/hints"));
    } finally {
      at("hint").textContent = "Hint";
    }
  });
}

function undo() {
  attempt(async () => receive(await ask("/game/undo", { ply: told.ply })));
}

function begin() {
  if (told && !told.over && !confirm("Give up this game for a new one?")) return;
  attempt(async () => receive(await ask("/game/new", {})));
}

at("go").addEventListener("click", goOn);
at("hint").addEventListener("click", hint);
at("new").addEventListener("click", begin);
if (at("undo")) at("undo").addEventListener("click", undo);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number(event.key);
  if (number >= 1 && !at("choices").hidden && told.choices[number - 1]) {
    choose(told.choices[number - 1].action);
  } else if (event.key === "h") {
    hint();
  } else if (event.key === "Enter" && document.activeElement === document.body) {
    goOn();
  }
});
attempt(async () => receive(await ask("/game")));
