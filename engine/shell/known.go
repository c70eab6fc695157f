// This file lists the flags of programs that rules are often about.

package shell

import (
	"slices"
	"strings"
	"sync"
)

// flagSet is a set of flags, each with all of its names, and with those that take a value.
type flagSet struct {
	same   map[string][]string // a name: all names of that flag
	valued map[string]bool
	whole  bool // -name is one flag, not letters: find
	known  bool
}

// program describes a known program: the flags before its subcommand, if it has subcommands, and
// the flags of each.
type program struct {
	flags string            // groups of names, separated by commas; = marks a value
	subs  map[string]string // flags after a subcommand; nil = the program has no subcommands
	alias string            // groups of subcommands that mean the same
	whole bool
}

// programs are the known programs. A flag that is not listed is still a flag; the table matters for
// the flags that take a value.
var programs = map[string]program{
	"rm": {flags: "f,force i I interactive r,R,recursive d,dir v,verbose one-file-system " +
		"no-preserve-root preserve-root P W x"},
	"rmdir": {flags: "p,parents v,verbose ignore-fail-on-non-empty"},
	"cp": {flags: "a,archive r,R,recursive f,force i,interactive n,no-clobber " +
		"t,target-directory= T,no-target-directory S,suffix= p L P H d u,update v,verbose x " +
		"l,link s,symbolic-link"},
	"mv": {flags: "f,force i,interactive n,no-clobber t,target-directory= " +
		"T,no-target-directory S,suffix= u,update v,verbose"},
	"ln": {flags: "s,symbolic f,force i,interactive n,no-dereference t,target-directory= " +
		"T,no-target-directory S,suffix= r,relative v,verbose P L"},
	"chmod": {flags: "R,recursive v,verbose c,changes f,silent,quiet reference= no-preserve-root"},
	"chown": {flags: "R,recursive v,verbose c,changes f,silent,quiet h,no-dereference " +
		"reference= from= H L P no-preserve-root"},
	"chgrp": {flags: "R,recursive v,verbose c,changes f,silent,quiet h,no-dereference " +
		"reference= H L P"},
	"mktemp": {flags: "d,directory u,dry-run q,quiet p= t tmpdir suffix="},
	"mkdir":  {flags: "p,parents m,mode= v,verbose"},
	"shred": {flags: "f,force n,iterations= s,size= u remove z,zero v,verbose x,exact " +
		"random-source="},
	"shuf": {flags: "o,output= n,head-count= e,echo i,input-range= r,repeat random-source= " +
		"z,zero-terminated"},
	"diff": {flags: "r,recursive N,new-file q,brief u U,unified= c C,context= x,exclude= " +
		"X,exclude-from= S,starting-file= from-file= to-file= L,label= w b B i a y W,width= " +
		"I,ignore-matching-lines= color="},
	"sort": {flags: "o,output= k,key= t,field-separator= T,temporary-directory= S,buffer-size= " +
		"parallel= compress-program= files0-from= batch-size="},
	"iconv": {flags: "f,from-code= t,to-code= o,output= c l,list s,silent"},
	"less": {flags: "o,log-file= O,LOG-FILE= k,lesskey-file= lesskey-src= t,tag= T,tag-file= " +
		"p,pattern= P,prompt= x,tabs= y,max-forw-scroll= z,window= h,max-back-scroll= " +
		"j,jump-target= b,buffers= D,color="},
	"head": {flags: "n,lines= c,bytes="},
	"tail": {flags: "n,lines= c,bytes= s,sleep-interval= pid= f,follow F retry"},
	"grep": {flags: "e,regexp= f,file= A,after-context= B,before-context= C,context= " +
		"m,max-count= include= exclude= exclude-dir= exclude-from= label= d,directories= " +
		"D,devices= r,recursive R i,ignore-case v,invert-match n,line-number " +
		"l,files-with-matches c,count E,extended-regexp F,fixed-strings w,word-regexp " +
		"o,only-matching q,quiet"},
	"touch":    {flags: "d,date= r,reference= t= a m c,no-create h,no-dereference time="},
	"truncate": {flags: "s,size= r,reference= c,no-create o,io-blocks"},
	"install": {flags: "m,mode= o,owner= g,group= t,target-directory= S,suffix= D d,directory " +
		"v,verbose b C p s T"},
	"find": {whole: true}, "terraform": {flags: "chdir=", subs: map[string]string{},
		whole: true},
	"sed": {flags: "n,quiet,silent e,expression= f,file= i,in-place E,r,regexp-extended " +
		"s,separate z,null-data u,unbuffered l,line-length= posix debug follow-symlinks"},
	"curl": {flags: "X,request= d,data= data-ascii= data-raw= data-binary= data-urlencode= " +
		"json= url= url-query= variable= o,output= output-dir= O,remote-name remote-name-all " +
		"J,remote-header-name T,upload-file= H,header= proxy-header= u,user= U,proxy-user= " +
		"F,form= form-string= A,user-agent= e,referer= b,cookie= c,cookie-jar= K,config= " +
		"k,insecure L,location s,silent S,show-error f,fail x,proxy= m,max-time= w,write-out= " +
		"D,dump-header= C,continue-at= r,range= y= Y= z= E,cert= key= cacert= netrc-file= " +
		"pubkey= crlfile= trace= trace-ascii= stderr= libcurl= etag-save= etag-compare= hsts= " +
		"alt-svc= P,ftp-port= Q,quote= t,telnet-option= connect-timeout= retry= G,get I,head " +
		"v,verbose i,include a,append"},
	"wget": {flags: "O,output-document= P,directory-prefix= o,output-file= a,append-output= " +
		"save-cookies= rejected-log= warc-file= i,input-file= post-file= body-file= " +
		"load-cookies= config= certificate= private-key= ca-certificate= q,quiet r,recursive " +
		"m,mirror p,page-requisites c,continue l,level= A= R= D= I= X= B,base= U,user-agent= " +
		"e,execute= header= post-data= body-data= no-check-certificate t,tries= T,timeout= " +
		"w,wait= Q="},
	"git": {flags: "C= c= git-dir= work-tree= namespace= super-prefix= config-env= attr-source= " +
		"p,paginate P,no-pager bare v,version h,help icase-pathspecs literal-pathspecs " +
		"glob-pathspecs noglob-pathspecs no-optional-locks no-replace-objects no-lazy-fetch " +
		"no-advice", subs: map[string]string{
		"push": "f,force d,delete n,dry-run u,set-upstream o,push-option= q,quiet v,verbose " +
			"all branches mirror prune tags follow-tags receive-pack,exec= repo= 4,ipv4 6,ipv6 " +
			"force-with-lease force-if-includes atomic no-verify verify signed thin no-thin " +
			"porcelain progress recurse-submodules=",
		"send-pack": "f,force force-with-lease all mirror n,dry-run q,quiet v,verbose thin " +
			"atomic stdin stateless-rpc helper-status receive-pack= exec= remote= " +
			"o,push-option= signed",
		"commit": "a,all m,message= F,file= C,reuse-message= c,reedit-message= t,template= " +
			"n,no-verify s,signoff author= date= fixup= squash= e,edit S,gpg-sign amend " +
			"v,verbose q,quiet o,only i,include p,patch trailer= cleanup= pathspec-from-file= " +
			"allow-empty allow-empty-message no-edit no-gpg-sign dry-run short branch porcelain " +
			"long z,null u,untracked-files reset-author",
		"reset": "hard soft mixed keep merge q,quiet p,patch N,intent-to-add pathspec-from-file=",
		"clean": "f,force d x X n,dry-run q,quiet i,interactive e,exclude=",
		"clone": "depth= b,branch= o,origin= c,config= u,upload-pack= j,jobs= template= " +
			"reference= reference-if-able= separate-git-dir= filter= server-option= " +
			"shallow-since= shallow-exclude= bundle-uri= n,no-checkout bare mirror l,local " +
			"s,shared q,quiet v,verbose recurse-submodules recursive single-branch",
		"checkout": "f,force b= B= orphan= d,detach t,track l q,quiet m,merge p,patch ours " +
			"theirs conflict= pathspec-from-file=",
		"switch": "c,create= C,force-create= f,force d,detach discard-changes orphan= t,track " +
			"m,merge conflict=",
		"restore": "s,source= S,staged W,worktree p,patch ours theirs m,merge conflict= " +
			"pathspec-from-file=",
		"branch": "d,delete D f,force m,move M c,copy C r,remotes a,all u,set-upstream-to= " +
			"unset-upstream l,list v,verbose t,track contains= merged= no-merged= sort= format= " +
			"points-at=",
		"tag": "d,delete f,force a,annotate s,sign m,message= F,file= u,local-user= n " +
			"l,list v,verify sort= format= contains= points-at= cleanup=",
		"rebase": "i,interactive onto= x,exec= s,strategy= X,strategy-option= " +
			"f,force-rebase,no-ff p r,rebase-merges S,gpg-sign abort continue skip quit " +
			"no-verify autosquash autostash root keep-base q,quiet v,verbose whitespace= C=",
		"merge": "m,message= F,file= s,strategy= X,strategy-option= S,gpg-sign no-verify " +
			"no-ff ff-only squash abort continue quit n e,edit cleanup= into-name=",
		"pull": "f,force r,rebase s,strategy= X,strategy-option= no-verify depth= " +
			"upload-pack= o,server-option= j,jobs= n a,append k,keep p,prune t,tags",
		"fetch": "f,force p,prune t,tags depth= deepen= upload-pack= o,server-option= j,jobs= " +
			"n,no-tags a,append k,keep u,update-head-ok refmap= all multiple dry-run",
		"add": "f,force A,all,no-ignore-removal u,update n,dry-run p,patch i,interactive " +
			"e,edit v,verbose N,intent-to-add chmod= pathspec-from-file=",
		"rm": "f,force r n,dry-run q,quiet cached pathspec-from-file=",
		"mv": "f,force k n,dry-run v,verbose", "stash": "", "worktree": "f,force b= B=",
		"remote": "", "config": "",
	}, alias: "push,send-pack,http-push"},
	"docker": {flags: "c,context= D,debug H,host= l,log-level= config= tlscacert= tlscert= tlskey=",
		subs: map[string]string{}},
	"podman": {flags: "connection= log-level= root= runroot= url=", subs: map[string]string{}},
	"kubectl": {flags: "n,namespace= context= cluster= kubeconfig= s,server= user= token= as= " +
		"as-group= v= request-timeout= cache-dir= certificate-authority= client-certificate= " +
		"client-key=", subs: map[string]string{
		"delete": "f,filename= l,selector= k,kustomize= A,all-namespaces all force now " +
			"grace-period= timeout= o,output= field-selector= cascade= dry-run i,interactive " +
			"wait n,namespace= context= kubeconfig="}},
	"helm": {flags: "n,namespace= kube-context= kubeconfig= registry-config= repository-config=",
		subs: map[string]string{}},
	"npm": {flags: "prefix= C= registry= loglevel= w,workspace= userconfig= cache=",
		subs: map[string]string{},
		alias: "install,i,add,in,ins,inst,isntall uninstall,un,unlink,remove,rm,r " +
			"run,run-script,rum,urn test,t,tst update,up,upgrade"},
	"pnpm": {flags: "C,dir= F,filter= r,recursive w,workspace-root", subs: map[string]string{},
		alias: "install,i add remove,rm,uninstall,un"},
	"yarn": {flags: "cwd=", subs: map[string]string{}},
	"bun":  {flags: "cwd=", subs: map[string]string{}, alias: "install,i remove,rm add,a"},
	"cargo": {flags: "C= config= Z= color= q,quiet v,verbose", subs: map[string]string{},
		alias: "build,b run,r test,t check,c remove,rm"},
	"go":   {flags: "C=", subs: map[string]string{}, whole: true},
	"gh":   {flags: "R,repo=", subs: map[string]string{}},
	"glab": {flags: "R,repo=", subs: map[string]string{}},
	"aws": {flags: "profile= region= output= endpoint-url= query= color= cli-read-timeout= " +
		"cli-connect-timeout= ca-bundle=", subs: map[string]string{}},
	"gcloud": {flags: "project= account= configuration= format= verbosity=",
		subs: map[string]string{}},
	"systemctl": {flags: "H,host= M,machine= t,type= n,lines= o,output= s,signal= p,property= " +
		"root= state=", subs: map[string]string{}},
	"hg": {flags: "R,repository= cwd= config=", subs: map[string]string{}},
	"svn": {flags: "username= password= config-dir=", subs: map[string]string{},
		alias: "delete,del,remove,rm commit,ci"},
	"apt":     {flags: "o= c= t,target-release= y,yes,assume-yes", subs: map[string]string{}},
	"apt-get": {flags: "o= c= t,target-release= y,yes,assume-yes", subs: map[string]string{}},
	"brew":    {subs: map[string]string{}, alias: "uninstall,remove,rm"},
	"pip":     {flags: "proxy= cache-dir= log= python=", subs: map[string]string{}},
}

