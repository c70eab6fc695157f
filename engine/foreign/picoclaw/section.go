// This file has the hooks of picoclaw in the user's own settings.

package picoclaw

import (
	"path/filepath"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
)

// Section is the format of the table picoclaw of the settings. It implements engine.Section.
type Section struct {
	*Format
	settings hosts.Settings
}

// NewSection returns the format for o.Settings. Its extension is named by the file and the table.
func NewSection(o extapi.Options) *Section {
	return &Section{New(filepath.Base(o.Settings.Path)+":picoclaw", o), o.Settings}
}

// Language implements engine.Runtime.
func (*Section) Language() string { return "picoclaw in settings" }

// File implements engine.Section.
func (s *Section) File() string { return s.settings.Path }

// Part implements engine.Section.
func (s *Section) Part(file []byte) ([]byte, error) { return s.settings.Part(file) }

var _ engine.Section = (*Section)(nil)
