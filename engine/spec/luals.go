// This file generates the definitions of ext for Lua editors and luacheck.

package spec

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// LuaMeta returns the definition file of ext for the Lua language server, ext.lua.
func LuaMeta() string {
	var b strings.Builder
	b.WriteString("---@meta\n-- The types of ext, made from the tables of the program: agent ext " +
		"types rewrites this file.\n\n---@class AgentEvent What every event has.\n")
	luaFields(&b, Envelope())
	for _, row := range Events() {
		if row.Name == event.Custom {
			continue
		}
		fmt.Fprintf(&b, "\n---@class %s : AgentEvent %s\n", tsName(row.Name, "Event"), row.Doc)
		luaFields(&b, asRead(row.Payload))
		if keys := engine.OutcomeKeys(&row); len(keys) > 0 {
			fmt.Fprintf(&b, "\n---@class %s What a handler of %s may return.\n",
				tsName(row.Name, "Outcome"), row.Name)
			for _, key := range keys {
				f := engine.OutcomeField(&row, key)
				fmt.Fprintf(&b, "---@field %s %s?\n", key,
					luaType(value.Field{Type: strings.TrimSuffix(f.Type, "?"), Values: f.Values}))
			}
		}
	}
	b.WriteString("\n---@class AgentCall What a tool, a command, a shortcut and a timer are " +
		"called with, besides their arguments.\n")
	luaFields(&b, Call())
	b.WriteString("\n---@class HandlerOptions\n")
	luaFields(&b, handlerOptions)
	b.WriteString("\n---@class AgentTest What the function of an ext.test is handed.\n")
	for _, row := range Testing() {
		fmt.Fprintf(&b, "---@field %s %s %s\n", strings.TrimPrefix(row.Name, "t."), luaFun(&row),
			row.Doc)
	}
	b.WriteString("\next = {}\n")
	luaTree(&b, tree(), "ext")
	return b.String()
}

func luaFields(b *strings.Builder, fields []value.Field) {
	for _, f := range fields {
		mark := ""
		if strings.HasSuffix(f.Type, "?") {
			mark = "?"
		}
		fmt.Fprintf(b, "---@field %s%s %s %s\n", f.Name, mark, luaType(f), f.Doc)
	}
}

// luaType returns the type of a field in the language server's notation.
func luaType(f value.Field) string {
	if len(f.Values) > 0 {
		return `"` + strings.Join(f.Values, `"|"`) + `"`
	}
	var out []string
	for _, t := range strings.Split(strings.TrimSuffix(f.Type, "?"), "|") {
		switch {
		case t == "table" && len(f.Fields) > 0:
			t = luaTable(f.Fields)
		case t == "function":
			t = luaCallback(f)
		case t == "call":
			t = "AgentCall"
		case t == "list":
			t = "any[]"
		case t == "null":
			t = "userdata"
		}
		out = append(out, t)
	}
	return strings.Join(out, "|")
}

// luaCallback returns the type of a function that a script passes.
func luaCallback(f value.Field) string {
	if f.Takes == nil && f.Answer == "" && len(f.Fields) == 0 {
		return "function"
	}
	params := []string{"..."}
	if f.Takes != nil {
		params = nil
	}
	for _, p := range f.Takes {
		params = append(params, p.Name+": "+luaType(p))
	}
	out := "fun(" + strings.Join(params, ", ") + ")"
	if f.Answer != "" || len(f.Fields) > 0 {
		out += ": (" + luaType(value.Field{Type: cmp.Or(f.Answer, "table"), Fields: f.Fields}) +
			")?"
	}
	return out
}

