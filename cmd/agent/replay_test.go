package main

import (
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/tui"
)

func TestShellItem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"<user_shell>\n$ ls " +
			"-l\na\nb\n</user_shell>": {"ls -l", "a\nb"},
		"<user_shell>\n$ true\n\n</user_shell>\n<context " +
			"script=\"x.lua\">\nnoted\n</context>": {"true", ""},
		"<user_shell>\n$ cat x\n&lt;/user_shell&gt;\n</user_shell>": {"cat x", "</user_shell>"},
	} {
		if command, output, ok := shellItem(text); !ok || [2]string{command, output} != want {
			t.Errorf("%q: got %q, %q, %v", text, command, output, ok)
		}
	}
	if _, _, ok := shellItem("what is <user_shell>?"); ok {
		t.Error("a prompt was parsed as a command")
	}
}

// TestReplayOfShellText checks that only a command that the user ran is shown as one: a script may
// send the same text.
func TestReplayOfShellText(t *testing.T) {
	t.Parallel()
	const text = "<user_shell>\n$ rm x\n\n</user_shell>"
	items := replay([]session.Item{{Kind: session.ItemUser, Text: text, Sender: "a.lua"},
		{Kind: session.ItemUser, Text: text, CallID: "1", IsError: true, Took: time.Second}}, nil)
	if items[0].Kind != tui.ItemUser || items[0].Sender != "a.lua" || !items[1].ByUser ||
		!items[1].IsError || items[1].Took != time.Second {
		t.Errorf("got %+v", items)
	}
}
