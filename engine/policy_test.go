// This file is the policy of the repository, as data: which folder may import which folders, which
// folder may import a module, and the limits of size. It states what must hold, not what the code
// does: if code breaks the policy, change the code, or change the policy in a commit that explains
// why. Tests may import anything.

package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/agentscripts/agent"

// folderPolicy lists the folders of this module that a folder may import besides the standard
// library. "x/..." is x and everything below it; the first row that matches a folder applies.
//
// In short, imports go in one direction: cmd -> tui | agent | lua | js -> engine. The four in the
// middle do not import each other: they share engine's types, and cmd connects them.
var folderPolicy = []folderRule{
	// only the standard library, so that embedding the engine adds no other dependency
	{"engine", []string{"engine/apart", "engine/chat", "engine/event", "engine/fault",
		"engine/internal/canonical", "engine/internal/changes", "engine/internal/queue",
		"engine/option", "engine/plain",
		"engine/redact", "engine/scriptfile", "engine/slash", "engine/stream",
		"engine/subject", "engine/suggest", "engine/ui", "engine/value", "engine/vm"}},
	{"engine/fault", []string{"engine/plain", "engine/value"}},
	{"engine/option", []string{"engine/plain", "engine/value"}},
	{"engine/slash", []string{"engine/suggest", "engine/value"}},
	{"engine/subject", []string{"engine/value"}},
	{"engine/scriptfile", []string{"engine/suggest"}},
	{"engine/ui", []string{"engine/redact", "engine/value"}},
	{"engine/service", []string{"engine/chat", "engine/event"}},
	{"engine/chord", []string{"engine/suggest"}},
	{"engine/chat", []string{"engine/event", "engine/plain", "engine/redact", "engine/suggest",
		"engine/value"}},
	{"engine/stream", []string{"engine/apart", "engine/event", "engine/redact"}},
	{"engine/internal/queue", []string{"engine/vm"}},
	{"engine/vm", nil},
	{"engine/redact", []string{"engine/plain", "engine/value"}},
	{"engine/suggest", nil},
	{"engine/value", []string{"engine/plain", "engine/suggest"}},
	// events, their table, envelope and filters
	{"engine/event", []string{"engine/redact", "engine/suggest", "engine/value", "engine/vm"}},
	{"engine/spec", []string{"engine/lazyregexp", "engine", "engine/packed"}},
	{"engine/host", []string{"engine", "engine/apart", "engine/diff", "engine/fence", "engine/glob",
		"engine/internal/files", "engine/internal/store", "engine/internal/yamltext",
		"engine/lazyregexp", "engine/plain", "engine/process", "engine/regularfile",
		"engine/schemas", "engine/shell", "engine/touch", "engine/web"}},
	{"engine/apart", nil},
	{"engine/packed", nil},
	{"engine/lazyregexp", nil},
	{"engine/internal/canonical", []string{"engine/value"}},
	{"engine/internal/changes", nil},
	{"engine/internal/extfiles", []string{"engine/internal/changes", "engine/realpath",
		"engine/regularfile", "engine/scriptfile"}},
	{"engine/diff", nil},
	{"engine/schemas", []string{"engine/lazyregexp",
		"engine", "engine/plain", "engine/suggest", "engine/value"}},
	{"engine/glob", []string{"engine/lazyregexp", "engine/realpath"}},
	{"engine/load", []string{"engine/lazyregexp",
		"engine", "engine/apart", "engine/atomicfile", "engine/diff",
		"engine/event", "engine/filelock", "engine/gitdir", "engine/glob",
		"engine/internal/changes", "engine/internal/extfiles",
		"engine/ledger", "engine/plain",
		// which processes that a tool left running have ended by the next start
		"engine/process",
		"engine/realpath", "engine/regularfile", "engine/trust"}},
	{"engine/plain", nil},
	// ui has the terminal that a front end gives to a program
	{"engine/process", []string{"engine/internal/launch", "engine/plain", "engine/ui"}},
	{"engine/stdio", []string{"engine/fence", "engine/plain", "engine/process"}},
	// extensions of other hosts
	{"engine/foreign", []string{"engine", "engine/foreign/..."}},
	{"engine/foreign/hosts", []string{"engine/lazyregexp", "engine/plain", "engine/regularfile"}},
	{"engine/foreign/internal/extapi", []string{"engine", "engine/fence", "engine/foreign/hosts",
		"engine/process"}},
	{"engine/foreign/hooks", []string{"engine", "engine/atomicfile", "engine/filelock",
		"engine/foreign/internal/...", "engine/gitdir", "engine/glob", "engine/internal/extfiles",
		"engine/internal/yamltext", "engine/lazyregexp", "engine/plain", "engine/realpath",
		"engine/regularfile"}},
	{"engine/foreign/internal/peer", []string{"engine", "engine/fence",
		"engine/foreign/internal/extapi", "engine/realpath", "engine/shell", "engine/stdio"}},
	// a world for their tests
	{"engine/foreign/internal/foreigntest", []string{"engine", "engine/host", "engine/load",
		"engine/scripttest", "engine/standard"}},
	{"engine/foreign/picoclaw", []string{"engine", "engine/foreign/hosts", "engine/plain",
		"engine/foreign/internal/..."}},
	{"engine/foreign/zot", []string{"engine", "engine/foreign/internal/...", "engine/plain"}},
	{"engine/fence", []string{"engine/internal/confine", "engine/internal/launch",
		"engine/plain", "engine/realpath", "engine/web"}},
	{"engine/internal/launch", []string{"engine/internal/confine"}},
	// initialized before all libraries: see its package comment
	{"engine/internal/confine", nil},
	{"engine/shell", []string{"engine/glob", "engine/lazyregexp", "engine/plain",
		"engine/shell/internal/dialect",
		"engine/shell/internal/code", "engine/shell/internal/measure"}},
	{"engine/shell/internal/code", []string{"engine/lazyregexp"}},
	{"engine/shell/internal/dialect", []string{"engine/lazyregexp"}},
	{"engine/shell/internal/measure", nil},
	{"engine/shell/oracle", nil}, // tests against real shells
	{"engine/protect", []string{"engine", "engine/gitdir", "engine/glob", "engine/realpath",
		"engine/shell"}},
	{"engine/realpath", nil},
	{"engine/audit", []string{"engine", "engine/event", "engine/filelock",
		"engine/plain", "engine/redact", "engine/regularfile"}},
	{"engine/touch", []string{"engine/lazyregexp",
		"engine", "engine/gitdir", "engine/glob", "engine/plain",
		"engine/realpath", "engine/regularfile", "engine/shell"}},
	{"engine/ledger", []string{"engine/atomicfile", "engine/filelock", "engine/regularfile"}},
	{"engine/trust", []string{"engine/gitdir", "engine/ledger"}},
	{"engine/internal/yamltext", []string{"engine/apart", "engine/value"}},
	{"engine/gitdir", []string{"engine/plain", "engine/realpath", "engine/regularfile"}},
	{"engine/atomicfile", nil},
	{"engine/filelock", []string{"engine/regularfile"}},
	{"engine/regularfile", nil},
	// what was checked is what is opened, by tools and for scripts
	{"engine/nolink", []string{"engine/realpath"}},
	{"engine/ramdisk", nil}, // for tests only
	{"engine/long", nil},    // for tests only
	// packages that only the engine may use, which the Go tool enforces
	{"engine/internal/files", []string{"engine/atomicfile", "engine/glob", "engine/nolink",
		"engine/plain", "engine/realpath"}},
	{"engine/internal/store", []string{"engine/atomicfile", "engine/filelock",
		"engine/regularfile"}},
	{"engine/lint", []string{"engine", "engine/lazyregexp", "engine/spec", "engine/load"}},
	{"engine/web", nil},
	// an engine with the parts that the program uses
	{"engine/standard", []string{"engine", "engine/host", "engine/schemas", "engine/spec",
		"engine/touch"}},
	// the tests pass the runtimes, so scripttest imports none
	{"engine/scripttest", []string{"engine", "engine/host", "engine/plain", "engine/spec",
		"engine/standard"}},
	{"lua", []string{"engine", "engine/apart", "engine/lazyregexp", "engine/plain"}},
	{"js", []string{"engine", "engine/apart", "engine/lazyregexp", "engine/packed",
		"engine/plain"}},
	// the package that an embedder imports: it connects the others
	{"agent", []string{"engine/lazyregexp", "engine", "engine/apart", "engine/audit",
		"engine/event",
		"engine/fence", "engine/foreign", "engine/foreign/hosts", "engine/gitdir", "engine/host",
		"engine/load",
		"engine/plain", "engine/process", "engine/protect", "engine/realpath",
		"engine/standard", "agent/..."}},
	// an environment for tests of scripts: an agent and everything it needs
	{"agent/trial", []string{"engine", "engine/diff", "engine/plain", "engine/spec", "engine/host",
		"engine/load", "engine/realpath", "engine/regularfile", "engine/standard", "agent",
		"agent/session", "agent/tool"}},
	// scripts from elsewhere, and what is installed
	{"agent/share", []string{"engine/atomicfile", "engine/diff", "engine/fault", "engine/filelock",
		"engine/lazyregexp", "engine/lint",
		"engine/load", "engine/plain", "engine/realpath", "engine/regularfile",
		"engine/scriptfile", "engine/shell", "engine/suggest"}},
	// the program without its screen and its script languages
	{"agent/program", []string{"engine", "engine/audit", "engine/diff", "engine/event",
		"engine/fence", "engine/foreign/hosts", "engine/load",
		"engine/plain", "engine/protect", "engine/regularfile", "engine/touch", "engine/trust",
		"agent",
		"agent/..."}},
	{"agent/permission", []string{"engine/lazyregexp",
		"agent/tool", "engine", "engine/plain", "engine/glob",
		"engine/ledger", "engine/realpath", "engine/shell", "engine/touch"}},
	{"agent/tool", []string{"agent/internal/ignore", "agent/output", "engine", "engine/apart",
		"engine/atomicfile", "engine/diff", "engine/fence", "engine/glob", "engine/nolink",
		"engine/plain", "engine/process", "engine/realpath", "engine/regularfile", "engine/web"}},
	{"agent/sandbox", []string{"agent/config", "engine/fence", "engine/gitdir", "engine/glob",
		"engine/realpath"}},
	{"agent/internal/mcp", []string{"engine/lazyregexp",
		"agent/config", "engine", "engine/apart", "engine/fence",
		"engine/plain", "engine/process", "engine/stdio"}},
	{"agent/session", []string{"engine", "engine/atomicfile", "engine/filelock", "engine/plain",
		"engine/regularfile"}},
	{"agent/history", []string{"engine/atomicfile", "engine/filelock", "engine/regularfile"}},
	{"agent/config", []string{"agent/permission", "agent/tool", "engine/atomicfile", "engine/chat",
		"engine/event", "engine/ledger",
		"engine/foreign/hosts", "engine/glob", "engine/lazyregexp", "engine/plain",
		"engine/realpath",
		"engine/regularfile", "engine/suggest",
		"engine/value"}},
	{"agent/llm", []string{"agent/config", "engine", "engine/lazyregexp", "engine/plain",
		"engine/web"}},
	{"agent/internal/ask", []string{"engine/lazyregexp",
		"engine", "engine/apart", "engine/event", "engine/plain",
		"agent/internal/report"}},
	{"agent/internal/instruct", []string{"engine/lazyregexp", "engine/plain", "engine/realpath",
		"engine/regularfile"}},
	{"agent/internal/ignore", []string{"engine/gitdir", "engine/plain", "engine/regularfile"}},
	{"agent/...", []string{"engine", "engine/apart", "engine/lazyregexp", "engine/plain",
		"engine/realpath", "engine/regularfile", "agent/..."}},
	{"tui", []string{"engine", "engine/apart", "engine/diff", "engine/plain",
		"tui/internal/argsedit", "tui/internal/cells", "tui/internal/chip",
		"tui/internal/clipboard", "tui/internal/draft",
		"tui/internal/drag", "tui/internal/feed", "tui/internal/find", "tui/internal/graphics",
		"tui/internal/hyperlink", "tui/internal/inline", "tui/internal/keymap",
		"tui/internal/lineprint", "tui/internal/markdown", "tui/internal/palette",
		"tui/internal/picklist", "tui/internal/recall", "tui/internal/scriptlist",
		"tui/internal/scroll", "tui/internal/textarea", "tui/internal/vim",
		"tui/internal/welcome", "tui/terminal"}},
	{"tui/internal/argsedit", []string{"engine/plain", "engine/value", "tui/internal/cells",
		"tui/internal/textarea"}},
	{"tui/internal/drag", []string{"tui/internal/cells"}},
	{"tui/internal/feed", []string{"engine/event", "engine/plain", "engine/ui"}},
	{"tui/internal/scroll", []string{"tui/internal/cells"}},
	{"tui/internal/recall", []string{"engine/plain", "tui/internal/textarea"}},
	{"tui/internal/markdown", []string{"engine/lazyregexp",
		"engine/plain", "tui/internal/highlight",
		"tui/internal/hyperlink", "tui/internal/palette"}},
	{"tui/internal/vim", []string{"engine/plain"}},
	{"tui/internal/draft", []string{"tui/internal/chip", "tui/internal/recall",
		"tui/internal/textarea", "tui/internal/vim"}},
	{"tui/internal/hyperlink", nil},
	{"tui/internal/graphics", []string{"engine/plain"}},
	{"tui/internal/picklist", []string{"engine/plain", "engine/ui", "tui/internal/cells",
		"tui/internal/textarea"}},
	{"tui/internal/inline", []string{"engine/plain", "tui/internal/cells", "tui/terminal"}},
	{"tui/internal/keymap", []string{"engine/chord", "engine/suggest"}},
	{"tui/internal/palette", []string{"engine/suggest"}},
	{"tui/internal/highlight", nil},
	{"tui/internal/picture", nil},
	{"tui/internal/welcome", []string{"engine/plain", "engine/ui", "tui/internal/cells"}},
	{"tui/internal/scriptlist", []string{"engine/fault", "engine/plain", "engine/ui",
		"tui/internal/cells"}},
	{"tui/internal/cells", []string{"engine/plain"}},
	{"tui/internal/clipboard", nil},
	{"tui/internal/chip", []string{"engine/plain"}},
	{"tui/internal/find", nil},
	{"tui/internal/lineprint", []string{"engine/plain", "tui/internal/cells"}},
	{"tui/terminal", []string{"engine/ui"}},
	{"tui/internal/textarea", []string{"tui/internal/cells"}},
	{"tui/tuitest", nil},
	{"scripts", []string{"engine/packed"}},
	{"docs", []string{"engine/packed"}},
	{"cmd/...", []string{"..."}},
}

