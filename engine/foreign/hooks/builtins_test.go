package hooks_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/event"
)

// builtin is a hook of the type builtin.
func builtin(name, args string) string {
	return "{type: builtin, command: " + name + ", args: [" + args + "]}"
}

// TestBuiltinContexts: what builtins tell the model.
func TestBuiltinContexts(t *testing.T) {
	t.Parallel()
	host, _ := os.Hostname()
	for _, test := range []struct {
		name, args string
		want, not  string
	}{
		{"add_date", "", "Today's date: " + time.Now().Format("2006"), ""},
		{"add_environment_info", "", "Working directory: DIR\nIs directory a git repo: No\n" +
			"Operating system: ", ""},
		{"add_prompt_files", "A.md, nope.md", "Content of A.md:\nfrom here", "above"},
		{"add_prompt_files", "B.md", "Content of B.md:\nfrom above", ""},
		{"add_prompt_files", "C.md, --depth=2", "See also ./sub/C.md", "deep"},
		{"add_prompt_files", "nope.md", "", ""},
		{"add_directory_listing", "", "Files in the working directory:\nA.md\nsub/", ".hidden"},
		{"add_user_info", "", "\nHost: " + host, ""},
		{"add_context", "'in {{.Cwd}}', 'of {{.SessionID}}'", "in DIR\nof s1", ""},
	} {
		t.Run(test.name+" "+test.args, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).docker("turn_start", "-", builtin(test.name, test.args))
			w.variables["USER"] = "me"
			write(t, w.dir, "B.md", "from above", 0o644)
			write(t, w.dir, "A.md", "from above", 0o644)
			w.dir = filepath.Join(w.dir, "below")
			w.env.CWD = w.dir
			w.mkdir("sub/deep")
			write(t, w.dir, "A.md", "from here", 0o644)
			write(t, w.dir, ".hidden", "x", 0o644)
			write(t, w.dir, "sub/C.md", "x", 0o644)
			got := verdict(w.begin().fires(event.TurnStart{Turn: 1}))
			want := strings.ReplaceAll(test.want, "DIR", w.dir)
			if !strings.Contains(got, want) || want == "" && got != "" ||
				test.not != "" && strings.Contains(got, test.not) {
				t.Errorf("got %q, want %q; %s", got, want, w.told())
			}
		})
	}
}

// TestBuiltinGit: what builtins tell of a repository; nothing where there is none.
func TestBuiltinGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, test := range []struct{ name, args, want string }{
		{"add_git_status", "", "From git:\n## main\n M a\n?? b"},
		{"add_git_diff", "", "From git:\n a | 2 +-"},
		{"add_git_diff", "full", "\n-one\n+two"},
		{"add_recent_commits", "1", " first"},
	} {
		t.Run(test.name+test.args, func(t *testing.T) {
			t.Parallel()
			w := newRig(t).docker("turn_start", "-", builtin(test.name, test.args))
			if got := verdict(w.begin().fires(event.TurnStart{Turn: 1})); got != "" {
				t.Errorf("without a repository: %q", got)
			}
			write(t, w.dir, "a", "one\n", 0o644)
			for _, line := range []string{"init -q -b main", "add a",
				"-c user.name=x -c user.email=x commit -qm first"} {
				cmd := exec.Command("git", strings.Fields(line)...)
				cmd.Dir = w.dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			write(t, w.dir, "a", "two\n", 0o644)
			write(t, w.dir, "b", "", 0o644)
			got := verdict(w.fires(event.TurnStart{Turn: 1}))
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q; %s", got, test.want, w.told())
			}
		})
	}
}

// TestMaxIterations: a request beyond the limit is refused.
func TestMaxIterations(t *testing.T) {
	t.Parallel()
	w := newRig(t).docker("before_llm_call", "-", builtin("max_iterations", "2")).begin()
	for n, want := range map[int]string{1: "", 2: "",
		3: "blocked the limit of model calls (max_iterations) is reached: 2"} {
		if got := verdict(w.fires(event.LLMRequest{Purpose: "agent", Iteration: n})); got != want {
			t.Errorf("%d: got %q, want %q; %s", n, got, want, w.told())
		}
	}
}

// TestRedactSecrets: secrets are masked in arguments before a call, and in results.
func TestRedactSecrets(t *testing.T) {
	t.Parallel()
	key := "ghp_" + strings.Repeat("a1", 12)
	w := newRig(t).put("agent.yaml", "agents: {root: {redact_secrets: true}}", 0o644).begin()
	w.answers = true
	if got := w.bash("echo " + key); got != `ran {"command":"echo [redacted:secret]"}` {
		t.Errorf("got %q; %s", got, w.told())
	}
	if got := w.engine.Mask.Text("x " + key); got != "x [redacted:secret]" {
		t.Errorf("a text is masked as %q", got)
	}
	if got := w.bash("echo ghp_short"); got != `ran {"command":"echo ghp_short"}` {
		t.Errorf("got %q", got)
	}
}

// TestElide: the same result of the same call is a line the second time.
func TestElide(t *testing.T) {
	t.Parallel()
	w := newRig(t).docker("tool_response_transform", "*",
		builtin("elide_repeated_tool_results", "")).begin()
	w.answers = true
	long, marker := strings.Repeat("x", 300), "[the result is the same"
	for _, test := range []struct {
		tool, path string
		elided     bool
	}{{"look", long, false}, {"look", long, true}, {"look", long + "y", false},
		{"look", long, true},
		{"look", "short", false}, {"look", "short", false}, {"write", long, false},
		{"write", long, false}} {
		got := w.calls(test.tool, map[string]any{"path": test.path})
		if strings.HasPrefix(got, marker) != test.elided {
			t.Errorf("%+v: got %q; %s", test, got, w.told())
		}
	}
}

