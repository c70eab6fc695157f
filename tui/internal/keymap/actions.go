package keymap

// action is something that a key does. The screen knows it by its first key.
type action struct {
	name  string
	keys  []string
	stays bool   // the first key keeps its meaning: lists and questions use it as well
	help  string // what the key does, after its name
}

// actions returns the table of the actions, in the order of the help.
func actions() []action {
	return []action{
		{"send", []string{"enter"}, true, "sends; while the agent works, before its next step"},
		{"send_later", []string{"alt+enter"}, false, "sends when the agent has finished"},
		{"new_line", []string{"shift+enter", "ctrl+j"}, false,
			"begins a new line; so does a backslash at the end"},
		{"complete", []string{"tab"}, true,
			"completes commands, of which some letters are enough, and their arguments"},
		{"history", []string{"ctrl+r"}, false,
			"searches earlier prompts; up and down step through them, and through queued ones"},
		{"stash", []string{"ctrl+s"}, true,
			"puts the text away and brings it back; it also comes back after the next prompt"},
		{"edit_text", []string{"ctrl+g"}, true,
			"opens the text in $VISUAL or $EDITOR, with what was pasted, and takes it back"},
		{"paste_image", []string{"ctrl+v"}, false,
			"attaches the image on the clipboard; the terminal pastes text"},
		{"undo", []string{"ctrl+_", "ctrl+/"}, false, "undoes"},
		{"redo", []string{"alt+_"}, false, "redoes"},
		{"kill_line_end", []string{"ctrl+k"}, false, "kills the rest of the line"},
		{"kill_line_start", []string{"ctrl+u"}, false, "kills the beginning of the line"},
		{"kill_word_before", []string{"ctrl+w"}, false, "kills the word before the cursor"},
		{"kill_word_after", []string{"alt+d"}, false, "kills the word after the cursor"},
		{"yank", []string{"ctrl+y"}, false, "yanks what was killed"},
		{"yank_previous", []string{"alt+y"}, false, "after that, yanks what was killed before"},
		{"interrupt", []string{"esc"}, true,
			"interrupts, and returns queued prompts to the editor"},
		{"permission", []string{"shift+tab"}, false,
			"changes the permission mode: default, accept-edits, auto, plan; " +
				"/permission yolo sets yolo"},
		{"scroll_up", []string{"pgup"}, false, "scrolls up; so does the wheel"},
		{"scroll_down", []string{"pgdown"}, false, "scrolls down"},
		{"scroll_home", []string{"ctrl+home"}, false, "goes to the beginning"},
		{"scroll_end", []string{"ctrl+end"}, false, "goes to the end"},
		{"select", []string{"shift+up"}, false,
			"selects an entry, as a click does, and tab in an empty editor; see below"},
		{"previous_prompt", []string{"alt+up"}, false, "selects the previous prompt"},
		{"next_prompt", []string{"alt+down"}, false, "selects the next prompt"},
		{"search", []string{"ctrl+f"}, false,
			"searches the conversation: up and down move, and so do n and N after enter"},
		{"unfold", []string{"ctrl+o"}, false, "shows long results in full, and folds them again"},
		{"redraw", []string{"ctrl+l"}, false, "redraws the screen"},
		{"suspend", []string{"ctrl+z"}, false, "suspends the program"},
		{"quit", []string{"ctrl+d"}, true, "quits, in an empty editor"},
	}
}
