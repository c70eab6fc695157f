package trial_test

import (
	"strings"
	"testing"
)

// stubbed calls functions that stubs answer, in both languages.
var stubbed = map[string]string{"x.lua": `-- ==Agent==
-- @grant exec:make,sh net:a.example llm agent
-- ==/Agent==
ext.test("lines of a program", function(t)
  local seen = {}
  t.stub("exec", function(r) return { stdout = "one\ntwo", stderr = r.call .. "\n", code = 3 } end)
  local r = ext.exec({ "make" }, { on_line = function(line, stream) seen[#seen + 1] = stream .. " " .. line end })
  t.equal(seen, { "stdout one", "stdout two", "stderr exec" })
  t.equal(r, { code = 3, stdout = "one\ntwo", stderr = "exec\n", timed_out = false })
end)
ext.test("pieces, lines and events of an answer", function(t)
  local got = {}
  local function take(x) got[#got + 1] = x end
  t.stub("http", function() return { body = { "on", "e\nt", "wo\n" } } end)
  t.equal(ext.http.get("http://a.example/", { on_chunk = take }).body, nil)
  t.equal(got, { "on", "e\nt", "wo\n" })
  got = {}
  ext.http.get("http://a.example/", { on_line = take })
  t.equal(got, { "one", "two" })
  got = {}
  t.stub("http", function() return "event: x\ndata: 1\n\ndata: 2\n\n" end)
  ext.http.get("http://a.example/", { on_event = take })
  t.equal(got, { { event = "x", data = "1" }, { event = "message", data = "2" } })
  t.stub("http", function(r) return { status = 418, json = { method = r.method, sent = r.json.a }, headers = { ["X-A"] = "b" } } end)
  local r = ext.http.request{ url = "http://a.example/b", method = "PUT", json = { a = 1 }, on_line = take }
  t.equal(ext.json.decode(r.body), { method = "PUT", sent = 1 })
  t.equal({ r.status, r.headers["x-a"], r.url, #got }, { 418, "b", "http://a.example/b", 2 })
end)
ext.test("a model", function(t)
  local seen = {}
  t.stub("llm", function(r) return { text = { r.prompt, "!" } } end)
  t.equal(ext.llm.complete{ prompt = "hi", on_delta = function(d) seen[#seen + 1] = d end }.text, "hi!")
  t.equal(seen, { "hi", "!" })
  t.stub("llm", function() return '{"n": 1}' end)
  t.equal(ext.llm.complete{ prompt = "hi", schema = { n = "integer" } }.data, { n = 1 })
  t.stub("llm", function() return { data = { n = 2 } } end)
  t.equal(ext.llm.complete{ prompt = "hi", schema = { n = "integer" } }.text, '{"n":2}')
  t.stub("llm", function(r) return r.call .. ": " .. r.prompt end)
  t.equal(ext.agent.spawn{ prompt = "look" }.wait().response, "model: look")
end)`, "x.js": `// ==Agent==
// @grant exec:make,sh net:a.example llm agent
// ==/Agent==
ext.test("lines of a program", async (t) => {
  const seen = [];
  t.stub("exec", (r) => ({ stdout: "one\ntwo", stderr: r.call + "\n", code: 3 }));
  const r = await ext.exec(["make"], { on_line: (line, stream) => { seen.push(stream + " " + line); } });
  t.equal(seen, ["stdout one", "stdout two", "stderr exec"]);
  t.equal(r, { code: 3, stdout: "one\ntwo", stderr: "exec\n", timed_out: false });
});
ext.test("pieces, lines and events of an answer", async (t) => {
  let got = [];
  const take = (x) => { got.push(x); };
  t.stub("http", () => ({ body: ["on", "e\nt", "wo\n"] }));
  t.equal((await ext.http.get("http://a.example/", { on_chunk: take })).body, undefined);
  t.equal(got, ["on", "e\nt", "wo\n"]);
  got = [];
  await ext.http.get("http://a.example/", { on_line: take });
  t.equal(got, ["one", "two"]);
  got = [];
  t.stub("http", () => "event: x\ndata: 1\n\ndata: 2\n\n");
  await ext.http.get("http://a.example/", { on_event: take });
  t.equal(got, [{ event: "x", data: "1" }, { event: "message", data: "2" }]);
  t.stub("http", (r) => ({ status: 418, json: { method: r.method, sent: r.json.a }, headers: { "X-A": "b" } }));
  const r = await ext.http.request({ url: "http://a.example/b", method: "PUT", json: { a: 1 }, on_line: take });
  t.equal(JSON.parse(r.body), { method: "PUT", sent: 1 });
  t.equal([r.status, r.headers["x-a"], r.url, got.length], [418, "b", "http://a.example/b", 2]);
  t.stub("http", async () => { await ext.sleep(1); return { json: { a: "ü" }, headers: { "content-type": "application/json" } }; });
  const f = await fetch("http://a.example/");
  t.equal([f.ok, f.headers.get("content-type"), (await f.json()).a], [true, "application/json", "ü"]);
});
ext.test("a model", async (t) => {
  const seen = [];
  t.stub("llm", (r) => ({ text: [r.prompt, "!"] }));
  t.equal((await ext.llm.complete({ prompt: "hi", on_delta: (d) => { seen.push(d); } })).text, "hi!");
  t.equal(seen, ["hi", "!"]);
  t.stub("llm", () => '{"n": 1}');
  t.equal((await ext.llm.complete({ prompt: "hi", schema: { n: "integer" } })).data, { n: 1 });
  t.stub("llm", () => ({ data: { n: 2 } }));
  t.equal((await ext.llm.complete({ prompt: "hi", schema: { n: "integer" } })).text, '{"n":2}');
  t.stub("llm", (r) => r.call + ": " + r.prompt);
  t.equal((await ext.agent.spawn({ prompt: "look" }).wait()).response, "model: look");
});`}

