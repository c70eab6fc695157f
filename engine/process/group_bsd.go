//go:build unix && !linux

package process

// otherGroups would be the process groups of the session that leader leads, but for its own: the
// system does not tell cheaply.
func otherGroups(int) []int { return nil }
