package foreign

import (
	"os"
	"path/filepath"
	"runtime"
)

// Host is a program whose extensions can be used where they are.
type Host struct {
	Name string // as the user writes it
	// Places are paths below the user's own folder, or absolute ones: folders with a folder for
	// each extension, or manifests. ProjectPlaces are those in a project.
	Places, ProjectPlaces []string
}

// Hosts returns the hosts, by name.
func Hosts() []Host {
	return []Host{
		{"claude", []string{filepath.Join(".claude", "settings.json")},
			[]string{".claude/settings.json", ".claude/settings.local.json"}},
		{"picoclaw", []string{filepath.Join(".picoclaw", "config.json")}, nil},
		{"zot", []string{filepath.Join(zotHome(), "extensions")}, []string{".zot/extensions"}},
	}
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

// Places returns the places of the hosts with those names: for the user, whose own folder is home,
// and in a project.
func Places(home string, names []string) (user, project []string) {
	for _, h := range Hosts() {
		for _, name := range names {
			if name != h.Name {
				continue
			}
			for _, place := range h.Places {
				if !filepath.IsAbs(place) {
					if home == "" {
						continue
					}
					place = filepath.Join(home, place)
				}
				user = append(user, place)
			}
			project = append(project, h.ProjectPlaces...)
		}
	}
	return user, project
}
