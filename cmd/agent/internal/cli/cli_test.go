package cli

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFlagsInUsage compares the flags of docs/usage.md with those of the program's help.
func TestFlagsInUsage(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../../../docs/usage.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(document), "## Commands and flags")
	text, _, _ = strings.Cut(text, "\n## ")
	// only at the beginning of a code span: other programs have flags, too
	if got, want := flagsIn(text, "`"), flagsIn(Overview(Plain), "(?:^|[ `])"); got != want {
		t.Errorf("docs/usage.md lists %s\nthe program lists %s", got, want)
	}
}

// flagsIn returns the flags that a text names after a match of the pattern before, sorted.
func flagsIn(text, before string) string {
	set := map[string]bool{}
	pattern := regexp.MustCompile("(?m)" + before + "(--?[a-z][a-z-]*)")
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		set[m[1]] = true
	}
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestTable checks that the table is complete: everything has a description in one style, and the
// overview names everything.
func TestTable(t *testing.T) {
	t.Parallel()
	seen, overview := map[string]bool{}, Overview(Plain)
	for _, c := range Commands() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if !slices.Contains(groups(), c.Group) {
			t.Errorf("%s is in no group", c.Name)
		}
		if !strings.Contains(overview, "agent "+c.Name) {
			t.Errorf("the overview lacks %s", c.Name)
		}
		about := []string{c.About}
		for _, f := range c.Flags {
			about = append(about, f.About)
			if !strings.Contains(Page(c, Plain), f.written()) {
				t.Errorf("the help of %s lacks --%s", c.Name, f.Name)
			}
		}
		for _, text := range about {
			if text == "" || strings.HasSuffix(text, ".") {
				t.Errorf("%s: got description %q", c.Name, text)
			}
		}
	}
	for _, c := range Commands() {
		if i := strings.LastIndexByte(c.Name, ' '); i > 0 && !seen[c.Name[:i]] {
			t.Errorf("%s has no command above it", c.Name)
		}
	}
	for line := range strings.SplitSeq(overview, "\n") {
		if len(line) > width {
			t.Errorf("this line is too long: %s", line)
		}
	}
}

// something is a source with names of each kind.
func something(kind Kind) []Candidate {
	return map[Kind][]Candidate{
		Script:  {{"guard.lua", "yours"}, {"guide.js", "yours"}, {"bad\nname.lua", "yours"}},
		Session: {{"20260101-a", "fix the\tbug\x1b[31m"}},
		Model:   {{"ollama/qwen3:8b", ""}, {"openai/gpt-5", ""}},
	}[kind]
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ses":                      "session|:none",
		"session ":                 "list export copy|:none",
		"session export ":          "20260101-a|:none",
		"ext in":                   "install|:none",
		"ext install ./":           "|:file",
		"ext remove gu":            "guard.lua guide.js|:none",
		"ext remove guard.lua gui": "guide.js|:none",
		"ext install --": "--yes --grant --project --json --only --as --strict " +
			"--help|:none",
		"ext install --grant ":         "|:none",
		"ext list --j":                 "--json|:none",
		"--json ext lis":               "list|:none",
		"-r ":                          "20260101-a|:none",
		"-r=2026":                      "-r=20260101-a|:none",
		"--model ol":                   "ollama/qwen3:8b|:none",
		"--model=ollama/qwen3:":        "--model=ollama/qwen3:8b|:none",
		"-p --permission p":            "plan|:none",
		"--limit ":                     "turns= cost= tokens= time=|:none",
		"-e ":                          "|:file",
		"--version=":                   "|:none",
		"completion ":                  "bash zsh fish powershell|:none",
		"completion bash ":             "|:none",
		"help ext inst":                "install|:none",
		"ext audit --script guard":     "guard.lua|:none",
		"ext remove -- --":             "|:none",
		"ext new x --kind g":           "guard|:none",
		"fix the bug in ":              "|:none",
		"-e x.lua --thinking h":        "high|:none",
		"ext logs -":                   "-f --json --project --help|:none",
		"--set a.b=c ext remove guid":  "guide.js|:none",
		"sandbox run -- ":              "|:file",
		"session export 20260101-a ./": "|:none",
	} {
		list, paths := Complete(strings.Split(line, " "), something)
		var words []string
		for _, c := range list {
			words = append(words, c.Text)
		}
		if got := strings.Join(words, " ") + "|" + string(paths); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	if list, _ := Complete(nil, something); len(list) != len(Under("")) {
		t.Errorf("without a word: %d candidates", len(list))
	}
}

// TestAnswer checks that no name and no description ends a line, or reaches a terminal as a
// sequence.
func TestAnswer(t *testing.T) {
	t.Parallel()
	got := Answer(Complete([]string{"-r", ""}, something))
	if want := "20260101-a\tfix the bug\n:none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMan checks the manual page: each command is in it, and no line is an unknown request.
func TestMan(t *testing.T) {
	t.Parallel()
	page := Man("1.2.3")
	known := regexp.MustCompile(`^\.(TH|SH|TP|B|RS|RE|br|nf|fi)( |$)`)
	for line := range strings.SplitSeq(page, "\n") {
		request := strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")
		if request && !known.MatchString(line) {
			t.Errorf("roff takes this line for a request: %s", line)
		}
	}
	for _, c := range Commands() {
		if !strings.Contains(page, roff(strings.TrimSpace(c.Name+" "+c.Args))+"\n") {
			t.Errorf("%s is missing", c.Name)
		}
	}
}

// TestScripts checks that each shell has a script that the shell, if it is here, can read.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range Shells() {
		text := ShellScript(shell)
		if !strings.Contains(text, Ask) {
			t.Errorf("%s has no script", shell)
		}
		if _, err := exec.LookPath(shell); err != nil || shell == "powershell" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), shell, "-n")
		cmd.Stdin = strings.NewReader(text)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s -n: %v: %s", shell, err, said)
		}
	}
}

// refers matches what a command does, if that refers to the line of another command.
var refers = regexp.MustCompile(`^(the same for|its|\w+ (it|them|one|that|these)\b)`)

// TestHelpStandsAlone checks that the help of a command can be read without that of another one.
func TestHelpStandsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range Commands() {
		if refers.MatchString(c.About) {
			t.Errorf("%s: %q refers to another line", c.Name, c.About)
		}
		for _, line := range strings.Split(c.More, "\n") {
			if len(line) > width {
				t.Errorf("%s: %q is longer than %d", c.Name, line, width)
			}
		}
	}
}

func TestMistyped(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"extt list":           "ext list",
		"sesion export 1 a":   "session export",
		"ext list":            "",
		"exit list":           "ext list",
		"list the extensions": "",
		"extt":                "",
		"hello":               "",
		"doctr":               "doctor",
		"sessions":            "session",
		"modles":              "models",
		"extt of the night":   "",
		"test show":           "",
	} {
		err := Mistyped(strings.Fields(line))
		told := err != nil && strings.Contains(err.Error(), `"`+want+`"`)
		if (err != nil || want != "") && !told {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
	if err := Mistyped([]string{"extt list"}); err != nil {
		t.Errorf("in quotes: %v", err)
	}
}
