package js

import (
	"fmt"
	"testing"
)

// builtins are calls of built-ins, every guarded one among them, with arguments of ordinary sizes.
// words is a list of 20 texts; calls makes the other variables.
var builtins = []struct{ name, call string }{
	{"test", "/-rf/.test(s)"},
	{"test miss", "/-rx/.test(s)"},
	{"test look-ahead", "/(?=-)-rf/.test(s)"},
	{"exec", "/(\\w+) -rf/.exec(s)"},
	{"match", "'key = value'.match(/^(\\w+)\\s*=\\s*(\\w+)$/)"},
	{"match all", "'a b c d e'.match(/\\w/g)"},
	{"matchAll", "[...'a b c'.matchAll(/\\w/g)].length"},
	{"search", "s.search(/-rf/)"},
	{"replace", "'a b c d e'.replace(/\\s+/g, '_')"},
	{"replace first", "'a b c d e'.replace(/\\s+/, '_')"},
	{"replace group", "'a b c d e'.replace(/(\\w) /g, '<$1>')"},
	{"replace function", "'a b c d e'.replace(/\\s+/g, (x) => x + '_')"},
	{"replace text", "'a b c d e'.replace('b', '_')"},
	{"replaceAll", "'a b c d e'.replaceAll(' ', '_')"},
	{"replaceAll pattern", "'a b c d e'.replaceAll(/ /g, '_')"},
	{"trim pattern", "'  a b c  '.replace(/^\\s+|\\s+$/g, '')"},
	{"split", "s.split(' ')"},
	{"split pattern", "s.split(/\\s+/)"},
	{"split lines", "'a\\nb\\nc'.split('\\n')"},
	{"new RegExp", "new RegExp('a+').source"},
	{"RegExp", "RegExp('a+', 'g').global"},
	{"compile", "rx.compile('a+')"},
	{"includes", "s.includes('build')"},
	{"lastIndexOf", "s.lastIndexOf('make')"},
	{"slice", "s.slice(3, 70).toUpperCase().trim()"},
	{"toUpperCase", "s.toUpperCase()"},
	{"toLowerCase", "s.toLowerCase()"},
	{"toLocaleUpperCase", "s.toLocaleUpperCase()"},
	{"toLocaleLowerCase", "s.toLocaleLowerCase()"},
	{"normalize", "s.normalize()"},
	{"localeCompare", "'abc'.localeCompare('abd')"},
	{"concat text", "'ab'.concat('cd', 'ef')"},
	{"repeat", "'ab'.repeat(100)"},
	{"repeat short", "' '.repeat(4)"},
	{"padStart", "'ab'.padStart(20).trim()"},
	{"padEnd", "'ab'.padEnd(20).trim()"},
	{"fromCharCode", "String.fromCharCode(72, 73, 74)"},
	{"fromCodePoint", "String.fromCodePoint(72, 73, 74)"},
	{"raw", "String.raw`a\\n${i}`"},
	{"characters", "[...'abcdef'].length"},
	{"encodeURI", "encodeURI('https://x.y/a b?c=d')"},
	{"encodeURIComponent", "encodeURIComponent('a b?c=d')"},
	{"template", "`tool ${i} of ${s}`.length"},
	{"plus", "s + i + s"},
	{"nothing", "i"},
	{"push", "[].push(i)"},
	{"pop", "[i].pop()"},
	{"shift", "[i, 2].shift()"},
	{"unshift", "[2].unshift(i)"},
	{"reverse", "words.reverse()"},
	{"slice list", "words.slice(2, 9)"},
	{"splice", "[1, 2, 3].splice(1, 1)"},
	{"concat lists", "words.concat(words)"},
	{"map", "a.map((x) => x + 1).filter((x) => x > 3)"},
	{"map short", "[1, 2].map((x) => x + 1)"},
	{"filter", "words.filter((x) => x !== 'w3')"},
	{"forEach", "words.forEach((x) => x)"},
	{"some", "words.some((x) => x === 'w9')"},
	{"every", "words.every((x) => x !== 'w9')"},
	{"find", "words.find((x) => x === 'w9')"},
	{"findIndex", "words.findIndex((x) => x === 'w9')"},
	{"findLast", "words.findLast((x) => x === 'w9')"},
	{"findLastIndex", "words.findLastIndex((x) => x === 'w9')"},
	{"reduce", "a.reduce((x, y) => x + y, 0)"},
	{"reduceRight", "a.reduceRight((x, y) => x + y, 0)"},
	{"join", "a.join(', ')"},
	{"join texts", "words.join(' ')"},
	{"join short", "['a', 'b'].join(' ')"},
	{"toString", "String([1, 2, 3])"},
	{"toLocaleString", "[1, 2, 3].toLocaleString()"},
	{"sort", "[...a].sort((x, y) => x - y)"},
	{"sort texts", "words.sort()"},
	{"toSorted", "words.toSorted()"},
	{"toReversed", "words.toReversed()"},
	{"toSpliced", "words.toSpliced(1, 1)"},
	{"with", "words.with(1, 'x')"},
	{"copyWithin", "words.copyWithin(0, 3, 4)"},
	{"fill", "Array(20).fill(0)"},
	{"indexOf", "a.indexOf(88) + a.includes(77)"},
	{"indexOf text", "words.indexOf('w9')"},
	{"includes text", "words.includes('w9')"},
	{"lastIndexOf list", "words.lastIndexOf('w9')"},
	{"values", "[...words.values()].length"},
	{"keys of list", "[...words.keys()].length"},
	{"entries of list", "[...words.entries()].length"},
	{"for of", "(() => { for (const w of words) out = w })()"},
	{"spread", "[...words].length"},
	{"flat", "[[1, 2], [3, [4]]].flat()"},
	{"flatMap", "words.flatMap((x) => [x, x])"},
	{"from", "Array.from(words)"},
	{"from set", "Array.from(new Set([1, 2, 3]))"},
	{"from length", "Array.from({ length: 5 }, (_, i) => i)"},
	{"keys", "Object.keys(o).length"},
	{"values of object", "Object.values(o).length"},
	{"entries", "Object.entries(o).length"},
	{"assign", "Object.assign({}, o)"},
	{"spread object", "({ ...o, x: 1 })"},
	{"freeze", "Object.freeze({ a: 1 })"},
	{"isFrozen", "Object.isFrozen(o)"},
	{"seal", "Object.seal({ a: 1 })"},
	{"isSealed", "Object.isSealed(o)"},
	{"names", "Object.getOwnPropertyNames(o)"},
	{"descriptor", "Object.getOwnPropertyDescriptor(o, 'tool')"},
	{"descriptors", "Object.getOwnPropertyDescriptors(o)"},
	{"enumerable", "o.propertyIsEnumerable('tool')"},
	{"hasOwn", "Object.hasOwn(o, 'tool')"},
	{"setPrototypeOf", "Object.setPrototypeOf({}, o)"},
	{"proto", "({}).__proto__ = o"},
	{"instanceof", "rx instanceof RegExp"},
	{"ownKeys", "Reflect.ownKeys(o)"},
	{"Reflect.get", "Reflect.get(o, 'tool')"},
	{"Reflect.apply", "Reflect.apply(Math.max, null, [1, 2, 3])"},
	{"Reflect.construct", "Reflect.construct(Date, [0])"},
	{"apply", "Math.max.apply(null, [1, 2, 3])"},
	{"call", "f.call(null, 1)"},
	{"bind", "f.bind(null, 1)"},
	{"proxy", "new Proxy(o, {})"},
	{"read proxy", "proxy.tool"},
	{"stringify", "JSON.stringify(o)"},
	{"stringify indented", "JSON.stringify(o, null, 2)"},
	{"stringify keys", "JSON.stringify(o, ['tool', 'args'])"},
	{"stringify function", "JSON.stringify(o, (k, v) => v)"},
	{"stringify list", "JSON.stringify(words)"},
	{"stringify text", "JSON.stringify(s)"},
	{"stringify deep", "JSON.stringify(tree)"},
	{"parse", "JSON.parse('{\"a\": 1, \"b\": [2, 3]}')"},
	{"parse long", "JSON.parse(json)"},
	{"parse function", "JSON.parse('{\"a\": 1, \"b\": [2, 3]}', (k, v) => v)"},
	{"map_set", "new Map([[1, 2], [3, 4]]).get(3)"},
	{"Map.forEach", "map.forEach((x) => x)"},
	{"Set.forEach", "set.forEach((x) => x)"},
	{"for of map", "(() => { for (const [k, v] of map) out = v })()"},
	{"math", "Math.max(Math.floor(i / 3), Math.abs(-i))"},
	{"min", "Math.min(i, 3)"},
	{"hypot", "Math.hypot(i, 3)"},
	{"number", "Number(String(i)) + parseInt('12', 10)"},
	{"parseFloat", "parseFloat('1.5')"},
	{"Promise.resolve", "Promise.resolve(i)"},
	{"eval", "(0, eval)('1 + 1')"},
	{"Function", "new Function('return 1')"},
	{"ArrayBuffer", "new ArrayBuffer(64).slice(8)"},
	{"Uint8Array", "new Uint8Array(64)"},
	{"Uint8Array of list", "new Uint8Array([1, 2, 3])"},
	{"Uint8Array.from", "Uint8Array.from([1, 2, 3])"},
	{"typed set", "bytes.set([1, 2, 3])"},
	{"typed slice", "bytes.slice(1, 5)"},
	{"typed fill", "bytes.fill(1)"},
	{"typed indexOf", "bytes.indexOf(7)"},
	{"typed map", "bytes.map((x) => x)"},
	{"typed forEach", "bytes.forEach((x) => x)"},
	{"typed sort", "bytes.sort()"},
	{"typed join", "bytes.join()"},
	{"typed of", "(() => { for (const x of bytes) out = x })()"},
	{"typed subarray", "bytes.subarray(1, 3)"},
}