// gitWords are the subcommands of git that are not aliases.
var gitWords = setOf(`add am annotate apply archive bisect blame branch bugreport bundle
	cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index
	cherry cherry-pick citool clean clone column commit commit-graph commit-tree config
	count-objects credential daemon describe diagnose diff diff-files diff-index diff-pairs
	diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg
	for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help
	hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb
	interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo mailsplit
	maintenance merge merge-base merge-file merge-index merge-one-file merge-tree mergetool mktag
	mktree multi-pack-index mv name-rev notes p4 pack-objects pack-refs patch-id prune
	prune-packed pull push quiltimport range-diff read-tree rebase receive-pack reflog refs
	remote repack replace replay repo request-pull rerere reset restore rev-list rev-parse revert
	rm scalar send-email send-pack sh-i18n shell shortlog show show-branch show-index show-ref
	sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag
	unpack-file unpack-objects update-index update-ref update-server-info upload-archive
	upload-pack var verify-commit verify-pack verify-tag version web--browse whatchanged worktree
	write-tree`)

// flagSets are the parsed tables, by program and subcommand.
var flagSets = sync.OnceValue(func() map[string]*flagSet {
	out := map[string]*flagSet{}
	for name, p := range programs {
		out[name+" "] = newFlagSet(p.flags, p.whole)
		for sub, flags := range p.subs {
			out[name+" "+sub] = newFlagSet(flags, p.whole)
		}
	}
	return out
})

