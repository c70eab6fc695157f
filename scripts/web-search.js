// ==Agent==
// @name     web-search
// @summary  A tool that searches the web through a SearXNG server of your choice
// @grant    net:option.endpoint env:SEARCH_KEY
// ==/Agent==

// Set the address in config.toml, or with --set web-search.endpoint=https://example.org/search. If
// the server wants a key, put it into the variable SEARCH_KEY.
const endpoint = ext.option({
  name: "endpoint",
  description: "address of the search",
  default: "http://localhost:8888/search",
});

const failure = (message) => ({ content: message, is_error: true });

// results returns the list in an answer, or null if it has none.
function results(body) {
  try {
    const list = JSON.parse(body)?.results;
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

ext.tool({
  name: "web_search",
  description: "Searches the web; returns titles, addresses and a few words of each page.",
  schema: {
    query: "string: what to look for",
    count: "integer?: how many results, 5 if absent",
  },
  read_only: true,
  run: async (args) => {
    /** @type {any} */
    const headers = { accept: "application/json" };
    if (ext.env("SEARCH_KEY")) headers.authorization = ext.secret("SEARCH_KEY", "Bearer %s");
    const url = endpoint + "?format=json&q=" + encodeURIComponent(args.query);
    let answer;
    try {
      answer = await ext.http.get(url, { headers, timeout: 20 });
    } catch (err) {
      return failure(err.message);
    }
    if (answer.status !== 200) return failure("the search returned status " + answer.status);
    const hits = results(answer.body);
    if (!hits) return failure("the answer is not JSON as SearXNG returns it");
    const lines = hits.slice(0, Math.max(args.count ?? 5, 1)).map((hit, i) =>
      `${i + 1}. ${hit.title ?? ""}\n   ${hit.url ?? ""}\n   ${hit.content ?? ""}`);
    return lines.length > 0 ? lines.join("\n") : "nothing was found";
  },
});

// answer lets the server answer each request, and returns an object that has the last request.
function answer(t, status, body) {
  /** @type {any} */
  const seen = {};
  t.stub("http", (request) => {
    seen.request = request;
    return { status, headers: {}, body };
  });
  return seen;
}

const search = (t, query, count) => t.call("web_search", { query, count });

ext.test("returns what is found", async (t) => {
  const seen = answer(t, 200, JSON.stringify({ results: [
    { title: "A", url: "http://a", content: "about" },
    { title: "B", url: "http://b" },
  ] }));
  t.equal((await search(t, "a b&c", 1)).content, "1. A\n   http://a\n   about");
  t.match(seen.request.url, "q=a%20b%26c");
});

ext.test("reports a server that fails", async (t) => {
  answer(t, 503, "");
  const busy = await search(t, "x");
  t.match(busy.content, "status 503");
  t.equal(busy.is_error, true);
  t.stub("http", () => ({ error: "refused", message: "nobody listens" }));
  const away = await search(t, "x");
  t.match(away.content, "nobody listens");
  t.equal(away.is_error, true);
});

ext.test("returns as many results as were asked for", async (t) => {
  const hits = [];
  for (let i = 1; i <= 8; i++) hits.push({ title: "hit" + i, url: null });
  answer(t, 200, JSON.stringify({ results: hits }));
  const found = async (count) =>
    ext.regex.find_all("hit", (await search(t, "x", count)).content).length;
  t.equal([await found(undefined), await found(7), await found(20), await found(-1)], [5, 7, 8, 1]);
  t.equal((await search(t, "x", 1)).content, "1. hit1\n   \n   ");
  answer(t, 200, '{"results": []}');
  t.equal((await search(t, "x")).content, "nothing was found");
});

ext.test("sends the key if there is one", async (t) => {
  const seen = answer(t, 200, '{"results": []}');
  await search(t, "x");
  t.equal(seen.request.headers.authorization, undefined);
  t.env("SEARCH_KEY", "abc");
  await search(t, "x");
  t.match(String(seen.request.headers.authorization), ".");
});

ext.test("reports an answer that is not one of a search", async (t) => {
  for (const body of ["<html>", "5", "[]", "{}"]) {
    answer(t, 200, body);
    const result = await search(t, "x");
    t.equal(result.is_error, true);
    t.match(result.content, "not JSON as SearXNG");
  }
});