// vocabulary are the packages whose types engine's API uses. A folder that may import engine may
// import them.
var vocabulary = []string{"engine/chat", "engine/chord", "engine/event", "engine/fault",
	"engine/option", "engine/redact", "engine/scriptfile", "engine/service", "engine/slash",
	"engine/subject", "engine/suggest", "engine/ui", "engine/value", "engine/vm"}

type folderRule struct {
	folder string
	may    []string
}

// modulePolicy lists the modules of others, the only folder that may import each, and what the
// module is for. A module with several folders has one row for each; few have.
var modulePolicy = []moduleRule{
	{"github.com/yuin/gopher-lua", "lua"}, // a Lua interpreter
	{"github.com/dop251/goja", "js"},      // a JavaScript interpreter
	// goja's second regexp engine, whose time limit js sets
	{"github.com/dlclark/regexp2/v2", "js"},
	// patterns of JSON Schema, which use the syntax of ECMA-262, such as (?!
	{"github.com/dlclark/regexp2/v2", "engine/schemas"},
	// matchers of hooks, which are regular expressions of JavaScript
	{"github.com/dlclark/regexp2/v2", "engine/foreign/hooks"},
	// converts TypeScript, modules and newer syntax to code that goja can run
	{"github.com/evanw/esbuild", "js"},
	// maps positions in that code to the source; goja uses it
	{"github.com/go-sourcemap/sourcemap", "js"},
	{"github.com/fsnotify/fsnotify", "engine/load"}, // file events on five operating systems
	// a terminal's keys, modes and frames
	{"charm.land/bubbletea/v2", "tui"},
	{"charm.land/bubbletea/v2", "tui/terminal"},
	{"charm.land/bubbletea/v2", "tui/internal/argsedit"},
	{"charm.land/bubbletea/v2", "tui/internal/textarea"},
	{"charm.land/bubbletea/v2", "tui/internal/recall"},
	{"charm.land/bubbletea/v2", "tui/internal/draft"},
	{"charm.land/bubbletea/v2", "tui/internal/inline"},
	{"charm.land/bubbletea/v2", "tui/internal/keymap"},
	{"charm.land/bubbletea/v2", "tui/internal/lineprint"},
	{"charm.land/bubbletea/v2", "tui/tuitest"},
	{"charm.land/lipgloss/v2", "tui"},                     // colours that the terminal supports
	{"github.com/yuin/goldmark", "tui/internal/markdown"}, // the parser of Markdown
	// widths of texts that scripts lay out
	{"github.com/charmbracelet/x/ansi", "engine/host"},
	{"github.com/charmbracelet/x/ansi", "tui"},                   // measures and cuts styled text
	{"github.com/charmbracelet/x/ansi", "tui/internal/markdown"}, // the same, for Markdown
	{"github.com/charmbracelet/x/ansi", "tui/internal/cells"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/drag"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/palette"}, // the colours of a terminal
	// how many colours a terminal has
	{"github.com/charmbracelet/colorprofile", "tui"},
	{"github.com/charmbracelet/colorprofile", "tui/internal/palette"},
	{"github.com/charmbracelet/colorprofile", "tui/terminal"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/picture"},
	// the cells of a screen, for pictures of it
	{"github.com/charmbracelet/ultraviolet", "tui/internal/picture"},
	// the cells of a line: whatever is not a character, a style or a link is left out
	{"github.com/charmbracelet/ultraviolet", "tui/terminal"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/find"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/hyperlink"}, // the sequences
	{"github.com/charmbracelet/x/ansi", "tui/internal/graphics"},  // the same, and their marks
	{"github.com/charmbracelet/x/ansi", "tui/internal/vim"},       // what a character is
	{"github.com/charmbracelet/x/ansi", "tui/internal/lineprint"},
	{"github.com/charmbracelet/x/ansi", "tui/internal/textarea"},
	{"github.com/charmbracelet/x/ansi", "tui/terminal"}, // sequences that leave a screen
	// whether a file is a terminal, and its size
	{"github.com/charmbracelet/x/term", "tui/terminal"},
	{"github.com/muesli/cancelreader", "tui/terminal"}, // the keys of a program end with it
	{"github.com/creack/pty", "engine/process"},        // a terminal for a program
	// fuzzy matching and ranking
	{"github.com/sahilm/fuzzy", "tui"},
	{"github.com/sahilm/fuzzy", "tui/internal/picklist"},
	{"mvdan.cc/sh/v3", "engine/shell"},    // the grammar of bash
	{"go.yaml.in/yaml/v3", "engine/host"}, // YAML for scripts, written
	// YAML for scripts, and of docker-agent, read
	{"go.yaml.in/yaml/v3", "engine/internal/yamltext"},
	{"github.com/BurntSushi/toml", "engine/host"}, // TOML for scripts
	// YAML, which people write by hand with all its syntax
	{"go.yaml.in/yaml/v3", "agent/internal/frontmatter"},
	{"github.com/BurntSushi/toml", "agent/config"}, // config.toml
	// commands, their flags and completion
	{"github.com/spf13/cobra", "cmd/agent"},
	{"github.com/spf13/cobra", "cmd/agent/internal/cli"},
	{"github.com/spf13/pflag", "cmd/agent"},
	{"github.com/spf13/pflag", "cmd/agent/internal/cli"},
	// the messages of the Agent Client Protocol, with validation
	{"github.com/coder/acp-go-sdk", "agent/acp"},
	// the Model Context Protocol, its transports and versions
	{"github.com/modelcontextprotocol/go-sdk", "agent/internal/mcp"},
	// path patterns with ** and {a,b}
	{"github.com/bmatcuk/doublestar/v4", "engine/glob"},
	// a tokenizer of HTML
	{"golang.org/x/net", "agent/tool"},
	// the character sets of pages
	{"golang.org/x/text", "agent/tool"},
	// the ASCII form of host names with other letters
	{"golang.org/x/net", "engine/web"},
	{"golang.org/x/net", "js"}, // the same, in URLs
	// a rename between two open folders
	{"golang.org/x/sys", "engine/internal/files"},
	// opening a file by a path without links, in one step
	{"golang.org/x/sys", "engine/nolink"},
	// file locks that end with their process, on all systems
	{"golang.org/x/sys", "engine/filelock"},
	// whether a pipe still holds something
	{"golang.org/x/sys", "engine/process"},
}

type moduleRule struct{ module, folder string }

const (
	// maxFileLines: a longer file contains more than one topic.
	maxFileLines = 700
	// maxFuncLines: a longer function is hard to read as a whole.
	maxFuncLines = 70
)

// TestPolicyBreaches: each small breach is found, and nothing else.
func TestPolicyBreaches(t *testing.T) {
	t.Parallel()
	folders := []folderRule{{"engine", nil}, {"lua", []string{"engine"}},
		{"cmd/...", []string{"..."}}}
	modules := []moduleRule{{"example.com/vm", "lua"}}
	good := map[string]string{
		"engine/a.go": "package engine\nimport \"fmt\"\nvar _ = fmt.Sprint",
		"lua/a.go": "package lua\nimport (\n_ \"embed\"\n_x \"example.com/vm/sub\"\n_y \"" +
			modulePath + "/engine\"\n)\nvar _ = _x.X\nvar _ = _y.Y",
		"cmd/agent/a.go": "package main\nimport \"" + modulePath +
			"/lua\"\nvar _ = lua.X\nfunc main() {}",
		"lua/a_test.go": "package lua\nimport \"" + modulePath +
			"/cmd/agent\"\nfunc init() {}\nvar _ = agent.X",
		"engine/b_test.go": "package engine\nimport \"example.org/x\"\nvar _ = x.X",
	}
	tests := []struct{ what, name, text, want string }{
		{"nothing", "engine/b.go", "package engine", ""},
		{"an upward import", "engine/b.go", "package engine\nimport \"" + modulePath + "/lua\"",
			"engine/b.go:2: engine may not import lua"},
		{"a folder without a rule", "util/b.go", "package util",
			"util/b.go: folder util has no rule: say what it may import"},
		{"an unknown module", "lua/b.go", "package lua\nimport \"example.org/x\"",
			"lua/b.go:2: example.org/x is not in the module policy: a " +
				"dependency needs a row that " +
				"says what it saves"},
		{"a module in another folder", "engine/b.go", "package engine\nimport \"example.com/vm\"",
			"engine/b.go:2: example.com/vm may only be imported by lua: use its API in engine"},
		{"a module whose name has the same prefix", "lua/b.go",
			"package lua\nimport \"example.com/vm2\"",
			"lua/b.go:2: example.com/vm2 is not in the module policy: a dependency needs a row " +
				"that says what it saves"},
		{"a side effect", "engine/b.go", "package engine\nimport _ \"image/png\"",
			"engine/b.go:2: imports image/png for its side effects: packages must not register " +
				"themselves, " +
				"cmd lists everything"},
		{"an init", "lua/b.go", "package lua\nfunc init() {}",
			"lua/b.go:2: func init: importing a package must have no effects"},
		{"a method init", "lua/b.go", "package lua\ntype T int\nfunc (T) init() {}", ""},
		{"a long function", "lua/b.go", "package lua\nfunc f() {" + strings.Repeat("\n",
			maxFuncLines) + "}", "lua/b.go:2: f has 71 lines, at most 70 are allowed"},
		{"a function of the maximum length", "lua/b.go",
			"package lua\nfunc f() {" + strings.Repeat("\n", maxFuncLines-1) + "}", ""},
		{"a long file", "lua/b_test.go", "package lua" + strings.Repeat("\n", maxFileLines+1),
			"lua/b_test.go has 701 lines, at most 700 are allowed"},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			sources := []*source{mustParse(t, test.name, test.text)}
			for name, text := range good {
				sources = append(sources, mustParse(t, name, text))
			}
			if got := strings.Join(breaches(sources, folders, modules), "\n"); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("rules that no source needs", func(t *testing.T) {
		sources := []*source{mustParse(t, "lua/a.go", "package lua")}
		want := []string{`policy: lua does not import engine: remove it from the row`,
			`policy: lua does not import example.com/vm: remove the rule`,
			`policy: no folder matches "cmd/...": remove the rule`,
			`policy: no folder matches "engine": remove the rule`}
		if got := breaches(sources, folders, modules); strings.Join(got, "\n") != strings.Join(want,
			"\n") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func mustParse(t *testing.T, name, text string) *source {
	t.Helper()
	s, err := parseSource(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPolicy(t *testing.T) {
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches(sources, folderPolicy, modulePolicy) {
		t.Error(b)
	}
}

// TestPolicyOfComments: comments about a file are not part of the package's documentation. An empty
// line stands between them and the package clause.
func TestPolicyOfComments(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if doc := s.file.Doc.Text(); doc != "" && !strings.HasPrefix(doc, "Package ") &&
			!strings.HasPrefix(doc, "Command ") {
			t.Errorf("%s: its comment would be part of the package's documentation: add an empty "+
				"line after it", s.name)
		}
	}
}

// source is a parsed Go file.
type source struct {
	name  string // slash-separated, from the root of the repository
	lines int
	file  *ast.File
	set   *token.FileSet
}

func (s *source) folder() string { return path.Dir(s.name) }
func (s *source) test() bool     { return strings.HasSuffix(s.name, "_test.go") }

// imports returns the import paths of s, with the line of each.
func (s *source) imports() (paths []string, specs []*ast.ImportSpec) {
	for _, spec := range s.file.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, "`\""))
		specs = append(specs, spec)
	}
	return paths, specs
}

func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.name, s.set.Position(n.Pos()).Line)
}

// readSources parses every Go file of the module, for every platform, except those in testdata. The
// tests share the result, which must not be changed.
var readSources = sync.OnceValues(func() ([]*source, error) {
	const root = ".."
	var sources []*source
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".."
		switch {
		case d.IsDir() && (hidden || d.Name() == "testdata" || ownModule(root, name)):
			return filepath.SkipDir
		case d.IsDir() || hidden || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		s, err := parseInto(set, filepath.ToSlash(rel), text)
		sources = append(sources, s)
		return err
	})
	return slices.Clip(sources), err
})

