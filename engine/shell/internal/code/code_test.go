package code

import (
	"strings"
	"testing"
)

func TestPython(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{"print(2**64)", ""}, {"import sys; print(sys.version)", ""},
		{"import json; print(json.load(open('package.json'))['name'])", "r package.json"},
		{"import torch; print(torch.cuda.is_available())", ""},
		{"import yaml,sys; yaml.safe_load(open('ci.yml')); print('ok')", "r ci.yml"},
		{"import ast,sys; ast.parse(open('src/app.py').read())", "r src/app.py"},
		{"from datetime import datetime; print(datetime.utcnow().isoformat())", ""},
		{"import os\nprint(os.getcwd())", ""}, {"import os.path\nprint(os.path.exists('x'))", ""},
		{"import re\np = \"src/app.py\"\ns = open(p).read()\ns = s.replace(\"a\", \"b\")\n" +
			"open(p, \"w\").write(s)\n", "r src/app.py w src/app.py"},
		{"for p in ['a', 'b']:\n    print(open(p, encoding='utf-8').read())", "r a r b"},
		{"with open('x', 'a') as f:\n  f.write(f'{1+1:>10} {len(\"a\")!r}')", "w x"},
		{"from pathlib import Path\np = Path('a.txt')\n" +
			"p.write_text(p.read_text().replace('a','b'))",
			"r a.txt w a.txt"},
		{"from collections import Counter\nprint(Counter(open('x').read().split()).most_common(3))",
			"r x"},
		{"import urllib.parse; print(urllib.parse.quote('a b'))", ""},
		{"import numpy as np; print(np.__version__)", ""},
		{"def f(x):\n  return x*2\nprint([f(i) for i in range(3) if i])", ""},
		{"import json\nd = json.load(open(\"a.json\"))\nprint(d[\"version\"])", "r a.json"},
		{"open('a')\nopen('b', mode='r+')", "r a r b w b"},
		{"print(sum(x['a'] for x in [{'a': 1}]))", ""}, {"", ""}, {"# eval\nprint('eval(1)')", ""},
		{"import sys, json\nfor l in sys.stdin: d = json.loads(l)", ""},
		{"import os; print(os.environ['HOME'], 'a' in os.environ.keys())", ""},
		{"with open('a') as f: print(f.read()); print(type(1).__name__)", "r a"},
		// it may do more
		{"import os; os.system('x')", "?"}, {"from os import system\nsystem('x')", "?"},
		{"eval('x')", "?"}, {"e = exec\ne('x')", "?"}, {"import subprocess", ""},
		{"import subprocess; subprocess.run(['x'])", "?"}, {"__import__('os')", "?"},
		{"().__class__.__base__", "?"}, {"1..__class__", "?"}, {"(1).real.__class__", "?"},
		{"getattr(x, 'y')", "?"}, {"print(f'{eval(\"1\")}')", "?"}, {"f'{{{eval(1)}}}'", "?"},
		{"f'{x[\"a\"]}{(lambda: eval)()}'", "?"}, {"open('.e' + 'nv')", "?"},
		{"open('.e' 'nv')", "?"},
		{"open('\\x2eenv')", "?"}, {"import sys; open(sys.argv[1])", "?"},
		{"o = open\no('x')", "?"},
		{"open(p)", "?"}, {"p = 'a'\np = '.env'\nopen(p)", "?"},
		{"p = 'a'; p += 'b'; open(p)", "?"},
		{"p = 'a'\nfor p in x: open(p)", "?"}, {"p = 'a'\ndef f(p): open(p)", "?"},
		{"p = 'a'\n(p, q) = 'b', 'c'\nopen(p)", "?"}, {"p = 'a'\n[p for p in x]\nopen(p)", "?"},
		{"p = 'a'\nprint(p := '.env')\nopen(p)", "?"}, {"p = 'a'\nwith x as p: open(p)", "?"},
		{"open(**{'file': '.env'})", "?"}, {"open(file='.env')", "?"}, {"open('a', m)", "?"},
		{"open('a', opener=x)", "?"}, {"open('a', 'r', mode='w')", "?"}, {"open(*['a'])", "?"},
		{"import os as o; p = o; p.remove('x')", "?"}, {"import os; os.remove('x')", "?"},
		{"import os; [os][0].remove('x')", "?"}, {"import json; json.codecs.open('x')", "?"},
		{"from os import *", "?"}, {"from os import path as p\np.os.system('x')", "?"},
		{"import shutil; shutil.rmtree('x')", "?"},
		{"import sys; sys.modules['os'].system('x')", "?"},
		{"import random; random._os.system('x')", "?"}, {"import pty; pty.spawn('sh')", "?"},
		{"from pathlib import Path\nPath('a').replace('.env')", "?"},
		{"from pathlib import Path\nPath('a', '.env').read_text()", "?"},
		{"from pathlib import Path\n(Path('a') / '.env').read_text()", "?"},
		{"from pathlib import Path\nPath('.env/x').parent.read_text()", "?"},
		{"from pathlib import Path as P\nP('.env').read_text()", "?"},
		{"import pathlib as P\nP.Path(x).unlink()", "?"},
		{"import importlib; importlib.import_module('os')", "?"},
		{"input()", "?"}, {"help()", "?"}, {"class A: pass", "?"}, {"@exec\ndef f(): pass", "?"},
		{"# coding: utf-7\nprint(1)", "?"}, {"ｅval('x')", "?"}, {"'unclosed", "?"}, {"`x`", "?"},
		{"exec 'x'", "?"}, {"print('a\nb')", "?"}, {"import yaml; yaml.load(x)", "?"},
		{"import pickle; pickle.loads(x)", "?"}, {"import os; os . system('x')", "?"},
		{"import os\nos\\\n.system('x')", "?"}, {"globals()['os']", "?"},
		{"import os;print(os)", "?"},
		{"from app import create_app; app = create_app()", "?"},
		{"import rimraf; rimraf.rm('x')", "?"},
		{"print(type(open('a', 'rb'))('.env'))", "?"}, {"t = type\nt(f)('.env')", "?"},
		{"from pathlib import Path\nprint(type(Path('a'))('.env').read_text())", "?"},
		{"f'{1:{{eval(1)}}}'", "?"}, {"f\"{'''a':''' + eval('1')}\"", "?"},
		{"f'{1 # }\n+eval()}'", "?"},
		{"p = 'a'\nprint([open(p).read()*1for p in ['.env']])", "?"},
		{"import functools\nfunctools.wraps(x, updated=('__globals__',))(f)", "?"},
		{"import os\nos.environ['BROWSER'] = 'rm -r x %s'", "?"}, {"import antigravity", "?"},
		{"import os\nfor os.environ['X'] in ['y']: pass", "?"},
		{"import os\ne = os.environ\ne['X'] = 'y'", "?"}, {"from os import environ", "?"},
		{"import os\n(os.environ['X'], y) = a", "?"}, {"import os\nos.getcwd = f", "?"},
		{"import os\nos.environ['X']: str = 'y'", "?"}, {"import os\nos.environ.update(x)", "?"},
		{"open('a', encoding=str('utf8'), mode='w')", "?"}, {"open('a', '' 'w')", "?"},
		{"open('a', encoding='utf8', **{'mo''de': 'w'})", "?"},
		{"open('a', 'r'.replace('r', 'w'))", "?"}, {"open('a', buffering=0)", "?"},
		{"import importlib.util as u\nu.find_spec('x.y')", "?"},
		{"import platform\nplatform.architecture('.env')", "?"},
		{"import shlex as p\nfrom os import path as p\np.split('x')", "?"},
		{"from dataclasses import dataclass", "?"}, {"import uuid; uuid.uuid1(clock_seq=1)", "?"},
		{"import ast; ast.parse('1 +', '.e' + 'nv')", "?"}, {"from ast import parse", "?"},
		{"import ast; list(map(ast.parse, x, y))", "?"}, {"import ast; ast.parse(x)", ""},
		{"'.env'\ndef f(): \n  __doc__ = 'a'\nopen(__doc__)", "?"},
		{"def f():\n  __doc__ = 'a'\n__doc__", ""},
		{"match x:\n  case os: pass", "?"}, {strings.Repeat("a\n", 9000), "?"},
	} {
		if got := show(Python(test.program)); got != test.want {
			t.Errorf("%q: got %q, want %q", test.program, got, test.want)
		}
	}
}

