package spec_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

var update = flag.Bool("update", false, "rewrite the reference")

// pages is the folder of the reference.
const pages = "../../docs/api"

// TestReference checks that the pages are those that the tables generate, and no others.
func TestReference(t *testing.T) {
	want := spec.Reference()
	if *update {
		if err := os.MkdirAll(pages, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(pages, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(pages, name)); err != nil || string(got) != text {
			t.Errorf("%s is out of date (%v): run go generate ./engine/spec",
				name, err)
		}
	}
	there, err := filepath.Glob(pages + "/*")
	if err != nil || len(there) != len(want) {
		t.Errorf("%d pages, want %d: %v", len(there), len(want), err)
	}
}

// TestNamesOfTypes checks that the files for editors define each function and each event of the
// tables, and no other functions.
func TestNamesOfTypes(t *testing.T) {
	lua, check, ts := spec.LuaMeta(), spec.Luacheck(), spec.TypeScript()
	known := map[string]bool{}
	for _, row := range spec.API() {
		known["ext."+row.Name] = true
		for at := row.Name; strings.Contains(at, "."); {
			at = at[:strings.LastIndexByte(at, '.')]
			known["ext."+at] = true
		}
		last := row.Name[strings.LastIndexByte(row.Name, '.')+1:]
		if !strings.Contains(lua, "\nfunction ext."+row.Name+"(") &&
			!strings.Contains(lua, "\next."+row.Name+" = nil") {
			t.Errorf("ext.lua does not define ext.%s", row.Name)
		}
		if !regexp.MustCompile(`\n +(readonly )?"?` + last + `"?[(:<]`).MatchString(ts) {
			t.Errorf("ext.d.ts does not define ext.%s", row.Name)
		}
		if !strings.Contains(check, " "+last+" = {") {
			t.Errorf("luacheckrc does not define ext.%s", row.Name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^(?:function )?(ext\.[\w.]+)`).FindAllStringSubmatch(
		lua, -1) {
		if !known[m[1]] {
			t.Errorf("ext.lua names %s, which does not exist", m[1])
		}
	}
	for _, row := range spec.Events() {
		if row.Name != event.Custom && (!strings.Contains(ts, "\n  "+row.Name+": ") ||
			!strings.Contains(lua, `"`+row.Name+`"`)) {
			t.Errorf("%s is missing", row.Name)
		}
	}
}

// TestPayloadShadowsNoEnvelope checks that no payload field has the name of an envelope field. The
// exceptions are the same thing for something smaller: the model of one request, the cost of one
// prompt.
func TestPayloadShadowsNoEnvelope(t *testing.T) {
	same := map[string]string{
		"agent_end": "cost", "turn_start": "turn", "llm_request": "model",
		"llm_response": "model cost", "subagent_start": "model", "subagent_end": "cost",
	}
	keys := event.EnvelopeKeys()
	for _, row := range spec.Events() {
		for _, field := range row.Payload {
			if slices.Contains(keys, field.Name) &&
				!slices.Contains(strings.Fields(same[row.Name]), field.Name) {
				t.Errorf("%s: the payload field %s hides that of the envelope", row.Name,
					field.Name)
			}
		}
	}
}

// gallery creates a folder with the types and the examples of a language, and a file with two
// mistakes.
func gallery(t *testing.T, files map[string]string, pattern, name, mistakes string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files[name] = mistakes
	scripts, err := filepath.Glob("../../scripts/" + pattern)
	if err != nil || len(scripts) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range scripts {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(b)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// missing skips the test, or fails it if all programs are required.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("AGENT_CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// everyFunction returns code that calls every function of the table as its example does, so that
// the compiler checks each declaration.
func everyFunction() string {
	var b strings.Builder
	b.WriteString("const stream = async () => ({ finish_reason: \"stop\" });\n")
	for i, row := range spec.API() {
		fmt.Fprintf(&b, "export async function example%d() { %s }\n", i,
			strings.ReplaceAll(row.JS, "\n", " "))
	}
	return b.String()
}

// streamReader is code that reads the stream; its last line is a mistake.
const streamReader = `import type { StreamLine } from "./stream";
export function read(line: StreamLine): string {
  if (line.event === "stream") return line.agent_version;
  if (line.event === "message_delta") return line.delta;
  return line.event === "tool_call" ? line.tol : line.id;
}
`

// TestTypeScript checks that the compiler accepts ext.d.ts, stream.d.ts and the examples, and finds
// mistakes.
func TestTypeScript(t *testing.T) {
	tsc, err := exec.LookPath("tsc")
	if err != nil {
		missing(t, "no TypeScript compiler (npm install -g typescript)")
	}
	const config = `{"compilerOptions": {"checkJs": true, "noEmit": true, "moduleDetection": ` +
		`"force", "strict": true, "noImplicitAny": false, "useUnknownInCatchVariables": false, ` +
		`"target": "es2022", "lib": ["es2022"], "types": []}, "include": ["*"]}`
	dir := gallery(t, map[string]string{"ext.d.ts": spec.TypeScript(), "jsconfig.json": config,
		"every.js": everyFunction(), "stream.d.ts": spec.StreamTypes(),
		"reader.ts": streamReader}, "*.js", "bad.js",
		"ext.on(\"tool_call\", (ev) => ({ reason: ev.tol }));\next.guard(() => ({ blok: true "+
			"}));\next.regex.find(5, \"x\");\n")
	cmd := exec.Command(tsc, "-p", "jsconfig.json", "--pretty", "false")
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	want := []string{"bad.js(1,", "bad.js(2,", "bad.js(3,", "reader.ts(5,"}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, w := range want {
		if !strings.Contains(string(out), w) {
			t.Errorf("mistake %d is not found", i+1)
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "every.js(") && strings.Contains(line, "TS2531") {
			continue // an example may assume that there is a match
		}
		if !strings.HasPrefix(line, "bad.js(") && !strings.HasPrefix(line, "reader.ts(5,") &&
			!strings.HasPrefix(line, "  ") {
			t.Errorf("%s", line)
		}
	}
}

// TestLuacheck checks that luacheck knows ext, accepts the examples, and finds names that do not
// exist.
func TestLuacheck(t *testing.T) {
	luacheck, err := exec.LookPath("luacheck")
	if err != nil {
		missing(t, "no luacheck (Debian: lua-check)")
	}
	dir := gallery(t, map[string]string{".luacheckrc": spec.Luacheck()}, "*.lua", "bad.lua",
		"ext.regex.tst('a', 'b')\next.foo()\next.log.info(nothing)\n")
	if err := os.WriteFile(filepath.Join(dir, "ext.lua"), []byte(spec.LuaMeta()),
		0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(luacheck, args...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	var examples []string
	for _, path := range func() []string { l, _ := filepath.Glob(dir + "/*.lua"); return l }() {
		if name := filepath.Base(path); name != "bad.lua" && name != "ext.lua" {
			examples = append(examples, name)
		}
	}
	if out := run(append([]string{"--no-color", "-q"}, examples...)...); !strings.Contains(out,
		"0 warnings / 0 errors") {
		t.Errorf("%s", out)
	}
	out := run("--no-color", "bad.lua")
	for _, want := range []string{"regex.tst", "foo", "nothing"} {
		if !strings.Contains(out, want) {
			t.Errorf("luacheck does not report %s: %s", want, out)
		}
	}
	// it parses
	if out := run("--no-color", "-q", "--no-config", "--only", "0", "--",
		"ext.lua"); !strings.Contains(out, "0 errors") {
		t.Errorf("%s", out)
	}
}

// TestContentIsReadAsAList checks that according to the types a handler reads blocks, and may
// return text.
func TestContentIsReadAsAList(t *testing.T) {
	t.Parallel()
	_, ts, _ := strings.Cut(spec.TypeScript(), "interface ToolResultEvent ")
	_, lua, _ := strings.Cut(spec.LuaMeta(), "---@class ToolResultEvent ")
	for _, tt := range []struct{ text, event, outcome string }{
		{ts, "  readonly content: any[];", "  content?: string | any[];"},
		{lua, "---@field content any[] ", "---@field content string|any[]?"},
	} {
		at := strings.Index(tt.text, tt.event)
		if after := strings.Index(tt.text, tt.outcome); at < 0 || after < at {
			t.Errorf("want %q and then %q in\n%.3000s", tt.event, tt.outcome, tt.text)
		}
	}
}

// TestFlags checks that a field with a few values is not masked, and that a text that comes in
// pieces has an id.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		parts := map[value.PieceRole]int{}
		for _, f := range row.Payload {
			parts[f.Piece]++
			if len(f.Values) > 0 && !f.Verbatim {
				t.Errorf("%s: %s has a few values, but may be masked: use one",
					row.Name, f.Name)
			}
			if f.Piece == value.PieceText && f.Verbatim {
				t.Errorf("%s: %s is text that comes in pieces, but is never masked", row.Name,
					f.Name)
			}
		}
		if parts[value.PieceText] != parts[value.PieceOf] || parts[value.PieceText] > 1 ||
			parts[value.PieceKind] > parts[value.PieceText] {
			t.Errorf("%s: got the roles %v", row.Name, parts)
		}
	}
}

// TestFilesAreMarked checks that each parameter of ext.fs that names files says so: tests of
// scripts confine files by it.
func TestFilesAreMarked(t *testing.T) {
	for _, row := range spec.API() {
		if !strings.HasPrefix(row.Name, "fs.") {
			continue
		}
		for _, p := range row.Params {
			if is := p.Type == "string" && p.Name != "content"; is != p.File {
				t.Errorf("ext.%s: %s: got File %v, want %v", row.Name, p.Name, p.File, is)
			}
		}
	}
}
