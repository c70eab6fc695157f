// ==Agent==
// @name     redact
// @summary  Masks keys and passwords: in what tools print, what you see, what the model is sent, and in logs
// ==/Agent==

// A pattern is RE2, as everywhere. What it matches becomes [redacted:NAME], before anybody sees it.
ext.redact({ name: "key", patterns: [
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,        // model providers
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,   // GitHub
  String.raw`\bAKIA[0-9A-Z]{16}\b`,           // AWS
] });

// Where a pattern is not enough, a function says what to mask: the texts themselves.
ext.redact({ name: "password", find: (text) =>
  [...text.matchAll(/password\s*[=:]\s*([^\s"']+)/gi)].map((match) => match[1]) });
