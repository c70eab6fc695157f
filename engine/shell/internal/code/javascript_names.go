package code

import "sync"

// scriptKeywords are keywords of JavaScript that need no further look.
var scriptKeywords = setOf("async await break case catch const continue debugger default delete " +
	"do else false finally for function if in instanceof let new null of return switch throw " +
	"true try typeof undefined var void while yield")

// contextual are those of them that may also be names of variables.
var contextual = setOf("async await let yield")

// scriptConstants are those of them that are values.
var scriptConstants = setOf("false null true undefined")

// scriptParts are parts of modules that are no functions.
var scriptParts = setOf("argv arch env execPath exitCode pid platform release stderr stdin " +
	"stdout title version versions features EOL delimiter sep")

// scriptStreams are parts of process that are streams, streamCalls functions that only listen to
// them and return them, and streamParts values of them.
var (
	scriptStreams = setOf("stdin stdout stderr")
	streamCalls   = setOf("on once setEncoding resume pause")
	streamParts   = setOf("isTTY columns rows fd")
)

// scriptGlobals are objects and functions that compute only.
var scriptGlobals = setOf("AggregateError Array ArrayBuffer BigInt BigInt64Array Boolean Buffer " +
	"DataView Date Error Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl " +
	"JSON Map Math NaN Number Object Promise RangeError RegExp Set String Symbol SyntaxError " +
	"TextDecoder TextEncoder TypeError URL URLSearchParams Uint16Array Uint32Array Uint8Array " +
	"WeakMap WeakSet atob btoa clearInterval clearTimeout console decodeURI decodeURIComponent " +
	"encodeURI encodeURIComponent escape isFinite isNaN parseFloat parseInt performance process " +
	"require setInterval setTimeout structuredClone unescape")

// scriptValues are those of them that may be passed to functions.
var scriptValues = setOf("Boolean Infinity NaN Number String isFinite isNaN parseFloat parseInt " +
	"encodeURIComponent decodeURIComponent")

// scriptOthers are the other names that a program of Node.js, Bun or Deno finds, and names by which
// it may reach others.
var scriptOthers = setOf("AbortController Atomics Bun Deno EventSource FinalizationRegistry " +
	"Function Iterator Proxy Reflect SharedArrayBuffer Storage WebAssembly WebSocket Worker " +
	"XMLHttpRequest __defineGetter__ __defineSetter__ __dirname __filename __lookupGetter__ " +
	"__proto__ apply arguments assert async_hooks bind buffer call callee caller child_process " +
	"class cluster constants constructor crypto dgram diagnostics_channel dns domain enum eval " +
	"events export exports extends fetch fs global globalThis http http2 https import inspector " +
	"localStorage mainModule module navigator net os path perf_hooks prototype punycode " +
	"querystring queueMicrotask readline repl root self sessionStorage setImmediate stream " +
	"string_decoder super sys this timers tls trace_events tty url util v8 vm wasi window with " +
	"worker_threads zlib")

// scriptMethods are methods of values that compute only.
var scriptMethods = setOf("abs all allSettled any assign at catch ceil charAt charCodeAt " +
	"codePointAt concat dir entries endsWith error every exec fill filter finally find findIndex " +
	"findLast flat flatMap floor flush forEach format formatToParts freeze from fromCharCode " +
	"fromCodePoint fromEntries get getDate getDay getFullYear getHours getMinutes getMonth " +
	"getSeconds getTime getTimezoneOffset getUTCDate getUTCFullYear getUTCHours getUTCMonth " +
	"groupBy group groupEnd has hasOwn includes indexOf info is isArray isBuffer isFinite " +
	"isInteger isNaN isSafeInteger join keys lastIndexOf length localeCompare log map match " +
	"matchAll max memoryUsage min next normalize now of on once padEnd padStart parse parseFloat " +
	"parseInt pop pow push race random reduce reduceRight reject repeat replaceAll resolve " +
	"resolvedOptions reverse round set setEncoding shift sign slice some sort splice split sqrt " +
	"startsWith stringify substr substring table test then time timeEnd toFixed toISOString " +
	"toJSON toLocaleDateString toLocaleString toLocaleTimeString toLowerCase toPrecision " +
	"toString toUTCString toUpperCase trim trimEnd trimStart trunc unshift update digest PI E " +
	"EPSILON MAX_SAFE_INTEGER MIN_SAFE_INTEGER cbrt cos sin tan log10 log2 hypot imul of " +
	"allocUnsafe DateTimeFormat NumberFormat Collator PluralRules RelativeTimeFormat iterator " +
	"timeLog isEncoding values warn write add delete clear byteLength alloc uptime cwd hrtime " +
	"exit cpuUsage isWellFormed toSorted toReversed with supportedLocalesOf replace")

// scriptModules are the functions and values of modules that compute only. process is one, too.
var scriptModules = sync.OnceValue(func() map[string]map[string]bool {
	return tableOf(`
process: argv arch cwd env execPath exit exitCode hrtime memoryUsage pid platform release stderr
  stdin stdout title uptime version versions cpuUsage features
fs: existsSync readdirSync statSync
path: basename delimiter dirname extname format isAbsolute join normalize parse relative resolve sep
os: EOL arch availableParallelism cpus endianness freemem homedir hostname loadavg machine
  networkInterfaces platform release tmpdir totalmem type uptime userInfo version
util: format inspect isDeepStrictEqual
url: parse format fileURLToPath pathToFileURL
crypto: createHash randomBytes randomInt randomUUID getHashes timingSafeEqual
assert: equal strictEqual deepEqual deepStrictEqual ok notEqual
querystring: parse stringify escape unescape
`)
})

// scriptFiles are functions of fs whose first argument is a file.
var scriptFiles = map[string]string{"readFileSync": "r", "writeFileSync": "w",
	"appendFileSync": "w",
	"truncateSync":   "w"}
