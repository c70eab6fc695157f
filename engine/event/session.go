// Code generated from the event table. DO NOT EDIT.

package event

// SessionStart is the event session_start. A session starts.
type SessionStart struct {
	Cause string // startup, resume, new, clear, fork, compact, reload
}

// Event returns the name of the event.
func (SessionStart) Event() string { return "session_start" }

// Put calls field for each field that is present.
func (x SessionStart) Put(put func(field string, value any)) {
	put("cause", x.Cause)
}

// SessionBeforeSwitch is the event session_before_switch. The user is about to switch to
// another session.
type SessionBeforeSwitch struct {
	Cause  string // new, clear, resume
	Prompt string // first prompt of the new session
}

// Event returns the name of the event.
func (SessionBeforeSwitch) Event() string { return "session_before_switch" }

// Put calls field for each field that is present.
func (x SessionBeforeSwitch) Put(put func(field string, value any)) {
	put("cause", x.Cause)
	if x.Prompt != "" {
		put("prompt", x.Prompt)
	}
}

// SessionBeforeFork is the event session_before_fork. The conversation is about to
// continue from an earlier entry.
type SessionBeforeFork struct {
	EntryID       string
	IsUserMessage bool
	Text          string // of the entry
}

// Event returns the name of the event.
func (SessionBeforeFork) Event() string { return "session_before_fork" }

// Put calls field for each field that is present.
func (x SessionBeforeFork) Put(put func(field string, value any)) {
	put("entry_id", x.EntryID)
	put("is_user_message", x.IsUserMessage)
	put("text", x.Text)
}

// SessionBeforeCompact is the event session_before_compact. Earlier messages are about to
// be replaced by a summary.
type SessionBeforeCompact struct {
	Cause           string // manual, threshold, overflow
	Messages        any    // to be summarised
	PreviousSummary string
	KeepFrom        string // id of the first message that stays; "" = none
	Instructions    string // of the user
	InputTokens     int
	OutputTokens    int
	Limit           int // tokens, 0 = unknown
}

// Event returns the name of the event.
func (SessionBeforeCompact) Event() string { return "session_before_compact" }

// Put calls field for each field that is present.
func (x SessionBeforeCompact) Put(put func(field string, value any)) {
	put("cause", x.Cause)
	if x.Messages != nil {
		put("messages", x.Messages)
	}
	if x.PreviousSummary != "" {
		put("previous_summary", x.PreviousSummary)
	}
	put("keep_from", x.KeepFrom)
	if x.Instructions != "" {
		put("instructions", x.Instructions)
	}
	put("input_tokens", x.InputTokens)
	put("output_tokens", x.OutputTokens)
	put("limit", x.Limit)
}

// SessionCompact is the event session_compact. Earlier messages were replaced by a
// summary, for the model; the session file keeps them.
type SessionCompact struct {
	Cause        string // manual, threshold, overflow
	Summary      string
	TokensBefore int
	TokensAfter  int // an estimate
	Dropped      int // messages
	Kept         int // messages
}

// Event returns the name of the event.
func (SessionCompact) Event() string { return "session_compact" }

// Put calls field for each field that is present.
func (x SessionCompact) Put(put func(field string, value any)) {
	put("cause", x.Cause)
	put("summary", x.Summary)
	put("tokens_before", x.TokensBefore)
	put("tokens_after", x.TokensAfter)
	put("dropped", x.Dropped)
	put("kept", x.Kept)
}

// SessionEnd is the event session_end. The session ends; also on a signal.
type SessionEnd struct {
	Cause string // exit, clear, switch, signal
}

// Event returns the name of the event.
func (SessionEnd) Event() string { return "session_end" }

// Put calls field for each field that is present.
func (x SessionEnd) Put(put func(field string, value any)) {
	put("cause", x.Cause)
}
