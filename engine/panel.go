// This file defines panels: parts of the screen that a script draws, and whose keys it hears, for a
// while.

package engine

// Panel is what a front end is told when a script opens one. Its functions may be called from any
// goroutine and do not block.
type Panel struct {
	Script, Title string
	// Key tells of a key: its name, such as "a", "up", "ctrl+x" or "esc", and the text that it
	// stands for. What is pasted has the name "paste".
	Key func(name, text string)
	// Resize tells how many cells and lines there are.
	Resize func(width, height int)
	// Close tells that the user has left it.
	Close func()
}

// PanelView is an open panel, for who draws on it. Its functions are called by one goroutine at a
// time; lines are masked.
type PanelView struct {
	Draw  func(lines []Line)
	Close func()
}
