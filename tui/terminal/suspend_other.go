//go:build !unix

package terminal

import tea "charm.land/bubbletea/v2"

// Suspend does nothing: this system has no job control.
func Suspend() tea.Msg { return nil }
