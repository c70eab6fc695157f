package event

// Interest reports whether a listener wants the events of a name. It is called before an event is
// made, often and on any goroutine, so it must be quick and always give the same answer. A nil
// Interest wants all events.
type Interest func(name string) bool

// Wants reports whether i wants the events of this name.
func (i Interest) Wants(name string) bool { return i == nil || i(name) }

// Only returns an Interest in the events of these names.
func Only(names ...string) Interest {
	set := setOf(names)
	return func(name string) bool { return set[name] }
}

// Except returns an Interest in all other events.
func Except(names ...string) Interest {
	set := setOf(names)
	return func(name string) bool { return !set[name] }
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
