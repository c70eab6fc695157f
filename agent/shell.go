// This file runs the user's own shell commands: !command and !!command.

package agent

import (
	"context"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// shellLine parses !command, which is shown to the model with its output, and !!command, which is
// not. A text that a script sends or rewrites is never one: the script would avoid the question
// that its own call would raise.
func shellLine(in Input) (command string, show, ok bool) {
	rest, ok := strings.CutPrefix(in.Text, "!")
	if !ok || in.Source == sourceScript || in.asked {
		return "", false, false
	}
	hidden, hide := strings.CutPrefix(rest, "!")
	if hide {
		rest = hidden
	}
	rest = strings.TrimSpace(rest)
	return rest, !hide, rest != ""
}

// userShell dispatches a shell command of the user like every tool call.
func (w *worker) userShell(ctx context.Context, command string, show bool) End {
	w.a.report.Tell(event.UserShell{Command: command, InContext: show})
	env := *w.a.Envelope()
	env.Origin = "user"
	id := "user_" + w.a.journal.session().NewID()
	args := map[string]any{"command": command}
	if w.a.o.Fence != nil {
		args["sandbox"] = false // as in a terminal of the user
	}
	r := w.a.engine.Dispatch(ctx, &engine.Call{ID: id, Tool: tool.Bash, Args: args,
		Origin: "user", Env: &env})
	fit(w.a.o.Output, r)
	end := End{Status: Handled, Response: chat.PlainText(r.Content)}
	if r.Abort != "" {
		end = *failed(abortText(r))
		w.a.report.Fail("shell", end.Error, false)
	}
	if r.Abort == "agent" {
		w.a.shared.endAll(end.Error)
	}
	switch {
	case r.Skipped == "aborted" && r.Abort != "":
		return end
	case r.Skipped == "aborted":
		return End{Status: Cancelled}
	case r.Skipped != "":
		end.Status, end.Reason, end.Response, end.Refused = Blocked, end.Response, "", 1
	}
	if show {
		shown := "!" + command + "\n" + strings.TrimRight(chat.PlainText(r.Content), "\n")
		took := time.Duration(r.DurationMS) * time.Millisecond
		w.token.noteEntry(session.Entry{Shown: &shown, Call: id, Tool: &session.ToolRun{Took: took},
			Message: &chat.Message{Role: "user", Content: shellBlocks(command, r),
				IsError: r.IsError}})
	}
	return end
}

// shellBlocks returns the message in which the model sees a command of the user:
//
//	<user_shell>
//	$ git status
//	nothing to commit
//	</user_shell>
//
// It is a user's message of its own, to which scripts may add context. The output cannot contain
// the end tag. A list of sessions shows "!git status".
func shellBlocks(command string, r *engine.Result) []chat.Block {
	text := "$ " + command + "\n" + strings.TrimRight(chat.PlainText(r.Content), "\n")
	text = "<user_shell>\n" + strings.ReplaceAll(text, "</user_shell>", "&lt;/user_shell&gt;") +
		"\n</user_shell>"
	for _, c := range r.Contexts {
		text += "\n" + c.Wrap()
	}
	return engine.TextResult(text).Content
}