// ownModule reports whether a folder below root is a separate module, to which the policy does not
// apply.
func ownModule(root, folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil && folder != root
}

func parseSource(name string, text []byte) (*source, error) {
	return parseInto(token.NewFileSet(), name, text)
}

func parseInto(set *token.FileSet, name string, text []byte) (*source, error) {
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
	return &source{name: name, lines: strings.Count(string(text), "\n"), file: file, set: set}, err
}

// breaches returns the breaches of the policy in sources, and the rules that no source needs.
func breaches(sources []*source, folders []folderRule, modules []moduleRule) []string {
	p := &policy{folders: folders, modules: modules, used: map[any]bool{}}
	for _, s := range sources {
		if s.lines > maxFileLines {
			p.breach("%s has %d lines, at most %d are allowed", s.name, s.lines, maxFileLines)
		}
		if !s.test() {
			p.checkImports(s)
			p.checkFuncs(s)
		}
	}
	for _, r := range folders {
		if !p.used[r.folder] {
			p.breach("policy: no folder matches %q: remove the rule", r.folder)
			continue
		}
		for _, may := range r.may {
			if !p.used[r.folder+" -> "+may] {
				p.breach("policy: %s does not import %s: remove it from the row", r.folder, may)
			}
		}
	}
	for _, r := range modules {
		if !p.used[r] {
			p.breach("policy: %s does not import %s: remove the rule", r.folder, r.module)
		}
	}
	sort.Strings(p.found)
	return p.found
}

