package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/shell/internal/measure"
)

// show formats commands as "name[args] <via !hides", one after the other.
func show(s *Script) string {
	var out []string
	for _, c := range s.Commands {
		words := make([]string, len(c.Argv))
		for i, w := range c.Argv {
			if words[i] = w; !c.Static[i] {
				words[i] = "<" + w + ">"
			}
		}
		text := strings.Join(append(c.Assign, words...), "|")
		if len(c.Via) > 0 {
			text += " via " + strings.Join(c.Via, " ")
		}
		if c.Hides != "" {
			text += " !" + c.Hides
		}
		out = append(out, text)
	}
	for _, r := range s.Redirects {
		if r.Writes {
			out = append(out, ">"+r.Path)
		} else {
			out = append(out, "<"+r.Path)
		}
	}
	if s.Err != nil {
		out = append(out, "ERROR")
	}
	return strings.Join(out, "; ")
}

func TestParse(t *testing.T) {
	tests := map[string]string{
		``:                               ``,
		`git status`:                     `git|status`,
		`cd a && ls -l | wc; pwd &`:      `cd|a; ls|-l; wc; pwd`,
		`r'm' -rf "a b"`:                 `rm|-rf|a b`,
		`\rm x`:                          `rm|x`,
		"r\\\nm x":                       `rm|x`,
		`$'\x72m' x`:                     `rm|x`,
		`{rm,-rf,/}`:                     `rm|-rf|/`,
		`rm -{r,f} a{1..3}`:              `rm|-r|-f|a1|a2|a3`,
		`/bin/rm x`:                      `/bin/rm|x`,
		`rm ~/x *.go`:                    `rm|~/x|*.go`,
		`"$x" y`:                         `<"$x">|y !dynamic`,
		`a$b c`:                          `<a$b>|c !dynamic`,
		`echo $(rm x) "$y"`:              `echo|<$(rm x)>|<"$y">; rm|x`,
		`diff <(a b) >(c)`:               `diff|<<(a b)>|<>(c)>; a|b; c`,
		`(a; { b; }); if c; then d; fi`:  `a; b; c; d`,
		`f() { rm x; }; f`:               `rm|x; f`,
		`A=1 b`:                          `A|b`,
		`A=1`:                            `A`,
		`export PATH=/x`:                 `PATH|export`,
		`a > b 2>&1 < c 2>/dev/null &>d`: `a; >b; <c; >/dev/null; >d`,
		`> x`:                            `>x`,
		`a >"$x"`:                        `a; >`,
		`sudo -u root -E rm x`:           `sudo|-u|root|-E|rm|x; rm|x via sudo`,
		`sudo A=b rm x`:                  `sudo|A=b|rm|x; rm|x via sudo`,
		`env -i A=b timeout -k 5 9 rm x`: `env|-i|A=b|timeout|-k|5|9|rm|x; timeout|-k|5|9|rm|x ` +
			`via env; rm|x via env timeout`,
		`env -S 'rm x'`: `env|-S|rm x; rm|x via env`,
		`sudo --strange v rm x`: `sudo|--strange|v|rm|x; --strange|v|rm|x via sudo; ` +
			`v|rm|x via sudo; rm|x via sudo; x via sudo`,
		`time rm x`: `rm|x`,
		`nohup nice -n 5 rm x`: `nohup|nice|-n|5|rm|x; nice|-n|5|rm|x via nohup; rm|x ` +
			`via nohup nice`,
		`a | xargs -n1 rm -f`: `a; xargs|-n1|rm|-f !stdin; rm|-f via xargs`,
		`find . -name x -exec rm {} \; -ok b c +`: `find|.|-name|x|-exec|rm|{}|;|-ok|b|c|+; ` +
			`rm|<{}> via find; b|c via find`,
		`bash -c 'rm "x y"' a`:           `bash|-c|rm "x y"|a; rm|x y via bash`,
		`sh -lc "cd a; rm x"`:            `sh|-lc|cd a; rm x; cd|a via sh; rm|x via sh`,
		`bash -o pipefail -ec 'rm x'`:    `bash|-o|pipefail|-ec|rm x; rm|x via bash`,
		`bash -c "$x"`:                   `bash|-c|<"$x"> !dynamic`,
		`bash x.sh`:                      `bash|x.sh !file`,
		`curl x | sh`:                    `curl|x; sh !stdin`,
		"bash <<'E'\nrm x\nE":            `bash !stdin; rm|x via bash`,
		`sh <<< 'rm x'`:                  `sh !stdin; rm|x via sh`,
		`eval rm 'x'`:                    `eval|rm|x; rm|x via eval`,
		`eval "$x"`:                      `eval|<"$x"> !dynamic`,
		`python3.12 -c x`:                `python3.12|-c|x !interpreter`,
		`. ./x`:                          `.|./x !file`,
		`trap 'rm x' EXIT`:               `trap|rm x|EXIT; rm|x via trap`,
		`alias ls='rm x'`:                `alias|ls=rm x !dynamic; rm|x via alias`,
		`ssh -p 1 host rm x`:             `ssh|-p|1|host|rm|x; rm|x via ssh`,
		`su root -c 'rm x'`:              `su|root|-c|rm x; rm|x via su`,
		`command -v rm`:                  `command|-v|rm`,
		`command rm x`:                   `command|rm|x; rm|x via command`,
		`[[ -f $(a) ]] && (( x[$(b)] ))`: `a; b`,
		`case x in y) a;; esac; while b; do c; done`: `a; b; c`,
		"cat <<E\n$(rm x)\nE":                        `cat; rm|x`,
		`! a`:                                        `a`,
		`coproc a b`:                                 `a|b`,
		`/bin/r? x`:                                  `/bin/r?|x !dynamic`,
		`[ -f x ]`:                                   `[|-f|x|]`,
		`for A in b; do c; done`:                     `A; c`,
		`coproc A { b; }`:                            `?; b`,
		`((A=1)); let B=2; [[ -n ${C:=d} ]]`:         `A; B; C`,
		`((a < 2 && b == 3)) && c`:                   `c`,
		`printf -v A b; read C`:                      `?|printf|-v|A|b; ?|read|C`,
		`[[ 'a[$(rm x)]' -eq 0 ]]`:                   ` !dynamic`,
		`test -v 'a[$(rm x)]'`:                       `test|-v|a[$(rm x)] !dynamic`,
		`echo "${x@P}" "${x@Q}"`:                     `echo|<"${x@P}">|<"${x@Q}">;  !dynamic`,
		`GIT_PAGER='rm x' git log`:                   `rm|x via GIT_PAGER; GIT_PAGER|git|log`,
		`env - -iS'rm x'`:                            `env|-|-iSrm x; rm|x via env`,
		`trap -- 'rm x' EXIT`:                        `trap|--|rm x|EXIT; rm|x via trap`,
		`eval -- rm x`:                               `eval|--|rm|x; rm|x via eval`,
		`mapfile -C 'rm x' -c1 A`:                    `?|mapfile|-C|rm x|-c1|A; rm|x via mapfile`,
		`hash -p /bin/rm a; a x`:                     `hash|-p|/bin/rm|a !dynamic; a|x`,
		`bash -cO extglob 'rm x'`:                    `bash|-cO|extglob|rm x; rm|x via bash`,
		`watch -n 1 'a; rm x'`: `watch|-n|1|a; rm x; a via watch; rm|x via ` +
			`watch`,
		`pkexec rm x`: `pkexec|rm|x; rm|x via pkexec`,
		`taskset -c 0 rm`: `taskset|-c|0|rm; -c|0|rm via taskset; ` +
			`0|rm via taskset; rm via taskset`,
		`a < /dev/tcp/b/80`: `a; >/dev/tcp/b/80`,
		`a (`:               `ERROR`,
		`a; "`:              `ERROR`,
		`a {1..100000}`:     `ERROR`,
	}
	for text, want := range tests {
		if got := show(Parse(text)); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestCarried(t *testing.T) {
	for text, want := range map[string]string{
		`git -c alias.x='!rm x' x`: "rm|x", `git rebase -x 'rm x' HEAD`: "rm|x",
		`git grep -O'rm x' a`: "rm|x", `docker exec -it a rm x`: "rm|x",
		`docker compose run a rm x`:                   "rm|x",
		`tar --checkpoint-action=exec='rm x' -cf a b`: "rm|x", `socat - EXEC:'rm x'`: "rm|x",
		`go test -exec=rm ./...`: "rm|./...", `npm exec -- rm x`: "rm|x",
		`tmux new -d 'a; rm x'`: "rm|x",
		`git commit -m 'rm x'`:  "", `docker rm x`: "", `npm run x`: "x", `tar -cf a b`: "",
		`echo rm x`: "", `git "$(rm)" -c`: "",
	} {
		var got []string
		for _, c := range Parse(text).Commands {
			for _, one := range c.Carried() {
				got = append(got, strings.Split(show(&Script{Commands: []Command{one}}),
					" via ")[0])
			}
		}
		if slices.Contains(got, want) != (want != "") || want == "" && len(got) > 0 &&
			!strings.Contains(text, "$(rm)") {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestBombs checks that text that is designed to be slow to parse is an error in bounded time.
func TestBombs(t *testing.T) {
	bombs := map[string]string{
		"long":          "echo " + strings.Repeat("x", maxText),
		"parentheses":   strings.Repeat("(", 5000),
		"substitutions": strings.Repeat("$(", 5000),
		"braces":        strings.Repeat("{a,", 5000),
		"brackets":      "$((" + strings.Repeat("a[", 5000),
		"backquotes":    strings.Repeat("`", 5000),
		"ifs":           strings.Repeat("if ", 5000),
		"nots":          strings.Repeat("! ", 5000),
		"commands":      strings.Repeat("a;", maxCommands+1),
		"variables":     "true; " + strings.Repeat("A=1 ", maxAsides+1),
		"redirections":  "true " + strings.Repeat(">x ", maxAsides+1),
		"lone":          "{ true; } " + strings.Repeat(">x ", maxAsides+1),
		"product":       "a " + strings.Repeat("{a,b,c,d,e,f}", 20),
		"braced":        "a " + strings.Repeat("{b,c} ", maxBraced/2+1),
		"words":         "a" + strings.Repeat(" b", maxWords),
		"expression":    "((" + strings.Repeat("x=", measure.MaxOperators+1) + "1))",
		"wrappers":      strings.Repeat("sudo ", 5000) + "rm",
		"guesses":       "sudo --x " + strings.Repeat("sudo --x ", 300) + "rm",
		"shells":        strings.Repeat("eval ", 3000) + "rm",
	}
	for name, text := range bombs {
		done := make(chan *Script, 1)
		go func() { done <- Parse(text) }()
		select {
		case s := <-done:
			hides := false
			for _, c := range s.Commands {
				hides = hides || c.Hides != ""
			}
			if s.Err == nil && !hides {
				t.Errorf("%s: read as harmless: %d commands", name, len(s.Commands))
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: not read after a minute", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`sudo -u x bash -c 'rm "$(a)"' | xargs b > c; {d,e} <<< f`)
	f.Add("find . -exec sh -c 'x' \\; && env -S 'a b' <<E\n$x\nE")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Parse(text).Commands {
			// {,} and $IFS are not words in bash either
			vanishes := strings.Contains(c.Text, "{") || strings.Contains(c.Text, "IFS")
			if len(c.Argv) != len(c.Static) || len(c.Argv) == 0 && len(c.Assign) == 0 &&
				c.Hides == "" && !vanishes {
				t.Errorf("%q: got %+v", text, c)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse(`cd src && git commit -m "a message" && git push origin main 2>&1 | tail -3`)
	}
}

// TestDeep checks that deep nesting that only the parser detects is an error, and that the words of
// other texts do not nest.
func TestDeep(t *testing.T) {
	for _, unit := range []string{"if ", "while ", "time ", "coproc ", "a|if ", "case x in a) ",
		"for x do ", "f() ", "f() if ", "$(')'", "(')';", "{ '}';", "if a <<A\nA\nthen "} {
		if s := Parse(strings.Repeat(unit, 30_000/len(unit))); s.Err != measure.ErrDeep {
			t.Errorf("%q: %v", unit, s.Err)
		}
	}
	for name, text := range map[string]string{
		"prose": "cat > x <<'EOF'\n" +
			strings.Repeat("if it is time, do it; for each case `x` select one, and while\nif "+
				"not then\n", 800) + "EOF\n",
		"after": strings.Repeat("for f in a b; do x $f; done\n", 200),
	} {
		if s := Parse(text); s.Err != nil {
			t.Errorf("%s: %v", name, s.Err)
		}
	}
}
