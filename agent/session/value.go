// This file converts entries for scripts and exports.

package session

import (
	"bytes"
	"encoding/json"

	"github.com/agentscripts/agent/engine/plain"
)

// Text returns the text of the entry; for a message, the text that the user saw. "" = none.
func (e *Entry) Text() string {
	switch {
	case e.Message != nil:
		return e.ShownText()
	case e.Context != nil:
		return e.Context.Text
	case e.Event != nil:
		return e.Event.Name
	case e.Custom != nil:
		return e.Custom.Kind
	case e.State != nil:
		return e.State.Script + " " + e.State.Key
	case e.Compaction != nil:
		return e.Compaction.ShownSummary()
	case e.Name != nil:
		return e.Name.Name
	case e.Label != nil:
		return e.Label.Text
	case e.Fork != nil:
		return e.Fork.Target
	}
	return e.Usage.Purpose
}

// Value returns the entry as plain data with the keys of the file: content is what the user saw of
// a message, and original the model's words, if they differ. time is in seconds since 1970.
func (e *Entry) Value() map[string]any {
	b, err := encode(e)
	if err != nil {
		return map[string]any{"id": e.ID, "type": e.Type(), "not_json": plain.Error(err)}
	}
	m := map[string]any{}
	_ = json.Unmarshal(bytes.TrimSpace(b), &m) // cannot fail: it was just encoded
	m["time"] = float64(e.Time.UnixMicro()) / 1e6
	return m
}
