// Package skill reads skills: folders with a file SKILL.md that tells the model how to do
// something. The model gets the name and the description of each; the tool skill returns the rest.
//
//	skills := skill.New(skill.Options{Home: home, User: userHome, Project: project, Warn: warn})
//	engine.Install(skills.Plugin())  // the tool skill, /skill and /skills
//	text := skills.Prompt()          // for the system prompt
//
// The files are text for a model, like AGENTS.md; nothing in them runs. They are checked each time,
// and read again after a change.
package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/internal/frontmatter"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// file is the name of a skill's file.
	file = "SKILL.md"
	// maxSkills limits how many are read: each request lists them.
	maxSkills = 200
	// maxDescription limits a description, in bytes. Source: the Agent Skills format, which allows
	// 1024.
	maxDescription = 1024
	// maxList limits the list of all skills for the model, in bytes: about 4,000 tokens of each
	// request.
	maxList = 16 << 10
)

// Options configures where skills are.
type Options struct {
	Home    string            // the agent's own directory; "" = none
	User    string            // the user's home directory; "" = none
	Project string            // the project's root; "" = none
	Warn    func(text string) // called once for each problem in a file; nil = none
	Builtin []Builtin         // skills without a file; their names are unique
}

// Skill is a skill.
type Skill struct {
	Name        string
	Description string
	Dir         string // of its files
	Project     bool   // it belongs to the project
	// Manual: it is not in the model's list; the user may give it to the model.
	Manual bool

	body    string
	builtin *Builtin // nil = it comes from a file
}

// Store finds skills. Its methods are safe for concurrent use.
type Store struct {
	o Options

	mu   sync.Mutex
	read map[string]cached // by path of SKILL.md
	told map[string]bool
	// keys of other programs that mean nothing here
	ignored frontmatter.Ignored
}

// cached is the content of a file with this time and size.
type cached struct {
	time  time.Time
	size  int64
	skill *Skill // nil = the file is invalid
}

// New makes a Store. It reads nothing yet.
func New(o Options) *Store {
	return &Store{o: o, read: map[string]cached{}, told: map[string]bool{}}
}

// List returns the current skills, sorted by name. The user's skill has priority over the project's
// of the same name.
func (s *Store) List() []Skill {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Skill
	byName, read := map[string]*Skill{}, map[string]cached{}
	for _, folder := range frontmatter.Folders("skills", s.o.Home, s.o.User, s.o.Project) {
		entries, err := os.ReadDir(folder.Path)
		if err != nil {
			s.warn("skills: " + plain.Error(err))
		}
		for _, e := range entries {
			path := filepath.Join(folder.Path, e.Name(), file)
			info, err := os.Stat(path)
			if err != nil || strings.HasPrefix(e.Name(), ".") { // not a skill
				continue
			}
			if len(read) >= maxSkills {
				s.warn(fmt.Sprintf("%s: more than %d skills: the rest is not read", folder.Path,
					maxSkills))
				break
			}
			c := s.look(folder, path, info)
			read[path] = c
			switch first := byName[nameOf(c.skill)]; {
			case c.skill == nil:
			case first != nil:
				s.warn(fmt.Sprintf("skill %s: %s holds, so %s is not used", c.skill.Name, first.Dir,
					c.skill.Dir))
			default:
				byName[c.skill.Name] = c.skill
				found = append(found, c.skill)
			}
		}
	}
	s.read = read
	if text := s.ignored.Text(); text != "" {
		s.warn("skills: " + text)
	}
	for i := range s.o.Builtin {
		if b := &s.o.Builtin[i]; byName[b.Name] == nil {
			found = append(found, b.skill())
		}
	}
	out := make([]Skill, len(found))
	for i, k := range found {
		out[i] = *k
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

func nameOf(k *Skill) string {
	if k == nil {
		return ""
	}
	return k.Name
}

// look reads a file, or returns its cached content.
func (s *Store) look(folder frontmatter.Folder, path string, info os.FileInfo) cached {
	if folder.Escapes(path) {
		s.warn(path + ": links out of the project: it is not read")
		return cached{}
	}
	if c, ok := s.read[path]; ok && c.time.Equal(info.ModTime()) && c.size == info.Size() {
		return c
	}
	c := cached{time: info.ModTime(), size: info.Size()}
	k, notes, err := s.readSkillFile(path)
	for _, n := range notes {
		s.warn(path + ": " + n)
	}
	if err != nil {
		s.warn(path + ": " + plain.Error(err) + ": the skill is not there")
		return c
	}
	k.Project = folder.Project != ""
	c.skill = k
	return c
}

// name matches valid names of skills: the model and the user type them.
var name = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:-]*$`)

// maxName limits such a name, in bytes.
const maxName = 64

// readSkillFile reads a file; notes say what is missing in it, and what replaces that.
func (s *Store) readSkillFile(path string) (k *Skill, notes []string, err error) {
	doc, err := frontmatter.Read(path)
	if err != nil {
		return nil, nil, err
	}
	k = &Skill{Dir: filepath.Dir(path), body: plain.Text(doc.Body)}
	folder := filepath.Base(k.Dir)
	if k.Name, err = doc.Text("name"); err != nil {
		return nil, nil, err
	}
	if len(k.Name) > maxName || !name().MatchString(k.Name) {
		if k.Name == "" {
			notes = append(notes, fmt.Sprintf("no name: it is called %q, as its folder is", folder))
		} else {
			notes = append(notes,
				fmt.Sprintf("line %d: name: got %q, want letters, digits, - and _: it is called "+
					"%q, as its folder is", doc.Line("name"), plain.Line(k.Name, 60), folder))
		}
		k.Name = folder
	}
	if len(k.Name) > maxName || !name().MatchString(k.Name) {
		return nil, notes, fmt.Errorf("%q cannot be a name, which is letters, digits, - and _",
			plain.Line(k.Name, 60))
	}
	text, err := doc.Text("description")
	if err != nil {
		return nil, nil, err
	}
	if text == "" {
		notes = append(notes, "no description: the model gets its first paragraph")
		text = paragraph(k.body)
	}
	s.ignored.Add(path, doc, "name", "description", "disable-model-invocation", "license",
		"metadata", "compatibility", "version")
	manual, _ := doc.Text("disable-model-invocation")
	k.Description, k.Manual = plain.Line(text, maxDescription), strings.EqualFold(manual, "true")
	return k, notes, nil
}

// paragraph returns the first paragraph that is not a heading.
func paragraph(body string) string {
	for p := range strings.SplitSeq(body, "\n\n") {
		if p = strings.TrimSpace(p); p != "" && !strings.HasPrefix(p, "#") {
			return p
		}
	}
	return ""
}

// warn reports each text once.
func (s *Store) warn(text string) {
	text = strings.ReplaceAll(text, "\n", "␊") // of the name of a file
	if s.o.Warn != nil && !s.told[text] {
		s.told[text] = true
		s.o.Warn(text)
	}
}

// Prompt returns the system prompt's text about skills; "" if there are none.
func (s *Store) Prompt() string {
	var b strings.Builder
	left := 0
	for _, k := range s.List() {
		line := "- " + k.Name + ": " + k.Description + "\n"
		switch {
		case k.Manual:
		case b.Len()+len(line) > maxList:
			left++
		default:
			b.WriteString(line)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	if left > 0 {
		fmt.Fprintf(&b, "[%d more]\n", left)
	}
	return "Skills are instructions for particular tasks. If one fits what you are asked, call " +
		"the tool skill with its name before you begin:\n" + b.String()
}
