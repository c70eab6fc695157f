// This file converts the tools that a server lists.

package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxTools is how many tools of a server are offered: models accept some hundred, and all of
	// them are part of each request.
	maxTools = 500
	// maxListed is how many tools a server may list, and maxPages in how many pages.
	maxListed, maxPages = 20_000, 200
	// maxDescription limits a tool's description, in bytes: it is part of each request.
	maxDescription = 4 << 10
	// maxSchema limits the schema of a tool in bytes, for the same reason.
	maxSchema = 128 << 10
	// maxName is the greatest length of a tool's name that all model servers accept, in characters.
	maxName = 64
	// maxPrefix is how much of that the server's name may take.
	maxPrefix = 24
	// refreshPause is the least time between two requests for a changing list: each change repeats
	// the checks of current calls.
	refreshPause = time.Second
)

// list requests the server's tools.
func (c *connection) list(ctx context.Context) ([]*sdk.Tool, error) {
	var all []*sdk.Tool
	p := &sdk.ListToolsParams{}
	if r := c.session.InitializeResult(); r == nil || r.Capabilities == nil ||
		r.Capabilities.Tools == nil {
		return nil, nil
	}
	if c.carrier != nil {
		c.carrier.listening.Add(1)
		defer c.carrier.listening.Add(-1)
	}
	for range maxPages {
		r, err := c.session.ListTools(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		all = append(all, r.Tools...)
		if r.NextCursor == "" {
			return c.withoutTasks(all), nil
		}
		p.Cursor = r.NextCursor
		if len(all) > maxListed {
			break
		}
	}
	c.s.notifyChange("warn", "it lists tools without end; the first %d are looked at", len(all))
	return c.withoutTasks(all), nil
}

// refresh lists the tools again after a change.
func (s *server) refresh(ctx context.Context, c *connection) {
	listing, cancel := context.WithTimeout(ctx, s.cfg.StartupTimeout)
	defer cancel()
	go func() {
		select {
		case <-c.dead:
			cancel()
		case <-listing.Done():
		}
	}()
	tools, err := c.list(listing)
	switch {
	case c.isDead(), ctx.Err() != nil:
		return
	case err != nil:
		s.notifyChange("warn", "its tools have changed, and %s; the old ones stay", reason(err))
	default:
		s.offer(tools)
	}
	select { // further changes wait
	case <-time.After(refreshPause):
	case <-c.dead:
	case <-ctx.Done():
	}
}

// offer replaces the registered tools. Only keepConnected calls it.
func (s *server) offer(listed []*sdk.Tool) {
	if s.plugin != nil && reflect.DeepEqual(listed, s.offered) {
		return
	}
	plugin := engine.Plugin{Name: "mcp:" + s.cfg.Name, Tools: s.tools(listed)}
	var err error
	if s.plugin == nil {
		var in *engine.Installed
		in, err = s.m.o.Engine.Scripts.Install(plugin)
		if err == nil {
			s.mu.Lock()
			s.plugin = in
			s.mu.Unlock()
		}
	} else {
		err = s.plugin.Replace(plugin)
	}
	if err != nil {
		s.notifyChange("warn", "its tools cannot be used: %s", reason(err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offered, s.names = listed, nil
	for _, t := range plugin.Tools {
		s.names = append(s.names, t.Name)
	}
}

// toolNames returns the names of the registered tools.
func (s *server) toolNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names
}

// tools converts the tools that the server lists, and reports those that cannot be offered and why.
func (s *server) tools(listed []*sdk.Tool) []*engine.Tool {
	wanted := slices.DeleteFunc(slices.Clone(listed),
		func(t *sdk.Tool) bool { return t == nil || !s.wants(t.Name) })
	slices.SortStableFunc(wanted,
		func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	var out []*engine.Tool
	var bad []string
	taken := map[string]string{} // from names to the tools that have them
	for _, t := range wanted {
		if len(out) == maxTools {
			bad = append(bad,
				fmt.Sprintf("only the first %d of %d are offered: pick those you want, "+
					"mcp.%s.tools = [\"...\"]", maxTools, len(wanted), s.cfg.Name))
			break
		}
		if slices.Contains(slices.Collect(maps.Values(taken)), t.Name) {
			bad = append(bad, fmt.Sprintf("%q is listed twice: the first counts", t.Name))
			continue
		}
		name := toolName(s.prefix, t.Name, taken)
		if who, clash := taken[toolName(s.prefix, t.Name, nil)]; clash {
			bad = append(bad, fmt.Sprintf("%q would be called as %q is: its name is %s", t.Name,
				who, name))
		}
		if t.Name == "" {
			bad = append(bad, "one is left out: it has no name")
			continue
		}
		made, err := s.tool(t, name)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%q: its arguments are not checked here: %s", t.Name,
				strings.TrimPrefix(err.Error(), "tool "+name+": ")))
		}
		taken[name] = t.Name
		out = append(out, made)
	}
	const shown = 3
	if len(bad) > shown {
		bad = append(bad[:shown], fmt.Sprintf("and so on, %d in all", len(bad)))
	}
	if len(bad) > 0 {
		s.notifyChange("warn", "tools: %s", strings.Join(bad, "; "))
	}
	return out
}

// wants reports whether the user wants the tool.
func (s *server) wants(name string) bool { return s.cfg.Tools == nil || matches(s.cfg.Tools, name) }

func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return event.FitsTool(g, name) })
}

