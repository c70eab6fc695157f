package main

import "testing"

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
