package program

import (
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

// TestSettingsDialog: only what is possible is offered, and no question is empty.
func TestSettingsDialog(t *testing.T) {
	t.Parallel()
	held := load.Held{Name: "config.toml", Why: "has changed"}
	for want, w := range map[string]*load.WaitingSetting{
		"later trust restore": {Held: held, InForce: "a = 1\n", Text: "a = 2\n"},
		"later trust":         {Held: held, Lost: true, Missing: true},
		"later restore": {Held: held, InForce: "a = 1\n",
			Unread: "is a folder, not a regular file"},
		"later": {Held: held, Lost: true, Unread: "is a folder, not a regular file"},
	} {
		d := settingsDialog(&Item{Kind: KindSettings, Name: w.Name, Text: w.Text, Kept: w.InForce,
			setting: w})
		got := ""
		for _, c := range d.Choices {
			if got != "" {
				got += " "
			}
			got += c.Value
		}
		if got != want || d.Detail == "" {
			t.Errorf("%+v: got %q, %q, want %q", w, got, d.Detail, want)
		}
	}
}
