package js

import (
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// TestMatchThatWasEndedEarly checks that a match that the interpreter reports as "nothing", because
// the clock of its library jumped, is repeated until the true result is known.
func TestMatchThatWasEndedEarly(t *testing.T) {
	for src, want := range map[string]bool{
		`/a(?=b)/`: true, `/a(?=c)/`: false, `/(a)\1b/`: true, `/(a)\1c/`: false,
		`/b(?=$)/g`: true, `/a(?=b)/y`: false, `/(?=x)a/y`: false, `/\u{1f600}(?!x)/u`: true,
		`/\ud83d\ude00(?!x)/u`: true, `/😀(?!x)/u`: true, `/😀(?!x)/`: true, `/\ude00(?!x)/`: true,
		`/\ude00(?!x)/u`: false, `/é(?!x)/`: true, `/[^ab](?!x)/gu`: true, `/B(?=$)/i`: true,
		`/^b(?!x)/m`: true, `/\n(?=.b)/s`: false, `/a.(?=b)/s`: true, `/b.(?=b)/s`: false,
	} {
		rt := goja.New()
		r := &realm{rt: rt}
		p := &patterns{realm: r, rt: rt, meter: &r.meter,
			fail: func(msg string) { t.Error(src, msg) }}
		rx, err := rt.RunString(src)
		if err != nil {
			t.Fatal(src, err)
		}
		test := raw(rx.(*goja.Object).Get("test"))
		early := 2 // so often the library ends the match
		out := p.timed(goja.FunctionCall{This: rx,
			Arguments: []goja.Value{rt.ToValue("aab😀é\nb")}},
			func(call goja.FunctionCall) goja.Value {
				if early--; early < 0 {
					return test(call)
				}
				time.Sleep(regexpAtOnce)
				return rt.ToValue(false)
			}, func(out goja.Value) bool { return !out.ToBoolean() })
		if out.ToBoolean() != want {
			t.Errorf("%s: got %v", src, out)
		}
	}
}

// TestMatchThatIsAlwaysEnded checks that a match never counts as "nothing" if it does not end.
func TestMatchThatIsAlwaysEnded(t *testing.T) {
	setRegexpTimeout()
	for _, src := range []string{`/(?!x)(a+)+$/`, `/(?!x)(a+)+$/gu`} {
		rt := goja.New()
		failed := ""
		r := &realm{rt: rt}
		p := &patterns{realm: r, rt: rt, meter: &r.meter, fail: func(msg string) { failed = msg }}
		rx, err := rt.RunString(src)
		if err != nil {
			t.Fatal(err)
		}
		nothing := func(goja.FunctionCall) goja.Value {
			time.Sleep(regexpAtOnce)
			return goja.Null()
		}
		exec := func(text string) (out goja.Value) {
			defer func() { _ = recover() }() // it throws
			return p.timed(goja.FunctionCall{This: rx, Arguments: []goja.Value{rt.ToValue(text)}},
				nothing, goja.IsNull)
		}
		if out := exec("b"); out == nil || failed != "" {
			t.Errorf("%s: got %v, %q for a text without a match", src, out, failed)
		}
		if out := exec(strings.Repeat("a", 50) + "b"); out != nil || failed == "" {
			t.Errorf("%s: got %v, %q, want a failure", src, out, failed)
		}
	}
}
