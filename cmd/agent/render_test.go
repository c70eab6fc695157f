package main

import "testing"

// drawing are scripts that draw calls of bash, and entries of their own. One of these fails: at
// first its time is over, and later it fails at once, so that the test does not take so long.
var drawing = map[string]string{
	"lua": `-- ==Agent==
-- @grant session
-- ==/Agent==
ext.render{ tool = "bash", call = function(args, width) return { "FIRST " .. width } end, result = function(result) return { "drawn: " .. result.content[1].text } end }
ext.render{ entry = "note", call = function(data, width) return "**NOTE** " .. data .. " in " .. width end }
local stopped = false
ext.render{ entry = "bad", call = function() if stopped then error("again") end stopped = true while true do end end }
ext.command{ name = "note", run = function(args) ext.session.append("note", args) ext.session.append("bad", args) ext.session.append("other", args) end }
`,
	"js": `// ==Agent==
// @grant session
// ==/Agent==
ext.render({ tool: "bash", call: (args, width) => ["FIRST " + width], result: async (result) => ["drawn: " + result.content[0].text] });
ext.render({ entry: "note", call: (data, width) => "**NOTE** " + data + " in " + width });
let stopped = false;
ext.render({ entry: "bad", call: () => { if (stopped) throw new Error("again"); stopped = true; while (true); } });
ext.command({ name: "note", run: (args) => { for (const kind of ["note", "bad", "other"]) ext.session.append(kind, args); } });
`,
}

// TestRenderInTerminal checks that the transcript shows what scripts draw, also after a resize, an
// edit and a resume, and that the default view returns when the script is gone.
func TestRenderInTerminal(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		x := newTerminal(t)
		x.run("mkdir -p " + x.home + "/scripts")
		write(t, x.script("d."+lang), drawing[lang])
		x.start("--model offline --yolo --fullscreen")
		x.wait("d." + lang + " loaded")
		x.submit("run echo one")
		x.wait(`(?s)FIRST 1\d\d.*drawn: one`)
		x.submit("/note remember")
		x.wait(`NOTE remember in 1\d\d`)
		x.wait(`(?m)^bad "remember"`)
		x.waitGone(`other "remember"`)
		x.tmux("resize-window", "-x", "70", "-y", "50")
		x.wait(`(?s)FIRST 66.*NOTE remember in 70`)
		x.run("sed -i 's/FIRST/SECOND/' " + x.script("d."+lang))
		x.wait(`SECOND 66`)
		x.tmux("resize-window", "-x", "110", "-y", "40")
		x.quit()
		x.start("--model offline --yolo -c --fullscreen")
		x.wait(`(?s)SECOND \d+.*drawn: one.*NOTE remember in`)
		x.run("rm " + x.script("d."+lang))
		x.waitGone("NOTE remember")
		x.waitGone("SECOND")
		x.wait(`│ one`)
		x.quit()
	})
}
