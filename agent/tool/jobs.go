// This file manages the commands that run in the background.

package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// jobsMost is the largest number of running jobs of all agents: a model that starts more has
	// lost track.
	jobsMost = 16
	// jobsKept is how many ended jobs are remembered.
	jobsKept = 100
	// jobsWait is how long End waits for all jobs: they are killed after process.TermGrace.
	jobsWait = time.Second
)

// Jobs are the background commands of the main agent and all its sub-agents. They end with the
// session. Methods are safe for concurrent use; a nil *Jobs has no jobs and starts none.
type Jobs struct {
	mu     sync.Mutex
	list   []*job // in order of their start
	last   int    // number of the last job
	closed bool
}

// job is a command in the background.
type job struct {
	id, command, agent string // agent is the id of the agent that started it
	pid                int
	began              time.Time
	kill               context.CancelFunc
	done               chan struct{} // closed when it has ended
	out                *streams

	mu     sync.Mutex
	file   *output.File
	seen   int64 // how much of the file has been shown
	length time.Duration
	state  string // how it ended; "" = it is running
	code   int
	told   bool // its end has been reported
	// what the sandbox refused, for the model; "" = nothing
	refused string
}

// NewJobs returns an empty list of jobs.
func NewJobs() *Jobs { return &Jobs{} }

// startJob starts a job.
func (js *Jobs) startJob(use *engine.Use, o Options, dir string,
	timeout time.Duration) (*engine.Result, error) {
	if js == nil {
		return nil, errors.New("bash: nothing can run in the background here: leave background out")
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		return nil, errors.New("bash: the program is ending")
	}
	if n := len(js.running()); n >= jobsMost {
		return nil, fmt.Errorf(
			"bash: %d jobs run in the background already, and %d are the most: end one first "+
				"(the tool job lists them)", n, jobsMost)
	}
	file, err := o.Output.Create("job")
	if err != nil {
		return nil, fmt.Errorf("bash: a file for the output: %w", err)
	}
	j := &job{command: value.Text(use.Args, "command"), began: time.Now(),
		done: make(chan struct{}), file: file}
	if use.Env != nil {
		j.agent = use.Env.AgentID
	}
	j.out = newStreams(use, nil, j.addOutput)
	p, err := o.startBash(use, dir, j.out)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("bash: %w", err)
	}
	js.last++
	j.id, j.pid = fmt.Sprintf("j%d", js.last), p.Group()
	ctx, cancel := context.WithCancel(context.Background())
	j.kill = cancel
	ended := use.Continues()
	go func() { <-j.done; ended() }()
	js.list = append(js.list, j)
	js.forgetOldest()
	call := engine.Use{CallID: use.CallID, Args: use.Args} // use belongs to the call
	go j.waitJob(ctx, p, timeout, func(output string) string {
		return o.refused(&call, dir, output)
	})
	r := engine.TextResult(
		fmt.Sprintf("job %s runs in the background, pid %d; its output goes to %s\nLook at it "+
			"with job {\"id\": %q}; end it with bash: %s",
			j.id, j.pid, file.Path(), j.id, process.KillLine(j.pid)))
	r.Details = map[string]any{"job": j.id, "pid": j.pid, "output": file.Path()}
	return r, nil
}

// running returns the jobs that have not ended. Called under js.mu.
func (js *Jobs) running() (out []*job) {
	for _, j := range js.list {
		if !j.ended() {
			out = append(out, j)
		}
	}
	return out
}

