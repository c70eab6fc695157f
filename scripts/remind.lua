-- ==Agent==
-- @name     remind
-- @summary  /remind 10 look at the oven: a notice after ten minutes
-- ==/Agent==

local waiting = 0

ext.command{
  name = "remind",
  description = "Remind me in so many minutes",
  args = { "minutes number: from now", "text string: of what" },
  run = function(args)
    waiting = waiting + 1
    ext.after(args.minutes * 60, function()
      waiting = waiting - 1
      ext.notify("Reminder: " .. args.text, "warn")
    end)
    return { display = ("In %g min: %s (%d waiting)"):format(args.minutes, args.text, waiting) }
  end,
}

ext.test("reminds when the time has come", function(t)
  t.equal(t.command("/remind 10 the oven").display, "In 10 min: the oven (1 waiting)")
  t.clock(599)
  t.equal(waiting, 1)
  t.clock(2)
  t.equal(waiting, 0)
end)
