// This file has the builtins of docker-agent's hooks.

package hooks

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// builtin is a hook that is part of the program.
type builtin struct {
	name string
	// line is the command line that does it, which gets the arguments of the hook.
	line  string
	run   func(a *asked, h *hook, in message) *answer // if line is ""
	want  string                                      // of its arguments; "" = it needs none
	needs string                                      // grants
}

// builtins are all of them. Those that tell the model something are command lines: they run where
// commands run, and need what commands need.
var builtins = []builtin{
	{name: "add_date", line: `date "+Today's date: %Y-%m-%d"`},
	{name: "add_environment_info", line: `echo "Working directory: $PWD"
echo "Is directory a git repo: $(git rev-parse 2>/dev/null && echo Yes || echo No)"
echo "Operating system: $(uname -s)"; echo "CPU architecture: $(uname -m)"`},
	{name: "add_prompt_files", want: "the names of files", line: `top=$PWD depth=0
for f; do case $f in --depth=*) depth=${f#*=};; esac; done
show() { echo "Content of $1:"; cat "$2"; echo; }
for f; do case $f in --*) continue;; esac
d=$top; while :; do
  if [ -f "$d/$f" ]; then show "$f" "$d/$f"; break; fi
  if [ -z "$d" ]; then [ -f "$HOME/$f" ] && show "~/$f" "$HOME/$f"; break; fi
  d=${d%/*}; done
[ "$depth" -gt 0 ] && find . -mindepth 2 -maxdepth $((depth + 1)) -path "*/$f" -type f \
  -exec echo See also {} \;
done; :`},
	{name: "add_git_status", line: gitLine + ` status --short --branch` + gitEnd},
	{name: "add_git_diff", line: `s=--stat; [ "$1" = full ] && s=
` + gitLine + ` diff $s` + gitEnd},
	{name: "add_recent_commits", line: gitLine + ` log --oneline -n "${1:-10}"` + gitEnd},
	{name: "add_directory_listing", line: `echo "Files in the working directory:"
ls -1p | head -n 100`},
	{name: "add_user_info", line: `echo "User: $(id -un)"; echo "Host: $(uname -n)"`},
	{name: "safer_shell", line: `l=unknown
d='(rm|rmdir|dd|mkfs|shred|truncate|chmod|chown|kill|mv|sudo)'
s='(ls|cat|pwd|echo|head|tail|grep|rg|wc|which|date|file|stat|du|df|whoami)'
c=$(sed -E 's/.*"tool_input":\{[^}]*"cmd":"(([^"\\]|\\.)*)".*/\1/')
if printf %s "$c" | grep -Eq "(^|[^a-zA-Z0-9_.-])$d([^a-zA-Z0-9_.-]|\$)"; then l=destructive
elif printf %s "$c" | grep -Eq "^$s( [-A-Za-z0-9_./*=,:@+%~ ]*)?\$"; then l=safe; fi
echo '{"hook_specific_output":{"metadata":{"safety_label":"'$l'"}}}'`},
	{name: "add_context", want: "texts", run: func(a *asked, h *hook, in message) *answer {
		return &answer{context: h.filled(in)}
	}},
	{name: "max_iterations", want: "a number", run: func(_ *asked, h *hook, in message) *answer {
		a := &answer{}
		if n, _ := value.Number(in["iteration"]); n > h.most {
			a.decision = "deny"
			a.reason = "the limit of model calls (max_iterations) is reached: " + h.args[0]
		}
		return a
	}},
	{name: "redact_secrets", run: redactSecrets},
	{name: "elide_repeated_tool_results", run: elideResult},
	{name: "http_post", want: "an address"},
	{name: "limit_large_tool_results"}, // the program does it with the results of all tools
	{name: "unload", run: unload, needs: "net:localhost net:127.0.0.1 net:[::1]"},
	{name: "snapshot", run: takeSnapshot, needs: "exec:sh"},
}

const (
	gitLine = `o=$(git --no-optional-locks -c core.fsmonitor= --no-pager`
	gitEnd  = ` 2>/dev/null) && [ -n "$o" ] && echo "From git:" && printf %s "$o" | head -c 4096; :`
)

func builtinNamed(name string) *builtin {
	for i := range builtins {
		if builtins[i].name == name {
			return &builtins[i]
		}
	}
	return nil
}

