// This file measures scripts that read conversations.

package scripttest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
)

// readers are handlers of context, by their task and language.
var readers = []struct{ name, lua, js string }{
	{"nothing", `ext.on("context", function() end)`, `ext.on("context", () => {});`},
	{"last", `ext.on("context", function(ev) local m = ev.messages[#ev.messages] if m.role == ` +
		`"nobody" then error("x") end end)`,
		`ext.on("context", (ev) => { const m = ev.messages.at(-1); if (m.role === "nobody") ` +
			`throw new Error("x"); });`},
	{"edit-one", `ext.on("context", function(ev)
		local out = {}
		for i, m in ipairs(ev.messages) do out[i] = m end
		out[1] = { role = "user", content = "edited" }
		return { messages = out }
	end)`, `ext.on("context", (ev) => ({ messages: ev.messages.map((m, i) => i === 0 ? { role: ` +
		`"user", content: "edited" } : m) }));`},
	{"roles", `ext.on("context", function(ev)
		local out = {}
		for _, m in ipairs(ev.messages) do if m.role ~= "tool" then out[#out + 1] = m end end
		return { messages = out }
	end)`,
		`ext.on("context", (ev) => ({ messages: ev.messages.filter((m) => m.role !== "tool") }));`},
}

// BenchmarkContext measures a request to a model with one handler that reads its messages.
func BenchmarkContext(b *testing.B) {
	for _, r := range readers {
		for _, n := range []int{10, 10_000} {
			b.Run(fmt.Sprintf("lua/%s/%d", r.name, n),
				func(b *testing.B) { benchContext(b, "x.lua", r.lua, n) })
			b.Run(fmt.Sprintf("js/%s/%d", r.name, n),
				func(b *testing.B) { benchContext(b, "x.js", r.js, n) })
		}
	}
}

func benchContext(b *testing.B, name, src string, n int) {
	eng := benchEngine(b, name, src, nil)
	list := benchMessages(n)
	b.ReportAllocs()
	for b.Loop() {
		ev, v := eng.Intercept(context.Background(),
			eng.Events.Named("context", &event.Envelope{}, map[string]any{"messages": list}))
		if err := v.Failed(); err != nil {
			b.Fatal(err)
		}
		if now := ev.Field("messages").(chat.MessageList); now[len(now)-1] != list[len(now)-1] &&
			len(now) == n {
			b.Fatal("the last message has changed")
		}
	}
}

// BenchmarkSessionMessages measures a command that gets the whole conversation as plain tables.
func BenchmarkSessionMessages(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		services := &service.Agent{Messages: func(
			*event.Envelope) []*chat.Message {
			return benchMessages(n)
		}}
		bench := func(name, src string) func(b *testing.B) {
			return func(b *testing.B) {
				eng := benchEngine(b, name, src, services)
				b.ReportAllocs()
				for b.Loop() {
					if r, err := eng.Commands.Run(context.Background(), &event.Envelope{}, "x",
						""); err != nil || r.Insert != "ok" {
						b.Fatal(r, err)
					}
				}
			}
		}
		b.Run(fmt.Sprintf("lua/%d", n), bench("x.lua",
			luaHeader+`ext.command{ name = "x", run = function() if #ext.session.messages() > 0 `+
				`then return { insert = "ok" } end end }`))
		b.Run(fmt.Sprintf("js/%d", n), bench("x.js",
			jsHeader+`ext.command({ name: "x", run: () => { if (ext.session.messages().length > `+
				`0) return { insert: "ok" }; } });`))
	}
}

func benchMessages(n int) chat.MessageList {
	list := make(chat.MessageList, n)
	for i := range list {
		list[i] = &chat.Message{ID: fmt.Sprint("m", i),
			Role: []string{"user", "assistant", "tool"}[i%3], CallID: "c",
			Content: []chat.Block{{Type: "text", Text: strings.Repeat("text ", 50)}}}
	}
	return list
}

func benchEngine(b *testing.B, name, src string, services *service.Agent) *engine.Engine {
	eng := scripttest.NewStandard(b, standard.Options{
		Host:   host.Options{Services: func() *service.Agent { return services }},
		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New()}}})
	script := &scriptfile.Script{Name: name, Path: name, Bytes: []byte(src)}
	var err error
	if script.Header, err = header(name, script.Bytes); err != nil {
		b.Fatal(err)
	}
	gen, err := eng.Scripts.Load(context.Background(), script)
	if err != nil {
		b.Fatal(err)
	}
	eng.Scripts.Swap([]*engine.Generation{gen}, nil)
	return eng
}