// TestStubs checks that the answers of stubs reach the script in all the ways that real ones would.
func TestStubs(t *testing.T) {
	t.Parallel()
	for name, src := range stubbed {
		if got := results(t, name,
			src); got != "lines of a program: ok\npieces, lines and events of an answer: ok\na "+
			"model: ok" {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestInvalidStubs checks that an invalid answer of a stub is reported with its line, and that a
// missing stub is reported.
func TestInvalidStubs(t *testing.T) {
	t.Parallel()
	tests := []struct{ lua, js, want string }{
		{`t.stub("http", function() return 5 end)
  ext.http.get("http://a.example/")`, `t.stub("http", () => 5);
  await ext.http.get("http://a.example/");`, `x.lua:6: the stub of http (x.lua:5) returned ` +
			`number, want text, a table or nothing`},
		{`t.stub("http", function() return { statsu = 5 } end)
  ext.http.get("http://a.example/")`, `t.stub("http", () => ({ statsu: 5 }));
  await ext.http.get("http://a.example/");`, `the stub of http (x.lua:5) returned unknown key ` +
			`"statsu"; did you mean "status"?`},
		{`t.stub("exec", function() return { code = "one" } end)
  ext.exec{ "make" }`, `t.stub("exec", () => ({ code: "one" }));
  await ext.exec(["make"]);`, `the stub of exec (x.lua:5) returned code: got string, want integer`},
		{`t.stub("llm", function() return "no json" end)
  ext.llm.complete{ prompt = "x", schema = { a = "string" } }`, `t.stub("llm", () => "no json");
  await ext.llm.complete({ prompt: "x", schema: { a: "string" } });`, `the stub of llm (x.lua:5) ` +
			`returned "no json", want JSON, or data: the script asks with a schema`},
		{`t.stub("tool", function() return { content = 5 } end)
  t.equal(t.call("ls", {}).content, "")`, `t.stub("tool", () => ({ content: 5 }));
  t.equal((await t.call("ls", {})).content, "");`, `the stub of tool (x.lua:5) returned`},
		{`
  ext.exec{ "make" }`, `
  await ext.exec(["make"]);`, `x.lua:6: ext.exec does nothing in a test: say what it answers ` +
			`with t.stub("exec", function)`},
		{`
  ext.exec{ "mke" }`, `
  await ext.exec(["mke"]);`, `ext.exec needs "@grant exec:mke"`},
		{`t.stub("http", function() error("oops") end)
  ext.http.get("http://a.example/")`, `t.stub("http", () => { throw new Error("oops"); });
  await ext.http.get("http://a.example/");`, `oops`},
	}
	for _, tt := range tests {
		for name, src := range map[string]string{
			"x.lua": "-- ==Agent==\n-- @grant exec:make net:a.example llm\n-- " +
				"==/Agent==\next.test(\"x\", function(t)\n  " + tt.lua + "\nend)",
			"x.js": "// ==Agent==\n// @grant exec:make net:a.example llm\n// " +
				"==/Agent==\next.test(\"x\", async (t) => {\n  " + tt.js + "\n});"} {
			want := tt.want
			if name == "x.js" {
				want = strings.ReplaceAll(strings.TrimPrefix(want, "x.lua:6: "), "x.lua", "x.js")
			}
			if got := results(t, name, src); !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", src, got, want)
			}
		}
	}
}
