// An agent in JavaScript: it lays its heaviest tile. docs/protocol.md explains the lines.
//
// chickenfoot tournament --agents 'process:cmd="node examples/heaviest_agent.js",random'

const lines = require("readline").createInterface({ input: process.stdin });

// The points that a play such as 5-7@5 takes off the hand; -1 for DRAW and PASS.
function weight(action, rules) {
  const [tile, end] = action.split("@");
  if (end === undefined) return -1;
  const [one, other] = tile.split("-").map(Number);
  return one + other || rules.double_blank_points;
}

function answer(question) {
  if (question.type === "hello") return { protocol: "chickenfoot", version: 1 };
  let best = 0;
  const weights = question.legal_text.map((action) => weight(action, question.view.rules));
  weights.forEach((points, i) => { if (points > weights[best]) best = i; });
  return { action: question.legal[best] };
}

lines.on("line", (line) => console.log(JSON.stringify(answer(JSON.parse(line)))));
