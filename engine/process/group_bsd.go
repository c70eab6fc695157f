//go:build unix && !linux

package process

// otherGroups returns nil: finding the other process groups of a session is expensive on this
// system.
func otherGroups(int) []int { return nil }