// calls makes a function that evaluates an expression n times.
const calls = `(() => {
const a = [], o = { tool: "bash", args: { command: "ls -l", n: 5 }, list: [1, 2, 3] };
for (let i = 0; i < 100; i++) a.push((i * 7919) %% 101);
const s = "rm -rf ./build --force && make all ".repeat(6);
const words = Array.from({ length: 20 }, (_, i) => "w" + i), rx = /a+/;
const f = function (x) { return x }, proxy = new Proxy(o, {});
const map = new Map(words.map((w) => [w, 1])), set = new Set(words);
const tree = { list: words.map((w) => ({ name: w, on: true, at: { line: 1.5, text: s } })) };
const bytes = new Uint8Array(16), json = JSON.stringify(tree);
return (n) => {
	let out;
	for (let i = 0; i < n; i++) out = %s;
	return typeof out;
} })()`

// slower is the ratio from which a built-in is reported as slow.
const slower = 1.1

// BenchmarkBuiltins compares built-ins with those of goja. It lists the slow ones at the end.
func BenchmarkBuiltins(b *testing.B) {
	slow := ""
	for _, f := range builtins {
		b.Run(f.name, func(b *testing.B) {
			if ratio := benchOverBare(b, fmt.Sprintf(calls, f.call)); ratio > slower {
				slow += fmt.Sprintf("\n%.2f %s", ratio, f.call)
			}
		})
	}
	b.Logf("more than %v times the time of goja:%s", slower, slow)
}
