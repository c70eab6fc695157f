package slash

import "github.com/agentscripts/agent/engine/value"

// Result is the result of a slash command; at most one field is set.
type Result struct {
	Prompt  string // send this to the model
	Insert  string // put this into the editor
	Display string // Markdown to show; engine.Commands.Run has already emitted it as a say event
	Error   string // error message for the user
	// Attach are files and folders, as the user would type them after @: they are attached to
	// Prompt. Only commands of the program have it.
	Attach []string
}

// ResultFields are the keys of the result of a script's command; panel are those of ext.ui.panel,
// nil = panels are not supported.
func ResultFields(panel []value.Field) []value.Field {
	fields := []value.Field{
		{Name: "prompt", Type: "string?", Doc: "sent to the model, in place of the command"},
		{Name: "insert", Type: "string?", Doc: "put into the editor"},
		{Name: "display", Type: "string?",
			Doc: "Markdown: shown, not in the session, not sent to the model"},
		{Name: "error", Type: "string?", Doc: "what went wrong, for the user"},
	}
	if panel != nil {
		fields = append(fields, value.Field{Name: "panel", Type: "table?", Fields: panel,
			Doc: "opened as ext.ui.panel does (needs the grant ui); where there is no screen, a " +
				"sentence says so"})
	}
	return fields
}
