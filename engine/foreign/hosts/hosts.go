// Package hosts knows where other hosts keep their extensions.
//
//	used, err := hosts.Places(home, []string{"claude", "zot"})
//	load.Options{Foreign: used.User}
package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

// Host is a program whose extensions can be used where they are.
type Host struct {
	Name string // as the user writes it
	// Places are paths below the user's own folder, or absolute ones: folders with a folder for
	// each extension, or manifests. ProjectPlaces are those in a project.
	Places, ProjectPlaces []string
}

// All returns the hosts, by name.
func All() []Host {
	return []Host{
		{"claude", []string{filepath.Join(".claude", "settings.json")},
			[]string{".claude/settings.json", ".claude/settings.local.json"}},
		{"docker", []string{filepath.Join(dockerHome(), "config.yaml"),
			filepath.Join(dockerHome(), "hooks.d")}, nil},
		{"picoclaw", []string{filepath.Join(".picoclaw", "config.json")}, nil},
		{"zot", []string{filepath.Join(zotHome(), "extensions")}, []string{".zot/extensions"}},
	}
}

// Settings are the user's settings of the agent, with the hooks of picoclaw in a table.
type Settings struct {
	Path string // of the file
	// Part returns that table of the file as JSON; nil if there is none.
	Part func(file []byte) ([]byte, error)
}

// dockerHome returns the folder of docker-agent.
func dockerHome() string {
	if dir := os.Getenv("DOCKER_AGENT_CONFIG_DIR"); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(".config", "cagent")
}

// DockerManifest returns the end of the path of a file that docker-agent has in its folder, with /.
func DockerManifest(file string) string {
	dir := dockerHome()
	if filepath.IsAbs(dir) { // it may be in the user's own folder, and then its path begins with ~
		dir = filepath.Base(dir)
	}
	return filepath.ToSlash(dir) + "/" + file
}

// zotHome returns the folder of zot.
func zotHome() string {
	if dir := os.Getenv("ZOT_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join("Library", "Application Support", "zot")
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "zot")
	}
	return filepath.Join(".local", "state", "zot")
}

// Used are the places of the hosts whose extensions are used.
type Used struct {
	User, Project []string // see Host
	// Names are what extensions of the user are called there, by the paths of their manifests, if
	// those change with each version.
	Names map[string]string
}

// Places returns the places of the hosts with those names: for the user, whose own folder is home,
// and in a project. An error says which places are not known.
func Places(home string, names []string) (u Used, err error) {
	for _, h := range All() {
		for _, name := range names {
			if name != h.Name {
				continue
			}
			places := h.Places
			if h.Name == "claude" && home != "" {
				u.Names = map[string]string{}
				var more []string
				more, err = plugins(filepath.Join(home, ".claude"), u.Names)
				places = append(places, more...)
			}
			for _, place := range places {
				if !filepath.IsAbs(place) {
					if home == "" {
						continue
					}
					place = filepath.Join(home, place)
				}
				u.User = append(u.User, place)
			}
			u.Project = append(u.Project, h.ProjectPlaces...)
		}
	}
	return u, err
}

// pluginName matches the names of plugins, with their markets.
var pluginName = lazyregexp.New(`^[\w.-]+@[\w.-]+$`)

// plugins returns where the manifests are of the plugins that Claude Code has installed for the
// user in its own folder, and that its settings enable. It notes their names.
func plugins(claude string, names map[string]string) (manifests []string, err error) {
	var settings struct {
		Enabled map[string]any `json:"enabledPlugins"`
	}
	var installed struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	err = readJSON(filepath.Join(claude, "settings.json"), &settings)
	if err == nil && len(settings.Enabled) > 0 {
		err = readJSON(filepath.Join(claude, "plugins", "installed_plugins.json"), &installed)
	}
	type place struct{ Scope, InstallPath string }
	for _, name := range slices.Sorted(maps.Keys(installed.Plugins)) {
		var all []place
		if wrong := json.Unmarshal(installed.Plugins[name], &all); wrong != nil {
			all = []place{{}} // older versions have one each
			if json.Unmarshal(installed.Plugins[name], &all[0]) != nil {
				err = fmt.Errorf("installed_plugins.json: %s: %w", name, plain.Wrap(wrong))
			}
		}
		for _, p := range all {
			path := filepath.Join(p.InstallPath, "hooks", "hooks.json")
			if settings.Enabled[name] == true && (p.Scope == "user" || p.Scope == "") &&
				filepath.IsAbs(path) {
				manifests = append(manifests, path)
				if pluginName().MatchString(name) {
					names[path] = name
				}
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("not all plugins of Claude Code are known: %w", err)
	}
	return manifests, err
}

// readJSON reads a file that another program has written, if there is one.
func readJSON(path string, into any) error {
	text, err := regularfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(plain.TrimBOM(text), into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), plain.Wrap(err))
	}
	return nil
}
