package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// use says what to do about a program that is not known.
const use = " is not known; to be certain, use a program that is known, such as cat or cp, or " +
	"leave it out"

// whys are command lines with the reason why each touches a file that guards are about, or may: P
// is the folder of the project and H the home directory.
var whys = []struct{ command, what, pattern, want string }{
	{"cat .env", "reads", "**/.env", "cat reads P/.env: the word .env names it"},
	{"cd sub; cat ../.env", "reads", "**/.env", "cat reads P/.env: the word ../.env names it"},
	{"f=.env; cat $f", "reads", "**/.env", "cat reads P/.env: the word $f stands for it"},
	{"cat .e*", "reads", "**/.env", "cat reads P/.env: the pattern .e* matches it"},
	{"cat link", "reads", "**/.env", "cat reads P/.env: link is a link to it"},
	{"grep -r x .", "reads", "**/.env", "grep reads P/.env: it is below ."},
	{"tar cf a.tar .", "reads", "**/.env", "tar reads P/.env: it is below ."},
	{"echo x < .env", "reads", "**/.env", "a redirection reads P/.env: the word .env names it"},
	{"cp a.go sub", "writes", "sub/a.go", "cp writes P/sub/a.go: a.go becomes it"},
	{"ln -s .env l && echo x > l", "writes", "**/.env",
		"ln writes P/.env: the line makes l a link to it"},
	{"echo x >> ~/.bashrc", "writes", "~/.bashrc",
		"a redirection writes H/.bashrc: the word ~/.bashrc names it"},
	{"foo .env", "reads", "**/.env", "the word .env is P/.env, and what foo does with it" + use},
	{"foo --out=link", "writes", "**/.env", "the word link is P/.env, and what foo does with it" +
		use},
	{`mv a.go "sub/$(uname).x"`, "writes", "sub/*", "the word sub/….x may be P/sub/….x, and what " +
		"mv does with it" + use},
	{`foo "sub/$X"`, "writes", "sub/*", "the word sub/ leads to a file in P/sub, and what foo " +
		"does with it" + use},
	{"cat $X", "reads", "**/.env", "the word $X of cat is known only when the line runs; to be " +
		"certain, write what it stands for"},
	{"cat $X; tar xf a.tar", "writes", "**/.env", "tar may write any file below the folder in " +
		"which it works; to be certain, let it work in another folder"},
	{"shopt -s dotglob; cat x/*", "reads", "**/.env", "it is not known which files match the " +
		"pattern x/* of cat; to be certain, name the files, or use a pattern with fewer * and ?"},
	{"cat loop/x", "reads", "**/.env", "the path loop/x of cat leads nowhere: it is too long, " +
		"its links are a loop, or a process holds it; to be certain, name another path"},
	{"cat $X", "writes", "**/.env", ""},
	{"cat a.go", "reads", "**/.env", ""},
}

func TestWhy(t *testing.T) {
	f, dir := world(t)
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	show := strings.NewReplacer(filepath.ToSlash(dir), "P", filepath.ToSlash(f.Home), "H")
	for _, tt := range whys {
		got := f.Command(tt.command, dir, dir)
		if why := show.Replace(got.Why(tt.what, tt.pattern)); why != tt.want {
			t.Errorf("%s %s %s\n got %s\nwant %s", tt.command, tt.what, tt.pattern, why, tt.want)
		}
		fits, sure := got.Fits(tt.what, tt.pattern)
		if certain := fits || sure; certain == strings.Contains(tt.want, "certain") {
			t.Errorf("%s: fits %v, sure %v, but %s", tt.command, fits, sure, tt.want)
		}
	}
}

// TestWhyOfTools checks the reasons for tools whose arguments name files.
func TestWhyOfTools(t *testing.T) {
	f, dir := world(t)
	show := strings.NewReplacer(filepath.ToSlash(dir), "P", filepath.ToSlash(f.Home), "H")
	for arg, want := range map[string]string{
		"path": "mcp__x reads P/.env: the word ./.env names it",
		"note": "the word ./.env is P/.env, and what mcp__x does with it is not known; to be " +
			"certain, leave it out",
	} {
		call := &engine.Call{Tool: "mcp__x", Args: map[string]any{arg: "./.env"},
			Env: &event.Envelope{CWD: dir, Project: dir}}
		got := f.Call(call, nil).Why("reads", "**/.env")
		if got = show.Replace(got); got != want {
			t.Errorf("%s\n got %s\nwant %s", arg, got, want)
		}
	}
}
