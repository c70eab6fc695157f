package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// jobMaxWait is how long one call may wait: as long as a command may take in the foreground.
const jobMaxWait = bashMaxTimeout

func jobTool(o Options) *engine.Tool {
	wait := property("number",
		fmt.Sprintf("wait up to so many seconds for it to end, at most %d; 0 if absent",
			int(jobMaxWait.Seconds())))
	wait["minimum"], wait["maximum"] = 0, jobMaxWait.Seconds()
	return &engine.Tool{
		Name: "job", Kind: "read", ReadOnly: true, Source: "builtin",
		Description: "Looks at a command that runs in the background: what it wrote since the " +
			"last look, and whether it still runs. Without id: lists all.",
		Schema: object(map[string]any{
			"id":   property("string", "of the job, as returned by bash"),
			"wait": wait,
		}),
		Subject: &subject.Subject{Title: []subject.Phrase{{Arg: "id"}}},
		Aliases: also(map[string]string{"job_id": "id", "job": "id"}),
		Run:     o.runJob,
	}
}

func (o Options) runJob(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	if o.Jobs == nil {
		return nil, errors.New("job: nothing runs in the background here")
	}
	id := value.Text(use.Args, "id")
	if id == "" {
		return engine.TextResult(o.Jobs.lines()), nil
	}
	j, err := o.Jobs.findJob(id)
	if err != nil {
		return nil, err
	}
	if s, ok := value.Number(use.Args["wait"]); ok && s > 0 {
		timer := time.NewTimer(min(time.Duration(s*float64(time.Second)), jobMaxWait))
		defer timer.Stop()
		select {
		case <-j.done:
		case <-timer.C:
		case <-ctx.Done():
			return nil, stopped(ctx)
		}
	}
	return j.look()
}

// look returns the state and the new output of the job.
func (j *job) look() (*engine.Result, error) {
	unfinished := j.out.unfinished() // before j.mu: a writer locks out before j.mu
	j.mu.Lock()
	defer j.mu.Unlock()
	text, err := j.news()
	if err != nil {
		return nil, fmt.Errorf("job %s: its output: %w", j.id, err)
	}
	// a prompt or a progress bar: the line is shown again when it has ended
	if j.state == "" && unfinished != "" {
		text += unfinished + "\n[the last line is not finished]"
	}
	if text == "" {
		text = "[no new output]"
	}
	if j.refused != "" {
		text = addNote(text, j.refused)
	}
	r := engine.TextResult(j.line() + "\n" + text)
	r.Details = map[string]any{"job": j.id, "running": j.state == "", "output": j.file.Path()}
	if j.state != "" {
		j.told = true
		r.Details["exit_code"] = j.code
	}
	return r, nil
}

// lines lists the jobs.
func (js *Jobs) lines() string {
	js.mu.Lock()
	defer js.mu.Unlock()
	var b strings.Builder
	for _, j := range js.list {
		j.mu.Lock()
		b.WriteString(j.line() + "\n")
		j.mu.Unlock()
	}
	if b.Len() == 0 {
		return "[no jobs]"
	}
	return b.String()
}