// luaTable returns the type of a table with these keys.
func luaTable(fields []value.Field) string {
	var keys []string
	for _, k := range fields {
		mark := ""
		if strings.HasSuffix(k.Type, "?") {
			mark = "?"
		}
		keys = append(keys, k.Name+mark+": "+luaType(k))
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// luaFun returns the type of a function: fun(tool: string, args?: table): table
func luaFun(row *engine.APIRow) string {
	var params []string
	for _, p := range row.Params {
		mark := ""
		if strings.HasSuffix(p.Type, "?") {
			mark = "?"
		}
		params = append(params, p.Name+mark+": "+luaType(p))
	}
	s := "fun(" + strings.Join(params, ", ") + ")"
	if row.Result != "" {
		s += ": " + luaType(value.Field{Type: row.Result})
	}
	return s
}

func luaTree(b *strings.Builder, n *node, at string) {
	for _, k := range n.kids {
		name := at + "." + k.name
		switch {
		case k.row == nil:
			fmt.Fprintf(b, "\n%s = {}\n", name)
			luaTree(b, k, name)
		case k.row.Fact:
			fmt.Fprintf(b, "\n---%s\n---@type %s\n%s = nil\n", k.row.Doc,
				luaType(value.Field{Type: k.row.Result}), name)
		default:
			luaFunction(b, k.row, name)
		}
	}
}

// luaFunction defines a function. ext.on knows the event of each name.
func luaFunction(b *strings.Builder, row *engine.APIRow, name string) {
	fmt.Fprintf(b, "\n---%s\n", row.Doc)
	var params []string
	for _, p := range row.Params {
		switch {
		case p.Rest:
			fmt.Fprintf(b, "---@param ... %s %s\n", luaType(p), p.Doc)
			params = append(params, "...")
			continue
		case strings.HasSuffix(p.Type, "?"):
			fmt.Fprintf(b, "---@param %s? %s %s\n", p.Name, luaType(p), p.Doc)
		default:
			fmt.Fprintf(b, "---@param %s %s %s\n", p.Name, luaType(p), p.Doc)
		}
		params = append(params, p.Name)
	}
	if row.Result != "" {
		mark := ""
		if strings.HasSuffix(row.Result, "?") {
			mark = "?"
		}
		fmt.Fprintf(b, "---@return %s%s\n", luaType(value.Field{Type: row.Result}), mark)
	}
	switch row.Name {
	case "on":
		for _, ev := range Events() {
			if ev.Name == event.Custom {
				continue
			}
			answer := ""
			if len(engine.OutcomeKeys(&ev)) > 0 {
				answer = ": " + tsName(ev.Name, "Outcome") + "?"
			}
			fn := fmt.Sprintf("fun(ev: %s)%s", tsName(ev.Name, "Event"), answer)
			fmt.Fprintf(b, "---@overload fun(event: %q, fn: %s)\n---@overload fun(event: %q, "+
				"options: HandlerOptions, fn: %s)\n", ev.Name, fn, ev.Name, fn)
		}
	case "test":
		b.WriteString("---@overload fun(name: string, fn: fun(t: AgentTest))\n")
	case "guard":
		b.WriteString("---@overload fun(fn: fun(ev: GuardEvent): GuardOutcome?)\n---@overload " +
			"fun(options: HandlerOptions, fn: GuardOutcome|fun(ev: GuardEvent): GuardOutcome?)\n")
	}
	fmt.Fprintf(b, "function %s(%s) end\n", name, strings.Join(params, ", "))
}

// Luacheck returns a configuration for luacheck that knows ext: it returns a table, so that another
// one can load it.
func Luacheck() string {
	return "-- Made from the tables of the program: agent ext types rewrites this file.\nreturn " +
		"{ std = \"lua51c+agent\", max_line_length = false, stds = { agent = { " +
		"read_globals = { \"utf8\", ext = " +
		luacheckFields(tree(), "") + " } } } }\n"
}

func luacheckFields(n *node, indent string) string {
	var b strings.Builder
	b.WriteString("{ fields = {\n")
	for _, k := range n.kids {
		if k.row == nil {
			fmt.Fprintf(&b, "%s  %s = %s,\n", indent, k.name, luacheckFields(k, indent+"  "))
		} else {
			fmt.Fprintf(&b, "%s  %s = {},\n", indent, k.name)
		}
	}
	b.WriteString(indent + "} }")
	return b.String()
}
