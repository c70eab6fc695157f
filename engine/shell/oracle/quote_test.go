package oracle

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// readBack returns the words into which a shell parses each of the texts.
func readBack(t *testing.T, sh string, texts []string) [][]string {
	t.Helper()
	var script strings.Builder
	for _, text := range texts {
		script.WriteString("printf '%s\\001' " + text + "\nprintf '\\002'\n")
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, sh)
	cmd.Stdin, cmd.Env = strings.NewReader(script.String()), []string{"LC_ALL=C"}
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", sh, err)
	}
	var out [][]string
	for one := range strings.SplitSeq(strings.TrimSuffix(string(got), "\x02"), "\x02") {
		out = append(out, strings.Split(strings.TrimSuffix(one, "\x01"), "\x01"))
	}
	return out
}

// TestQuoteRoundTrip checks that shells and Split parse the result of Quote into the same words.
func TestQuoteRoundTrip(t *testing.T) {
	t.Parallel()
	newWorld(t)
	m := newMaker(3)
	var texts []string
	var all [][]string
	for range 3000 {
		argv := make([]string, 1+m.IntN(4))
		for i := range argv {
			var b strings.Builder
			for range m.IntN(8) {
				if m.odds(4) {
					b.WriteString(m.pick("é", "'", `"`, `\`, "$", "`", "\n", "\t", " ", "*", "~",
						"#", "!", "=", "{a,b}", "$(x)", "-", "\xff", "\r", "\x7f", "&", "|", ";",
						"<", ">", "(", "%", "?", "["))
				} else {
					b.WriteByte(byte('a' + m.IntN(26)))
				}
			}
			argv[i] = b.String()
		}
		text, err := shell.Quote(argv)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := shell.Split(text); err != nil || !slices.Equal(back, argv) {
			t.Errorf("Split reads %q as %q, %v; want %q", text, back, err, argv)
		}
		texts, all = append(texts, text), append(all, argv)
	}
	for _, name := range []string{"bash", "sh", "dash", "zsh", "ksh"} {
		sh, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		for i, got := range readBack(t, sh, texts) {
			if !slices.Equal(got, all[i]) {
				t.Errorf("%s reads %s as %q, want %q", name, texts[i], got, all[i])
			}
		}
	}
}

// TestSplitAgreesWithBash checks that Split, Parse and bash agree on words without special meaning.
func TestSplitAgreesWithBash(t *testing.T) {
	t.Parallel()
	newWorld(t)
	m := newMaker(4)
	var texts []string
	for len(texts) < 3000 {
		var b strings.Builder
		for range 1 + m.IntN(12) {
			b.WriteString(m.pick("a", "b", "-x", "1", ".", "/", " ", "  ", "\t", "\\\n", `\a`, `\ `,
				`\\`, `\'`, `\"`, `\$`, "''", `""`, "'a b'", `"a b"`, `'\'`, `'"'`, `"'"`, `"\""`,
				`"\\"`, `"\a"`, `"\$x"`, "\"\\`\"", "\"a\\\nb\"", "'a\\\nb'", "é", "%", "@", ":",
				",", "+", "]", "}", "^"))
		}
		if words, err := shell.Split(b.String()); err == nil && len(words) > 0 &&
			!strings.Contains(b.String(), "\\\\\\\n") {
			texts = append(texts, b.String())
		}
	}
	bash, _ := exec.LookPath("bash")
	for i, want := range readBack(t, bash, texts) {
		if got, err := shell.Split(texts[i]); err != nil || !slices.Equal(got, want) {
			t.Errorf("Split reads %q as %q, %v; bash as %q", texts[i], got, err, want)
		}
		if s := shell.Parse("x " + texts[i]); s.Err != nil || len(s.Commands) != 1 ||
			!slices.Equal(s.Commands[0].Argv[1:], want) {
			t.Errorf("Parse reads %q as %+v; bash as %q", texts[i], s, want)
		}
	}
}