func newFlagSet(text string, whole bool) *flagSet {
	set := &flagSet{whole: whole, known: true, same: map[string][]string{},
		valued: map[string]bool{}}
	for group := range strings.FieldsSeq(text) {
		names, valued := strings.CutSuffix(group, "=")
		all := strings.Split(names, ",")
		for _, n := range all {
			set.same[n], set.valued[n] = all, valued
		}
	}
	return set
}

// flagsOf returns the known flags of a program after a subcommand; "" stands for the flags before
// it, or for a program without subcommands.
func flagsOf(name, sub string) *flagSet {
	if set := flagSets()[name+" "+sub]; set != nil {
		return set
	}
	return &flagSet{whole: programs[name].whole}
}

// settlers are programs that write the files that shells run when they begin, with the words that
// tell them to; "" = any.
var settlers = byProgram([]carrier{
	{"terraform tofu", "-install-autocomplete"},
	{"vault consul nomad packer boundary waypoint", "-autocomplete-install --autocomplete-install"},
	{"conda mamba micromamba", "init shell"}, {"pipx", "ensurepath"}, {"rbenv opam", "init"},
	{"volta pnpm cs coursier", "setup"}, {"uv", "update-shell"}, {"ng", "completion"},
	{"pyenv", "--install"}, {"activate-global-python-argcomplete", "--user"},
	{"chezmoi", "init apply update"}, {"home-manager", "switch"}, {"rcup rustup-init", always},
})

