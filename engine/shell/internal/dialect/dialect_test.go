package dialect

import "testing"

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		program, text string
		want          bool
	}{
		{"sqlite3", ".shell ls", true}, {"sqlite3", "select 'a' || b from t", false},
		{"sqlite3", ".once |sh", true}, {"psql", `\! ls`, true}, {"psql", "select 1", false},
		{"mysql", `\P less`, true}, {"apt", "Dpkg::Pre-Invoke::=x", true}, {"apt", "vim", false},
		{"npm", "script-shell=./x", true}, {"npm", "fund=false\nshell = ./x", true},
		{"npm", "browser:test", false}, {"npm", ".shell ls", false}, {"yarn", "yarnPath: x", true},
		{"cargo", "[target.x]\nrunner = 'x'", true}, {"cargo", "name = 'runner'", false},
		{"ls", ".shell ls", false},
	} {
		if got := Runs(tt.program, tt.text); got != tt.want || got && !Knows(tt.program) {
			t.Errorf("%s, %q: %v", tt.program, tt.text, got)
		}
	}
}

func TestSettingsAndNames(t *testing.T) {
	for setting, want := range map[string]bool{"robots=off": true, "logfile=x": false,
		"post_file=x": false, "Use_Proxy = on": true} {
		if IsPlainWget(setting) != want {
			t.Errorf("%q: want %v", setting, want)
		}
	}
	for sql, want := range map[string]bool{"select readfile('a')": false, "select 1": false,
		"select readfile('a'||'b')": true} {
		if ComputesName(sql) != want {
			t.Errorf("%q: want %v", sql, want)
		}
	}
}
