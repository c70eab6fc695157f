// This file carries out what an answer asks for besides its decision: fields of newer versions of
// Claude Code.

package hooks

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

// wishes are what an answer asks for besides its decision.
type wishes struct {
	terminal string    // a sequence for the terminal
	title    string    // the name of the session
	prompt   string    // to be sent
	updates  []*fields // of permission rules
	watches  bool      // files for FileChanged
}

// mostTitle is how long the name of a session may be, in bytes.
const mostTitle = 200

// readWishes reads them. own is hookSpecificOutput.
func (a *answer) readWishes(r *row, f, own *fields) {
	a.terminal = f.text("terminalSequence")
	if strings.Contains(r.needs, "session") {
		a.title = plain.Line(own.text("sessionTitle"), mostTitle)
	}
	if strings.Contains(r.needs, "agent") {
		a.prompt = short(own.text("initialUserMessage"))
		a.watches = len(own.list("watchPaths")) > 0
	}
	if r.ours == "tool_permission" {
		own.inner("decision").each("updatedPermissions", func(in *fields) {
			a.updates = append(a.updates, in)
		})
	}
}

// carryOut does what the answer of a hook asks for. What fails is told, and has no effect on its
// decision.
func (x *extension) carryOut(run *engine.Run, h *hook, w *wishes) {
	if w.terminal != "" {
		x.sendSignals(h, w.terminal)
	}
	if w.title != "" {
		_, err := x.api.Invoke(run, "session.name", w.title)
		x.tellError(h, "sessionTitle", err)
	}
	if w.prompt != "" {
		_, err := x.api.Invoke(run, "agent.send", w.prompt)
		x.tellError(h, "initialUserMessage", err)
	}
	if w.watches {
		x.tellOnce(placed(x, h) +
			": watchPaths has no effect, as FileChanged has no counterpart here")
	}
	for _, in := range w.updates {
		x.tellError(h, "updatedPermissions", x.updateRules(h, in))
	}
}

func (x *extension) tellError(h *hook, field string, err error) {
	if err != nil {
		x.api.Tell("warn", placed(x, h)+": "+field+": "+plain.Error(err))
	}
}

// tellOnce tells something once, as long as the extension is loaded.
func (x *extension) tellOnce(text string) {
	x.mu.Lock()
	told := x.told[text]
	if x.told == nil {
		x.told = map[string]bool{}
	}
	x.told[text] = true
	x.mu.Unlock()
	if !told {
		x.api.Tell("warn", text)
	}
}

// updateRules adds rules that allow calls, for the session. What would last longer, refuse calls or
// change the permission mode is for the user to write.
func (x *extension) updateRules(h *hook, f *fields) error {
	kind := f.text("type")
	if kind != "addRules" || f.text("behavior") != "allow" {
		return fmt.Errorf("%s has no counterpart here: only addRules with the behavior allow has "+
			"one", plain.Line(kind+" "+f.text("behavior"), 80))
	}
	if to := f.text("destination"); to != "" && to != "session" {
		x.tellOnce(placed(x, h) + ": updatedPermissions: rules for " + plain.Line(to, 40) +
			" hold for this session only; what is to stay goes into [permissions] of config.toml")
	}
	var errs []error
	f.each("rules", func(in *fields) {
		text, err := x.s.tools.ownRule(in.text("toolName"), in.text("ruleContent"))
		if err == nil {
			err = x.api.Bind.Gen.Engine().User.AllowForSession(text)
		}
		errs = append(errs, err)
	})
	return errors.Join(append(errs, f.err)...)
}

// ownRule returns the rule here for a permission rule there.
func (t *toolset) ownRule(tool, content string) (string, error) {
	own := t.ownName(tool)
	if content == "" {
		return own, nil
	}
	switch own {
	case "bash":
		if p, ok := strings.CutSuffix(content, ":*"); ok {
			content = p + " *"
		}
	case "fetch":
		domain, is := strings.CutPrefix(content, "domain:")
		if !is {
			return "", fmt.Errorf("%s(%s) is not understood: want domain:NAME", tool,
				plain.Line(content, 80))
		}
		content = "https://" + domain + "/*"
	case "read", "edit", "write", "ls", "grep", "glob":
		_, home := realpath.CutHome(content)
		switch first, _, _ := strings.Cut(content, "/"); {
		case strings.HasPrefix(content, "//"):
			content = content[1:]
		case first == "":
			content = "." + content
		case first != "." && first != "**" && !home:
			content = "./" + content
		}
	}
	return own + "(" + content + ")", nil
}
