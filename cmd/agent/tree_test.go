package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/chat"
)

// TestPromptTree checks that branches are listed below the prompts after which they leave the
// current one, and those that leave a branch below it.
func TestPromptTree(t *testing.T) {
	t.Parallel()
	byID := map[string]*session.Entry{}
	entry := func(id, parent string) *session.Entry {
		e := &session.Entry{ID: id, Parent: parent, Time: time.Unix(0, 0)}
		if id == strings.ToUpper(id) { // a prompt
			e.Message = &chat.Message{Role: "user", Content: chat.Text("prompt " + id)}
		}
		byID[id] = e
		return e
	}
	for _, link := range []string{"A", "Aa", "aB", "Bb", "bC", "BD", "Dd", "dE", "dF", "aG"} {
		parent := ""
		if len(link) > 1 {
			parent = link[:1]
		}
		entry(link[len(link)-1:], parent)
	}
	entry("H", "")
	own := func(ids string) (b session.Branch) {
		for _, id := range strings.Split(ids, "") {
			b.Own = append(b.Own, byID[id])
		}
		return b
	}
	list := func(branches ...session.Branch) string {
		tree := promptTree{branches: branchesOf(branches), now: time.Unix(60, 0)}
		for _, id := range strings.Split("AaBbC", "") {
			tree.follow(byID[id])
		}
		var b strings.Builder
		for _, c := range tree.choices() {
			b.WriteString("\n" + c.Label + " | " + c.Value + " | " + c.Description)
		}
		return b.String()
	}
	for want, got := range map[string]string{`
prompt C | C before | 1 min ago
prompt B | B before | 1 min ago
prompt A | A before | 1 min ago`: list(), `
● prompt C | C before | 1 min ago
● prompt B | B before | 1 min ago
├ prompt D | E | another branch, 2 prompts, 1 min ago
├── prompt F | F | another branch, 1 min ago
● prompt A | A before | 1 min ago
╰ prompt G | G | another branch, 1 min ago
○ prompt H | H | another branch, 1 min ago`: list(own("H"), own("DdE"), own("DdF"), own("G")),
	} {
		if got != want {
			t.Errorf("got%s\nwant%s", got, want)
		}
	}
}
