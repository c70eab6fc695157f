// This file counts the memory that built-in functions take.

package vm

// chargeMost is how much built-in functions may take before the watchdog must have looked at the
// heap: together with the largest single result, it bounds how far a run can exceed its allowance.
const chargeMost = 64 << 20

// chargeLarge is the size from which a single result waits for a look that begins after it: the
// memory of a buffer is not touched before it is used, so that it takes no time.
const chargeLarge = chargeMost / 4

// Charge counts the memory that the built-in functions of a VM take, in bytes. A built-in that
// another built-in calls runs no code of the script in between, and the watchdog may get no
// processor meanwhile: so nothing else limits what such calls take together. Call its methods with
// the turn held.
type Charge struct {
	turn  *Turn
	taken int
	looks uint64 // of the watchdog, when taken was 0
}

// NewCharge returns the counter of t's VM.
func (t *Turn) NewCharge() Charge { return Charge{turn: t} }

// Take counts bytes that were or will be taken at once. If they are many since the watchdog last
// looked at the heap, it waits for a look. Then the caller must find out whether its run must stop.
func (c *Charge) Take(bytes int) (looked bool) {
	c.taken += bytes
	if c.taken <= chargeMost {
		return false
	}
	c.taken = 0
	if bytes >= chargeLarge {
		c.looks = c.turn.dog.scans.Load()
	}
	c.looks = c.turn.awaitLook(c.looks)
	return true
}
