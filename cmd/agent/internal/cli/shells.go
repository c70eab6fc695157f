// This file holds the scripts that make shells ask the agent for completions: agent __complete
// WORDS... prints a line for each candidate, its description after a tab, and a last line with a
// number, of cobra, that says whether paths are candidates too: 0 if they are.
//
// Those of cobra evaluate the line that is typed: with them a tab after a prompt that mentions
// $(make clean) runs that. And for bash they need a package that not every machine has.

package cli

import "github.com/spf13/cobra"

// Ask is the command that the scripts run.
const Ask = cobra.ShellCompRequestCmd

// Shells returns the names of the shells with a completion.
func Shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

// ShellScript returns the completion script of a shell; "" if it has none.
func ShellScript(shell string) string {
	return map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript,
		"powershell": powershellScript}[shell]
}

// Bash breaks words at = and : as well, and replaces only what follows the last break. COMP_LINE
// has the words as they were typed.
const bashScript = `# completion of agent for bash: source <(agent completion bash)
_agent() {
    local cur line kind prefix
    local -a typed answer
    COMPREPLY=()
    read -r -a typed <<<"${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && typed+=("")
    cur=${typed[${#typed[@]}-1]}
    while IFS= read -r line; do
        answer+=("$line")
    done < <("${typed[0]/#\~\//$HOME/}" __complete "${typed[@]:1}" 2>/dev/null)
    ((${#answer[@]})) || return
    kind=${answer[${#answer[@]}-1]}
    unset "answer[${#answer[@]}-1]"
    prefix=${cur%"${cur##*[=:]}"}
    for line in "${answer[@]}"; do
        line=${line%%$'\t'*}
        line=${line#"$prefix"}
        [[ $line ]] || continue
        if [[ $line == *= ]]; then
            type compopt &>/dev/null && compopt -o nospace
        else
            printf -v line %q "$line"
        fi
        COMPREPLY+=("$line")
    done
    type compopt &>/dev/null || return
    [[ $kind == :0 ]] || compopt +o default +o bashdefault
}
complete -o default -F _agent agent
`

const zshScript = `#compdef agent
# completion of agent for zsh: a file _agent in a folder of $fpath, or source <(agent completion zsh)
_agent() {
    local line kind tab=$'\t'
    local -a answer values
    answer=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    kind=${answer[-1]}
    answer[-1]=()
    for line in "${answer[@]}"; do
        values+=("${${line%%$tab*}//:/\\:}${${line#*$tab}:+:${line#*$tab}}")
    done
    (( $#values )) && _describe -V agent values
    if [[ $kind == :0 ]]; then
        [[ $words[CURRENT] == -*=* ]] && compset -P 1 '*='
        _files
    fi
    return 0
}
if [[ ${funcstack[1]} == _agent ]]; then _agent "$@"; else compdef _agent agent; fi
`

const fishScript = `# completion of agent for fish: agent completion fish | source
function __agent_complete
    set -l typed (commandline -opc)
    set -l now (commandline -ct)
    set -l answer ($typed[1] __complete $typed[2..-1] "$now" 2>/dev/null)
    test (count $answer) -gt 0; or return
    set -l kind $answer[-1]
    set -e answer[-1]
    test (count $answer) -gt 0; and printf '%s\n' $answer
    test "$kind" = ':0'; and __fish_complete_path $now
end
complete -c agent -f -a '(__agent_complete)'
`

const powershellScript = `# completion of agent for PowerShell: agent completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'agent', 'agent.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $wordToComplete = $wordToComplete.Trim([char[]]@([char]39, [char]34))
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $before = @($typed | Select-Object -Skip 1)
    if ($wordToComplete -ne '' -and $before.Count -gt 0) { $before = @($before | Select-Object -SkipLast 1) }
    $last = if ($wordToComplete -eq '') { if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' } } else { $wordToComplete }
    $answer = @(& $typed[0] __complete @before $last 2>$null)
    if ($answer.Count -eq 1 -and $answer[0] -ne ':0') { return '' } # otherwise it offers files
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $value, $about = $line -split [char]9, 2
        if (-not $about) { $about = $value }
        $text = if ($value -match '[\s''"$(){};&|]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
`