type policy struct {
	folders []folderRule
	modules []moduleRule
	used    map[any]bool
	found   []string
}

func (p *policy) breach(format string, args ...any) {
	p.found = append(p.found, fmt.Sprintf(format, args...))
}

func (p *policy) checkImports(s *source) {
	rule := p.rule(s.folder())
	if rule == nil {
		p.breach("%s: folder %s has no rule: say what it may import", s.name, s.folder())
		return
	}
	paths, specs := s.imports()
	for i, imported := range paths {
		at := s.at(specs[i])
		if name := specs[i].Name; name != nil && name.Name == "_" && imported != "embed" {
			p.breach("%s: imports %s for its side effects: packages must not register themselves,"+
				" cmd lists "+
				"everything", at, imported)
		}
		own, inside := strings.CutPrefix(imported, modulePath+"/")
		first, _, _ := strings.Cut(imported, "/")
		switch {
		case inside:
			p.checkFolder(s, rule, at, own)
		case strings.Contains(first, "."):
			p.checkModule(s, at, imported)
		}
	}
}

func (p *policy) checkFolder(s *source, rule *folderRule, at, own string) {
	for _, may := range rule.may {
		if matches(may, own) {
			p.used[rule.folder+" -> "+may] = true
			return
		}
	}
	if slices.Contains(vocabulary, own) && slices.Contains(rule.may, "engine") {
		return
	}
	p.breach("%s: %s may not import %s", at, s.folder(), own)
}

