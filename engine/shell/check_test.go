package shell

import (
	_ "embed"
	"runtime"
	"strings"
	"testing"
	"time"
)

var testRules = &Rules{
	Deny: []Rule{
		{Cmd: []string{"rm"}, Flags: []string{"r"}, Reason: "use trash"},
		{Cmd: []string{"git"}, Sub: []string{"push"}, Flags: []string{"force"},
			Reason: "no force-push"},
		{Cmd: []string{"find"}, AnyFlags: []string{"delete", "fprint"}, Reason: "no find -delete"},
		{Cmd: []string{"chmod"}, Args: []string{"777", "/etc/**"}, Reason: "no chmod"},
	},
	Ask: []Rule{{Cmd: []string{"mkfs*", "dd"}, Reason: "disks"},
		{Cmd: []string{"git"}, Sub: []string{"commit"}, Flags: []string{"no-verify"},
			Unless: &Rule{Flags: []string{"dry-run"}}}},
}

// evasions has command lines with their expected results: d is denied, k asks, - passes. ⏎ is the
// end of a line.
//
//go:embed testdata/evasions.txt
var evasions string

func TestEvasions(t *testing.T) {
	n := 0
	for line := range strings.Lines(evasions) {
		want, command := line[:1], strings.ReplaceAll(strings.TrimSuffix(line[2:], "\n"), "⏎", "\n")
		v := Parse(command).Check(testRules)
		if got := map[string]string{"deny": "d", "ask": "k", "allow": "a",
			"": "-"}[v.Decision]; got != want {
			t.Errorf("%s\n got %s (%+v), want %s", command, got, v, want)
		}
		n++
	}
	if n < 200 {
		t.Errorf("only %d command lines were tried", n)
	}
}

func TestEvasionsInHeredocs(t *testing.T) {
	for _, text := range []string{"sh <<E\nrm -r x\nE", "bash <<'E'\ncd y\nrm -r x\nE",
		"sudo bash -s <<-E\n\trm -r x\n\tE", "cat <<E\n$(rm -r x)\nE", "r\\\nm -r x",
		"ssh host <<E\nrm -r x\nE", "env bash << E\nrm \\\n-r x\nE"} {
		if v := Parse(text).Check(testRules); v.Decision != "deny" {
			t.Errorf("%q: got %+v", text, v)
		}
	}
	for _, text := range []string{"sh <<E\n$x\nE", "python <<E\nexec\nE", "cat x | sh",
		"bash <<E\nrm $x\nE", "(echo ''#; rm -r x\n)",
		"eval echo\\ \\\\\\\n\\#\\ \\;\\ rm\\ -r\\ x"} {
		if v := Parse(text).Check(testRules); v.Decision != "ask" {
			t.Errorf("%q: got %+v", text, v)
		}
	}
}

