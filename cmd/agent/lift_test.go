package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/fence"
)

// guardsThatAsk are guards about files that ask, in both languages.
var guardsThatAsk = map[string]string{
	"lua": `ext.guard({ reads = "**/*.key" }, { ask = "do you mean it?" })`,
	"js":  `ext.guard({ reads: "**/*.key" }, { ask: "do you mean it?" });`,
}

// TestYesTakesEffect checks, with a real sandbox, that one yes is enough for what a command
// certainly does, that the sandbox holds for all else, and that no question is asked if a yes could
// not take effect.
func TestYesTakesEffect(t *testing.T) {
	t.Parallel()
	if m, err := fence.New(fence.Options{}).Method(); m == fence.None || m == fence.Landlock {
		t.Skip("no namespaces: ", err)
	}
	for _, language := range []string{"lua", "js"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			testYes(t, language)
		})
	}
}

func testYes(t *testing.T, language string) {
	const lets = "with your yes, the sandbox lets this call "
	for _, tt := range []struct {
		name, command string
		asks, told    string // part of the question, "" = none; part of the result
		file, text    string // what a file holds then
	}{
		{"a script", "cp new.lua HOME/scripts/new.lua", lets + "write HOME/scripts/new.lua, and " +
			"make new files in HOME/scripts", "[no output]", "HOME/scripts/new.lua", "-- new"},
		{"moved", "mv new.lua HOME/scripts/", lets + "write HOME/scripts/new.lua", "[no output]",
			"HOME/scripts/new.lua", "-- new"},
		{"another script", "sh attack.sh HOME > HOME/scripts/new.lua", lets +
			"write HOME/scripts/new.lua", "Read-only file system",
			"HOME/scripts/ask." + language, guardsThatAsk[language]},
		{"a hook", "echo new > .git/hooks/x", lets + "write DIR/.git/hooks/x", "[no output]",
			".git/hooks/x", "new\n"},
		{"a rule that asks", "echo new > dist/out", lets + "write DIR/dist/out", "[no output]",
			"dist/out", "new\n"},
		{"a rule about reads", "cat .env", lets + "read DIR/.env", "A=1", ".env", "A=1"},
		{"a guard that asks", "cat a.key; python3 -c 'print(open(\"b\" + \".key\").read())'", lets +
			"read DIR/a.key", "key a", "b.key", "key b"},
		{"settings", "echo x > HOME/config.toml", "", "the sandbox would not let this call write " +
			"HOME/config.toml, and cannot be lifted for that alone (a program could make HOME/",
			"HOME/config.toml", "[permissions]\nask = [\"write(./dist/**)\", \"read(**/.env)\"]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDrive(t, map[string]string{"ask." + language: guardsThatAsk[language],
				"./new.lua": "-- new", "./dist/out": "old", "./.env": "A=1", "./a.key": "key a",
				"./b.key": "key b", "./.git/config": "", "./.git/hooks/y": "",
				"./attack.sh": "echo x > $1/scripts/ask." + language + "; cat .env"})
			d.write(filepath.Join(d.home, "config.toml"),
				"[permissions]\nask = [\"write(./dist/**)\", \"read(**/.env)\"]\n")
			place := strings.NewReplacer("HOME", d.home, "DIR", d.dir)
			d.user = &user{}
			d.open()
			d.input(fmt.Sprintf("play\ncall bash {\"command\": %q}", place.Replace(tt.command)))
			d.close()
			asks, out := 0, d.sessions()
			for _, text := range d.user.asked {
				if strings.Contains(text, "a new version waits") {
					continue
				}
				if asks++; tt.asks == "" || !strings.Contains(text, place.Replace(tt.asks)) {
					t.Errorf("asked %q", text)
				}
			}
			if asks > 1 || asks == 0 && tt.asks != "" || !strings.Contains(out,
				place.Replace(tt.told)) || strings.Contains(out, "key b") {
				t.Errorf("%d questions %q, told %s", asks, d.user.asked, out)
			}
			if r, err := audit.Find(audit.Dir(d.home), "", ""); err != nil {
				t.Error(err)
			} else if why, err := audit.Why(audit.Dir(d.home), r); err != nil ||
				(tt.asks != "") != strings.Contains(why, "by the user's yes, the sandbox let it ") {
				t.Errorf("%v, %s", err, why)
			}
			path := place.Replace(tt.file)
			if !filepath.IsAbs(path) {
				path = filepath.Join(d.dir, path)
			}
			if got, err := os.ReadFile(path); string(got) != tt.text {
				t.Errorf("%s holds %q, %v", path, got, err)
			}
		})
	}
}