// tool makes one tool. The error reports an invalid schema: then only the server checks the
// arguments, and the description tells the model about them.
func (s *server) tool(t *sdk.Tool, name string) (*engine.Tool, error) {
	schema, err := schemaOf(t.InputSchema)
	if err == nil {
		var made *engine.Tool
		if made, err = s.toolWith(t, name, t.Description, schema); err == nil {
			return made, nil
		}
	}
	about := t.Description
	if b, no := json.Marshal(t.InputSchema); no == nil {
		about = strings.TrimSpace(about+"\nIts arguments, as JSON Schema: ") + " " + string(b)
	}
	made, _ := s.toolWith(t, name, about, map[string]any{"type": "object"})
	return made, err
}

// toolWith returns a tool with that schema; an error says what is wrong with the schema.
func (s *server) toolWith(t *sdk.Tool, name, about string, schema map[string]any) (*engine.Tool,
	error) {
	original, mask := t.Name, s.m.o.Engine.Mask.Text // the model's server sees this text
	made := &engine.Tool{Name: name,
		Description: plain.Clip(mask(strings.TrimSpace(plain.Text(about))),
			maxDescription), Schema: maskDescriptions(schema, mask).(map[string]any), Kind: "other",
		ReadOnly: matches(s.cfg.ReadOnly, original), Source: "mcp:" + s.cfg.Name,
		Server:  s.cfg.Name,
		Sandbox: s.sandbox(),
		Run: func(ctx context.Context, use *engine.Use) (*engine.Result,
			error) {
			return s.callTool(ctx, use, original)
		}}
	if made.Description == "" {
		made.Description = fmt.Sprintf("The tool %s of the MCP server %s.",
			plain.Line(original, maxName), s.cfg.Name)
	}
	return made, s.m.o.Engine.CheckTool(made)
}

// sandbox returns the sandbox of the server.
func (s *server) sandbox() *engine.Sandbox {
	box := &engine.Sandbox{Confinement: s.confinement, Otherwise: "use the tools read, write and " +
		"edit, which ask the user; the user can let the server run outside of the sandbox with " +
		"sandbox = false in [mcp." + s.cfg.Name + "] of config.toml"}
	if s.m.o.Fence != nil {
		box.Fence = s.m.o.Fence
	}
	return box
}

// confinement returns how the server is confined: it may use the network, so that the mode auto
// asks.
func (s *server) confinement(map[string]any) engine.Confinement {
	m, _ := s.m.o.Fence.Method()
	if m == fence.None || s.cfg.Unconfined || s.cfg.URL != "" {
		return engine.Unconfined
	}
	return engine.Confined
}

// maskDescriptions masks the descriptions in a schema, or in a part of one. Its constraints are
// unchanged.
func maskDescriptions(part any, mask func(text string) string) any {
	switch part := part.(type) {
	case map[string]any:
		out := make(map[string]any, len(part))
		for k, v := range part {
			if text, ok := v.(string); ok && (k == "title" || k == "description") {
				v = mask(text)
			}
			out[k] = maskDescriptions(v, mask)
		}
		return out
	case []any:
		out := make([]any, len(part))
		for i, v := range part {
			out[i] = maskDescriptions(v, mask)
		}
		return out
	}
	return part
}

// schemaOf returns the server's schema. If it has no type, it becomes that of an object.
func schemaOf(v any) (map[string]any, error) {
	schema, ok := v.(map[string]any)
	if !ok && v != nil {
		return nil, fmt.Errorf("its schema is %s, want an object", value.TypeName(v))
	}
	schema, _ = withoutNulls(schema).(map[string]any)
	if schema == nil {
		schema = map[string]any{}
	}
	if schema["type"] == nil {
		schema["type"] = "object"
	}
	if schema["type"] != "object" {
		return nil, fmt.Errorf("its schema has type = %v, want object", schema["type"])
	}
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	if len(b) > maxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, at most %d are allowed", len(b), maxSchema)
	}
	return schema, nil
}

// withoutNulls returns a copy of a schema, or of a part of one, without null keywords, which some
// servers write for absent ones.
func withoutNulls(part any) any {
	switch part := part.(type) {
	case map[string]any:
		out := make(map[string]any, len(part))
		for k, v := range part {
			switch {
			// null is a valid value here
			case k == "const" || k == "default" || k == "enum" && v != nil || k == "examples" &&
				v != nil:
				out[k] = v
			case v != nil:
				out[k] = withoutNulls(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(part))
		for i, v := range part {
			out[i] = withoutNulls(v)
		}
		return out
	}
	return part
}

// prefixOf returns the prefix of a server's tool names: mcp__SERVER__. SERVER cannot contain its
// end, so that tools of two servers never have the same name.
func prefixOf(name string, taken []string) string {
	word := plain.Name(name, '_')
	for strings.Contains(word, "__") {
		word = strings.ReplaceAll(word, "__", "_")
	}
	word = strings.Trim(word, "_")
	if len(word) > maxPrefix || word == "" || slices.Contains(taken, event.ServerTools(word)) {
		word = strings.Trim(plain.Head(word, maxPrefix-9)+"-"+hash(name), "-_")
	}
	return event.ServerTools(word)
}

// toolName returns the name of a tool. If the name is too long or already taken, a part of it is
// replaced by a hash of the server's name for the tool, so that it is the same each time.
func toolName(prefix, name string, taken map[string]string) string {
	full := prefix + plain.Name(name, '_')
	if _, clash := taken[full]; clash || len(full) > maxName {
		full = plain.Head(full, maxName-9) + "_" + hash(name)
	}
	return full
}

// hash returns a short hash: 8 characters.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}
