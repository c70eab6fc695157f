package code

import "testing"

// TestPrints checks that only programs that print what they compute are known as harmless.
func TestPrints(t *testing.T) {
	for _, x := range []struct{ language, program string }{
		{"ruby", "puts RUBY_VERSION"}, {"ruby", `puts "a\tb", Time.now.year + 1`},
		{"php", `echo PHP_VERSION, "\n";`}, {"php", `echo strtoupper("abc") . PHP_EOL;`},
		{"lua", "print(_VERSION)"}, {"lua", "print(math.floor(2.5), os.time())"},
		{"perl", `print "ok\n"`}, {"perl", "print join(',', 1, 2), \"\\n\";"},
		{"Rscript", "cat(R.version.string)"}, {"julia", "println(VERSION)"},
		{"elixir", "IO.puts System.version"},
	} {
		if !Prints(x.language, x.program) {
			t.Errorf("%s: %s: not known", x.language, x.program)
		}
	}
	for _, x := range []struct{ language, program string }{
		{"ruby", "system 'rm x'"}, {"ruby", `puts "#{system(1)}"`}, {"ruby", "puts `rm x`"},
		{"ruby", `puts "#@x"`}, {"ruby", "puts %x(rm x)"}, {"ruby", "puts File.read('.env')"},
		{"ruby", "puts <<`E`\nrm x\nE"}, {"ruby", "puts 1if system 'x'"}, {"ruby", "puts $<.read"},
		{"php", `'system'('rm x');`}, {"php", `("sys" . "tem")('rm x');`}, {"php", "echo `rm x`;"},
		{"php", `echo "{$x}";`}, {"php", `echo "\x73ystem";`}, {"php", "include '.env';"},
		{"php", `'system' /**/ ('rm x');`}, {"php", "'system' # x\n('rm x');"},
		{"lua", "os.execute('rm x')"}, {"lua", "dofile'.env'"}, {"lua", "print(io.open('x'))"},
		{"lua", "string.rep('x', 9)"}, {"lua", "load('x')()"},
		{"perl", "print <>"}, {"perl", "print `x`"}, {"perl", `print "@{[1]}"`},
		{"perl", "print -s 1"},
		{"perl", "print 1xsystem 'rm x'"}, {"perl", `print "$x"`}, {"perl", "do '.env'"},
		{"Rscript", "system('rm x')"}, {"Rscript", `"system"('rm x')`},
		{"julia", "run(`rm x`)"}, {"julia", `println("$x")`}, {"elixir", "System.cmd('rm', 1)"},
		{"elixir", `IO.puts "#{x}"`}, {"awk", "print"}, {"lua", "print('x"},
		{"lua", "print('\\x41')"},
		{"php", ""}, {"ruby", "puts 1 & 2"}, {"lua", "print(\x00)"},
	} {
		if Prints(x.language, x.program) {
			t.Errorf("%s: %s: is known as harmless", x.language, x.program)
		}
	}
}
