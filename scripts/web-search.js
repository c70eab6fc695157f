// ==Agent==
// @name     web-search
// @summary  A tool that searches the web through a SearXNG server of your choice
// @grant    net:option.endpoint env:SEARCH_KEY
// ==/Agent==

// In config.toml, or with --set web-search.endpoint=https://search.example.org/search. A key, if the server wants one, stands in SEARCH_KEY.
const endpoint = ext.option({ name: "endpoint", description: "address of the search", default: "http://localhost:8888/search" });

// results is the list in an answer, null if it has none.
function results(body) {
  try {
    const list = JSON.parse(body)?.results;
    return Array.isArray(list) ? list : null;
  } catch (err) {
    return null;
  }
}

ext.tool({ name: "web_search", description: "Searches the web; returns titles, addresses and a few words of each page.", read_only: true,
  schema: { query: "string: what to look for", count: "integer?: how many results, 5 if absent" },
  run: async (args) => {
    const headers = { accept: "application/json" };
    if (ext.env("SEARCH_KEY")) headers.authorization = ext.secret("SEARCH_KEY", "Bearer %s");
    const url = endpoint + "?format=json&q=" + encodeURIComponent(args.query);
    let answer;
    try { answer = await ext.http.get(url, { headers, timeout: 20 }); } catch (err) { return { content: err.message, is_error: true }; }
    if (answer.status !== 200) return { content: "the search answers with status " + answer.status, is_error: true };
    const hits = results(answer.body);
    if (!hits) return { content: "the search does not answer as SearXNG does in JSON", is_error: true };
    const lines = hits.slice(0, Math.max(args.count ?? 5, 1)).map((hit, i) => `${i + 1}. ${hit.title ?? ""}\n   ${hit.url ?? ""}\n   ${hit.content ?? ""}`);
    return lines.length > 0 ? lines.join("\n") : "nothing was found";
  } });

ext.test("what is found, and what is not", async (t) => {
  let asked = "";
  t.stub("http", (request) => {
    asked = request.url;
    return { status: 200, headers: {}, body: JSON.stringify({ results: [{ title: "A", url: "http://a", content: "about" }, { title: "B", url: "http://b" }] }) };
  });
  t.equal((await t.call("web_search", { query: "a b&c", count: 1 })).content, "1. A\n   http://a\n   about");
  t.match(asked, "q=a%20b%26c");
  t.stub("http", () => ({ status: 503, headers: {}, body: "" }));
  const busy = await t.call("web_search", { query: "x" });
  t.match(busy.content, "status 503");
  t.equal(busy.is_error, true);
  t.stub("http", () => ({ error: "refused", message: "nobody listens" }));
  const away = await t.call("web_search", { query: "x" });
  t.match(away.content, "nobody listens");
  t.equal(away.is_error, true);
});
ext.test("as many as were asked for", async (t) => {
  let hits = Array.from({ length: 8 }, (_, i) => ({ title: "hit" + (i + 1), url: null }));
  t.stub("http", () => ({ status: 200, headers: {}, body: JSON.stringify({ results: hits }) }));
  const found = async (count) => (await t.call("web_search", { query: "x", count })).content.split("hit").length - 1;
  t.equal([await found(), await found(7), await found(20), await found(-1)], [5, 7, 8, 1]);
  t.equal((await t.call("web_search", { query: "x", count: 1 })).content, "1. hit1\n   \n   ");
  hits = [];
  t.equal((await t.call("web_search", { query: "x" })).content, "nothing was found");
});
ext.test("the key goes along, if there is one", async (t) => {
  /** @type {any} */
  let headers;
  t.stub("http", (request) => { headers = request.headers; return { status: 200, headers: {}, body: '{"results": []}' }; });
  await t.call("web_search", { query: "x" });
  t.equal(headers.authorization, undefined);
  t.env("SEARCH_KEY", "abc");
  await t.call("web_search", { query: "x" });
  t.match(String(headers.authorization), ".");
});
ext.test("what is no answer of a search", async (t) => {
  for (const body of ["<html>", "5", "[]", "{}"]) {
    t.stub("http", () => ({ status: 200, headers: {}, body }));
    const answer = await t.call("web_search", { query: "x" });
    t.equal(answer.is_error, true);
    t.match(answer.content, "does not answer as SearXNG");
  }
});
