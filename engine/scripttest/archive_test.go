package scripttest

import "testing"

// FuzzArchive: an archive that is parsed and formatted is unchanged, except for a missing newline
// at the end.
func FuzzArchive(f *testing.F) {
	f.Add("a comment\n-- a --\nx\n-- b --\n")
	f.Add("-- a --\nno end")
	f.Add("--  --\n-- --\n-- x")
	f.Fuzz(func(t *testing.T, text string) {
		written := parseArchive(text).String()
		if again := parseArchive(written).String(); again != written {
			t.Errorf("got %q, then %q", written, again)
		}
	})
}
