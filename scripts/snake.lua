-- ==Agent==
-- @name     snake
-- @summary  /snake: a game to play while the agent works; arrow keys steer, Esc quits
-- @grant    ui
-- ==/Agent==

local turns = { up = { 0, -1 }, down = { 0, 1 }, left = { -1, 0 }, right = { 1, 0 } }
local width, height = 30, 12 -- of the field

local function food(snake)
  local free = {}
  for y = 1, height do
    for x = 1, width do
      if not snake.at[x .. "," .. y] then free[#free + 1] = x .. "," .. y end
    end
  end
  return #free > 0 and free[ext.random(#free)] or nil
end

local function start()
  local snake = { body = { "6,6", "5,6", "4,6" }, at = { ["6,6"] = true, ["5,6"] = true, ["4,6"] = true }, x = 6, y = 6, turn = turns.right, moved = turns.right }
  snake.food = food(snake)
  return snake
end

-- step moves the snake and reports whether it is alive.
local function step(snake)
  snake.moved = snake.turn
  snake.x, snake.y = snake.x + snake.turn[1], snake.y + snake.turn[2]
  local head = snake.x .. "," .. snake.y
  if snake.x < 1 or snake.x > width or snake.y < 1 or snake.y > height or snake.at[head] then return false end
  table.insert(snake.body, 1, head)
  snake.at[head] = true
  if head == snake.food then
    snake.food = food(snake)
  else
    snake.at[table.remove(snake.body)] = nil
  end
  return true
end

local function draw(snake, over)
  local lines = { { { "score " .. #snake.body - 3, "bold" }, over and { "  over: Enter begins anew", "warn" } or nil }, "+" .. ("-"):rep(width) .. "+" }
  for y = 1, height do
    local line = { "|" }
    for x = 1, width do
      local cell = x .. "," .. y
      line[#line + 1] = cell == snake.body[1] and { "@", "ok" } or snake.at[cell] and { "o", "ok" } or cell == snake.food and { "*", "warn" } or " "
    end
    line[#line + 1] = "|"
    lines[#lines + 1] = line
  end
  lines[#lines + 1] = lines[2]
  return lines
end

ext.command{ name = "snake", description = "A game", run = function()
  local snake, over, last = start(), false, 0
  ext.ui.panel{ title = "Snake", refresh = 0.15,
    render = function()
      local now = ext.time.now()
      if not over and now - last >= 0.1 then -- a key draws as well, and must not make it faster
        over, last = not step(snake), now
      end
      return draw(snake, over)
    end,
    key = function(name)
      local turn = turns[name]
      if turn and (turn[1] + snake.moved[1] ~= 0 or turn[2] + snake.moved[2] ~= 0) then snake.turn = turn end -- never back into itself
      if name == "enter" and over then snake, over = start(), false end
    end }
end }

-- head returns the position of the snake's head in the picture.
local function head(t)
  for y, line in ipairs(t.screen().panel.lines) do
    local x = line:find("@", 1, true)
    if x then return x .. "," .. y end
  end
end

ext.test("it moves, turns, never back into itself, and dies at the wall", function(t)
  t.command("/snake")
  t.equal(head(t), "8,8")
  t.clock(0.3)
  t.equal(head(t), "10,8")
  t.key("up") t.key("left") -- the second key would turn it back into itself before it has moved up
  t.clock(0.15)
  t.equal(head(t), "10,7")
  t.key("left")
  t.clock(0.15)
  t.equal(head(t), "9,7")
  t.clock(5)
  t.match(t.screen().panel.lines[1], "over: Enter begins anew")
  t.key("enter")
  t.match(t.screen().panel.lines[1], "^score 0$")
  t.key("esc")
  t.equal(t.screen().panel, nil)
end)
ext.test("it grows by what it eats, and dies at every wall and at itself", function(t)
  local snake = start()
  t.equal({ #snake.body, snake.body[1], snake.at[snake.food] }, { 3, "6,6", nil })
  snake.food = "7,6"
  t.equal({ step(snake), #snake.body, snake.at["7,6"], snake.at["4,6"] }, { true, 4, true, true })
  snake.food = "1,1"
  t.equal({ step(snake), #snake.body, snake.at["4,6"] }, { true, 4, nil })
  t.match(draw(snake)[1][1][1], "score 1")
  for name, turn in pairs(turns) do
    local one, steps = start(), 0
    one.turn, one.at, one.body = turn, {}, { "6,6" }
    repeat one.food = "0,0" steps = steps + 1 until not step(one)
    t.equal({ name, steps }, { name, ({ up = 6, left = 6, down = height - 5, right = width - 5 })[name] })
  end
  local bitten = start()
  bitten.at["7,6"] = true
  t.equal(step(bitten), false)
  local long = start()
  for y = 1, height do for x = 1, width do long.at[x .. "," .. y] = true end end
  t.equal(food(long), nil)
  long.at[width .. "," .. height] = nil
  t.equal(food(long), width .. "," .. height)
end)
ext.test("Enter begins anew only when it is over", function(t)
  t.command("/snake")
  t.clock(0.3)
  local at = head(t)
  t.key("enter")
  t.equal(head(t), at)
end)
