package agent

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// mentionWorld is a world with files that prompts can name.
func mentionWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, Options{}, answer{text: "nice"}, answer{text: "nice"})
	dir := w.agent.attached.dir
	var pixel bytes.Buffer
	if err := png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": "package main\n", "my notes.txt": "notes",
		"sub/a.txt": "a", "q\"uo\nte": "odd", "bad.txt": "x\xffy", "bin": "a\x00b",
		"secret.key": "key", "secret.png": pixel.String(),
		"picture": pixel.String(), "picture.png": pixel.String(),
		"</context>": "end"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestFilesNamedInPrompt checks that the model gets what the tools read of files and directories
// that the user names as @PATH.
func TestFilesNamedInPrompt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see @main.go":              "@main.go: file main.go:\npackage main\n",
		"(@main.go), @main.go.":     "@main.go: file main.go:\npackage main\n",
		`@"my notes.txt"`:           "@my notes.txt: file my notes.txt:\nnotes",
		`@"q\"uo\nte"`:              "@q\nuo\nte",
		"@sub/":                     "@sub/: directory sub:\na.txt",
		"@bad.txt":                  "x\uFFFDy",
		"@</context>":               "end",
		"mail me@main.go":           "",
		"@none.go @ @\"\" @\"main":  "",
		"@types/node and @someone ": "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := mentionWorld(t)
			w.agent.Prompt(w.ctx, Input{Text: text})
			got := ""
			for _, m := range w.requests[0].Messages[1:] {
				for _, b := range m.Content {
					got += b.Text
				}
			}
			parts := strings.SplitN(want, ": ", 2)
			for _, part := range parts {
				if strings.HasPrefix(part, "@q") {
					part = "odd"
				}
				if !strings.Contains(got, part) || want == "" && got != "" {
					t.Errorf("got %q, want %q", got, part)
				}
			}
			if strings.Count(got, "<context") > 1 || strings.Count(got, "</context>") > 1 {
				t.Errorf("got %q", got)
			}
			if m := w.requests[0].Messages[0]; m.Content[0].Text != text {
				t.Errorf("the text has become %q", m.Content[0].Text)
			}
		})
	}
}

// TestOnlyTheUserNamesFiles checks that nothing is read for texts of scripts and other programs,
// nor for commands.
func TestOnlyTheUserNamesFiles(t *testing.T) {
	t.Parallel()
	w := mentionWorld(t)
	for _, in := range []Input{{Text: "@main.go", Source: "script"},
		{Text: "@main.go", Source: "rpc"}, {Text: "@picture.png", Source: "rpc"},
		{Text: "/nope @main.go"}, {Text: "!echo @main.go"}} {
		w.agent.Prompt(w.ctx, in)
	}
	if got := w.tell("tool_start:tool"); strings.Contains(got, tool.Read) {
		t.Errorf("got %q", got)
	}
}

// TestAttachedFilesStay checks that the model still has the file with the next prompt.
func TestAttachedFilesStay(t *testing.T) {
	t.Parallel()
	w := mentionWorld(t)
	w.prompt("@main.go")
	w.prompt("again")
	if got := w.request(1); strings.Count(got, "package main") != 1 {
		t.Errorf("got %q", got)
	}
}

// TestAttachedFilesAreShownAgain checks that a resumed session shows how attached files were read.
func TestAttachedFilesAreShownAgain(t *testing.T) {
	t.Parallel()
	w := mentionWorld(t)
	w.prompt("@main.go @sub/")
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	var got []string
	for _, i := range w.agent.History() {
		if i.Kind == session.ItemTool {
			got = append(got, fmt.Sprint(i.Tool, i.Args["path"], i.CallID != "", i.IsError, " ",
				strings.TrimSpace(chat.PlainText(i.Content))))
		}
	}
	if want := "readmain.gotrue false package main, lssubtrue false a.txt"; strings.Join(got,
		", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGuardsHoldForNamedFiles checks that guards judge the reading, that a refusal is reported and
// leaves the prompt as it is, and that images are found by their content.
func TestGuardsHoldForNamedFiles(t *testing.T) {
	t.Parallel()
	w := mentionWorld(t)
	w.on("guard", func(ev *event.Event) any {
		args, _ := value.Plain(ev.Field("args"))
		if strings.Contains(fmt.Sprint(args), "secret") {
			return block("no keys")
		}
		return nil
	})
	w.prompt("@secret.key @secret.png @bin @picture @main.go")
	content := w.requests[0].Messages[0].Content
	if got := w.request(0); strings.Contains(got, "file secret.key") ||
		!strings.Contains(got, "package main") {
		t.Errorf("got %q", got)
	}
	if len(content) != 2 || content[1].MimeType != "image/png" {
		t.Errorf("got %+v, want the image", content)
	}
	told := w.tell("notification:message")
	for _, want := range []string{"@secret.key is not attached: ", "no keys",
		"@secret.png is not attached: ",
		"@bin is not attached: ", "binary"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not reported: %s", want, told)
		}
	}
}

// TestManyMentions checks that a prompt attaches a limited number of files.
func TestManyMentions(t *testing.T) {
	t.Parallel()
	w := mentionWorld(t)
	var text strings.Builder
	for i := range mostMentions + 2 {
		name := "many" + strings.Repeat("x", i)
		if err := os.WriteFile(filepath.Join(w.agent.attached.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		text.WriteString("@" + name + " ")
	}
	w.prompt(text.String())
	if n := strings.Count(w.request(0), "<context"); n != mostMentions {
		t.Errorf("got %d files, want %d", n, mostMentions)
	}
	if told := w.tell("notification:message"); strings.Count(told, "is not attached") != 1 {
		t.Errorf("got %s", told)
	}
}