// startFiles are files of bash and zsh in the home folder.
var startFiles = []string{"~/.bashrc", "~/.bash_profile", "~/.profile", "~/.zshrc", "~/.zprofile",
	"~/.zshenv"}

// keepers are programs that print settings, with keys and passwords among them, if one of these
// words is among theirs, and the files that hold them.
var keepers = [][3]string{
	{"aws", "get export-credentials export set", "~/.aws/credentials ~/.aws/config"},
	{"kubectl oc", "--raw", "~/.kube/config"}, {"gh", "token", "~/.config/gh/hosts.yml"},
	{"glab", "config", "~/.config/glab-cli/config.yml"},
	{"npm pnpm yarn", "config get c", "~/.npmrc"}, {"git", "credential", "~/.git-credentials"},
	{"pip pip3", "config", "~/.config/pip/pip.conf"}, {"heroku", "auth:token", "~/.netrc"},
	{"doctl", "auth", "~/.config/doctl/config.yaml"},
	{"gpg gpg2", "--export-secret-keys --export-secret-subkeys",
		"~/.gnupg/private-keys-v1.d/x"},
	{"docker-compose podman-compose nerdctl-compose", "config convert", "./.env"},
	{"dotenv dotenvx", "list get ls", "./.env"}, {"foreman honcho", "run", "./.env"},
	{"heroku", "local:run", "./.env"},
}

