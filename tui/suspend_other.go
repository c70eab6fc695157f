//go:build !unix

package tui

import tea "charm.land/bubbletea/v2"

// suspend does nothing: there is no job control here.
func suspend() tea.Msg { return nil }
