// This file makes console: each line goes to the script's log, through the same rows as ext.log.

package js

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxLogText is the most bytes that one console call writes: people read the log.
	maxLogText = 64 << 10
	// mostLabels is the most counters and timers that console keeps. A script with more generates
	// their names.
	mostLabels = 1000
	// mostGroups is the deepest indentation of console.group.
	mostGroups = 20
)

// consoleLevels maps the functions of console to levels of the log.
var consoleLevels = []struct{ name, level string }{
	{"log", "info"}, {"info", "info"}, {"debug", "debug"}, {"trace", "debug"}, {"warn", "warn"},
	{"error", "error"}, {"table", "info"},
	{"group", "info"}, {"groupCollapsed", "info"},
}

// console is the state of the functions of console.
type console struct {
	realm  *realm
	rt     *goja.Runtime // that of realm
	values *values
	now    func() time.Time
	write  func(level, text string) // to the log

	groups int
	counts map[string]int
	clocks map[string]time.Time
}

// newConsole makes the object console.
func (c *console) newConsole() goja.Value {
	c.counts, c.clocks = map[string]int{}, map[string]time.Time{}
	obj := c.rt.NewObject()
	set := func(name string, fn func(call goja.FunctionCall)) {
		_ = obj.Set(name, c.realm.native(name, func(call goja.FunctionCall) goja.Value {
			fn(call)
			return nil
		}))
	}
	for _, f := range consoleLevels {
		set(f.name, func(call goja.FunctionCall) {
			group := strings.HasPrefix(f.name, "group")
			if !group || len(call.Arguments) > 0 {
				c.log(f.level, c.line(call.Arguments))
			}
			if group && c.groups < mostGroups {
				c.groups++
			}
		})
	}
	set("dir", func(call goja.FunctionCall) { c.log("info", c.inspect(call.Argument(0))) })
	set("groupEnd", func(goja.FunctionCall) { c.groups = max(0, c.groups-1) })
	set("assert", func(call goja.FunctionCall) {
		if call.Argument(0).ToBoolean() {
			return
		}
		text := "Assertion failed"
		if len(call.Arguments) > 1 {
			text += ": " + c.line(call.Arguments[1:])
		}
		c.log("error", text)
	})
	c.setCounts(set)
	return obj
}

// setCounts sets the functions that take a label.
func (c *console) setCounts(set func(name string, fn func(call goja.FunctionCall))) {
	label := func(call goja.FunctionCall) string {
		if l := call.Argument(0); !goja.IsUndefined(l) {
			return c.realm.text(l).String()
		}
		return "default"
	}
	set("count", func(call goja.FunctionCall) {
		l := label(call)
		if len(c.counts) < mostLabels || c.counts[l] > 0 {
			c.counts[l]++
		}
		c.log("info", fmt.Sprintf("%s: %d", l, c.counts[l]))
	})
	set("countReset", func(call goja.FunctionCall) { delete(c.counts, label(call)) })
	set("time", func(call goja.FunctionCall) {
		if len(c.clocks) < mostLabels {
			c.clocks[label(call)] = c.now()
		}
	})
	for _, name := range []string{"timeLog", "timeEnd"} {
		set(name, func(call goja.FunctionCall) {
			l := label(call)
			began, ok := c.clocks[l]
			if !ok {
				c.log("warn", fmt.Sprintf("console.%s: there is no %q: begin with console.time",
					name, l))
				return
			}
			text := fmt.Sprintf("%s: %.3f ms", l, float64(c.now().Sub(began).Microseconds())/1000)
			if name == "timeEnd" {
				delete(c.clocks, l)
			} else if len(call.Arguments) > 1 {
				text += " " + c.line(call.Arguments[1:])
			}
			c.log("info", text)
		})
	}
}

func (c *console) log(level, text string) {
	if c.groups > 0 {
		in := strings.Repeat("  ", c.groups)
		text = in + strings.ReplaceAll(text, "\n", "\n"+in)
	}
	c.write(level, text)
}

// line formats values as console does: strings as they are, data as JSON. A first string with
// format specifiers such as %s takes values.
func (c *console) line(vals []goja.Value) string {
	var b strings.Builder
	if len(vals) > 1 && goja.IsString(vals[0]) && strings.Contains(vals[0].String(), "%") {
		vals = c.format(&b, vals[0].String(), vals[1:])
		if len(vals) > 0 {
			b.WriteByte(' ')
		}
	}
	for i, val := range vals {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.inspect(val))
		if b.Len() > maxLogText {
			break
		}
	}
	if b.Len() > maxLogText {
		return plain.Head(b.String(), maxLogText) + "…"
	}
	return b.String()
}

// format writes a text with its specifiers replaced, and returns the values that are left. Source:
// the console standard, "Formatter".
func (c *console) format(b *strings.Builder, text string, vals []goja.Value) []goja.Value {
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		sign := text[i+1]
		switch {
		case sign == '%':
			b.WriteByte('%')
		case len(vals) == 0 || !strings.ContainsRune("sdifjoOc", rune(sign)):
			b.WriteByte('%')
			continue
		default:
			b.WriteString(c.formatted(sign, vals[0]))
			vals = vals[1:]
		}
		i++
	}
	return vals
}

func (c *console) formatted(sign byte, val goja.Value) string {
	_, isObject := val.(*goja.Object)
	switch {
	case sign == 'c': // CSS: nothing to style
		return ""
	case sign == 's' || sign == 'o' || sign == 'O' || sign == 'j':
		return c.inspect(val)
	case isObject || isSymbol(val):
		return "NaN"
	}
	n := val.ToFloat()
	if sign == 'i' {
		n = math.Trunc(n)
	}
	return c.rt.ToValue(n).String()
}

func isSymbol(val goja.Value) bool {
	_, ok := val.(*goja.Symbol)
	return ok
}

func (c *console) inspect(val goja.Value) string {
	obj, ok := val.(*goja.Object)
	if !ok {
		return val.String()
	}
	if obj.ClassName() == "Error" {
		return c.values.failures.thrownMessage(obj)
	}
	p, err := c.values.plain(obj)
	if err != nil {
		return "[" + strings.TrimSuffix(strings.SplitN(err.Error(), ",", 2)[0], ":") + "]"
	}
	if p, err = value.Plain(p); err != nil {
		return "[" + err.Error() + "]"
	}
	if s, ok := p.(string); ok { // a secret, a date, an error
		return s
	}
	return jsonText(p)
}
