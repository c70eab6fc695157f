// ==Agent==
// @name     gears
// @summary  /fast and /deep switch between two models with their thinking levels
// @grant    agent
// ==/Agent==

const gears = {
  fast: { model: ext.option({ name: "fast", description: "provider/id for /fast", default: "" }), thinking: "off" },
  deep: { model: ext.option({ name: "deep", description: "provider/id for /deep", default: "" }), thinking: "high" },
};

for (const [name, gear] of Object.entries(gears)) {
  ext.command({ name, description: "Go on with the model of the option gears." + name, run: async () => {
    try {
      await ext.agent.set({ thinking: gear.thinking, ...(gear.model && { model: gear.model }) });
    } catch (err) {
      return { error: err.message };
    }
    return { display: `${ext.model_id}, thinking ${gear.thinking}` };
  } });
}

ext.test("a word changes the gear", async (t) => {
  t.match((await t.command("/deep")).display, "thinking high$");
  t.match((await t.command("/fast")).display, "thinking off$");
});
ext.test("a model that there is not", async (t) => {
  gears.deep.model = "nosuch/x";
  t.match((await t.command("/deep")).error, "nosuch");
});
