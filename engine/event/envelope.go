// This file defines the envelope, the fields that every event has: its keys are the rows of one
// table.

package event

import (
	"strconv"

	"github.com/agentscripts/agent/engine/value"
)

// Permission is a permission mode.
type Permission string

const (
	PermissionDefault     Permission = "default"      // tools that only read run, others ask
	PermissionAcceptEdits Permission = "accept-edits" // edits in the project run too
	PermissionAuto        Permission = "auto"         // what runs in the sandbox runs too
	PermissionPlan        Permission = "plan"         // tools that only read
	// only guards, rules and protected paths ask
	PermissionYolo Permission = "yolo"
)

// Permissions lists the modes, from the strictest to the most permissive.
var permissions = []Permission{PermissionPlan, PermissionDefault, PermissionAcceptEdits,
	PermissionAuto, PermissionYolo}

// Permissions returns the permission modes.
func Permissions() []Permission { return append([]Permission(nil), permissions...) }

// PermissionNames returns the names of the permission modes.
func PermissionNames() []string {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = string(p)
	}
	return names
}

// OfScript begins the origin, or the source, of what a script did; the script's name follows.
const OfScript = "script:"

// Envelope has the fields that all events of a moment share. It is immutable: to change one (at a
// new turn, for example), the agent makes a copy.
type Envelope struct {
	SessionID, SessionPath, CWD, Project string
	Agent, AgentID, ParentAgentID, Model string
	PromptID, Mode, Origin               string
	Depth, Turn                          int
	Interactive                          bool
	Permission                           Permission
	Branch                               func() string // git branch; computed only when read
	// {tokens, limit, percent, estimated}
	Window func() map[string]any
	// US dollars, whole session, as far as prices are known; nil = none is
	Cost func() float64
}

// envelopeKey is a row of the table of the envelope. Absent and empty values are left out.
type envelopeKey struct {
	value.Field
	get     func(env *Envelope) (any, bool)   // nil: only events have the key
	set     func(env *Envelope, v any) bool   // false if v has another type; nil: only events
	ofEvent func(ev *Event) (v any, has bool) // if the event overrides its envelope
	// set if get is costly; reports whether there may be a value
	has func(env *Envelope) bool
}

// envelopeRows are the keys in the order in which scripts iterate over them.
var envelopeRows = []envelopeKey{
	{Field: field("event", "string", "its name"),
		ofEvent: func(ev *Event) (any, bool) { return ev.row.Name, true }},
	{Field: field("id", "string", "of the event, unique in this run of the program"),
		ofEvent: func(ev *Event) (any, bool) {
			return "ev" + strconv.FormatUint(ev.seq, 10), true
		}},
	{Field: field("time", "number", "seconds since 1970"),
		ofEvent: func(ev *Event) (any, bool) { return float64(ev.time.UnixMicro()) / 1e6, true }},
	textKey(field("session_id", "string?", ""),
		func(env *Envelope) *string { return &env.SessionID }),
	textKey(field("session_path", "string?", "the file; left out if it is not written down"),
		func(env *Envelope) *string { return &env.SessionPath }),
	textKey(field("cwd", "string", "working directory"),
		func(env *Envelope) *string { return &env.CWD }),
	textKey(field("project", "string", "its root"),
		func(env *Envelope) *string { return &env.Project }),
	{Field: field("branch", "string?", "of git"),
		has: func(env *Envelope) bool { return env.Branch != nil },
		get: func(env *Envelope) (any, bool) {
			branch := env.Branch()
			return branch, branch != ""
		},
		set: func(env *Envelope, v any) bool {
			branch, ok := v.(string)
			if ok {
				env.Branch = func() string { return branch }
			}
			return ok
		}},
	textKey(field("agent", "string", "name: main, or that of a sub-agent's kind"),
		func(env *Envelope) *string { return &env.Agent }),
	textKey(field("agent_id", "string", "main, or the id of the sub-agent"),
		func(env *Envelope) *string { return &env.AgentID }),
	textKey(field("parent_agent_id", "string?", "of a sub-agent"),
		func(env *Envelope) *string { return &env.ParentAgentID }),
	{Field: field("depth", "integer", "0 = the main agent"),
		get: func(env *Envelope) (any, bool) { return env.Depth, true },
		set: func(env *Envelope, v any) bool { return setInt(&env.Depth, v) }},
	textKey(field("model", "string?", "provider/id"),
		func(env *Envelope) *string { return &env.Model }),
	textKey(field("prompt_id", "string?", "the entry of the current prompt"),
		func(env *Envelope) *string { return &env.PromptID }),
	{Field: field("turn", "integer?", "of the prompt, 1-based"),
		get: func(env *Envelope) (any, bool) { return env.Turn, env.Turn > 0 },
		set: func(env *Envelope, v any) bool { return setInt(&env.Turn, v) }},
	textKey(value.Field{Name: "mode", Type: "string", Verbatim: true,
		Values: []string{"tui", "print", "json", "rpc", "acp"}},
		func(env *Envelope) *string { return &env.Mode }),
	{Field: field("interactive", "boolean", "a user is available"),
		get: func(env *Envelope) (any, bool) { return env.Interactive, true },
		set: func(env *Envelope, v any) bool {
			yes, ok := v.(bool)
			if ok {
				env.Interactive = yes
			}
			return ok
		}},
	textKey(field("permission", "string", "the permission mode"),
		func(env *Envelope) *string { return (*string)(&env.Permission) }),
	originKey(),
	{Field: value.Field{Name: "window", Type: "table?",
		Doc: "{tokens, limit, percent, estimated} of the model's window", Fields: windowFields},
		has: func(env *Envelope) bool { return env.Window != nil },
		get: func(env *Envelope) (any, bool) { return env.Window(), true },
		set: func(env *Envelope, v any) bool {
			window, ok := v.(map[string]any)
			if ok {
				env.Window = func() map[string]any { return window }
			}
			return ok
		}},
	{Field: field("cost", "number?",
		"US dollars, whole session, as far as prices are known; nil = none is"),
		has: func(env *Envelope) bool { return env.Cost != nil },
		get: func(env *Envelope) (any, bool) { return env.Cost(), true },
		set: func(env *Envelope, v any) bool {
			cost, ok := value.Number(v)
			if ok {
				env.Cost = func() float64 { return cost }
			}
			return ok
		}},
}

