package scripts_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/scripts"
)

// languages are the endings in which each idea of the gallery stands.
var languages = []string{".lua", ".js"}

func TestGalleryStandsInBothLanguages(t *testing.T) {
	names := scripts.Files()
	if len(names) == 0 {
		t.Fatal("the gallery is empty")
	}
	for _, name := range names {
		base := strings.TrimSuffix(name, path.Ext(name))
		for _, lang := range languages {
			if _, ok := scripts.Text(base + lang); !ok {
				t.Errorf("%s: no %s", name, base+lang)
			}
		}
	}
}

// TestGalleryLeavesCommandsToTheShell: a command line is read by ext.shell, never cut by hand, and
// what cannot be known of it is asked about. Authors copy what they see.
func TestGalleryLeavesCommandsToTheShell(t *testing.T) {
	byHand := regexp.MustCompile(`args\.command`)
	asked := regexp.MustCompile(`ext\.shell\.\w+\(\w+\.args\.command\b`)
	careless := regexp.MustCompile(`opaque\s*[=:]\s*"allow"`)
	seen := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if ext := path.Ext(name); err != nil || d.IsDir() || ext != ".lua" && ext != ".js" &&
			ext != ".ts" {
			return err
		}
		text, err := os.ReadFile(name)
		for n, line := range strings.Split(string(text), "\n") {
			seen += len(asked.FindAllString(line, -1))
			if len(byHand.FindAllString(line, -1)) > len(asked.FindAllString(line, -1)) {
				t.Errorf("%s:%d looks into a command by hand: %s", name, n+1, line)
			}
			if careless.MatchString(line) {
				t.Errorf("%s:%d lets pass what cannot be known: %s", name, n+1, line)
			}
		}
		return err
	})
	if err != nil || seen < 2*len(languages) {
		t.Errorf("%d commands are asked about: %v", seen, err)
	}
}

// refusal is a prompt, and what its end says: "" = its call runs.
type refusal struct{ prompt, want string }

// testRefusals gives prompts to an agent with a script, in both languages.
func testRefusals(t *testing.T, script string, tests []refusal) {
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, script+lang)
			for _, tt := range tests {
				end := w.prompt(tt.prompt)
				if (end.Refused == 1) != (tt.want != "") ||
					!strings.Contains(end.Response, tt.want) {
					t.Errorf("%s: got %d refused, %s; want %q", tt.prompt, end.Refused,
						end.Response, tt.want)
				}
			}
		})
	}
}

func TestGuard(t *testing.T) {
	tests := []refusal{
		{"run sudo ls", "no sudo: say what you need and the user will run it"},
		{"run env 's'udo ls", "no sudo"},
		{"run echo sudo", ""},
		{"run git push --force",
			"asks: Run git push --force? (it can destroy what others have pushed)"},
		{"run git -C . push origin -uf", "asks: Run git -C . push origin -uf?"},
		{"run echo x > x.sh; sh x.sh", "sh x.sh lets a file run"},
		{"run echo x > a/../.env", "secrets are edited by hand"},
		{"run echo push forward", ""},
		{"write .env x", "secrets are edited by hand"},
		{"write a/.env.local x", "secrets are edited by hand"},
		{"edit .env x => y", "secrets are edited by hand"},
		{"write environment x", ""},
	}
	testRefusals(t, "guard", tests)
}

func TestProtectedPaths(t *testing.T) {
	tests := []refusal{
		{"write .git/hooks/pre-commit x", "git's own files"},
		{"run rm -rf .git", "git's own files"},
		{"run cd .git && touch x", "git's own files"},
		{"run echo x >> ~/.bashrc", "what your shell runs"},
		{"write /etc/x y", "the system is not part"},
		{"read ~/.ssh/id", "keys are not to be read"},
		{"run cat ~/.ssh/id", "keys are not to be read"},
		{"run eval $X", "this call may touch paths that"},
		{"run echo git", ""},
		{"write x y", ""},
	}
	testRefusals(t, "protected-paths", tests)
}

func TestHello(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, "hello"+lang)
			if end := w.prompt("/hello you"); end.Status != agent.Handled {
				t.Errorf("got %+v", end)
			}
			w.prompt("/hello")
			if got := w.all("say", "markdown"); got != "Hello you!|Hello world!" {
				t.Errorf("said %s", got)
			}
			end := w.prompt(`call greet {"name":"Ada"}`)
			if want := "1. call greet: ok\n   Hello Ada!"; end.Response != want {
				t.Errorf("got %s", end.Response)
			}
			w.engine.Emitter.Drain(w.ctx)
			if got := w.all("script_error", "message"); got != "" {
				t.Errorf("errors: %s", got)
			}
		})
	}
}
