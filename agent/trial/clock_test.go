package trial_test

import "testing"

// TestOneClock checks that every function that tells the time or waits uses the clock of the test.
func TestOneClock(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"x.lua": `local seen, loaded = {}, os.clock()
ext.every(10, function() seen[#seen + 1] = "every " .. os.time() end)
ext.after(25, function() seen[#seen + 1] = "after " .. ext.time.now() end)
ext.after(0, function() seen[#seen + 1] = "at once" end)
ext.command{ name = "nap", run = function() ext.sleep(15) return { display = os.date("!%H:%M:%S") } end }
ext.test("x", function(t)
  t.equal(seen, { "at once" })
  t.equal(os.date("!%Y-%m-%d %H:%M:%S"), "2001-09-09 01:46:40")
  t.equal(os.date("!*t").hour, 1)
  t.clock(9)
  t.equal(#seen, 1)
  t.clock(21)
  t.equal(seen, { "at once", "every 1000000010", "every 1000000020", "after 1000000025", "every 1000000030" })
  t.equal(os.clock() - loaded, 30)
  t.equal(t.command("/nap").display, "01:47:25")
  t.equal(seen[6], "every 1000000040")
  t.clock(0.5)
  t.equal(ext.time.now(), 1000000045.5)
end)`, "x.js": `const seen = [];
setInterval(() => { seen.push("interval " + Date.now() / 1000); }, 10000);
setTimeout((x) => { seen.push("timeout " + ext.time.now() + x); }, 25000, "!");
clearTimeout(setTimeout(() => { seen.push("never"); }, 1));
setTimeout(() => { seen.push("at once"); });
ext.command({ name: "nap", run: async () => { await ext.sleep(15); return { display: new Date().toISOString() }; } });
ext.command({ name: "wait", run: async () => { await new Promise((done) => setTimeout(done, 1000)); return { display: "over" }; } });
ext.test("x", async (t) => {
  t.equal(seen, ["at once"]);
  t.equal(new Date().toISOString(), "2001-09-09T01:46:40.000Z");
  t.equal(Date.now(), 1000000000000);
  await t.clock(9);
  t.equal(seen.length, 1);
  await t.clock(21);
  t.equal(seen, ["at once", "interval 1000000010", "interval 1000000020", "timeout 1000000025!", "interval 1000000030"]);
  t.equal((await t.command("/nap")).display, "2001-09-09T01:47:25.000Z");
  t.equal(seen[5], "interval 1000000040");
  const waits = t.command("/wait");
  await t.clock(1);
  t.equal((await waits).display, "over");
  const late = AbortSignal.timeout(500);
  await t.clock(0.5);
  t.equal(late.aborted, true);
});`} {
		if got := results(t, name, src); got != "x: ok" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// TestTimePasses checks that a script that only waits for time continues, in a test and in the
// functions that it calls, and that a script that waits for an event that never comes gets an
// error.
func TestTimePasses(t *testing.T) {
	t.Parallel()
	got := results(t, "x.js", `const nap = (ms) => new Promise((done) => setTimeout(done, ms));
ext.command({ name: "nap", run: async () => { await nap(60000); await nap(1000); return { display: String(Date.now() / 1000) }; } });
ext.on("agent_start", async () => { await nap(5000); ext.notify("late"); });
ext.every(3600, () => {});
ext.test("a command", async (t) => { t.equal((await t.command("/nap")).display, "1000000061"); });
ext.test("an observer", async (t) => { t.equal((await t.emit("agent_start", { prompt: "x" })).said, ["late"]); });
ext.test("the test", async (t) => { await nap(2000); t.equal(Date.now(), 1000000002000); });
ext.test("what does not come", async (t) => {
  await new Promise(() => {});
});
ext.test("the next one", (t) => { t.equal(Date.now(), 1000000000000); });`)
	want := "a command: ok\nan observer: ok\nthe test: ok\nwhat does not come: x.js:8: the test " +
		"waits for something that does not come: a key in a panel (t.key), or a promise that " +
		"is never settled\nthe next one: ok"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
