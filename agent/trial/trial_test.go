package trial_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/trial"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// deadline is the timeout of every test. Some of them wait repeatedly for time to pass by itself.
const deadline = 5 * time.Minute

// results runs the tests of a script given as text, and returns a line for each.
func results(t *testing.T, name, src string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := trial.Test(ctx, trial.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}},
		path)
	var lines []string
	for _, r := range list {
		line := r.Name + ": ok"
		if r.Err != nil {
			line = r.Name + ": " + r.Err.Error()
		}
		lines = append(lines, line)
	}
	if err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// TestExamples runs the examples of ext.test, and of what t can do.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, row := range spec.API() {
		if row.Name != "test" {
			continue
		}
		for name, src := range map[string]string{"x.lua": row.Lua, "x.js": row.JS} {
			if got := results(t, name, src); got != "says hello: ok" {
				t.Errorf("%s: got %s", name, got)
			}
		}
	}
	inLua, inJS := spec.TestScript()
	var want []string
	for _, row := range spec.Testing() {
		inLua += "\next.test(\"" + row.Name + "\", function(t) " + row.Lua + " end)"
		inJS += "\next.test(\"" + row.Name + "\", async (t) => { " + row.JS + " });"
		want = append(want, row.Name+": ok")
	}
	for name, src := range map[string]string{"x.lua": inLua, "x.js": inJS} {
		if got := results(t, name, src); got != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestMistakes checks that both languages report mistakes in a test in the same words.
func TestMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct{ lua, js, want string }{
		{`t.call("bsh", {})`, `await t.call("bsh", {})`, `unknown tool "bsh"`},
		{`t.call("bash", { comand = "ls" })`, `await t.call("bash", { comand: "ls" })`, `command`},
		{`t.call(1)`, `await t.call(1)`, `t.call: tool: got number, want string`},
		{`t.call()`, `await t.call()`, `t.call: tool: got nil, want string`},
		{`t.emit("tool_ed")`, `await t.emit("tool_ed")`,
			`unknown event "tool_ed"; did you mean "tool_end"?`},
		{`t.command("/nothing")`, `await t.command("/nothing")`, `unknown command /nothing`},
		{`t.clock(-1)`, `await t.clock(-1)`, `t.clock: seconds: got -1, want 0 to 1000000000`},
		{`t.answer("confrm", true)`, `t.answer("confrm", true)`,
			`t.answer: dialog: got "confrm", want one of approve, confirm, select, input, edit; ` +
				`did you mean "confirm"?`},
		{`t.answer("confirm", "yes")`, `t.answer("confirm", "yes")`,
			`t.answer: value: got string, want true or false`},
		{`t.answer("input", true)`, `t.answer("input", true)`,
			`t.answer: value: got boolean, want text, or nothing if the user goes away`},
		{`t.stub("htp", function() end)`, `t.stub("htp", () => {})`,
			`t.stub: kind: got "htp", want one of exec, http, llm, tool; did you mean "http"?`},
		{`t.stub("http", "x")`, `t.stub("http", "x")`, `t.stub: fn: got string, want function`},
		{`t.match("a", "(")`, `t.match("a", "(")`, "t.match: pattern: error parsing regexp"},
		{`t.passed()`, `t.passed()`, `t.passed: nothing has happened yet`},
		{`t.equal("a", "b")`, `t.equal("a", "b")`,
			"t.equal: got and want differ\ngot  \"a\"\nwant \"b\""},
		{`t.equal({}, {})`, `t.equal({}, [])`, "ok"},
		{`t.equal(1)`, `t.equal(1)`, "t.equal: got and want differ\ngot  1\nwant null"},
	}
	for _, tt := range tests {
		for name, src := range map[string]string{"x.lua": `ext.test("x", function(t) ` + tt.lua +
			` end)`, "x.js": `ext.test("x", async (t) => { ` + tt.js + ` });`} {
			if got := results(t, name, src); !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s: got %s, want %s", name, src, got, tt.want)
			}
		}
	}
}

