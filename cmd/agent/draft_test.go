package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDraftFile checks the file of a draft: its mode, what is taken back of it, and that it is
// removed whatever the editor does.
func TestDraftFile(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "true")
	var d drafts
	for name, test := range map[string]struct {
		edit       func(path string)
		want, fail string
	}{
		"unchanged":   {func(string) {}, "draft", ""},
		"a line end":  {func(p string) { write(t, p, "new\n") }, "new", ""},
		"dos":         {func(p string) { write(t, p, "a\r\nnew\r\n") }, "a\r\nnew", ""},
		"emptied":     {func(p string) { write(t, p, "") }, "", ""},
		"removed":     {func(p string) { os.Remove(p) }, "", "removed the file"},
		"a folder":    {func(p string) { os.Remove(p); os.Mkdir(p, 0o700) }, "", "draft.md"},
		"binary":      {func(p string) { write(t, p, "a\x00b") }, "", "not a text"},
		"latin":       {func(p string) { write(t, p, "a\xffb") }, "a\xffb", ""},
		"replaced":    {func(p string) { os.Remove(p); write(t, p, "x") }, "x", ""},
		"1 MB":        {func(p string) { write(t, p, strings.Repeat("x", 1<<20)) }, "x", ""},
		"65 MB":       {func(p string) { os.Truncate(p, 65<<20) }, "", "longer than 64 MB"},
		"folder gone": {func(p string) { os.RemoveAll(filepath.Dir(p)) }, "", "removed the file"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, take, err := d.edit("draft", 1)
			if err != nil {
				t.Fatal(err)
			}
			path := cmd.Args[len(cmd.Args)-1]
			info, err := os.Stat(path)
			folder, _ := os.Stat(filepath.Dir(path))
			if err != nil || info.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
				t.Errorf("got %v, %v", info, err)
			}
			test.edit(path)
			text, err := take()
			if test.fail == "" && err != nil || test.fail != "" && (err == nil ||
				!strings.Contains(err.Error(), test.fail)) || !strings.HasPrefix(text, test.want) {
				t.Errorf("got %.20q, %v", text, err)
			}
		})
	}
	if _, _, err := d.edit("left open", 1); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EDITOR", "")
	if _, _, err := d.edit("draft", 1); err == nil || !strings.Contains(err.Error(), "$EDITOR") {
		t.Errorf("got %v", err)
	}
	d.removeAll()
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%v is left", left[0])
	}
}

// TestDraftInAnEditor checks that ctrl+g hands the terminal to the editor and takes the text back,
// and that the draft stays if the editor fails.
func TestDraftInAnEditor(t *testing.T) {
	x := newTerminal(t)
	editor := filepath.Join(t.TempDir(), "editor.sh")
	write(t, editor, `echo "the editor has the terminal"
read answer
test "$answer" = fail && exit 3
echo "$answer, $(cat "$1")" >"$1"
`)
	t.Setenv("VISUAL", "sh "+editor)
	x.start("--yolo")
	x.sendKeys("say draft", "C-g")
	x.wait("the editor has the terminal")
	x.sendKeys("say edited", "Enter")
	x.wait("› say edited, say draft")
	x.sendKeys("", "C-g")
	eventually(t, "the editor has the terminal again",
		func() bool { return x.count("the editor has the terminal") == 2 })
	x.sendKeys("fail", "Enter")
	x.wait("the draft is as it was; the editor: ")
	x.wait("› say edited, say draft")
	x.sendKeys("", "Enter")
	x.wait("(?m)^◇ edited, say draft")
	x.waitIdle()
	x.quit()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "agent-draft-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
