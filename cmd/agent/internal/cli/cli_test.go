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
	if got, want := flagsIn(text, "`"), flagsIn(Help("", Width, false), "(?:^|[ `])"); got != want {
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

// TestTable checks that the table is complete: everything has a description in one style, and help
// names everything.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Commands() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		text := Help(c.Name, Width, false)
		about := []string{c.About}
		for _, f := range c.Flags {
			about = append(about, f.About)
			if !strings.Contains(text, strings.TrimSpace("--"+f.Name+" "+f.Value())+" ") {
				t.Errorf("the help of %s lacks --%s", c.Name, f.Name)
			}
		}
		for _, text := range about {
			if text == "" || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
				t.Errorf("%s: got description %q", c.Name, text)
			}
		}
		for _, under := range Under(c.Name) {
			name := under.Name[strings.LastIndexByte(under.Name, ' ')+1:]
			if !strings.Contains(text, "\n    "+name+" ") {
				t.Errorf("the help of %s lacks %s", c.Name, under.Name)
			}
		}
		if i := strings.LastIndexByte(c.Name, ' '); i > 0 && !seen[c.Name[:i]] {
			t.Errorf("%s has no command above it", c.Name)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimRight(line, " "); len(line) > Width {
				t.Errorf("%s: this line is too long: %s", c.Name, line)
			}
		}
		if strings.ContainsAny(text, "\x1b`") {
			t.Errorf("%s: its help has sequences, or marks of the table", c.Name)
		}
		for line := range strings.SplitSeq(Help(c.Name, 40, false), "\n") {
			if words := strings.Fields(line); len(line) > 40 && len(words) > 1 &&
				strings.HasPrefix(line, "      ") {
				t.Errorf("%s: this line is cut on a narrow terminal: %s", c.Name, line)
			}
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
	c := NewCompleter(something)
	for line, want := range map[string]string{
		"ses":                      "session|:4",
		"session ":                 "list export copy|:4",
		"session export ":          "20260101-a|:4",
		"ext in":                   "install|:4",
		"ext install ./":           "|:0",
		"ext remove gu":            "guard.lua guide.js|:4",
		"ext remove guard.lua gui": "guide.js|:4",
		"ext install --": "--yes --grant --project --json --only --as --strict " +
			"--help|:4",
		"ext install --grant ":         "|:4",
		"ext list --j":                 "--json|:4",
		"--json ext lis":               "list|:4",
		"-r ":                          "20260101-a|:4",
		"-r=2026":                      "-r=20260101-a|:4",
		"--model ol":                   "ollama/qwen3:8b|:4",
		"--model=ollama/qwen3:":        "--model=ollama/qwen3:8b|:4",
		"-p --permission p":            "plan|:4",
		"--limit ":                     "turns= cost= tokens= time=|:4",
		"-e ":                          "|:0",
		"--version=":                   "|:4",
		"completion ":                  "bash zsh fish powershell|:4",
		"completion bash ":             "|:4",
		"help ext inst":                "install|:4",
		"ext audit --script guard":     "guard.lua|:4",
		"ext remove -- --":             "|:4",
		"ext new x --kind g":           "guard|:4",
		"fix the bug in ":              "|:4",
		"-e x.lua --thinking h":        "high|:4",
		"ext logs -":                   "--follow -f --json --project --help -h|:4",
		"--set a.b=c ext remove guid":  "guide.js|:4",
		"sandbox run -- ":              "|:0",
		"session export 20260101-a ./": "|:4",
	} {
		list, paths := c.Complete(strings.Split(line, " "))
		var words []string
		for _, c := range list {
			words = append(words, c.Text)
		}
		if got := strings.Join(words, " ") + "|" + paths; got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	if list, _ := c.Complete(nil); len(list) != len(Under("")) {
		t.Errorf("without a word: %d candidates", len(list))
	}
}

// TestUnsafeNames checks that no name and no description ends a line, or reaches a terminal as a
// sequence.
func TestUnsafeNames(t *testing.T) {
	t.Parallel()
	got, _ := NewCompleter(something).Complete([]string{"-r", ""})
	if want := (Candidate{"20260101-a", "fix the bug"}); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, _ = NewCompleter(something).Complete([]string{"ext", "remove", "bad"})
	if len(got) != 0 {
		t.Errorf("got %q", got)
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

func TestNormalize(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"-model x --p":       "--model x -p",
		"-json=false":        "--json=false",
		"-r":                 "--resume=",
		"-p --resume 2026 x": "-p --resume=2026 x",
		"-r --json":          "--resume= --json",
		"-r=2026":            "--resume=2026",
		"-- -model -r":       "-- -model -r",
		"-pc -yollo -":       "-pc -yollo -",
		"--h -help":          "-h --help",
		"-p -hello":          "-p --hello",
		"-ph":                "--ph",
		"-name -hello":       "--name -hello",
		"-pe -hello -json":   "-pe -hello --json",
		"-exhi -e=h":         "-exhi --ext=h",

		"sandbox run ls -l -c":       "sandbox run -- ls -l -c",
		"sandbox run -- ls -json":    "sandbox run -- ls -json",
		"-json sandbox run git -- x": "--json sandbox run -- git -- x",
		"sandbox -e x run -h":        "sandbox -e x run -h",
		"-p sandbox run it --json":   "-p sandbox run it --json",
	} {
		if got := strings.Join(Normalize(strings.Fields(line)), " "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--model x ext list":        "ext list",
		"ext install --grant g ./x": "ext install ./x",
		"-pe x hi":                  "hi -p",
		"--print=false hi":          "hi",
		"hi -- -p":                  "hi -p",
		"ext list --help":           "ext list --help",
	} {
		words, given := Scan(strings.Fields(line))
		if given["print"] {
			words = append(words, "-p")
		}
		if given["help"] {
			words = append(words, "--help")
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
