-- ==Agent==
-- @name     redact
-- @summary  Masks keys and passwords in tool output, on the screen, in prompts and in logs
-- ==/Agent==

-- A pattern is RE2, as everywhere. Each match is replaced by [redacted:NAME] before it is shown,
-- sent or logged.
ext.redact{ name = "key", patterns = {
  [[\bsk-[A-Za-z0-9_-]{16,}]],          -- model providers
  [[\bgh[pousr]_[A-Za-z0-9]{20,}]],     -- GitHub
  [[\bAKIA[0-9A-Z]{16}\b]],             -- AWS
} }

-- If a pattern is not enough, a function returns the texts to mask: here the password alone.
ext.redact{ name = "password", find = function(text)
  local found = {}
  for i, match in ipairs(ext.regex.find_all([[(?i)password\s*[=:]\s*([^\s"']+)]], text)) do
    found[i] = match.groups[1]
  end
  return found
end }

ext.test("keys and passwords are masked, and nothing else", function(t)
  local function shown(text)
    t.stub("tool", function() return text end)
    return t.call("bash", { command = "env" }).content
  end
  local key = ("A1"):rep(10)
  t.equal(shown("x sk-" .. key .. " y"), "x [redacted:key] y")
  t.equal(shown("ghp_" .. key), "[redacted:key]")
  t.equal(shown("AKIA" .. key:sub(1, 16)), "[redacted:key]")
  t.equal(shown("PassWord = hunter22 and more"), "PassWord = [redacted:password] and more")
  for _, text in ipairs{ "sk-short", "ghp_short", "AKIA" .. key, "the password is gone" } do
    t.equal(shown(text), text)
  end
end)
