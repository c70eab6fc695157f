// This file lists the keys of what the payloads of several events have in common.

package engine

import (
	"slices"

	"github.com/agentscripts/agent/engine/value"
)

var (
	windowFields = []value.Field{{Name: "tokens", Type: "integer"},
		{Name: "limit", Type: "integer", Doc: "0 = unknown"},
		{Name: "percent", Type: "number", Doc: "0 to 100"},
		{Name: "estimated", Type: "boolean", Doc: "the model's server does not count tokens"}}
	usageFields = []value.Field{{Name: "input", Type: "integer"}, {Name: "output", Type: "integer"},
		{Name: "cache_read", Type: "integer"}, {Name: "cache_write", Type: "integer"}}
)

// WindowFields are the keys of window: how full the model's window is.
func WindowFields() []value.Field { return slices.Clone(windowFields) }

// UsageFields are the keys of usage: tokens.
func UsageFields() []value.Field { return slices.Clone(usageFields) }

// MessageFields are the keys of a message of a conversation.
func MessageFields() []value.Field { return slices.Clone(messageField.Fields) }

// BlockFields are the keys of a block of content.
func BlockFields() []value.Field { return slices.Clone(blockFields) }

// ToolUseFields are the keys of a tool call in a message.
func ToolUseFields() []value.Field { return slices.Clone(toolUseField.Fields) }

// ToolSpecFields are the keys of a tool as a model is told of it.
func ToolSpecFields() []value.Field { return slices.Clone(toolSpecField.Fields) }
