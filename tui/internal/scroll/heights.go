package scroll

// Heights holds the heights of a list's entries, in lines, as a Fenwick tree: appending,
// changing one and summing the first n take O(log n). Heights of entries that were never drawn at
// the current width are estimates; they affect only the displayed distance to the end.
type Heights struct {
	each []int
	tree []int // 1-based: tree[i] is the sum of each[i-lowbit(i):i]
}

// Add appends a height.
func (h *Heights) Add(height int) {
	if len(h.tree) == 0 {
		h.tree = append(h.tree, 0)
	}
	h.each = append(h.each, height)
	i := len(h.each)
	sum := height
	for j, low := i-1, i-i&-i; j > low; j -= j & -j {
		sum += h.tree[j]
	}
	h.tree = append(h.tree, sum)
}

// Set changes the height of entry i.
func (h *Heights) Set(i, height int) {
	d := height - h.each[i]
	if d == 0 {
		return
	}
	h.each[i] = height
	for j := i + 1; j < len(h.tree); j += j & -j {
		h.tree[j] += d
	}
}

// Before returns the sum of the heights of the first n entries.
func (h *Heights) Before(n int) int {
	sum := 0
	for ; n > 0; n -= n & -n {
		sum += h.tree[n]
	}
	return sum
}

// Total returns the sum of all heights.
func (h *Heights) Total() int { return h.Before(len(h.each)) }
