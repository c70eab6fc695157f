package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/internal/frontmatter"
)

func TestReadKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("scout.md",
		"---\n# who\ndescription: \"Finds: things\"\n\ntools: [read, 'grep', "+
			"mcp__docs__*]\n---\nYou search.\n---\nYou change nothing.\n")
	write("plain.md", "\ufeff---\r\ndescription: Plain\r\n---\r\n\r\nBe plain.\r\n")
	write("mute.md", "---\ndescription: Only talks\nmodel: acme/big/one\ntools:\n---\nTalk.")
	write("yaml.md", "---\ndescription: >-\n  As other\n  programs write it\ntools:\n  - Read\n"+
		"  - mcp__docs__*\n---\nGo.")
	write("stars.md", "---\ndescription: Use when: asked\ntools: [*]\n---\nGo.")
	write("notes.txt", "not a kind")
	write(".hidden.md", "nor this")
	kinds, problems := readKinds(dir)
	if len(problems) > 0 || len(kinds) != 6 {
		t.Fatalf("got %d kinds, problems %q", len(kinds), problems)
	}
	got := map[string]*kind{}
	for _, k := range kinds {
		got[k.name] = k
	}
	if k := got["scout"]; k.description != "Finds: things" ||
		strings.Join(k.tools, " ") != "read grep mcp__docs__*" ||
		k.system != "You search.\n---\nYou change nothing." {
		t.Errorf("scout: got %+v", k)
	}
	if k := got["plain"]; k.tools != nil || k.system != "Be plain." || k.model != "" {
		t.Errorf("plain: got %+v", k)
	}
	if k := got["mute"]; k.tools == nil || len(k.tools) != 0 || k.model != "acme/big/one" {
		t.Errorf("mute: got %+v, want a list of no tools", k)
	}
	if k := got["yaml"]; k.description != "As other programs write it" ||
		strings.Join(k.tools, " ") != "Read mcp__docs__*" {
		t.Errorf("yaml: got %+v", k)
	}
	if k := got["stars"]; k.description != "Use when: asked" || strings.Join(k.tools, " ") != "*" {
		t.Errorf("stars: got %+v", k)
	}
	if kinds[0].name != generalKind {
		t.Errorf("got %s first", kinds[0].name)
	}
	write(generalKind+".md", "---\ndescription: mine\n---\nMy own.")
	if kinds, _ := readKinds(dir); kinds[0].name != generalKind || kinds[0].system != "My own." ||
		len(kinds) != 6 {
		t.Errorf("got %+v, want the user's own general kind", kinds[0])
	}
	if kinds, problems := readKinds(filepath.Join(dir, "nowhere")); len(kinds) != 1 ||
		len(problems) != 0 {
		t.Errorf("without a folder: got %d kinds, problems %q", len(kinds), problems)
	}
}

