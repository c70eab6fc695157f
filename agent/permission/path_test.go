package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/realpath"
)

// TestPathRules checks that rules about files apply to the files that calls touch, however calls
// name them: d denied, k asked, a allowed, - nothing.
func TestPathRules(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs bash and links")
	}
	root, _ := realpath.Of(t.TempDir())
	project, home := filepath.Join(root, "p"), filepath.Join(root, "home")
	for _, name := range []string{"p/src/a.go", "p/.env", "p/secret/key", "p/sub/x",
		"home/.bashrc"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"src/notes.txt": home + "/.ssh/authorized_keys",
		"src/one": "two", "src/two": "../three", "three": "../home/.ssh/new", "src/up": home,
		"src/back": "up/../home/.ssh/x",
		"src/in":   "a.go", "src/loop": ".", "keys": home + "/.ssh", "src/ring": "ring"} {
		if err := os.Symlink(to, filepath.Join(project, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := New(Options{Home: filepath.Join(root, "agent"), User: home, Project: project,
		Deny: []string{"write(~/.ssh/**)", "read(**/.env)", "edit(./secret/**)", "bash(rm -r *)",
			"grep(./secret/**)"},
		Allow: []string{"write(./src/**)", "bash(echo *)", "bash(cat *)"}})
	tests := `
d write src/notes.txt
d write src/one
d edit src/two
d write three
d write src/up/.ssh/deep/er
d write src/back
d write src/../src/notes.txt
d write src/loop/loop/notes.txt
d write ~/.ssh/x
d write secret/key
d edit secret/new
d mcp__fs__write src/notes.txt
k write src/ring
a write src/a.go
a write src/in
a edit src/new/file
- write keysx
- write sub/x
- write src/up/.bashrc
d bash echo k > ~/.ssh/x
d bash echo k >> src/notes.txt
d bash echo a | tee -a ~/.ssh/authorized_keys
d bash cp sub/x ~/.ssh/x
d bash cp sub/x keys
d bash cd ~/.ssh && touch x
d bash sed -i s/a/b/ secret/key
d bash F=~/.ssh; echo > $F/x
d bash mv sub/x keys/
d bash sh -c 'echo k > ~/.ssh/x'
d bash rm -r ~/.ssh
d bash rm -fr x
d bash rm secret/key
k bash echo k > "$F"
k bash rm "$(ls)"
k bash tar xf a.tar
k bash python3 -c 'open(x)'
k bash ssh-keygen -f ~/.ssh/new
k bash ssh-keygen -f keys/new
k bash openssl rand -out ~/.ssh/new 8
k bash script ~/.ssh/new
k bash python3 foo.py ~/.ssh/new
k bash ./tool --output=~/.ssh/new
k bash ./tool -o$HOME/.ssh/new
k bash ./tool "${HOME}/.ssh/new"
k bash ./tool ~/.ssh/$X
k bash ./tool of=~/.ssh/new
k bash docker run -v ~/.ssh:/k x
k bash sudo -u me ssh-keygen -f ~/.ssh/new
k bash valgrind --log-file=~/.ssh/log ./x
k bash OUT=~/.ssh/new make
k bash cd ~/.ssh && openssl rand -out new 8
k bash cd ~/.ssh && openssl rand -out new.pem 8
k bash node --env-file=.env x.js
k bash pytest --junitxml=secret/x tests
k bash eslint --fix secret/key
k mcp__fs__put {"out":"~/.ssh/new"}
- bash eslint secret/key
- bash pytest secret/key
- bash npm test -- secret/key
- bash npm run new
- bash ./tool src/a.go "$X"
- bash ls ~/.ssh
- bash gh pr create --body "see ~/.ssh/new"
- mcp__fs__put {"text":"see\n~/.ssh/new"}
- bash make
- bash touch sub/x
a bash echo k
d bash cat .env
d bash cat sub/../.env
d bash cp .env x
d bash grep -r x .
a bash cat src/a.go
k bash cat "$X"
d read .env
d read sub/../.env
- read src/a.go
k grep .
- grep src
d grep secret
- ls .
- glob .
- read secret/key
- mcp__fs__write sub/x
`
	for line := range strings.Lines(strings.TrimPrefix(tests, "\n")) {
		want, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		tool, text, _ := strings.Cut(rest, " ")
		c := call(tool, text)
		if strings.HasPrefix(text, "{") {
			c.Args = map[string]any{}
			if err := json.Unmarshal([]byte(text), &c.Args); err != nil {
				t.Fatal(err)
			}
		}
		if tool == "bash" {
			c = bash(text)
		}
		c.Env = &event.Envelope{CWD: project, Project: project}
		got, rule, _ := r.Decide(c, &engine.Tool{Name: tool, ReadOnly: want == "-" &&
			!strings.HasPrefix(tool, "mcp__") && tool != "write" && tool != "bash"}, nil)
		if letter := map[string]string{"deny": "d", "ask": "k", "allow": "a",
			"": "-"}[got]; letter != want {
			t.Errorf("%s: got %s by %q, want %s", rest, letter, rule, want)
		}
	}
}

// TestQuestionAboutUnknownProgram checks that the question names the program, the path and the
// rule, and says why it is asked.
func TestQuestionAboutUnknownProgram(t *testing.T) {
	because := "the word ~/.ssh/new is /home/me/.ssh/new, and what ssh-keygen does with it is " +
		"not known; to be certain, use a program that is known, such as cat or cp, or leave it out"
	for rule, want := range map[string]string{
		"write(~/.ssh/**)": "(ssh-keygen may write ~/.ssh/new, which the rule write(~/.ssh/**) ",
		"read(~/.ssh/**)":  "(ssh-keygen may read ~/.ssh/new, which the rule read(~/.ssh/**) ",
	} {
		c := bash("ssh-keygen -f ~/.ssh/new")
		for _, o := range []Options{{Deny: []string{rule}}, {Ask: []string{rule}}} {
			o.User, o.Project = "/home/me", "/p"
			end := "asks about)"
			if o.Deny != nil {
				end = "denies)"
			}
			got, text, why := New(o).Decide(c, &engine.Tool{}, nil)
			if got != "ask" || text != want+end || why != because {
				t.Errorf("%+v: got %s, %q, %q", o, got, text, why)
			}
		}
	}
}

// TestWhyRulesMatch checks that the reason names the word by which a command matches a rule, and
// that no reason is given for tools that name files as they are.
func TestWhyRulesMatch(t *testing.T) {
	r := New(Options{User: "/home/me", Project: "/p", Deny: []string{"read(**/.env)",
		"bash(rm -r *)"}})
	for line, want := range map[string]string{
		"f=.env; cat $f": "deny cat reads /p/.env: the word $f stands for it",
		"sudo rm -r x":   "deny sudo runs rm -r x",
		"cat $X": "ask the word $X of cat is known only when the line runs; to be certain, write " +
			"what it stands for",
		"rm $X": "ask the word $X of rm is known only when the line runs; to be certain, write " +
			"what it stands for",
		"rm -r x": "deny ",
	} {
		c := bash(line)
		c.Env = &event.Envelope{CWD: "/p", Project: "/p"}
		if got, _, why := r.Decide(c, &engine.Tool{}, nil); got+" "+why != want {
			t.Errorf("%s\n got %s %s\nwant %s", line, got, why, want)
		}
	}
	c := &engine.Call{Tool: "read", Args: map[string]any{"path": ".env"}}
	if got, _, why := r.Decide(c, &engine.Tool{}, nil); got != "deny" || why != "" {
		t.Errorf("read: got %s, %q", got, why)
	}
}

// linesThatAsk are the ordinary lines that ask because an unknown program gets a path that a rule
// names.
const linesThatAsk = `
clang -fsanitize=address -g test.c -o test && ./test
vim src/main.c
npm install --no-save esbuild@0.19 && npx esbuild src/index.ts --bundle --outfile=dist/out.js
docker compose exec -T api sh -c 'pytest -q tests/unit'
docker exec web sh -c 'cat /etc/nginx/conf.d/default.conf'
kubectl exec -n x "$POD" -- cat /etc/hosts
docker run --rm alpine cat /etc/os-release
vercel env pull .env.local
dotnet run --project src/X -- --port 5000
dotnet ef migrations list --project src/App
ruff check --select I --fix src
npm test -- --testPathPattern='src/api' --verbose 2>&1 | tail -60
esbuild src/x.ts --bundle --outfile=dist/x.js --define:process.env.NODE_ENV='"production"'
javac -d out $(find src -name '*.java')
javac -d out $(find src -name '*.java') && java -cp out Main
g++ -std=c++20 -fsanitize=address test.cpp -o test && ./test
npx playwright test --project=chromium --reporter=line tests/login.spec.ts
uv sync && uv run ruff check src --fix
docker exec api cat /etc/os-release
openapi-generator-cli generate -i openapi.yaml -g typescript-fetch -o src/gen
ssh-keygen -lf ~/.ssh/id_ed25519.pub
codespell --skip='*.lock,node_modules' src docs
find src -name '*.js' | while read -r f; do mv "$f" "${f%.js}.ts"; done
find src -name '*.js' -exec sh -c 'mv "$1" "${1%.js}.ts"' _ {} \;
npx jest --coverage --collectCoverageFrom='src/**/*.{ts,tsx}' --maxWorkers=50%
poetry run black --check . && poetry run ruff check --fix src tests
dotnet ef migrations add AddRoles -p src/Data -s src/Api && dotnet ef database update
vim +42 src/server.ts
npx openapi-typescript http://localhost:8080/openapi.json -o src/api.d.ts
ls src/*.c | xargs -n1 basename | sed 's/\.c$//' | xargs -I{} gcc -c src/{}.c -o build/{}.o
` + "docker compose -f docker-compose.yml -f docker-compose.test.yml run --rm api pytest -x " +
	"tests/integration\n"

// TestOrdinaryLinesDoNotAsk checks that with typical rules, ordinary commands of agents do not ask
// because of what programs may do with their arguments.
func TestOrdinaryLinesDoNotAsk(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"src", "test", "tests", ".git"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := os.ReadFile("../../engine/shell/testdata/ordinary.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{User: "/home/me", Project: root, Deny: []string{"write(~/.ssh/**)",
		"write(**/.env*)", "write(./.git/**)", "write(/etc/**)", "write(./tests/**)",
		"write(./test/**)", "write(./src/**)", "write(./*.lock)", "read(**/.env)"}})
	seen := 0
	for line := range strings.Lines(string(lines)) {
		line = strings.TrimSuffix(line, "\n")
		c := bash(strings.ReplaceAll(line, "⏎", "\n"))
		c.Env = &event.Envelope{CWD: root, Project: root}
		_, why, _ := r.Decide(c, &engine.Tool{}, nil)
		if !strings.HasPrefix(why, "(") {
			continue
		}
		if seen++; !strings.Contains(linesThatAsk, "\n"+line+"\n") {
			t.Errorf("%s\n asks: %s", line, why)
		}
	}
	if want := strings.Count(linesThatAsk, "\n") - 1; seen != want {
		t.Errorf("%d lines ask, want %d", seen, want)
	}
}

// TestMisspelledRule checks that a rule about an unknown tool with text in parentheses asks about
// every call, because it is meant for an existing tool and it is unknown which calls it should
// prevent.
func TestMisspelledRule(t *testing.T) {
	for rule, asks := range map[string]bool{"raed(**/.env)": true, "shell(rm *)": true,
		"Read(x": true, "deploy(prod)": false} {
		r := New(Options{Deny: []string{rule}})
		if got, _, _ := r.Decide(call("read", ".env"),
			&engine.Tool{Name: "read", ReadOnly: true}, nil); (got == "ask") != asks {
			t.Errorf("%s: got %q, want asked %v", rule, got, asks)
		}
	}
}

// holding is a sandbox that keeps programs from what matches these globs.
type holding []string

func (h holding) Holds(what, glob string) bool { return slices.Contains(h, what+" "+glob) }
func (holding) Keeps(string) bool              { return false }
func (holding) CanLift(string, []string, []string) ([]string, error) {
	return nil, nil
}
func (holding) Refuses(string, []string, []string) (reads, writes []string) { return nil, nil }

// TestSealed checks that files that a program in the sandbox cannot read need no question, if
// nothing else is in doubt.
func TestSealed(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for _, tt := range []struct {
		rule, command string
		how           engine.Confinement
		want          string
	}{
		{"read(./sealed/**)", "python3 -c 'open(x)'", engine.Sealed, ""},
		{"read(./sealed/**)", "openssl enc -in sealed/key", engine.Sealed, ""},
		{"read(./other/**)", "python3 -c 'open(x)'", engine.Sealed, "ask"},
		{"read(./sealed/**)", "python3 -c 'open(x)'", engine.Confined, "ask"},
		{"read(./sealed/**)", "python3 -c 'open(x)'", engine.Outside, "ask"},
		{"read(./sealed/**)", "cat sealed/key", engine.Sealed, "deny"},
		{"read(**/.env)", "python3 -c 'open(x)'", engine.Sealed, ""},
		{"read(**/.env)", "cat ../.env", engine.Sealed, "deny"},
		{"read(**/.key)", "python3 -c 'open(x)'", engine.Sealed, "ask"},
		{"write(./dist/**)", "python3 -c 'open(x)'", engine.Sealed, "ask"},
	} {
		r := New(Options{Project: project, Deny: []string{tt.rule}})
		bash := *declared()[slices.IndexFunc(declared(),
			func(t *engine.Tool) bool { return t.Name == "bash" })]
		bash.Sandbox = &engine.Sandbox{Fence: holding{"reads " + project + "/sealed/**",
			"reads /**/.env"},
			Confinement: func(map[string]any) engine.Confinement { return tt.how }}
		got, why, _ := r.Decide(&engine.Call{Tool: "bash",
			Args: map[string]any{"command": tt.command}}, &bash, nil)
		if got != tt.want {
			t.Errorf("%+v: got %q, %s", tt, got, why)
		}
	}
}
