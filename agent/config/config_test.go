package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/chat"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       Config
		warnings   string // joined by newlines
	}{
		{"empty", "", Config{}, ""},
		{"both", "# mine\nmodel = \"anthropic/opus\"\npermission = 'plan'\n",
			Config{Model: "anthropic/opus", Permission: "plan"}, ""},
		{"unknown key", "\nmodle = \"x\"\npermission = \"yolo\"", Config{Permission: "yolo"},
			`config.toml:2: unknown key "modle"; did you mean "model"?`},
		{"unknown table", "model = \"m\"\n\n[modell.x]\nmodel = 3\n", Config{Model: "m"},
			`config.toml:3: unknown key "modell"; did you mean "model"?`},
		{"quoted key", "\"permision\" = \"plan\"", Config{},
			`config.toml:1: unknown key "permision"; did you mean "permission"?`},
		{"wrong type", "permission = \"plan\"\nmodel = 3", Config{Permission: "plan"},
			"config.toml:2: model: got number, want a string"},
		{"wrong value", "permission = \"plann\"", Config{},
			`config.toml:1: permission: got "plann", want one of plan, default, accept-edits, ` +
				`auto, yolo; did you mean "plan"?`},
		{"syntax", "model = \"m\"\npermission = plan\n",
			Config{Rules: Rules{Unread: "config.toml:2"}}, "config.toml:2: "},
		{"thinking", "thinking = \"high\"", Config{Thinking: "high"}, ""},
		{"wrong thinking", "\nthinking = \"hihg\"", Config{},
			`config.toml:2: thinking: got "hihg", want one of off, low, medium, high; did you ` +
				`mean "high"?`},
		{"limits", "[limits]\nturns = 3\ncost = 0.5\ntokens = 1000\ntime = 60\n" +
			"script_inputs = 20\n", Config{Limits: Limits{3, 0.5, 1000, 60, 20}}, ""},
		{"no table", "limits = 3", Config{},
			"config.toml:1: limits: got number, want a table: [limits] and below it turns = 50"},
		{"misspelt limit", "turn = 1\n[limits]\n\nturn = 3\ntime = 1",
			Config{Limits: Limits{Time: 1}},
			`config.toml:1: unknown key "turn"` + "\n" +
				`config.toml:4: limits: unknown key "turn"; did you mean "turns"?; there is ` +
				`turns, cost, tokens, time, script_inputs`},
		{"no number", "[limits]\nturns = \"3\"", Config{},
			"config.toml:2: limits: turns: got string, want a number"},
		{"negative", "[other]\ncost = 1\n[limits]\ncost = -1", Config{},
			"config.toml:1: unknown key \"other\"\nconfig.toml:4: limits: cost: got -1, want " +
				"more than 0"},
		{"half a turn", "limits.turns = 1.5", Config{},
			"config.toml:1: limits: turns: got 1.5, want a whole number"},
		{"provider", "[providers.local]\nbase_url = \"http://127.0.0.1:8080/v1\"\nmodels = " +
			"[\"a\", \"b\"]", Config{Providers: []Provider{
			{Name: "local", API: "chat", BaseURL: "http://127.0.0.1:8080/v1",
				Models: []string{"a", "b"}}}}, ""},
		{"misspelt in a provider",
			"[providers.local]\nbase_url = \"http://x\"\n# base_ulr\n  bse_url = 3",
			Config{Providers: []Provider{{Name: "local", API: "chat", BaseURL: "http://x"}}},
			`config.toml:4: providers.local: unknown key "bse_url"; did you mean "base_url"?`},
		{"provider without an address", "\n[ providers . \"my local\" ]\napi = \"chats\"", Config{},
			`config.toml:2: providers.my local: base_url is missing` + "\n" +
				`config.toml:3: providers.my local: api: got "chats", want one of chat, ` +
				`responses, anthropic; did you mean "chat"?`},
		{"model", "[models.\"openai/gpt-5\"]\ncontext = 1000\nprice = {input = 1, output = " +
			"2.5}\nimages = false", Config{Models: []Model{
			{Name: "openai/gpt-5", Line: 1, Context: 1000, Images: new(bool),
				Price: &chat.Price{Input: 1, Output: 2.5, CacheRead: 1, CacheWrite: 1}}}}, ""},
		{"price of a cache",
			"[models.\"p/x\"]\nprice = {input = 1, output = 2, cache_read = 0, cache_write = 3}",
			Config{Models: []Model{
				{Name: "p/x", Line: 1, Price: &chat.Price{Input: 1, Output: 2, CacheWrite: 3}}}},
			""},
		{"wrong price", "[models.\"p/x\"]\nprice = {input = -1}\ncontext = 0",
			Config{Models: []Model{{Name: "p/x", Line: 1}}},
			"config.toml:2: price: input: got -1, want 0 or more US dollars per million tokens; " +
				"the price stays as it is known\nconfig.toml:3: context: got 0, want a number " +
				"of tokens"},
		{"half a price", "[models.\"p/x\"]\nprice.input = 1",
			Config{Models: []Model{{Name: "p/x", Line: 1}}},
			"config.toml:2: price: output is missing; the price stays as it is known"},
		{"model without its provider", "[models.\"gpt-5\"]\ncontext = 1", Config{},
			`config.toml:1: models: got "gpt-5", want the name of a provider, a slash, and the ` +
				`id of a model`},
		{"screen", "[tui]\ntheme = \"light\"", Config{TUI: TUI{Theme: "light",
			ThemeWhere: "config.toml:2"}}, ""},
		{"links", "[tui]\nlinks = \"off\"\nimages = \"on\"\n" +
			"editor = \"vim\"", Config{TUI: TUI{Links: "off",
			LinksWhere: "config.toml:2", Images: "on", ImagesWhere: "config.toml:3",
			Editor: "vim", EditorWhere: "config.toml:4"}}, ""},
		{"layout", "[tui]\nlayout = \"auto\"", Config{TUI: TUI{Layout: "auto",
			LayoutWhere: "config.toml:2"}}, ""},
		{"wrong screen", "[tui]\nthem = \"x\"\ntheme = 3", Config{},
			"config.toml:2: tui: unknown key \"them\"; did you mean \"theme\"?\n" +
				"config.toml:3: tui: theme: got number, want string"},
		{"keys", "[keys]\nundo = []\nsearch = \"alt+s\"\nhelp = [\"f1\", \"f2\"]", Config{
			Keys: []Binding{
				{"undo", nil, "config.toml:2"}, {"search", []string{"alt+s"}, "config.toml:3"},
				{"help", []string{"f1", "f2"}, "config.toml:4"}}}, ""},
		{"wrong keys", "[keys]\nundo = 3\nsearch = [4]", Config{},
			"config.toml:2: keys.undo: got number, want a key or a list of keys\n" +
				"config.toml:3: search[1]: got number, want a string"},
		{"tools", "[tools]\nfetch_private = true\nfetch_allow = [\"localhost:3000\", " +
			"\"10.0.0.0/8\"]", Config{Tools: Tools{true, []string{"localhost:3000", "10.0.0.0/8"}}},
			""},
		{"wrong tools", "[tools]\nfetch_privat = true\nfetch_allow = [3, \"http://x\", \"::1\"]",
			Config{Tools: Tools{FetchAllow: []string{"::1"}}},
			"config.toml:2: tools: unknown key \"fetch_privat\"; did you mean " +
				"\"fetch_private\"?\nconfig.toml:3: fetch_allow[1]: got number, want a string\n" +
				"config.toml:3: tools.fetch_allow: got \"http://x\", want a host"},
		{"rules", "[permissions]\ndeny = [\"bash(git push *)\"]\nallow = [\"bash(ls)\"]",
			Config{Rules: Rules{Deny: []string{"bash(git push *)"}, Allow: []string{"bash(ls)"},
				Places: map[string]map[string]string{
					"deny":  {"bash(git push *)": "config.toml:2"},
					"allow": {"bash(ls)": "config.toml:3"}}}}, ""},
		{"a rule in a comment, and in two lists", "[permissions]\nask = [ # \"a\"\n\"a\", " +
			"\"bash(\\\"#)\"]\n# \"a\"\n\ndeny = [\n# 'a'\n  'b', # \"bash(c#)\"\n  'a', " +
			"'bash(c#)']",
			Config{Rules: Rules{Ask: []string{"a", `bash("#)`},
				Deny: []string{"b", "a", "bash(c#)"},
				Places: map[string]map[string]string{
					"ask": {"a": "config.toml:3", `bash("#)`: "config.toml:3"},
					"deny": {"b": "config.toml:8", "a": "config.toml:9",
						"bash(c#)": "config.toml:9"}}}}, ""},
		{"a rule within another", "[permissions]\ndeny = [\n\"bash(ls)\",\n\"bash\", 'ls']",
			Config{Rules: Rules{Deny: []string{"bash(ls)", "bash", "ls"},
				Places: map[string]map[string]string{"deny": {"bash(ls)": "config.toml:3",
					"bash": "config.toml:4", "ls": "config.toml:4"}}}}, ""},
		{"a rule that cannot be read stays", "[permissions]\ndeny = [\n  \"a\",\n  \"bash(x\",\n]",
			Config{Rules: Rules{Deny: []string{"a", "bash(x"},
				Places: map[string]map[string]string{"deny": {"a": "config.toml:3",
					"bash(x": "config.toml:4"}}}},
			`config.toml:4: permissions: deny: got "bash(x", want a ) at the end`},
		{"a misspelt list of rules", "[permissions]\ndenny = [\"a\"]",
			Config{Rules: Rules{Unread: "config.toml:2"}},
			`config.toml:2: permissions: unknown key "denny"; did you mean "deny"?`},
		{"no list of rules", "permissions = 3", Config{Rules: Rules{Unread: "config.toml:1"}},
			`config.toml:1: permissions: got number, want a table`},
		{"a rule that is no text", "[permissions]\ndeny = [3]",
			Config{Rules: Rules{Unread: "config.toml:2"}},
			`config.toml:2: deny[1]: got number, want a string`},
		{"rules below a misspelt name", "[permisions]\ndeny = [\"a\"]",
			Config{Rules: Rules{Unread: "config.toml:1"}},
			`config.toml:1: unknown key "permisions"; did you mean "permissions"?`},
		{"rules below the mode", "[permission]\ndeny = [\"a\"]",
			Config{Rules: Rules{Unread: "config.toml:1"}},
			`config.toml:1: permission: got table, want a string`},
		{"rules below another name", "[rules]\nask = [\"a\"]",
			Config{Rules: Rules{Unread: "config.toml:1"}}, `config.toml:1: unknown key "rules"`},
		{"rules below no name", "deny = [\"a\"]", Config{Rules: Rules{Unread: "config.toml:1"}},
			`config.toml:1: unknown key "deny"`},
		{"no rules", "permision = \"yolo\"\n[other]\nallow = [\"a\"]\n[options.deny]\nask = true",
			Config{Options: []Option{{"deny", "ask", true, "config.toml:5"}}},
			`config.toml:1: unknown key "permision"; did you mean "permission"?` + "\n" +
				`config.toml:2: unknown key "other"`},
		{"rules in a broken file", "[permissions]\ndeny = [",
			Config{Rules: Rules{Unread: "config.toml:2"}}, "config.toml:"},
		{"a stray table", "[permissions]\ndeny = [\"read(**/.env)\"]\n[models\n",
			Config{Rules: Rules{Unread: "config.toml:3"}}, "config.toml:3: "},
		{"options", "[options.budget]\nmost = 5\nnames = [\"a\"]\n[options.\"guard.lua\"]\n" +
			"loud = true", Config{Options: []Option{{"budget", "most", 5.0, "config.toml:2"},
			{"budget", "names", []any{"a"}, "config.toml:3"},
			{"guard.lua", "loud", true, "config.toml:5"}}}, ""},
		{"wrong options", "[options]\nbudget = 3\n[options.x]\nday = 2020-01-01", Config{},
			"config.toml:2: options.budget: got number, want a table: [options.budget] and below " +
				"it the options of the script\n" +
				"config.toml:4: options.x.day: got "},
		{"not a number", "[limits]\ncost = nan\ntime = inf", Config{},
			"config.toml:2: limits: cost: got NaN, want more than 0\nconfig.toml:3: limits: " +
				"time: got +Inf, want more than 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, warnings := parse(tt.text)
			var lines []string
			for _, w := range warnings {
				lines = append(lines, w.String())
			}
			got := strings.Join(lines, "\n")
			if !reflect.DeepEqual(*c, tt.want) || !strings.HasPrefix(got, tt.warnings) ||
				tt.warnings == "" && got != "" {
				t.Errorf("got %+v, warnings %s", c, got)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	if c, w := Load(dir, nil); !reflect.DeepEqual(*c, Config{}) || w != nil {
		t.Errorf("no file: got %v %v", c, w)
	}
	os.WriteFile(path, []byte("model = \"a/b\""), 0o600)
	if c, w := Load(dir, nil); c.Model != "a/b" || w != nil {
		t.Errorf("got %v %v", c, w)
	}
	os.Remove(path)
	os.Mkdir(path, 0o700)
	if _, w := Load(dir, nil); len(w) != 1 || !strings.Contains(w[0].String(),
		"nothing of the file is used") {
		t.Errorf("a directory: got %v, want one warning", w)
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]string{
		"turns=20": "", "cost=.5": "", "time=1e2": "",
		"turns": "want KIND=NUMBER", "turns=": "want KIND=NUMBER", "turns=many": "want KIND=NUMBER",
		"turn=3": `did you mean "turns"?`, "turns=0": "more than 0",
	} {
		var l Limits
		err := l.Parse(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if got, want := (Limits{Turns: 1}).Over(Limits{Turns: 2, Time: 3}),
		(Limits{Turns: 1, Time: 3}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("model = \"x\"\n[a.b]\nc = 1")
	f.Add("a.model = 1979-05-27")
	f.Fuzz(func(t *testing.T, text string) { parse(text) })
}

func TestProject(t *testing.T) {
	home := t.TempDir()
	for _, d := range []string{".agent", "notes/deep", "repo/.git", "repo/a/b", "mine/.agent",
		"mine/sub/x", "repo/a/own/.agent"} {
		os.MkdirAll(filepath.Join(home, d), 0o755)
	}
	os.MkdirAll(filepath.Join(home, "worktree/src"), 0o755)
	os.WriteFile(filepath.Join(home, "worktree/.git"), []byte("gitdir: /x"), 0o644)
	os.WriteFile(filepath.Join(home, "repo/a/.agent"), nil, 0o644) // a file does not make a project
	tests := map[string]string{
		"":            "",
		"notes/deep":  "notes/deep",
		"repo":        "repo",
		"repo/a/b":    "repo",
		"repo/a/own":  "repo/a/own",
		"mine/sub/x":  "mine",
		"worktree/sr": "worktree",
	}
	for dir, want := range tests {
		if got := project(filepath.Join(home, dir), home); got != filepath.Join(home, want) {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
	}
}

func TestLoadThemes(t *testing.T) {
	home := t.TempDir()
	if list, warnings := LoadThemes(home, nil); list != nil || warnings != nil {
		t.Errorf("without a folder: got %v and %v", list, warnings)
	}
	dir := filepath.Join(home, "themes")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"night.toml": "base = \"light\"\ncolor = 3\n[colors]\nuser = \"red\"\nacent = 4\n",
		"bad.toml":   "base = \"light\"\n[colors\n",
		"notes.txt":  "not a theme",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, warnings := LoadThemes(home, nil)
	want := []Theme{{"night", "themes/night.toml", "light", []Color{
		{"user", "red", "themes/night.toml:4"}, {"acent", int64(4), "themes/night.toml:5"}}}}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("got %v, want %v", list, want)
	}
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	if len(texts) != 2 || !strings.HasPrefix(texts[0], "themes/bad.toml:2: ") ||
		texts[1] != `themes/night.toml:2: unknown key "color"; there is base, and [colors] with `+
			"the colours" {
		t.Errorf("got warnings\n%s", strings.Join(texts, "\n"))
	}
}
