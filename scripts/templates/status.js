// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  A text in the status line
// @grant    ui
// ==/Agent==

// How many tool calls there were in this session. The number is kept in the session and survives a
// reload of the script; the text on the screen does not.
function show() {
  const calls = ext.state.get("calls") ?? 0;
  ext.ui.status("calls", [[`${calls} calls`, "dim"]], { side: "right" });
}

ext.on("session_start", show); // runs after a reload, too
ext.on("tool_end", () => {
  ext.state.update("calls", (n) => (n ?? 0) + 1);
  show();
});

ext.test("counts", async (t) => {
  await t.emit("session_start", { cause: "reload" });
  t.equal(t.screen().status.calls, "0 calls");
  await t.call("ls", {});
  await t.call("ls", {});
  t.equal(t.screen().status.calls, "2 calls");
  t.equal(t.screen().sides.calls, "right");
});