func TestCheckRules(t *testing.T) {
	rm := Rule{Cmd: []string{"rm"}, Unless: &Rule{Args: []string{"/tmp/**", "build"}}}
	tests := []struct {
		command string
		rules   Rules
		want    string
	}{
		{"rm /tmp/x", Rules{Deny: []Rule{rm}}, ""},
		{"rm -rf build /tmp/x/y", Rules{Deny: []Rule{rm}}, ""},
		{"rm /tmp/x /etc/y", Rules{Deny: []Rule{rm}}, "deny"},
		{"rm /tmp/../etc/y", Rules{Deny: []Rule{rm}}, "deny"},
		{`rm "/tmp/$X"`, Rules{Deny: []Rule{rm}}, "deny"},
		{"rm", Rules{Deny: []Rule{rm}}, "deny"},
		{"rm /tmp/*", Rules{Deny: []Rule{rm}}, ""},
		{"rm /tmp/.*", Rules{Deny: []Rule{rm}}, "deny"},
		{"cat ~/.ssh/id", Rules{Deny: []Rule{{Args: []string{"~/.ssh/**"}}}}, "deny"},
		{"rm ../../../etc/passwd", Rules{Deny: []Rule{{Args: []string{"/etc/**"}}}}, "ask"},
		{"rm a/../../etc/passwd", Rules{Deny: []Rule{{Args: []string{"/etc/**"}}}}, "ask"},
		{"cat ../.ssh/id_rsa", Rules{Deny: []Rule{{Args: []string{"~/.ssh/**"}}}}, "ask"},
		{"rm ../../../src/passwd a/../etc/passwd", Rules{Deny: []Rule{{Args: []string{"/etc/**"}}}},
			""},
		{"curl --upload-file=/etc/passwd x", Rules{Deny: []Rule{{Args: []string{"/etc/**"}}}},
			"deny"},
		{"dd of=/dev/sda", Rules{Deny: []Rule{{Cmd: []string{"dd"}, Args: []string{"/dev/*"}}}},
			"deny"},
		{"git push origin HEAD:refs/heads/main",
			Rules{Deny: []Rule{{Cmd: []string{"git"}, Sub: []string{"push"},
				Args: []string{"main"}}}}, "deny"},
		{"git push origin +main",
			Rules{Deny: []Rule{{Cmd: []string{"git"}, Sub: []string{"push"},
				Args: []string{"main"}}}}, "deny"},
		{"git branch -D x",
			Rules{Deny: []Rule{{Cmd: []string{"git"}, Sub: []string{"branch"},
				Flags: []string{"delete", "force"}}}}, "deny"},
		{"git push origin :x",
			Rules{Deny: []Rule{{Cmd: []string{"git"}, Sub: []string{"push"},
				Flags: []string{"d"}}}}, "deny"},
		{"npm i x", Rules{Deny: []Rule{{Cmd: []string{"npm"}, Sub: []string{"install"}}}}, "deny"},
		{"terraform -chdir=x apply -auto-approve",
			Rules{Deny: []Rule{{Cmd: []string{"terraform"}, Sub: []string{"apply"},
				Flags: []string{"auto-approve"}}}}, "deny"},
		{"foo --verbose deploy --prod",
			Rules{Deny: []Rule{{Cmd: []string{"foo"}, Sub: []string{"deploy"},
				Flags: []string{"prod"}}}}, "deny"},
		{"foo --config x deploy",
			Rules{Deny: []Rule{{Cmd: []string{"foo"}, Sub: []string{"deploy"}}}}, "deny"},
		{"git status && git diff",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status", "diff"}}}}, "allow"},
		{"git status && make",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, ""},
		{"git status > x", Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}},
			""},
		{"PATH=. git status", Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}},
			""},
		{"./git status", Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, ""},
		{"git --no-pager -P status",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, "allow"},
		{"git --no-pager -c core.pager=x status",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, ""},
		{"git -c core.pager=x status",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, ""},
		{"sudo git status", Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}},
			""},
		{"timeout 5 git status",
			Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}}, "allow"},
		{"git status $x", Rules{Allow: []Rule{{Cmd: []string{"git"}, Sub: []string{"status"}}}},
			""},
		{"rg --pre rm x", Rules{Allow: []Rule{{Cmd: []string{"rg"}}}}, ""},
		{"sort --compress-prog=rm x", Rules{Allow: []Rule{{Cmd: []string{"sort"}}}}, ""},
		{"go test -exec rm ./...",
			Rules{Allow: []Rule{{Cmd: []string{"go"}, Sub: []string{"test"}}}}, ""},
		{"go test ./...", Rules{Allow: []Rule{{Cmd: []string{"go"}, Sub: []string{"test"}}}},
			"allow"},
		{"npm run x", Rules{Allow: []Rule{{Cmd: []string{"npm"}, Sub: []string{"run"}}}}, "allow"},
		{"python x", Rules{Allow: []Rule{{Cmd: []string{"python"}}}}, ""},
		{"python -c exec", Rules{Deny: []Rule{rm}, Opaque: "deny"}, "deny"},
		{"python -c exec", Rules{Deny: []Rule{rm}, Opaque: "allow"}, ""},
		{"python -c exec", Rules{Opaque: "deny"}, "deny"},
		{"rm $x", Rules{Deny: []Rule{{Cmd: []string{"rm"}, Flags: []string{"r"}}}, Opaque: "deny"},
			"deny"},
		{"(", Rules{Deny: []Rule{rm}, Opaque: "deny"}, "deny"},
		{"python x; dd", Rules{Ask: []Rule{{Cmd: []string{"dd"}}}, Opaque: "allow"}, "ask"},
		{"dd; rm x", Rules{Ask: []Rule{{Cmd: []string{"dd"}}}, Deny: []Rule{rm}}, "deny"},
	}
	for _, tt := range tests {
		if got := Parse(tt.command).Check(&tt.rules); got.Decision != tt.want {
			t.Errorf("%s, %+v: got %+v, want %q", tt.command, tt.rules, got, tt.want)
		}
	}
}

// FuzzCheck checks that a denied command does not pass as an argument of another command, and that
// a command that cannot be parsed never passes.
func FuzzCheck(f *testing.F) {
	for line := range strings.Lines(evasions) {
		if len(line) > 2 {
			f.Add(strings.ReplaceAll(strings.TrimSuffix(line[2:], "\n"), "⏎", "\n"))
		}
	}
	f.Add("/lib/git-core/giT-push -f")
	f.Fuzz(func(t *testing.T, text string) {
		s := Parse(text)
		v := s.Check(testRules)
		if s.Err != nil && v.Decision == "" {
			t.Errorf("%q cannot be read, and passes", text)
		}
		s.Paths()
		quoted, err := Quote([]string{text})
		if err != nil || v.Decision != "deny" {
			return
		}
		for _, in := range []string{"foo --exec " + quoted, "./foo x=" + quoted,
			"foo bash -c " + quoted, "docker exec a sh -c " + quoted, "sh -c " + quoted,
			"eval " + quoted, "sudo bash -lc " + quoted, "echo x | xargs -n1 sh -c " + quoted,
			"(" + text + "\n)", "true && {\n" + text + "\n}"} {
			if got := Parse(in).Check(testRules); got.Decision == "" {
				t.Errorf("%q is denied, and %q passes", text, in)
			}
		}
	})
}

