package redact

import (
	"regexp/syntax"
	"testing"
)

// What is written is parsed to what matches the same: as regexp/syntax itself writes it, where it
// takes its time.
func TestWritten(t *testing.T) {
	for _, pattern := range []string{
		`sk-\d+`, `(?s)BEGIN.*?END`, `токен\S+`, `\btoken\b`, `\Btoken\B`,
		`(?i)key\s*[:=]\s*\w{3,5}`, `(?m)^x+$`, `^a$`, `\Aa\z`, `(a|xb)(c|ycd)(d*)`, `(?U)a+b*?c?`,
		`[^\s"']{4,}`, `a{2}|b{0,3}?|c{2,}?`, `(?i)straße\x{212a}`, `(?i:k)K`, `(?i)[k-m]x`,
		`[[:^alpha:]]`, `\pL+\PL`, `[^\x00-\x{10FFFF}]`, `(?:)`, `()|x`, `\x{d800}\Q.*[]()\E`, `.`,
		`(?s).`, `a.b(?s:.)(?i:q)`,
		`[a-]`, `[\]^\\-]`, `(?P<name>x)y`, `((((x)*)+)?){2}`, "a\nb\tc",
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for _, re := range []*syntax.Regexp{re, re.Simplify(), beginnings(re.Simplify())} {
			again, err := syntax.Parse(written(re), syntax.Perl)
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
				continue
			}
			theirs, err := syntax.Parse(re.String(), syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := program(t, again), program(t, theirs); got != want {
				t.Errorf("%s: written as %s, got\n%s\nwant\n%s", pattern, written(re), got, want)
			}
		}
	}
}

// program returns the compiled program of re.
func program(t *testing.T, re *syntax.Regexp) string {
	t.Helper()
	p, err := syntax.Compile(uncaptured(re).Simplify())
	if err != nil {
		t.Fatal(err)
	}
	return p.String()
}

// uncaptured returns re without its captures.
func uncaptured(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	out.Sub = nil
	for _, s := range re.Sub {
		out.Sub = append(out.Sub, uncaptured(s))
	}
	if re.Op == syntax.OpCapture {
		return out.Sub[0]
	}
	return &out
}