// keeps adds the files of settings that c prints or changes.
func (f *finder) keeps(c *Command) {
	program := c.Name
	if len(c.Argv) > 1 && c.Argv[1] == "compose" {
		program += "-compose"
	}
	if strings.HasSuffix(program, "-compose") && anyOf(c.Argv, func(w string) bool {
		return has("--services --images --volumes --profiles --quiet -q", w)
	}) {
		return
	}
	for _, row := range keepers {
		if len(c.Argv) > 1 && has(row[0], program) &&
			anyOf(c.Argv[1:], func(w string) bool { return has(row[1], w) }) {
			for name := range strings.FieldsSeq(row[2]) {
				f.addMaybe(c.in, Maybe{Name: name, By: c.Name,
					Writes: anyOf(c.Argv, func(w string) bool { return w == "set" })})
			}
		}
	}
}

// settles adds the files of shells that c writes by itself.
func (f *finder) settles(c *Command) {
	f.keeps(c)
	for _, with := range settlers()[c.Name] {
		if with == always || contains(c.Argv[1:], with) {
			for _, name := range startFiles {
				f.addMaybe(c.in, Maybe{Name: name, By: c.Name, Writes: true})
			}
			return
		}
	}
}

// names returns all names of the flag name.
func (f *flagSet) names(name string) []string {
	if all := f.same[name]; all != nil {
		return all
	}
	return []string{name}
}

// resolveFlag returns the flags that a long flag may stand for. It may be abbreviated.
func (f *flagSet) resolveFlag(name string) []string {
	if f.same[name] != nil {
		return []string{name}
	}
	var out []string
	for n := range f.same {
		if len(n) > 1 && strings.HasPrefix(n, name) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// sameWord reports whether two subcommands of a program mean the same.
func sameWord(name, a, b string) bool {
	if a == b {
		return true
	}
	for group := range strings.FieldsSeq(programs[name].alias) {
		if words := strings.Split(group, ","); contains(words, a) &&
			contains(words, b) {
			return true
		}
	}
	return false
}
