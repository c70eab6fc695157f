// This file encodes and decodes data that the SDK's types cannot represent: a null field, and the
// position of an error in a list.

package acp

import (
	"bytes"
	"encoding/json"
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/engine/plain"
)

// shownDiffs are parameters that contain a tool call under the key in. Each diff of a new file in
// its content needs "oldText": null on the wire, which the SDK omits.
type shownDiffs struct {
	params any
	in     string
}

// MarshalJSON implements json.Marshaler.
func (s shownDiffs) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.params)
	if err != nil || !bytes.Contains(text, []byte(`"diff"`)) {
		return text, err
	}
	var params, call map[string]json.RawMessage
	var content []map[string]json.RawMessage
	if json.Unmarshal(text, &params) != nil || json.Unmarshal(params[s.in], &call) != nil ||
		json.Unmarshal(call["content"], &content) != nil { // the content of a message is not a list
		return text, nil
	}
	for _, part := range content {
		if string(part["type"]) == `"diff"` && part["oldText"] == nil {
			part["oldText"] = json.RawMessage("null")
		}
	}
	if call["content"], err = json.Marshal(content); err != nil {
		return nil, err
	}
	if params[s.in], err = json.Marshal(call); err != nil {
		return nil, err
	}
	return json.Marshal(params)
}

// badParams describes the error in a request's parameters. For an element of a list, the SDK
// reports neither its position nor the error.
func badParams(params json.RawMessage, err error) string {
	var given struct {
		Prompt     []json.RawMessage `json:"prompt"`
		McpServers []json.RawMessage `json:"mcpServers"`
		ConfigID   json.RawMessage   `json:"configId"`
		Value      json.RawMessage   `json:"value"`
	}
	if json.Unmarshal(params, &given) != nil {
		return plain.Error(err)
	}
	for i, part := range given.Prompt {
		if json.Unmarshal(part, new(protocol.ContentBlock)) != nil {
			return fmt.Sprintf(
				"prompt[%d]: got %s, want a block of type text, image, resource_link or "+
					"resource, with its fields", i, plain.Line(string(part), 80))
		}
	}
	for i, part := range given.McpServers {
		if json.Unmarshal(part, new(protocol.McpServer)) != nil {
			return fmt.Sprintf(
				"mcpServers[%d]: got %s, want an object with name, command, args and env, or "+
					"type, name, url and headers", i, plain.Line(string(part), 80))
		}
	}
	if given.ConfigID != nil && given.Value != nil && given.Value[0] != '"' {
		return fmt.Sprintf("value: got %s, want the id of a value",
			plain.Line(string(given.Value), 80))
	}
	return plain.Error(err)
}
