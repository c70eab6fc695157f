package touch

import "testing"

// TestWordsBehindLinks checks that a word of an unknown program counts as what it stands for behind
// links that the line makes, one after another too.
func TestWordsBehindLinks(t *testing.T) {
	f, dir := world(t)
	for line, sure := range map[string]bool{
		"./any l/x": true, "ln -s sub l; ./any l/x": false,
		"ln -s sub k; ln -s k l; ./any l/x": false,
		"ln -s sub k; cp -P k l; ./any l/x": false, "ln -s sub/deep l; ./any l/../x": false,
		"ln -s sub l; ./any k/x": true,
	} {
		fits, known := f.Command(line, dir, dir).Fits("writes", "./sub/x")
		if fits || known != sure {
			t.Errorf("%s: fits %v, sure %v", line, fits, known)
		}
	}
}