// show writes effects as "r x w y", and ? for a program that may do more.
func show(e Effects, ok bool) string {
	if !ok {
		return "?"
	}
	var out []string
	for _, one := range e.Reads {
		out = append(out, "r "+one)
	}
	for _, one := range e.Writes {
		out = append(out, "w "+one)
	}
	return strings.Join(out, " ")
}

func TestJavaScript(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{"console.log(require('./package.json').version)", "r ./package.json"},
		{"process.versions.v8", ""}, {"console.log(1 + 2)", ""}, {"", ""},
		{"console.log(JSON.stringify(process.memoryUsage()))", ""},
		{"const fs = require('fs');\nconsole.log(fs.readFileSync('package.json','utf8').length);\n",
			"r package.json"},
		{"const fs = require('node:fs')\nlet s = fs.readFileSync('a.js', 'utf8')\n" +
			"fs.writeFileSync('a.js', s.replace(/foo/g, 'bar'))", "r a.js w a.js"},
		{"require('fs').existsSync('x') ? 1 : 2", ""}, {"require('os').cpus().length", ""},
		{"const p = require('./a.json'); console.log(Object.keys(p.dependencies || {}).sort())",
			"r ./a.json"},
		{"const f = (x) => x * 2; console.log([1, 2].map(f), f(3))", ""},
		{"[1,2].forEach(x => console.log(`${x}: ${x / 2}`))", ""}, {"/a\\/b/.test('a/b')", ""},
		{"(() => { console.log(new Date().toISOString()) })()", ""},
		{"console.log(process.env.HOME, process.argv.slice(1), p['dev-dependencies'], a[0])", ""},
		{"function g(a) { return a ? a.b : null } g({path: 1, url: 'x'})", ""},
		{"const name = 'x.txt'; require('fs').readFileSync(name)", "r x.txt"},
		{"require('react').version", ""}, {"require('react/package.json').version", ""},
		// it may do more
		{"require('child_process').execSync('x')", "?"}, {"eval('1')", "?"},
		{"new Function('x')()", "?"},
		{"const { exec } = require('child_process'); exec('x')", "?"}, {"os.cpus()", "?"},
		{"const { rmSync } = require('fs'); rmSync('x')", "?"}, {"require('fs').rmSync('x')", "?"},
		{"const f = require('fs'); f['rmSync']('x')", "?"},
		{"const f = require('fs'), g = f; g.rmSync()", "?"},
		{"[]['constructor']['constructor']('x')()", "?"},
		{"[].constructor.constructor('x')()", "?"},
		{"[][k][k]('x')", "?"}, {"({constructor: c}) => c", "?"}, {"import('fs')", "?"},
		{"process.mainModule.require('x')", "?"}, {"process['mainModule']", "?"},
		{"global.process", "?"},
		{"this.process.binding('x')", "?"}, {"globalThis['ev' + 'al']('1')", "?"},
		{"fs.readFileSync('x')", "?"},
		{"require('rimraf')('x')", "?"}, {"const r = require('rimraf'); r('x')", "?"},
		{"require('shelljs').rm('-r', 'x')", "?"}, {"require('./dist').run()", "?"},
		{"require('fs').readFileSync('.e' + 'nv')", "?"},
		{"require('fs').readFileSync(`.env`)", "?"},
		{"require('fs').readFileSync(process.argv[1])", "?"}, {"x.foo('y')", "?"}, {"f('y')", "?"},
		{"let f = () => 1; f = x.foo; f('y')", "?"},
		{"const p = 'a'; ((p) => fs.readFileSync(p))('.env')", "?"},
		{"const p = 'a'; { const p = '.env'; require('fs').readFileSync(p) }", "?"},
		{"if(1)/'/.test(1);evil()//'", "?"}, {"a++ /1/ evil", "?"}, {"x`y`", "?"},
		{"(x.y)('z')", "?"},
		{"`${eval('1')}`", "?"}, {"`${`${eval('1')}`}`", "?"}, {"<!-- `\neval()\n// `", "?"},
		{"\\u0065val('1')", "?"}, {"ｅval('1')", "?"}, {"'open", "?"}, {"/* open", "?"},
		{"x?.['y']('z')", "?"},
		{"Object.getPrototypeOf(x)", "?"}, {"[x].map(Object.getPrototypeOf)", "?"},
		{"const O = Object; O.x", "?"},
		{"const {getPrototypeOf: g} = Object", "?"}, {"Object['getPrototypeOf']", "?"},
		{"x._load('y')", "?"},
		{"Error.prepareStackTrace = x", "?"}, {"require(x)", "?"}, {"require('./a' + b)", "?"},
		{"const r = require; r('fs')", "?"}, {"with (x) y", "?"}, {"class A {}", "?"},
		{"import fs from 'fs'", "?"},
		{"({['x' + y]: z} = w)", "?"}, {"process.kill(1)", "?"}, {"process.env", ""},
		{"const {'\\x63onstructor': c} = f", "?"}, {"true[k]", "?"}, {"1['constructor']", "?"},
		{"const versions = () => 1; x(versions.constructor)", "?"},
		{"const p = 'a'; { let p; p ??= '.env'; require('fs').readFileSync(p) }", "?"},
		{"const x = require('fs'); function z(x) {}; ['.env'].map(x.readFileSync)", "?"},
		{"require('fs').readFileSync('a', {flag: 'w+'})", "r a w a"},
		{"const x = {return: 4}; x.return / eval('1') / 1", "?"}, {"true /eval('1')/ 1", "?"},
		{"`${1 // }\n+eval('1')}`", "?"}, {"require('./.env').version", "?"},
		{"const path = require('path'); path.resolve = () => '.env'", "?"},
		{"[process.cwd] = [() => '']", "?"}, {"process.argv ||= 1", "?"},
		{"for (process.argv of x) ;", "?"}, {"process.exitCode = 1", ""},
		{"(() => 1, f || {})('x')", "?"}, {"(function() { console.log(1) })()", ""},
		{"const s = process.stdin; s.path = '.env'; [1].forEach(s.open, s)", "?"},
		{"[1].forEach(process.stdin.open)", "?"}, {"x = process.stdin.on('a', f)", "?"},
		{"process.stdin.setEncoding('utf8').open", "?"}, {"process.stdin.on('a', f)['open']", "?"},
		{"f(process.stdin)", "?"}, {"process.stdin.path = '.env'", "?"},
		{"let s = ''\nprocess.stdin.setEncoding('utf8').on('data', d => s += d)" +
			".on('end', () => process.stdout.write(s + process.stdout.columns))", ""},
		{"(async () => { for await (const x of process.stdin) console.log(x) })()", ""},
		{"function g(h) { return x.open } g(() => {})('y')", "?"}, {"x['_load']", "?"},
		{"let async = x.open; async('y')", "?"}, {"var yield = x.open; yield('y')", "?"},
		{"var let = x.open; let('y')", "?"}, {"[async] = [x.open]; async('y')", "?"},
		{"let f = () => 1; ((f)) = x.y; f('a')", "?"}, {"new x.y", "?"}, {"new x", "?"},
		{"{ const f = () => 1 } for ((f) of [x.y]) f('a')", "?"}, {"new Date; new Map()", ""},
		{"const f = () => 1; if (f) f(); for (const x of a) f(x)", ""},
		{"(async () => { await (x) })()", ""}, {"for (await of x) await ('y')", "?"},
		{"process.binding('fs')", "?"}, {"setTimeout('x')", ""}, {"Bun.spawn(['x'])", "?"},
		{"Deno.remove('x')", "?"}, {"fetch('x')", "?"}, {"module.constructor._load('fs')", "?"},
	} {
		if got := show(JavaScript(test.program)); got != test.want {
			t.Errorf("%q: got %q, want %q", test.program, got, test.want)
		}
	}
}

// FuzzPrograms checks that each text is read in bounded time.
func FuzzPrograms(f *testing.F) {
	f.Add("import os as o; f'{o!r:>{w}}' # x", "const f = (a) => `${a[0] / 2}`; /[/]/.test('x')")
	f.Fuzz(func(_ *testing.T, first, second string) {
		Python(first)
		JavaScript(second)
		SedFilters(first)
		AwkPrints(second)
	})
}
