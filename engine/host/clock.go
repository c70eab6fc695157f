// This file implements ext.time: formatting and parsing of times in seconds since 1970.

package host

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// directives maps the letters after % in a format to Go's layouts.
var directives = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
	'p': "PM", 'y': "06", 'j': "002",
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'z': "-0700", 'Z': "MST",
	'F': "2006-01-02", 'T': "15:04:05",
}

// maxFormat is how long a format may be, in bytes: it is one line.
const maxFormat = 1000

// layout splits a format into pieces: in turn literal text and a Go layout.
func layout(name, format string) (pieces []string, err error) {
	if len(format) > maxFormat {
		return nil, fmt.Errorf("%s: format: got %d bytes, want at most %d", name, len(format),
			maxFormat)
	}
	literal := ""
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			literal += format[i : i+1]
			continue
		}
		i++
		switch {
		case i == len(format):
			return nil, fmt.Errorf("%s: format: it ends with a %%: write %%%%", name)
		case format[i] == '%':
			literal += "%"
		case directives[format[i]] == "":
			return nil, fmt.Errorf("%s: format: there is no %%%c", name, format[i])
		default:
			pieces = append(pieces, literal, directives[format[i]])
			literal = ""
		}
	}
	return append(pieces, literal), nil
}

func timeFuncs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"time.now": timeNow, "time.format": timeFormat, "time.parse": timeParse,
	}
}

func timeNow(c *engine.HostCall) (any, error) {
	return float64(c.Gen.Engine().Clock().Now().UnixMicro()) / 1e6, nil
}

// zone parses options.zone.
func zone(name string, v any) (*time.Location, error) {
	switch z := text(table(v)["zone"]); z {
	case "", "local":
		return time.Local, nil
	default:
		l, err := time.LoadLocation(strings.ReplaceAll(z, "utc", "UTC"))
		if err != nil {
			return nil, fmt.Errorf(
				"%s: zone: got %.80q, want local, utc or a name such as Europe/Berlin", name, z)
		}
		return l, nil
	}
}

// mostSeconds is the largest absolute value of a time: the year 9999.
const mostSeconds = 253402300799

func timeFormat(c *engine.HostCall) (any, error) {
	const name = "ext.time.format"
	seconds := number(c.Args[0])
	if !(math.Abs(seconds) <= mostSeconds) {
		return nil, fmt.Errorf("%s: seconds: got %v, want a time up to the year 9999", name,
			seconds)
	}
	loc, err := zone(name, c.Args[2])
	if err != nil {
		return nil, err
	}
	at := time.UnixMicro(int64(math.Round(seconds * 1e6))).In(loc)
	if c.Args[1] == nil {
		return at.Format(time.RFC3339), nil
	}
	pieces, err := layout(name, text(c.Args[1]))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, p := range pieces {
		if i%2 == 1 {
			p = at.Format(p)
		}
		b.WriteString(p)
	}
	return b.String(), nil
}

// usualForms are the layouts tried for a time without a format: those in common use in logs and
// programs.
var usualForms = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	time.RFC1123Z, time.RFC1123}

func timeParse(c *engine.HostCall) (any, error) {
	const name = "ext.time.parse"
	s, forms := text(c.Args[0]), usualForms
	if c.Args[1] != nil {
		pieces, err := layout(name, text(c.Args[1]))
		if err != nil {
			return nil, err
		}
		forms = []string{strings.Join(pieces, "")}
	}
	loc, err := zone(name, c.Args[2])
	if err != nil {
		return nil, err
	}
	for _, form := range forms {
		if at, err := time.ParseInLocation(form, s, loc); err == nil {
			return float64(at.UnixMicro()) / 1e6, nil
		}
	}
	return nil, &fault.WorldError{Code: "invalid",
		Message: fmt.Sprintf("%s: got %.80q, which does not have this format", name, s)}
}
