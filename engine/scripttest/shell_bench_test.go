// This file measures scripts that parse command lines.

package scripttest_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// several is a line of several commands.
const several = `cd src && git commit -m "a message" && git push origin main 2>&1 | tail -3`

// shellLines are command lines: about 1300 that agents run, parsed in turn; a line of several
// commands, parsed once and parsed again as by the next guard of a call; and the most expensive
// lines that are accepted.
var shellLines = []struct{ name, line string }{
	{"typical", ""},
	{"several", several},
	{"again", several},
	{"commands", strings.Repeat("a b;", 499)},
	{"words", "a " + strings.Repeat("b ", 9000)},
	{"substitutions", strings.Repeat("$(", 190) + "a" + strings.Repeat(")", 190)},
	{"text", "echo '" + strings.Repeat("x", 60000) + "'"},
	{"quotes", "a " + strings.Repeat("'x'y", 15000)},
	{"braces", "a " + strings.Repeat("{b,c} ", 2450)},
	{"redirections", "a " + strings.Repeat(">x ", 1000)},
	{"arithmetic", "((" + strings.Repeat("1+", 4900) + "1))"},
}

// BenchmarkShell measures a handler that parses a command line, one that also examines each command
// of it, and one that checks it against rules.
func BenchmarkShell(b *testing.B) {
	const (
		luaParse = `ext.on("tool_call", function(ev) if ext.shell.parse(ev.args.command).ok == ` +
			`nil then error("x") end end)`
		jsParse = `ext.on("tool_call", (ev) => { if (ext.shell.parse(ev.args.command).ok === ` +
			`undefined) throw new Error("x"); });`
		luaRead = `ext.on("tool_call", function(ev) for _, c in ` +
			`ipairs(ext.shell.parse(ev.args.command).commands) do if c.name == "rm" and ` +
			`c.argv[2] == "-r" then return { block = true } end end end)`
		jsRead = `ext.on("tool_call", (ev) => { for (const c of ` +
			`ext.shell.parse(ev.args.command).commands) if (c.name === "rm" && c.argv[1] === ` +
			`"-r") return { block: true }; });`
		luaCheck = `ext.on("tool_call", function(ev) return ext.shell.check(ev.args.command, { ` +
			`deny = { { cmd = "rm", flags = "r" }, { cmd = "git", sub = "push", flags = "force" ` +
			`} } }) end)`
		jsCheck = `ext.on("tool_call", (ev) => ext.shell.check(ev.args.command, { deny: [{ cmd: ` +
			`"rm", flags: "r" }, { cmd: "git", sub: "push", flags: "force" }] }));`
	)
	for _, l := range shellLines {
		for _, s := range []struct{ name, file, src string }{{"parse/lua/", "x.lua", luaParse},
			{"parse/js/", "x.js", jsParse}, {"read/lua/", "x.lua", luaRead},
			{"read/js/", "x.js", jsRead}, {"check/lua/", "x.lua", luaCheck},
			{"check/js/", "x.js", jsCheck}} {
			b.Run(s.name+l.name, func(b *testing.B) {
				eng := benchEngine(b, s.file, s.src, nil)
				lines, n := linesOf(b, l.name, l.line), 0
				b.ReportAllocs()
				for b.Loop() {
					n = (n + 1) % len(lines)
					args := map[string]any{"command": lines[n]}
					_, v := eng.Intercept(context.Background(),
						eng.Events.Named("tool_call", &event.Envelope{},
							map[string]any{"tool": "bash", "args": args}))
					if err := v.Failed(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// linesOf returns the lines that are parsed in turn. Except for "again" they are more than the
// cache holds.
func linesOf(b *testing.B, name, line string) []string {
	switch name {
	case "typical":
		text, err := os.ReadFile("../shell/testdata/ordinary.txt")
		if err != nil {
			b.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for i, l := range lines {
			lines[i] = strings.ReplaceAll(l, "⏎", "\n")
		}
		return lines
	case "again":
		return []string{line}
	}
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = line + strings.Repeat(" ", i)
	}
	return lines
}