func TestInvalidKinds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"empty.md":    {"", `empty.md:1: got "", want --- and then lines such as`},
		"bare.md":     {"You search.", `bare.md:1: got "You search.", want ---`},
		"open.md":     {"---\ndescription: x\n", "open.md:3: got the end of the file, want ---"},
		"silent.md":   {"---\ndescription: x\n---\n\n", "silent.md:3: no text after ---"},
		"nameless.md": {"---\ntools: read\n---\nx", "nameless.md:1: no description"},
		"key.md": {"---\ndescripton: x\n---\nx",
			`key.md:2: unknown key "descripton"; did you mean "description"?`},
		"named.md": {"---\nname: x\ndescription: d\n---\nx",
			`named.md: name: got "x"; the agent is called "named", as the file is`},
		"twice.md": {"---\ndescription: x\ndescription: y\n---\nx",
			"twice.md:3: description is set twice"},
		"novalue.md": {"---\ndescription:\n---\nx", "novalue.md:2: description: got nothing"},
		"nocolon.md": {"---\ndescription\n---\nx",
			`nocolon.md:2: want lines such as "description: ..."`},
		"model.md": {"---\ndescription: x\nmodel: gpt\n---\nx",
			`model.md:3: model: got "gpt", want "provider/id"`},
		"glob.md": {"---\ndescription: x\ntools: read, [a\n---\nx",
			`glob.md:3: tools: got "[a"`},
		"hole.md": {"---\ndescription: x\ntools: read,,grep\n---\nx",
			`hole.md:3: tools: got ""`},
		"list.md": {"---\ndescription: x\ntools: [read\n---\nx",
			"list.md:3: tools: got [ without ]"},
		"table.md": {"---\ndescription: x\ntools:\n  - read\n  - a: b\n---\nx",
			"table.md:5: tools: got a table in the list, want texts"},
		"globs.md": {"---\ndescription: x\ntools:\n  - read\n  - '[a'\n---\nx",
			`globs.md:4: tools: got "[a"`},
		"lines.md": {"---\ndescription:\n  - x\n---\nx",
			"lines.md:3: description: got a list, want a text"},
		"quote.md": {"---\ndescription: \"x\n---\nx",
			`quote.md:2: description: got "x, which begins with a quote`},
		"bytes.md": {"---\ndescription: x\n---\nab\xffc", "bytes.md:4: not UTF-8"},
		"main.md": {"---\ndescription: x\n---\nx",
			"main.md: main is the agent that you talk to"},
		"Big Name.md": {"---\ndescription: x\n---\nx",
			"Big Name.md: the name of a kind of agent is lower case"},
		"huge.md": {"---\ndescription: x\n---\n" + strings.Repeat("x", frontmatter.MaxBytes),
			"huge.md: larger than 256 KiB"},
		"long.md": {"---\ndescription: " + strings.Repeat("x", maxDescription+1) +
			"\n---\nx", "long.md:2: description: longer than 1000 bytes"},
		"bomb.md": {"---\n" + strings.Repeat("x", 100_000) + ": y\n---\nx",
			"bomb.md:1: the front matter is larger than 64 KiB"},
		"replacement.md": {"---\ndescription: \ufffd\n---\nx", ""},
	}
	for name, tt := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, problems := readKinds(dir)
		got := strings.Join(problems, "\n")
		if !strings.HasPrefix(got, dir) && tt.want != "" || !strings.Contains(got, tt.want) ||
			len(problems) > 1 || len(got) > 500 {
			t.Errorf("%s: got %s\nwant %s", name, got, tt.want)
		}
	}
}

func TestKindsMustBeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe.md")).Run(); err != nil {
		t.Skip("named pipes are not supported: ", err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	kinds, problems := readKinds(dir)
	if len(kinds) != 1 || len(problems) != 3 || !strings.Contains(problems[1], "no such file") {
		t.Errorf("got %d kinds, problems %q", len(kinds), problems)
	}
	for i := range maxKinds + 5 {
		name := filepath.Join(dir, "k"+strings.Repeat("a", i/26)+string(rune('a'+i%26))+".md")
		if err := os.WriteFile(name, []byte("---\ndescription: x\n---\nx"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if kinds, problems := readKinds(dir); len(kinds) > maxKinds+1 ||
		!strings.Contains(strings.Join(problems, "\n"), "the rest is not read") {
		t.Errorf("got %d kinds, problems %q", len(kinds), problems)
	}
}

// TestKeysOfOtherPrograms checks that files of Claude Code and pi can be read.
func TestKeysOfOtherPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, key := range map[string]string{"reviewer.md": "reviewer", "other.md": "x"} {
		text := "---\nname: " + key +
			"\ndescription: Reviews\ncolor: blue\ntools: read, grep\n---\nYou review.\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kinds, problems := readKinds(dir)
	if len(kinds) != 3 || len(problems) != 1 || kinds[1].name != "other" ||
		kinds[2].name != "reviewer" || kinds[2].system != "You review." {
		t.Errorf("got %d kinds, problems %q", len(kinds), problems)
	}
}

// TestForeignToolNames checks that the tool names of a file for Claude Code are translated.
func TestForeignToolNames(t *testing.T) {
	t.Parallel()
	all := []string{"agent", "bash", "edit", "fetch", "glob", "grep", "job", "ls", "read", "write",
		"View"}
	for _, tt := range []struct{ tools, want, notes string }{
		{"Read Grep Bash", "read grep bash", ""},
		{"Read read MultiEdit Edit", "read edit", ""},
		{"View mcp__docs__* Gr*", "View mcp__docs__* Gr*", ""},
		{"mcp__docs__find BashOutput", "mcp__docs__find job", ""},
		{"Raed", "Raed", `tools: unknown tool "Raed"; did you mean "read"?`},
		{"WebSearch", "WebSearch", `tools: unknown tool "WebSearch"; there is no such tool here`},
	} {
		own, notes := ownTools(strings.Fields(tt.tools), all)
		if got := strings.Join(own, " "); got != tt.want || strings.Join(notes, "\n") != tt.notes {
			t.Errorf("%s: got %s, %q\nwant %s, %q", tt.tools, got, notes, tt.want, tt.notes)
		}
	}
	if own, _ := ownTools(nil, all); own != nil {
		t.Error("without tools, all may be called")
	}
	if own, _ := ownTools([]string{}, all); own == nil {
		t.Error("a list of no tools became one of all")
	}
}

func TestForeignModelNames(t *testing.T) {
	t.Parallel()
	for model, note := range map[string]string{"inherit": "",
		"sonnet": `model: "sonnet" is no provider/id`, "opus": `model: "opus"`,
		"'haiku'": `model: "haiku"`} {
		doc, err := frontmatter.Parse("---\ndescription: d\nmodel: " + model + "\n---\nx")
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := newKind("x", doc, false)
		if err != nil || k.model != "" || !strings.Contains(strings.Join(k.notes, "\n"), note) ||
			(note == "") != (len(k.notes) == 0) {
			t.Errorf("%s: got %+v, %v", model, k, err)
		}
	}
}

// TestAgentToolAcceptsForeignArguments checks that a call with Claude Code's argument names works.
func TestAgentToolAcceptsForeignArguments(t *testing.T) {
	t.Parallel()
	dir := ""
	w := newFamily(t, Options{}, map[string][]answer{
		"go": {uses("agent",
			`{"description":"d","prompt":"look",`+
				`"subagent_type":"general-purpose","model":"haiku"}`),
			uses("agent", `{"prompt":"see","type":"finder","model":"inherit"}`)},
		"look": {says("looked")},
		"see":  {uses("bash", `{"command":"echo no"}`), uses("ls", `{}`), says("seen")},
	}, func(w *world) {
		dir = filepath.Join(w.home, "agents")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := "---\nname: finder\ndescription: Finds\ntools: LS, Nothing\nmodel: " +
			"sonnet\n---\nFind.\n"
		if err := os.WriteFile(filepath.Join(dir, "finder.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	if end := w.prompt("go"); end.Status != Completed {
		t.Errorf("got %+v", end)
	}
	for _, want := range []string{"looked\n[model: \"haiku\" is no provider/id: it has the model " +
		"of its caller; took agent general-purpose as general]",
		"left out description", "took subagent_type as agent",
		"seen\n[took prompt as task; took type as agent]"} {
		if got := w.results("go"); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	if got := w.results("see"); !strings.Contains(got,
		"agent finder may not call bash; it may call ls") {
		t.Errorf("in the sub-agent: got %s", got)
	}
	var told []string
	for _, ev := range w.all("notification") {
		told = append(told, ev.Text("message"))
	}
	for _, want := range []string{`finder.md: model: "sonnet" is no provider/id`,
		`finder.md: tools: unknown tool "Nothing"`} {
		if got := strings.Join(told, "\n"); strings.Count(got, want) != 1 {
			t.Errorf("notices: got %s\nwant, once, %s", got, want)
		}
	}
}
