package skill

// Builtin is a skill that comes with the program. A skill of the user or the project with the same
// name holds before it.
type Builtin struct {
	Name        string
	Description string
	Text        func() string // what the model is told; called when the skill is used
}

// skill returns the builtin as one of a Store's skills.
func (b *Builtin) skill() *Skill {
	return &Skill{Name: b.Name, Description: b.Description, builtin: b}
}

// content is what the skill tells the model: of a builtin made now, else what its file said.
func (k *Skill) content() string {
	if k.builtin != nil {
		return k.builtin.Text()
	}
	return k.body
}