// originKey is the row of origin, which an event of a tool call takes from the call.
func originKey() envelopeKey {
	row := textKey(field("origin", "string?",
		"model, user, script:NAME, command:NAME, mcp:SERVER or subagent"),
		func(env *Envelope) *string { return &env.Origin })
	row.ofEvent = func(ev *Event) (any, bool) {
		origin := ev.Origin()
		return origin, origin != ""
	}
	return row
}

// textKey returns the row of a string key.
func textKey(f value.Field, at func(env *Envelope) *string) envelopeKey {
	return envelopeKey{Field: f,
		get: func(env *Envelope) (any, bool) {
			s := *at(env)
			return s, s != ""
		},
		set: func(env *Envelope, v any) bool {
			s, ok := v.(string)
			if ok {
				*at(env) = s
			}
			return ok
		}}
}

// setInt sets *at, if v is a number.
func setInt(at *int, v any) bool {
	n, ok := value.Number(v)
	if ok {
		*at = int(n)
	}
	return ok
}

func field(name, typ, doc string) value.Field {
	return value.Field{Name: name, Type: typ,
		Doc: doc}
}

// envelopeRow returns the row of a key.
var envelopeRow = func() map[string]*envelopeKey {
	rows := map[string]*envelopeKey{}
	for i := range envelopeRows {
		rows[envelopeRows[i].Name] = &envelopeRows[i]
	}
	return rows
}()

// EnvelopeFields describes the keys that every event has, in the order in which scripts iterate.
func EnvelopeFields() []value.Field {
	var fields []value.Field
	for i := range envelopeRows {
		fields = append(fields, envelopeRows[i].Field)
	}
	return fields
}

// CallFields describes the keys of the envelope that are not about an event: the call argument of
// functions has them, too.
func CallFields() []value.Field {
	var fields []value.Field
	for i := range envelopeRows {
		if envelopeRows[i].get != nil {
			fields = append(fields, envelopeRows[i].Field)
		}
	}
	return fields
}

// EnvelopeKeys returns the keys that every event has.
func EnvelopeKeys() []string {
	keys := make([]string, len(envelopeRows))
	for i := range envelopeRows {
		keys[i] = envelopeRows[i].Name
	}
	return keys
}

// Get returns a key of the envelope; ok is false for absent and empty ones.
func (env *Envelope) Get(key string) (any, bool) {
	row := envelopeRow[key]
	if row == nil || !row.there(env) {
		return nil, false
	}
	return row.get(env)
}

// Set sets a key, to make an envelope from data. It reports whether the envelope has the key, with
// a value of that type.
func (env *Envelope) Set(key string, v any) bool {
	row := envelopeRow[key]
	return row != nil && row.set != nil && row.set(env, v)
}

// there reports whether the key may be read: some values are absent as a whole.
func (row *envelopeKey) there(env *Envelope) bool {
	return row.get != nil && (row.has == nil || row.has(env))
}

// in reports whether env has the key, without computing costly values.
func (row *envelopeKey) in(env *Envelope) bool {
	if !row.there(env) {
		return false
	}
	if row.has != nil {
		return true
	}
	_, ok := row.get(env)
	return ok
}

// inEvent is like in, for an event.
func (row *envelopeKey) inEvent(ev *Event) bool {
	if row.ofEvent != nil {
		_, ok := row.ofEvent(ev)
		return ok
	}
	return row.in(ev.env)
}

// Keys returns the keys that are present, without computing costly values.
func (env *Envelope) Keys() []string {
	var keys []string
	for i := range envelopeRows {
		if row := &envelopeRows[i]; row.in(env) {
			keys = append(keys, row.Name)
		}
	}
	return keys
}

// windowFields are the keys of window: the use of the model's context window.
var windowFields = []value.Field{{Name: "tokens", Type: "integer"},
	{Name: "limit", Type: "integer", Doc: "0 = unknown"},
	{Name: "percent", Type: "number", Doc: "0 to 100"},
	{Name: "estimated", Type: "boolean", Doc: "the model's server does not count tokens"}}
