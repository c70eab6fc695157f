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

-- start returns a new snake. body lists its cells, the head first; at has them as keys. turn is
-- where it will move, moved where it last moved.
local function start()
  local snake = {
    body = { "6,6", "5,6", "4,6" },
    at = { ["6,6"] = true, ["5,6"] = true, ["4,6"] = true },
    x = 6, y = 6,
    turn = turns.right, moved = turns.right,
  }
  snake.food = food(snake)
  return snake
end

-- step moves the snake and reports whether it is alive.
local function step(snake)
  snake.moved = snake.turn
  snake.x, snake.y = snake.x + snake.turn[1], snake.y + snake.turn[2]
  local head = snake.x .. "," .. snake.y
  local inside = snake.x >= 1 and snake.x <= width and snake.y >= 1 and snake.y <= height
  if not inside or snake.at[head] then return false end
  table.insert(snake.body, 1, head)
  snake.at[head] = true
  if head == snake.food then
    snake.food = food(snake)
  else
    snake.at[table.remove(snake.body)] = nil
  end
  return true
end

local function picture(snake, cell)
  if cell == snake.body[1] then return { "@", "ok" } end
  if snake.at[cell] then return { "o", "ok" } end
  if cell == snake.food then return { "*", "warn" } end
  return " "
end

local function draw(snake, over)
  local score = { { "score " .. #snake.body - 3, "bold" } }
  if over then score[2] = { "  over: Enter begins anew", "warn" } end
  local edge = "+" .. ("-"):rep(width) .. "+"
  local lines = { score, edge }
  for y = 1, height do
    local line = { "|" }
    for x = 1, width do line[#line + 1] = picture(snake, x .. "," .. y) end
    line[#line + 1] = "|"
    lines[#lines + 1] = line
  end
  lines[#lines + 1] = edge
  return lines
end

ext.command{
  name = "snake",
  description = "A game",
  run = function()
    local snake, over, last = start(), false, 0
    ext.ui.panel{
      title = "Snake",
      refresh = 0.15,
      render = function()
        -- render also runs after each key, which must not make the snake faster
        local now = ext.time.now()
        if not over and now - last >= 0.1 then
          over, last = not step(snake), now
        end
        return draw(snake, over)
      end,
      key = function(name)
        local turn, moved = turns[name], snake.moved
        local back = turn and turn[1] + moved[1] == 0 and turn[2] + moved[2] == 0
        if turn and not back then snake.turn = turn end
        if name == "enter" and over then snake, over, last = start(), false, ext.time.now() end
      end,
    }
  end,
}

-- head returns the position of the snake's head in the picture.
local function head(t)
  for y, line in ipairs(t.screen().panel.lines) do
    local x = line:find("@", 1, true)
    if x then return x .. "," .. y end
  end
end

ext.test("it moves, turns but not back into itself, and dies at the wall", function(t)
  t.command("/snake")
  t.equal(head(t), "8,8")
  t.clock(0.3)
  t.equal(head(t), "10,8")
  t.key("up")
  t.key("left") -- it would turn back into itself, as it has not moved up yet
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
  t.equal(snake.at[snake.food], nil)
  snake.food = "7,6"
  t.equal({ step(snake), #snake.body, snake.at["7,6"], snake.at["4,6"] }, { true, 4, true, true })
  snake.food = "1,1"
  t.equal({ step(snake), #snake.body, snake.at["4,6"] }, { true, 4, nil })
  t.match(draw(snake)[1][1][1], "score 1")
  for name, want in pairs{ up = 6, left = 6, down = height - 5, right = width - 5 } do
    local one, steps = start(), 1
    one.turn, one.at, one.body, one.food = turns[name], {}, { "6,6" }, "0,0"
    while step(one) do steps = steps + 1 end
    t.equal({ name, steps }, { name, want })
  end
  local bitten = start()
  bitten.at["7,6"] = true
  t.equal(step(bitten), false)
  local long = start()
  for y = 1, height do
    for x = 1, width do long.at[x .. "," .. y] = true end
  end
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