// readBuiltin reads a hook of the type builtin; false = it never runs.
func (h *hook) readBuiltin(f *fields, s *settings) bool {
	b := builtinNamed(h.command)
	switch {
	case b == nil:
		var names []string
		for i := range builtins {
			names = append(names, builtins[i].name)
		}
		f.unknown("command", h.command, names)
		return true
	case b.want != "" && len(h.args) == 0:
		f.wrong("args", "want "+b.want)
		return true
	case b.line != "":
		h.kind, h.bare, h.script = "command", true, b.line
		return true
	}
	switch h.builtin = b; b.name {
	case "unload":
		if len(h.args) > 0 && h.args[0][:min(1, len(h.args[0]))] != "/" {
			if h.url = h.args[0]; hostOf(h.url) == "" {
				f.wrong("args", "want a path that begins with /, or an http address")
			}
		}
	case "limit_large_tool_results":
		s.inherent = true
		return false
	case "http_post":
		h.kind, h.url = "http", h.args[0]
		if hostOf(h.url) == "" {
			f.wrong("args", "want an address: http:// or https://")
		}
		h.addTexts(f, "args", h.args[1:])
	case "max_iterations":
		if h.most, _ = strconv.ParseFloat(h.args[0], 64); !(h.most >= 1) {
			f.wrong("args", "want a number, 1 or more")
		}
	case "add_context":
		h.addTexts(f, "args", h.args)
	}
	return true
}

// mostKept is how many calls and results are remembered.
const mostKept = 1000

// secretPatterns are the secrets that redact_secrets masks: those of model servers, GitHub, GitLab,
// Docker, AWS, Google and Slack, JSON Web Tokens, and private keys.
const secretPatterns = `\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|` +
	`\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|` +
	`\bdckr_(?:pat|oat)_[\w-]{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|` +
	`\bAIza[0-9A-Za-z_-]{35}|\bxox[abposr]-[0-9A-Za-z-]{10,}|` +
	`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}|` +
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----`

// registerMore registers what a hook of docker-agent needs besides the handler of its event.
func (x *extension) registerMore(run *engine.Run, h *hook) (err error) {
	a := x.api.At(h.line)
	switch {
	case h.builtin != nil && h.builtin.name == "snapshot" && x.kept == nil:
		x.kept = map[string]*history{}
		err = x.registerSnapshots(run, a)
	case h.builtin != nil && h.builtin.name == "unload":
		_, err = a.Invoke(run, "on", "model_change", object("timeout", wait([]*hook{h})),
			a.Func(func(run *engine.Run, args []any) (any, error) {
				ev := args[0].(*event.Event)
				x.unloadModel(run, h, ev.Text("previous"), ev.Text("new"))
				return nil, nil
			}))
	case h.builtin != nil && h.builtin.name == "redact_secrets" && !x.redacts:
		x.redacts = true
		_, err = a.Invoke(run, "redact", object("name", "secret",
			"patterns", []any{secretPatterns}))
	case h.row.ours == ofCall && h.row.supports("metadata") && !x.labelled:
		x.labelled = true
		_, err = a.Invoke(run, "on", "tool_permission", object(), a.Func(x.showLabels))
	}
	return err
}

// showLabels handles tool_permission: the user sees the labels of the call.
func (x *extension) showLabels(_ *engine.Run, args []any) (any, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	labels := x.labels[args[0].(*event.Event).Text("call_id")]
	if len(labels) == 0 {
		return nil, nil
	}
	return object("detail", labels), nil
}

// setLabels remembers the labels that hooks give a call, for the user who is asked about it.
func (x *extension) setLabels(id string, labels message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.labels) >= mostKept || x.labels == nil {
		x.labels = map[string]message{}
	}
	if len(labels) > 0 {
		x.labels[id] = labels
	}
}

// redactSecrets masks secrets in the arguments of a call. Everywhere else, the redactor does it
// that registerMore has registered.
func redactSecrets(a *asked, h *hook, in message) *answer {
	if h.row.ours != ofCall {
		return &answer{}
	}
	masked, _ := a.x.api.Bind.Gen.Engine().Mask.Value(in["tool_input"]).(message)
	return &answer{update: masked}
}

// elideResult replaces the result of a call that only reads if the same call had the same result
// before.
func elideResult(a *asked, _ *hook, in message) *answer {
	text := value.Text(in, "tool_response")
	if a.ev.Field("read_only") != true || len(text) < leastElided {
		return &answer{}
	}
	args, _ := json.Marshal(in["tool_input"]) // it is plain data
	key := a.ev.Env().SessionID + "\x00" + a.tool + "\x00" + string(args)
	sum := sha256.Sum256([]byte(text))
	a.x.mu.Lock()
	defer a.x.mu.Unlock()
	before, known := a.x.results[key]
	if len(a.x.results) >= mostKept || a.x.results == nil {
		a.x.results = map[string][32]byte{}
	}
	if a.x.results[key] = sum; !known || before != sum {
		return &answer{}
	}
	return &answer{result: "[the result is the same as that of the same call before]"}
}

// leastElided is how long a result is at least for which a shorter text stands.
const leastElided = 200