// TestSaferShell: commands are labelled for the user who is asked about them.
func TestSaferShell(t *testing.T) {
	t.Parallel()
	for _, on := range []string{"pre_tool_use", "permission_request"} {
		w := newRig(t).docker(on, "shell", builtin("safer_shell", "")).begin()
		for line, want := range map[string]string{"ls -l x.go": "safe",
			"ls | sh": "unknown", "rm -r x": "destructive",
			"ls; curl x | sh": "unknown", "echo x >y": "unknown"} {
			w.bash(line)
			if got := w.details(); got != "safety_label="+want {
				t.Errorf("%s: %s: got %q, want %s; %s", on, line, got, want, w.told())
			}
		}
	}
}

// TestHTTPPost: what a hook reads, or a text of its own, is sent to a server.
func TestHTTPPost(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies <- string(b)
		if r.URL.Path == "/fail" {
			rw.WriteHeader(http.StatusTeapot)
		}
	}))
	t.Cleanup(s.Close)
	for _, test := range []struct{ path, body, want, told string }{
		{"/x", "", `"hook_event_name":"turn_start"`, ""},
		{"/x", ", 'at {{.HookEventName}}'", "at turn_start", ""},
		{"/fail", "", "{", "the turn_start hook http_post " + s.URL + "/fail: it failed with " +
			"exit code 1: the server answered with status 418"},
	} {
		w := newRig(t).docker("turn_start", "-", builtin("http_post", "'"+s.URL+test.path+"'"+
			test.body)).begin()
		if got := verdict(w.fires(event.TurnStart{Turn: 1})); got != "" {
			t.Errorf("got %q", got)
		}
		if got := <-bodies; !strings.Contains(got, test.want) {
			t.Errorf("sent %q, want %q", got, test.want)
		}
		if got := w.told(); !strings.Contains(got, test.told) || test.told == "" && got != "" {
			t.Errorf("told %q, want %q", got, test.told)
		}
	}
}

// TestUnload: a server on this machine is told that its model is no longer used, and no other.
func TestUnload(t *testing.T) {
	t.Parallel()
	const docker = `POST /engines/unload {"model":"ai/big","models":["ai/big"]}`
	from := func(kind, to string) event.Fired {
		return event.AgentSwitch{From: "a", To: "b", Kind: kind, ToModel: to,
			FromModels: []any{map[string]any{"provider": "local", "model": "ai/big"}}}
	}
	change := event.ModelChange{New: "local/small", Previous: "local/ai/big", Source: "user"}
	for _, test := range []struct {
		args, base string // after the address
		fire       event.Fired
		want       string
	}{
		{"", "/engines/v1", change, docker},
		{"", "/engines/llama.cpp/v1/", from("transfer", "local/small"), docker},
		{"", "/engines/v1", from("return", "other/x"), docker},
		{"", "/engines/v1", from("handoff", "local/small"), ""}, // model_change tells it
		{"", "/engines/v1", from("transfer", "local/ai/big"), ""},
		{"", "/engines/v1", event.ModelChange{New: "a/b", Previous: "gone/x"}, ""},
		{"", "/engines/v1", event.ModelChange{New: "a/b"}, ""},
		{"", "/v1", change, ""},
		{"/engines/_unload", "/engines/v1", change,
			`POST /engines/_unload {"model":"ai/big","models":["ai/big"]}`},
		{"http://localhost:PORT/off", "", change,
			`POST /off {"model":"ai/big","models":["ai/big"]}`},
	} {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
			r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			asked = append(asked, r.Method+" "+r.URL.Path+" "+string(b))
		}))
		_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
		args := ""
		if test.args != "" {
			args = "'" + strings.ReplaceAll(test.args, "PORT", port) + "'"
		}
		w := newRig(t).docker("on_agent_switch", "-", builtin("unload", args))
		if w.local.BaseURL = server.URL + test.base; test.base == "" {
			w.local.BaseURL = "https://models.example/v1"
		}
		w.begin().tell(test.fire)
		server.Close()
		if got := strings.Join(asked, "\n"); got != test.want || w.told() != "" {
			t.Errorf("%+v: got %s; %s %s", test, got, w.told(), w.logged())
		}
	}
}

// TestUnloadOllama: Ollama unloads a model that is to be kept for no time.
func TestUnloadOllama(t *testing.T) {
	t.Parallel()
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body = r.URL.Path + " " + string(b)
		http.Error(out, "no such model", http.StatusNotFound)
	}))
	defer server.Close()
	w := newRig(t).docker("on_agent_switch", "-", builtin("unload", ""))
	w.local.Name, w.local.BaseURL = "ollama", server.URL+"/v1"
	w.begin().tell(event.ModelChange{New: "a/b", Previous: "ollama/qwen3"})
	if body != `/api/generate {"keep_alive":0,"model":"qwen3"}` {
		t.Errorf("got %s; %s", body, w.told())
	}
	if got := w.logged(); !strings.Contains(got, "qwen3 was not unloaded: status 404: no") {
		t.Errorf("logged %s", got)
	}
}
