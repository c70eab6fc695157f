// ==Agent==
// @name     gears
// @summary  /fast and /deep switch between two models with their thinking levels
// @grant    agent
// ==/Agent==

/** @type {Record<string, { model: string, thinking: string }>} */
const gears = {};

for (const [name, thinking] of Object.entries({ fast: "off", deep: "high" })) {
  const model = ext.option({ name, description: "provider/id for /" + name, default: "" });
  gears[name] = { model, thinking };
  ext.command({
    name,
    description: `Switches to the model of the option gears.${name}, thinking ${thinking}`,
    run: async () => {
      const gear = gears[name];
      /** @type {any} */
      const settings = { thinking: gear.thinking };
      if (gear.model) settings.model = gear.model;
      try {
        await ext.agent.set(settings);
      } catch (err) {
        return { error: err.message };
      }
      return { display: `${ext.model_id}, thinking ${gear.thinking}` };
    },
  });
}

ext.test("each command sets its thinking level", async (t) => {
  t.match((await t.command("/deep")).display, "thinking high$");
  t.match((await t.command("/fast")).display, "thinking off$");
});

ext.test("a model that does not exist is an error", async (t) => {
  gears.deep.model = "nosuch/x";
  t.match((await t.command("/deep")).error, "nosuch");
});
