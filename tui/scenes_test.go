package tui

import (
	"maps"
	"strings"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// allScenes returns the scenes of the golden files, in both layouts.
func allScenes() map[string]func(s *stage) {
	all := maps.Clone(scenes)
	maps.Copy(all, map[string]func(s *stage){
		"stacked": playStacked, "complete": playCompletion, "thinking": playThinking,
		"toasts": playToasts, "images": playImages, "agents": playAgents, "tree": playTree,
		"failed-pieces": playFailedPieces, "failed-panel": playFailedPanel, "takers": playTakers,
	})
	return all
}

// playStacked shows one of three dialogs that wait.
func playStacked(s *stage) {
	scenes["approval"](s)
	s.Update(feed.Batch{newConfirm(&ui.Dialog{Script: "deploy.lua", Title: "Deploy?"}),
		newApproval(aQuestion())})
}

// playCompletion completes a command.
func playCompletion(s *stage) {
	s.Update(commandsMsg{{"compact", "summarise the conversation so far", "", false, "[WORDS]"},
		{"config", "shows the settings", "", false, ""},
		{"todo", "lists what is to be done, in the order in which it was added", "todo.lua", false,
			""}})
	s.typeText("/co")
	s.press("down")
}

// playThinking streams thinking, after thinking that has ended and is unfolded.
func playThinking(s *stage) {
	s.input("prompt", "why?")
	s.send("agent_start", fields{"prompt": "why?"})
	s.send("message_end", fields{"message_id": "m1", "text": "Because.",
		"reasoning": "The **first** reason.\n\nThe second one, which takes more than a line on a " +
			"narrow screen."})
	s.press("tab", "up", "enter", "esc")
	s.send("message_delta", fields{"message_id": "m2", "kind": "reasoning",
		"delta": strings.Repeat("And what else is there to think about? ", 20)})
}

// playToasts shows toasts of all levels above a draft.
func playToasts(s *stage) {
	s.typeText("a draft")
	for _, level := range []string{"info", "warn", "error"} {
		s.Update(sayMsg{level, "something of the level " + level + " that is worth a few words"})
	}
}

// playImages shows images of a prompt and of a result, on a terminal that draws none.
func playImages(s *stage) {
	picture := fields{"type": "image", "mime_type": "image/png", "data": aPNG(s.t, 640, 480)}
	s.input("prompt", "what is on it?")
	s.tool("tool_start", "c1", "screenshot", nil)
	s.runAll(s.send("tool_result", fields{"call_id": "c1", "tool": "bash",
		"args": fields{"command": "screenshot"}, "content": []any{
			fields{"type": "text", "text": "saved"}, picture}}))
	s.runAll(s.send("tool_end", fields{"call_id": "c1", "tool": "bash", "duration_ms": 10.0}))
}

// playAgents shows a sub-agent that has ended, unfolded, and one that works.
func playAgents(s *stage) {
	s.send("agent_start", fields{"prompt": "x"})
	args := fields{"task": "look at the program"}
	for _, name := range []string{"reviewer", "tester"} {
		s.send("tool_start", fields{"call_id": name, "tool": "agent", "args": args})
		s.send("subagent_start", fields{"subagent_id": name, "name": name, "call_id": name,
			"task": "look at the program", "model": "acme/small"})
		s.send("subagent_event", fields{"subagent_id": name, "kind": "tool_start",
			"data": fields{"tool": "bash", "args": fields{"command": "go vet ./..."}}})
	}
	const found = "Two things are wrong:\n\n- one\n- two"
	s.send("subagent_end", fields{"subagent_id": "reviewer", "name": "reviewer",
		"status": "completed", "response": found, "delivered": true, "cost": 0.25})
	s.runAll(s.send("tool_result", fields{"call_id": "reviewer", "tool": "agent", "args": args,
		"content": []any{fields{"type": "text", "text": found}},
		"display": fields{"kind": "markdown", "title": "reviewer"}}))
	s.runAll(s.send("tool_end", fields{"call_id": "reviewer", "tool": "agent",
		"duration_ms": 12300.0}))
	s.press("tab", "up", "enter")
}

// playTree shows the prompts of a session with branches.
func playTree(s *stage) {
	s.Update(choicesMsg{command: "fork", asked: s.pickerKey(),
		title: "Go back to before a prompt, or on with another branch", choices: []ui.Choice{
			{Label: "● now with tests", Value: "3", Description: "just now"},
			{Label: "● fix the parser", Value: "2", Description: "2 min ago"},
			{Label: "├ rewrite the parser", Value: "4",
				Description: "another branch, 3 prompts, 5 min ago"},
			{Label: "├── with a generator", Value: "5", Description: "another branch, 1 h ago"},
			{Label: "● what is wrong here?", Value: "1", Description: "1 day ago"},
			{Label: "╰ start again", Value: "6", Description: "another branch, 1 day ago"}}})
}

// playFailedPieces shows pieces of scripts whose functions have failed.
func playFailedPieces(s *stage) {
	failed := func(p ui.Piece, what string) {
		p.Script, p.Failed = "git.lua", true
		p.Lines = append([]ui.Line{{{Text: "✗ " + what + " of git.lua failed at line 12: attempt " +
			"to index a nil value", Style: "error"}}}, p.Lines...)
		s.piece(p)
	}
	old := []ui.Line{{{Text: "main, 2 files changed", Style: "dim"}}}
	failed(ui.Piece{Kind: ui.PieceHeader, Lines: old}, "header")
	failed(ui.Piece{Kind: ui.PieceFooter, Lines: old}, "footer")
	failed(ui.Piece{Kind: ui.PieceWidget, Key: "files", Place: "above", Lines: old},
		"widget files")
	failed(ui.Piece{Kind: ui.PieceStatusLine}, "status_line")
	s.input("prompt", "go on")
}

// playFailedPanel shows a panel that could not be drawn.
func playFailedPanel(s *stage) {
	p := &panel{told: &ui.Panel{Script: "git.lua", Title: "Branches", Key: func(string, string) {},
		Resize: func(int, int) {}, Close: func() {}}, title: "[git.lua] Branches"}
	s.Update(feed.Batch{openPanelMsg{p}, drawPanelMsg{p, []ui.Line{
		{{Text: "✗ panel of git.lua failed at line 12: attempt to index a nil value",
			Style: "error"}}, {}, {{Text: ">  12 | return x.y", Style: "dim"}}, {},
		{{Text: "esc closes the panel"}}}}})
	s.advance(seenFor)
}

// playTakers shows who gets the keys of the editor.
func playTakers(s *stage) {
	s.backend.KeyTakers = func() []string { return []string{"vi.lua", "keys.js"} }
	s.layout()
}
