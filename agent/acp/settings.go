// This file holds the settings that a client can change in a session: the permission mode, the
// model, the thinking level; and the list of commands.

package acp

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
)

// The options of a session.
const (
	optionMode     = "mode"
	optionModel    = "model"
	optionThinking = "thinking"
	// usualThinking stands for the model's default.
	usualThinking = "default"
)

func about(p event.Permission) (name, description string) {
	switch p {
	case event.PermissionPlan:
		return "Plan", "Read only: other tools are refused"
	case event.PermissionDefault:
		return "Default", "Read-only tools run, all others ask"
	case event.PermissionAcceptEdits:
		return "Accept edits", "Edits in the project run too, all others ask"
	case event.PermissionAuto:
		return "Auto", "Sandboxed calls run too, without network; all others ask"
	case event.PermissionYolo:
		return "Yolo", "Only guards, rules and protected paths ask"
	}
	return string(p), ""
}

func (t *thread) modes() *protocol.SessionModeState {
	state := &protocol.SessionModeState{CurrentModeId: protocol.SessionModeId(t.permission())}
	for _, p := range event.Permissions() {
		name, description := about(p)
		state.AvailableModes = append(state.AvailableModes,
			protocol.SessionMode{Id: protocol.SessionModeId(p), Name: name,
				Description: &description})
	}
	return state
}

// models returns the models for clients that do not support options; nil if there are none.
func (t *thread) models() *protocol.SessionModelState {
	found := t.remote.Models(context.Background(), false)
	current, names := found.Current, found.Usable
	if current == "" {
		return nil
	}
	state := &protocol.SessionModelState{CurrentModelId: protocol.ModelId(current)}
	for _, name := range names {
		state.AvailableModels = append(state.AvailableModels,
			protocol.ModelInfo{ModelId: protocol.ModelId(name), Name: name})
	}
	return state
}

// options returns all settings for clients that support options.
func (t *thread) options() []protocol.SessionConfigOption {
	var modes, models, levels []protocol.SessionConfigSelectOption
	for _, p := range event.Permissions() {
		name, description := about(p)
		modes = append(modes,
			protocol.SessionConfigSelectOption{Value: protocol.SessionConfigValueId(p), Name: name,
				Description: &description})
	}
	list := []protocol.SessionConfigOption{option(optionMode, "Permission mode",
		protocol.SessionConfigOptionCategoryMode, string(t.permission()), modes)}
	found := t.remote.Models(context.Background(), false)
	current, names := found.Current, found.Usable
	for _, name := range names {
		models = append(models,
			protocol.SessionConfigSelectOption{Value: protocol.SessionConfigValueId(name),
				Name: name})
	}
	if current != "" {
		list = append(list, option(optionModel, "Model", protocol.SessionConfigOptionCategoryModel,
			current, models))
	}
	level, all := t.p.Agent.Thinking(), chat.ThinkingLevels()
	if level == "" {
		level, all = usualThinking, append([]string{usualThinking}, all...)
	}
	for _, l := range all {
		levels = append(levels,
			protocol.SessionConfigSelectOption{Value: protocol.SessionConfigValueId(l), Name: l})
	}
	return append(list, option(optionThinking, "Thinking",
		protocol.SessionConfigOptionCategoryThoughtLevel, level, levels))
}

func option(id, name string, category protocol.SessionConfigOptionCategory, current string,
	values []protocol.SessionConfigSelectOption) protocol.SessionConfigOption {
	list := protocol.SessionConfigSelectOptionsUngrouped(values)
	return protocol.SessionConfigOption{Select: &protocol.SessionConfigOptionSelect{
		Id: protocol.SessionConfigId(id), Name: name, Category: &category,
		CurrentValue: protocol.SessionConfigValueId(current),
		Options:      protocol.SessionConfigSelectOptions{Ungrouped: &list}}}
}

// setSetting changes a setting on the user's behalf.
func (s *server) setSetting(id protocol.SessionId, change service.Settings, what string) (*thread,
	error) {
	t, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	if change == (service.Settings{}) {
		return nil, wrong("%s: it is empty", what)
	}
	if err := t.remote.Set(change); err != nil {
		return nil, wrong("%s: %s", what, t.remote.Mask(plain.Error(err)))
	}
	return t, nil
}

func (s *server) setMode(p *protocol.SetSessionModeRequest) (*protocol.SetSessionModeResponse,
	error) {
	_, err := s.setSetting(p.SessionId,
		service.Settings{Permission: event.Permission(p.ModeId)}, "modeId")
	return &protocol.SetSessionModeResponse{}, err
}

func (s *server) setModel(p *protocol.UnstableSetSessionModelRequest) (
	*protocol.UnstableSetSessionModelResponse, error) {
	_, err := s.setSetting(p.SessionId, service.Settings{Model: string(p.ModelId)}, "modelId")
	return &protocol.UnstableSetSessionModelResponse{}, err
}

func (s *server) setOption(p *protocol.SetSessionConfigOptionRequest) (
	*protocol.SetSessionConfigOptionResponse, error) {
	if p.ValueId == nil {
		return nil, wrong("value: got a boolean, want the id of a value")
	}
	var change service.Settings
	value, ids := string(p.ValueId.Value), []string{optionMode, optionModel, optionThinking}
	switch id := string(p.ValueId.ConfigId); id {
	case optionMode:
		change.Permission = event.Permission(value)
	case optionModel:
		change.Model = value
	case optionThinking:
		change.Thinking = value
	default:
		return nil, wrong("configId: got %.80q, want one of %s%s", id, strings.Join(ids, ", "),
			suggest.DidYouMean(id, ids))
	}
	t, err := s.thread(p.ValueId.SessionId)
	// otherwise it has that value already
	if err == nil && (change.Thinking != usualThinking || t.p.Agent.Thinking() != "") {
		t, err = s.setSetting(p.ValueId.SessionId, change, "value")
	}
	if err != nil {
		return nil, err
	}
	return &protocol.SetSessionConfigOptionResponse{ConfigOptions: t.options()}, nil
}

// elsewhere are the commands that switch the session, which is the client's task.
var elsewhere = []string{"new", "clear", "resume"}

// commands returns the available slash commands.
func (t *thread) commands() []protocol.AvailableCommand {
	list := []protocol.AvailableCommand{}
	for _, x := range t.remote.Commands() {
		if x.Own && slices.Contains(elsewhere, x.Name) {
			continue
		}
		c := protocol.AvailableCommand{Name: x.Name, Description: plain.Text(x.Description)}
		if hint := strings.TrimSpace(strings.TrimPrefix(plain.Text(x.Usage),
			"/"+x.Name)); hint != "" {
			c.Input = &protocol.AvailableCommandInput{
				Unstructured: &protocol.UnstructuredCommandInput{Hint: hint}}
		}
		list = append(list, c)
	}
	return list
}

// cancel stops the work of a session, if there is any.
func (s *server) cancel(p *protocol.CancelNotification) (struct{}, error) {
	t, err := s.thread(p.SessionId)
	if err != nil {
		return struct{}{}, jsonrpc.Errorf(notFoundCode, "%v", err)
	}
	t.remote.Interrupt("hard")
	return struct{}{}, nil
}
