package trial_test

import "testing"

// TestRandom checks that all random numbers of a test are the same in every run, and those of ext
// in both languages.
func TestRandom(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"x.lua": `ext.test("x", function(t)
  t.equal({ ext.uuid(), ext.random(1000), math.floor(ext.random() * 1000) },
    { "1bfb1fa3-7c41-411e-a46a-dd6a48d89474", 303, 953 })
  t.equal({ math.random(1000), math.random(1000) }, { 923, 395 })
end)`, "x.js": `ext.test("x", (t) => {
  t.equal([ext.uuid(), ext.random(1000), Math.floor(ext.random() * 1000)],
    ["1bfb1fa3-7c41-411e-a46a-dd6a48d89474", 303, 953]);
  t.equal([Math.floor(Math.random() * 1000),
    crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(2))[0]],
    [922, "84368d8c-8542-4cb8-a994-68ef7de32c84", 14]);
});`} {
		if got := results(t, name, src); got != "x: ok" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
