// ==Agent==
// @name     NAME
// @version  0.1.0
// @api      1
// @summary  A text in the status line
// @grant    ui
// ==/Agent==

// How many tool calls there were in this session. What is kept in the session survives a reload; what is on the screen does not.
const show = () => {
  ext.ui.status("calls", [[`${ext.state.get("calls") ?? 0} calls`, "dim"]], { side: "right" });
};

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
