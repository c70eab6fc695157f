package skill

// Builtin is a skill that is part of the program. A skill of the user or the project with the same
// name has priority over it.
type Builtin struct {
	Name        string
	Description string
	Text        func() string // the text for the model; called when the skill is used
}

// skill returns the builtin as one of a Store's skills.
func (b *Builtin) skill() *Skill {
	return &Skill{Name: b.Name, Description: b.Description, builtin: b}
}

// content returns the skill's text: a builtin's is made now, other text comes from the file.
func (k *Skill) content() string {
	if k.builtin != nil {
		return k.builtin.Text()
	}
	return k.body
}
