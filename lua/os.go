// This file holds the functions of os for dates and times, which use the engine's clock.

package lua

import (
	"fmt"
	"math"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
)

// mostSeconds limits times in both directions: the year 9999.
const mostSeconds = 253402300799

// maxFormat is the length of the longest date format, in bytes: it is one line.
const maxFormat = 1000

// openOS makes the table os.
func (g *guards) openOS() {
	clock := g.clock
	begun := clock.Now()
	g.field("os", "clock", func(L *glua.LState) int {
		L.Push(glua.LNumber(clock.Now().Sub(begun).Seconds()))
		return 1
	})
	g.field("os", "time", func(L *glua.LState) int {
		at := clock.Now()
		if v := L.Get(1); v != glua.LNil {
			at = timeOf(L, readable(L, 1))
		}
		L.Push(glua.LNumber(at.Unix()))
		return 1
	})
	g.field("os", "difftime", func(L *glua.LState) int {
		L.Push(L.CheckNumber(1) - L.OptNumber(2, 0))
		return 1
	})
	g.field("os", "date", func(L *glua.LState) int {
		format, at := L.OptString(1, "%c"), clock.Now()
		if len(format) > maxFormat {
			raisef(L, "os.date: format: got %d bytes, want at most %d", len(format), maxFormat)
		}
		if L.Get(2) != glua.LNil {
			n := float64(L.CheckNumber(2))
			if !(math.Abs(n) <= mostSeconds) {
				raisef(L, "os.date: time: got %v, want a time up to the year 9999", n)
			}
			at = time.Unix(int64(n), 0)
		}
		at = at.Local()
		if utc, ok := strings.CutPrefix(format, "!"); ok {
			format, at = utc, at.UTC()
		}
		if strings.HasPrefix(format, "*t") {
			L.Push(dateTable(L, at))
		} else {
			L.Push(glua.LString(dateText(format, at)))
		}
		return 1
	})
}

// dateTable implements os.date("*t").
func dateTable(L *glua.LState, at time.Time) *glua.LTable {
	t := L.CreateTable(0, 9)
	for key, n := range map[string]int{"year": at.Year(), "month": int(at.Month()), "day": at.Day(),
		"hour": at.Hour(), "min": at.Minute(), "sec": at.Second(),
		"wday": int(at.Weekday()) + 1, "yday": at.YearDay()} {
		t.RawSetString(key, glua.LNumber(n))
	}
	t.RawSetString("isdst", glua.LBool(at.IsDST()))
	return t
}

// timeOf returns the time for a table like that of os.date("*t"). Values beyond a day, month or
// year carry over.
func timeOf(L *glua.LState, v glua.LValue) time.Time {
	field := func(name string, usual int) int {
		var x glua.LValue
		if w := viewOf(v); w != nil {
			x = w.getKey(glua.LString(name))
		} else {
			x = v.(*glua.LTable).RawGetString(name)
		}
		if x == glua.LNil && usual >= 0 {
			return usual
		}
		n, ok := x.(glua.LNumber)
		if !ok {
			raisef(L, "os.time: %s: got %s, want a number", name, typeName(x))
		}
		if !(math.Abs(float64(n)) <= mostSeconds) {
			raisef(L, "os.time: %s: got %v, want a time up to the year 9999", name, n)
		}
		return int(n)
	}
	return time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
		field("hour", 12), field("min", 0), field("sec", 0), 0, time.Local)
}

// dateForms maps directives of os.date to formats of Go. Source: C99 7.23.3.5, in the C locale.
var dateForms = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'h': "Jan",
	'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06", 'e': "_2", 'F': "2006-01-02",
	'H': "15",
	'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM", 'R': "15:04", 'S': "05",
	'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
	'z': "-0700", 'Z': "MST", 'n': "\n", 't': "\t", '%': "%",
}

// dateText formats a time. An unknown directive stays as it is.
func dateText(format string, at time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch c := format[i]; {
		case dateForms[c] != "":
			b.WriteString(at.Format(dateForms[c]))
		case c == 'w':
			fmt.Fprint(&b, int(at.Weekday()))
		case c == 'U': // weeks that begin on Sunday
			fmt.Fprintf(&b, "%02d", (at.YearDay()+6-int(at.Weekday()))/7)
		case c == 'W': // on Monday
			fmt.Fprintf(&b, "%02d", (at.YearDay()+6-(int(at.Weekday())+6)%7)/7)
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
