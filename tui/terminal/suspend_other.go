//go:build !unix

package terminal

import tea "charm.land/bubbletea/v2"

// Suspend does nothing: there is no job control here.
func Suspend() tea.Msg { return nil }