// forgetOldest drops the oldest ended jobs if there are many. Called under js.mu.
func (js *Jobs) forgetOldest() {
	spare := len(js.list) - len(js.running()) - jobsKept
	js.list = slices.DeleteFunc(js.list, func(j *job) bool {
		if spare <= 0 || !j.ended() {
			return false
		}
		spare--
		return true
	})
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

func (j *job) addOutput(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == "" {
		j.file.Add(text)
	}
}

// waitJob waits for the job to end. refused returns what the sandbox refused, by the output.
func (j *job) waitJob(ctx context.Context, p *command, timeout time.Duration,
	refused func(output string) string) {
	defer j.kill()
	end := p.waitAll(ctx, timeout)
	j.mu.Lock()
	defer j.mu.Unlock()
	defer close(j.done)
	if text, err := j.outputFrom(j.file.Size() - output.Bytes); err == nil {
		j.refused = strings.TrimPrefix(refused(text), "\n")
	}
	j.length, j.code = time.Since(j.began), p.State().ExitCode()
	if j.state = strings.Trim(end.endingNote(p.State()), "[]"); j.state == "" {
		j.state = "exit code 0"
	}
	j.file.Close()
}

// Ended returns notes about the jobs of the agents accepted by mine that have ended since the last
// call.
func (js *Jobs) Ended(mine func(agent string) bool) (notes []string) {
	if js == nil {
		return nil
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		if !j.ended() || !mine(j.agent) {
			continue
		}
		j.mu.Lock()
		if !j.told {
			more := "it wrote nothing more"
			if n := j.file.Size() - j.seen; n > 0 {
				more = fmt.Sprintf("%d bytes of its output are new: job {\"id\": %q} shows them", n,
					j.id)
			}
			note := fmt.Sprintf("%s\n%s", j.line(), more)
			if j.refused != "" {
				note += "\n" + j.refused
			}
			notes = append(notes, note)
		}
		j.told = true
		j.mu.Unlock()
	}
	return notes
}

// End kills all jobs with all processes that they have started, and forgets them: their session has
// ended.
func (js *Jobs) End() {
	if js == nil {
		return
	}
	js.mu.Lock()
	list := js.running()
	js.list = nil
	js.mu.Unlock()
	for _, j := range list {
		j.kill()
	}
	late := time.After(jobsWait)
	for _, j := range list {
		select {
		case <-j.done:
		case <-late:
			return
		}
	}
}

// Close calls End and prevents new jobs.
func (js *Jobs) Close() {
	if js == nil {
		return
	}
	js.mu.Lock()
	js.closed = true
	js.mu.Unlock()
	js.End()
}

// findJob returns a job by its id. The error lists the existing ones.
func (js *Jobs) findJob(id string) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	var ids []string
	for _, j := range js.list {
		if j.id == id {
			return j, nil
		}
		ids = append(ids, j.id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("job: got %q, but there is no job in this session", id)
	}
	return nil, fmt.Errorf("job: got %q; there is %s", id, strings.Join(ids, ", "))
}

// line describes the job in a line. Called under j.mu.
func (j *job) line() string {
	how := fmt.Sprintf("running for %s, pid %d", short(time.Since(j.began)), j.pid)
	if j.state != "" {
		how = fmt.Sprintf("ended after %s: %s", short(j.length), j.state)
	}
	const most = 200
	return fmt.Sprintf("job %s, %s: %s", j.id, how, plain.Short(plain.FirstLine(j.command), most))
}

func short(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}

// news returns the job's output since the last call, or the end of it if it is long. Called under
// j.mu.
func (j *job) news() (string, error) {
	from, to := j.seen, j.file.Size()
	from = max(from, to-output.Bytes)
	text, err := j.outputFrom(from)
	if err != nil {
		return "", err
	}
	if from > j.seen || strings.Count(text, "\n") > output.Lines {
		text = output.End(text)
	}
	skipped := to - j.seen - int64(len(text))
	if j.seen = to; skipped > 0 {
		return fmt.Sprintf("[%d bytes are left out here; %s]\n", skipped, j.file.Where()) + text,
			nil
	}
	return text, nil
}

// outputFrom returns the job's output from a position in the file on. Called under j.mu.
func (j *job) outputFrom(from int64) (string, error) {
	f, err := regularfile.Open(j.file.Path(), os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	from = max(from, 0)
	b := make([]byte, j.file.Size()-from)
	n, err := f.ReadAt(b, from)
	if n < len(b) && err != nil {
		return "", err
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}