// TestNothingIsLeft checks that the files of a test are removed with its world, and that the next
// test does not see them.
func TestNothingIsLeft(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	src := `
local n = 0
ext.test("one", function(t) n = n + 1 ext.state.set("k", n) t.equal(ext.state.get("k"), 1) end)
ext.test("two", function(t) n = n + 1 t.equal(n, 1) t.equal(ext.state.get("k"), nil) end)`
	if got := results(t, "x.lua", src); got != "one: ok\ntwo: ok" {
		t.Errorf("got %s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "agent-test-*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}

// TestHangs checks that a test that never ends is stopped, and that the next one runs.
func TestHangs(t *testing.T) {
	t.Parallel()
	got := results(t, "x.js", `ext.guard(() => { for (;;); });
ext.test("hangs", async (t) => { await t.call("bash", { command: "ls" }); });
ext.test("next", (t) => { t.equal(1, 1); });`)
	if !strings.Contains(got, "used up its") || !strings.HasSuffix(got, "next: ok") {
		t.Errorf("got %s", got)
	}
}

// TestOutside checks that a script cannot reach anything outside of its world, whatever its grants.
func TestOutside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	src := `-- ==Agent==
-- @grant fs.write:/** fs.read:/** fs.write:~/** fs.read:~/** exec:* net:*
-- ==/Agent==
local out = "` + filepath.ToSlash(outside) + `/x"
ext.test("write", function() ext.fs.write(out, "x") end)
ext.test("up", function() ext.fs.read("../../../../../../../../etc/hostname") end)
ext.test("rename", function() ext.fs.write("a", "x") ext.fs.rename("a", out) end)
ext.test("exec", function() ext.exec{ "touch", out } end)
ext.test("sh", function() ext.sh("touch " .. out) end)
ext.test("http", function() ext.http.get("http://127.0.0.1:1/") end)
ext.test("own", function(t) ext.fs.write("a/b", "x") t.equal(ext.fs.read("a/b"), "x") ext.fs.mkdir("~/notes") t.equal(ext.fs.exists("~/notes"), true) end)
ext.test("stubs", function(t)
  t.stub("exec", function(r) return r.call .. " " .. (r.line or r.argv[1]) end)
  t.stub("http", function(r) return { status = 404, body = r.url } end)
  t.equal(ext.exec({ "ls" }).stdout, "exec ls")
  t.equal(ext.sh("ls").stdout, "sh ls")
  t.equal(ext.http.get("http://a.example/").status, 404)
  t.stub("http", function() return { error = "timeout" } end)
  local v, err = ext.http.get("http://a.example/")
  t.equal(err.code, "timeout")
end)`
	got := results(t, "x.lua", src)
	for _, want := range []string{"write: x.lua:5: ext.fs.write: path: got ",
		"up: x.lua:6: ext.fs.read: path: got ", "rename: x.lua:7: ext.fs.rename: to: got ",
		"exec: x.lua:8: ext.exec does nothing in a test",
		"sh: x.lua:9: ext.sh does nothing in a test",
		"http: x.lua:10: ext.http.get does nothing in a test", "own: ok", "stubs: ok"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

// TestClock checks that functions run in order when the test moves the clock, and not before.
func TestClock(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"x.lua": `local seen = {}
ext.every(10, function() seen[#seen + 1] = "every " .. ext.time.now() end)
ext.after(25, function() seen[#seen + 1] = "after " .. ext.time.now() end)
ext.test("x", function(t)
  t.clock(9)
  t.equal(seen, {})
  t.clock(21)
  t.equal(seen, { "every 1000000010", "every 1000000020", "after 1000000025", "every 1000000030" })
  ext.sleep(5)
  t.equal(ext.time.now(), 1000000035)
end)`, "x.js": `const seen = [];
ext.every(10, () => { seen.push("every " + ext.time.now()); });
ext.after(25, () => { seen.push("after " + ext.time.now()); });
ext.test("x", async (t) => {
  await t.clock(9);
  t.equal(seen, []);
  await t.clock(21);
  t.equal(seen, ["every 1000000010", "every 1000000020", "after 1000000025", "every 1000000030"]);
  await ext.sleep(5);
  t.equal(ext.time.now(), 1000000035);
});`} {
		if got := results(t, name, src); got != "x: ok" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