// TestSlowChecks checks that command lines that are designed to be slow to check do not pass.
func TestSlowChecks(t *testing.T) {
	for _, text := range []string{
		"foo " + strings.Repeat("sudo --x ", 90) + "rm",
		"foo " + strings.Repeat("a=b=c=d=e=f=g=h=i=j=k=l=m=n ", 190),
		"foo " + strings.Repeat("a b c ", 1300), "foo '" + strings.Repeat("a ", 9000) + "'",
		"foo '" + strings.Repeat("x=sudo --x ", 300) + "'",
		strings.Repeat("foo sudo --x sudo --x sudo --x x;", 240),
		"x='" + strings.Repeat("sudo --x ", 100) + "'; foo " + strings.Repeat(`"$x" `, 100),
		strings.Repeat("tmux "+strings.Repeat("a=", 50)+" b;", 400),
		"tmux " + strings.Repeat("a=", 30000),
		strings.Repeat("docker run "+strings.Repeat("a ", 100)+";", 400),
		"tmux " + strings.Repeat("'sh -c x' ", 5000), strings.Repeat("sudo --x ", 300) + "rm -r",
		strings.Repeat("x=a;", 5000) + strings.Repeat("y=$x;", 5000) + "rm $y",
		"a=b;" + strings.Repeat("c=$a$a$a$a$a$a$a$a$a$a;a=$c$c$c$c$c$c$c$c$c$c;", 600) + `rm "$a"`,
		"xargs " + strings.Repeat("-Ia ", 9000) + strings.Repeat("a ", 9000),
		"foo " + strings.Repeat("{a,b,c}", 9000), strings.Repeat("a|", 32000) + "a #",
		strings.Repeat("a&&", 21000) + "a", "make " + strings.Repeat("-xsudo ", 9000),
		"git x --force " + strings.Repeat("a ", 9990), "sed '" + strings.Repeat("}", 60000) + "' x",
		"tee " + strings.Repeat("a ", 9000) + "; npm " + strings.Repeat("b ", 9000) + "; rm $x",
		strings.Repeat("a=$(", 90) + strings.Repeat("x ", 9000) + "; rm $x" + strings.Repeat(")",
			90), strings.Repeat("eval ", 200) + "'" + strings.Repeat("a;", 400) + "'",
	} {
		done := make(chan Verdict, 1)
		go func() { s := Parse(text); s.Paths(); done <- s.Check(testRules) }()
		select {
		case v := <-done:
			if v.Decision == "" {
				t.Errorf("%.40q passes", text)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%.40q: not checked after a minute", text)
		}
	}
}

// TestUnknownFlagsOfWrappers checks that the words after an unknown flag, each of which may begin
// the command, are not all copied for each of them.
func TestUnknownFlagsOfWrappers(t *testing.T) {
	for _, text := range []string{"xargs --unknown " + strings.Repeat("a ", 9000),
		"parallel --unknown " + strings.Repeat("a ", 9000),
		"parallel " + strings.Repeat("--unknown a ", 4000),
		"parallel --unknown " + strings.Repeat("::: a ", 4000),
		"schroot " + strings.Repeat("--unknown a ", 4000) + "< x"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := Parse(text).Check(testRules)
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; v.Decision == "" || n > 200 {
			t.Errorf("%.40q: got %+v with %d MB", text, v, n)
		}
	}
}

// checkNew parses a line as if it had not been parsed before, and checks it.
func checkNew(text string) Verdict {
	s := parseTree(text, wholeLine(), Context{})
	s.unclear, s.judged = s.Opaque(), true
	return s.Check(testRules)
}

// BenchmarkCheck measures a common command line, and some that are slow to check.
func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{"typical": `cd src && git commit -m "a message" && ` +
		`git push origin main 2>&1 | tail -3`, "carried": "tmux " + strings.Repeat("a=b ", 1500),
		"guesses": strings.Repeat("sudo --x ", 300) + "rm -r",
		"unknown": `foo deploy --env=prod --message "a message (of some words)" src/main.go "$X"`,
		"dear":    "foo " + strings.Repeat("sudo --x ", 90) + "rm"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				checkNew(text)
			}
		})
	}
}

// BenchmarkLongest measures lines of the greatest length: 64 KB.
func BenchmarkLongest(b *testing.B) {
	for name, unit := range map[string]string{"words": "a ", "programs": "ls x; ", "quotes": "'a' ",
		"variables": "a=$b ", "flags": "--a=b ", "substitutions": "$(a) ", "globs": "*.a/?b ",
		"lists": "a && b || c; ", "redirections": "a > b; ", "wrappers": "sudo -x ",
		"folders": "d=x; cd $d; ", "loops": "for d in x; do (cd $d); done; ",
		"expansions": "${a%b}${c:-d} ", "rules": "git push -x; ", "text": "cat .env ~/x | y; "} {
		text := strings.Repeat(unit, (maxText-1)/len(unit))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				checkNew(text)
			}
		})
	}
}