// rule returns the first row that matches folder.
func (p *policy) rule(folder string) *folderRule {
	for i := range p.folders {
		if r := &p.folders[i]; matches(r.folder, folder) {
			p.used[r.folder] = true
			return r
		}
	}
	return nil
}

func (p *policy) checkModule(s *source, at, imported string) {
	var module string
	var owners []string
	for _, r := range p.modules {
		if !matches(r.module+"/...", imported) {
			continue
		}
		if s.folder() == r.folder {
			p.used[r] = true
			return
		}
		module, owners = r.module, append(owners, r.folder)
	}
	if module != "" {
		p.breach("%s: %s may only be imported by %s: use its API in %s", at, module,
			strings.Join(owners, " and "), s.folder())
		return
	}
	p.breach("%s: %s is not in the module policy: a dependency needs a row that says what it saves",
		at, imported)
}

func (p *policy) checkFuncs(s *source) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f.Name.Name == "init" && f.Recv == nil {
			p.breach("%s: func init: importing a package must have no effects", s.at(f))
		}
		lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
		if lines > maxFuncLines {
			p.breach("%s: %s has %d lines, at most %d are allowed", s.at(f), f.Name.Name, lines,
				maxFuncLines)
		}
	}
}

func matches(pattern, folder string) bool {
	prefix, tree := strings.CutSuffix(pattern, "...")
	if !tree {
		return pattern == folder
	}
	return strings.HasPrefix(folder+"/", prefix)
}
