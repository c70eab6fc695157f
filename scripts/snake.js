// ==Agent==
// @name     snake
// @summary  /snake: a game to play while the agent works; arrow keys steer, Esc quits
// @grant    ui
// ==/Agent==

const turns = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
const width = 30, height = 12; // of the field

function food(snake) {
  const free = [];
  for (let y = 1; y <= height; y++) {
    for (let x = 1; x <= width; x++) {
      if (!snake.body.includes(`${x},${y}`)) free.push(`${x},${y}`);
    }
  }
  return free.length > 0 ? free[ext.random(free.length) - 1] : null;
}

// start returns a new snake. body lists its cells, the head first. turn is where it will move,
// moved where it last moved.
function start() {
  const snake = {
    body: ["6,6", "5,6", "4,6"],
    x: 6, y: 6,
    turn: turns.right, moved: turns.right,
  };
  snake.food = food(snake);
  return snake;
}

// step moves the snake and reports whether it is alive.
function step(snake) {
  snake.moved = snake.turn;
  snake.x += snake.turn[0];
  snake.y += snake.turn[1];
  const head = `${snake.x},${snake.y}`;
  const inside = snake.x >= 1 && snake.x <= width && snake.y >= 1 && snake.y <= height;
  if (!inside || snake.body.includes(head)) return false;
  snake.body.unshift(head);
  if (head === snake.food) snake.food = food(snake);
  else snake.body.pop();
  return true;
}

function picture(snake, at, cell) {
  if (cell === snake.body[0]) return ["@", "ok"];
  if (at.has(cell)) return ["o", "ok"];
  if (cell === snake.food) return ["*", "warn"];
  return " ";
}

function draw(snake, over) {
  const score = [["score " + (snake.body.length - 3), "bold"]];
  if (over) score.push(["  over: Enter begins anew", "warn"]);
  const edge = "+" + "-".repeat(width) + "+";
  const at = new Set(snake.body);
  /** @type {any[]} */
  const lines = [score, edge];
  for (let y = 1; y <= height; y++) {
    /** @type {any[]} */
    const line = ["|"];
    for (let x = 1; x <= width; x++) line.push(picture(snake, at, `${x},${y}`));
    line.push("|");
    lines.push(line);
  }
  lines.push(edge);
  return lines;
}

ext.command({
  name: "snake",
  description: "A game",
  run: () => {
    let snake = start(), over = false, last = 0;
    ext.ui.panel({
      title: "Snake",
      refresh: 0.15,
      render: () => {
        // render also runs after each key, which must not make the snake faster
        const now = ext.time.now();
        if (!over && now - last >= 0.1) {
          over = !step(snake);
          last = now;
        }
        return draw(snake, over);
      },
      key: (name) => {
        const turn = turns[name], moved = snake.moved;
        const back = turn && turn[0] + moved[0] === 0 && turn[1] + moved[1] === 0;
        if (turn && !back) snake.turn = turn;
        if (name === "enter" && over) {
          snake = start();
          over = false;
          last = ext.time.now();
        }
      },
    });
  },
});

// head returns the position of the snake's head in the picture.
function head(t) {
  const lines = t.screen().panel.lines;
  const y = lines.findIndex((line) => line.includes("@"));
  return `${lines[y].indexOf("@") + 1},${y + 1}`;
}

ext.test("it moves, turns but not back into itself, and dies at the wall", async (t) => {
  await t.command("/snake");
  t.equal(head(t), "8,8");
  await t.clock(0.3);
  t.equal(head(t), "10,8");
  await t.key("up");
  await t.key("left"); // it would turn back into itself, as it has not moved up yet
  await t.clock(0.15);
  t.equal(head(t), "10,7");
  await t.key("left");
  await t.clock(0.15);
  t.equal(head(t), "9,7");
  await t.clock(5);
  t.match(t.screen().panel.lines[0], "over: Enter begins anew");
  await t.key("enter");
  t.match(t.screen().panel.lines[0], "^score 0$");
  await t.key("esc");
  t.equal(t.screen().panel, null);
});

ext.test("it grows by what it eats, and dies at every wall and at itself", (t) => {
  const snake = start();
  t.equal(snake.body.includes(snake.food), false);
  snake.food = "7,6";
  t.equal([step(snake), snake.body.length, snake.body[0], snake.body[3]], [true, 4, "7,6", "4,6"]);
  snake.food = "1,1";
  t.equal([step(snake), snake.body.length, snake.body.includes("4,6")], [true, 4, false]);
  t.match(draw(snake)[0][0][0], "score 1");
  const wants = { up: 6, left: 6, down: height - 5, right: width - 5 };
  for (const [name, want] of Object.entries(wants)) {
    const one = Object.assign(start(), { turn: turns[name], body: ["6,6"], food: "0,0" });
    let steps = 1;
    while (step(one)) steps++;
    t.equal([name, steps], [name, want]);
  }
  const bitten = start();
  bitten.body.push("7,6");
  t.equal(step(bitten), false);
  const long = start();
  for (let y = 1; y <= height; y++) {
    for (let x = 1; x <= width; x++) long.body.push(`${x},${y}`);
  }
  t.equal(food(long), null);
  long.body.pop();
  t.equal(food(long), `${width},${height}`);
});

ext.test("Enter begins anew only when it is over", async (t) => {
  await t.command("/snake");
  await t.clock(0.3);
  const at = head(t);
  await t.key("enter");
  t.equal(head(t), at);
});
