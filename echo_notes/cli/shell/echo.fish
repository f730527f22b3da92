# The word @WORD@ at the prompt. Put this line into ~/.config/fish/config.fish:  echo-notes shell-init fish | source
# Works with fish 3. Everything that is not typed at a prompt gets the command that @WORD@ was before.
function @WORD@ --description 'Echo Notes when typed at a prompt, else what @WORD@ was before'
    switch "$argv[1]"
        case remember recall supersede synthesize
            if status is-interactive; and test -t 1
                # Read through a pipe: a command substitution would itself be a line of the trace.
                status stack-trace | read --null --local trace
                if string match --quiet --regex '^[^\n]*\n?$' -- "$trace"
                    command @PROGRAM@ $argv
                    return $status
                end
            end
    end
    set -l word @WORD@ # fish looks up a literal builtin when it reads this, even where there is none
    if contains -- $word (builtin --names)
        builtin $word $argv
    else
        command @WORD@ $argv
    end
end

# Completion. What the program prints are names out of files: fish quotes them itself, nothing is evaluated.
function __echo_notes_complete
    set -l typed (commandline --tokenize --current-process --cut-at-cursor)
    set -e typed[1]
    command @PROGRAM@ _complete -- $typed (commandline --current-token --cut-at-cursor | string unescape) 2>/dev/null
end

function __echo_notes_forwards
    set -l typed (commandline --tokenize --current-process --cut-at-cursor)
    contains -- "$typed[2]" remember recall supersede synthesize
end

function __echo_notes_first
    test (count (commandline --tokenize --current-process --cut-at-cursor)) -eq 1
end

complete --command echo-notes --no-files --arguments '(__echo_notes_complete)'
complete --command @WORD@ --condition __echo_notes_first --arguments 'remember recall supersede synthesize'
complete --command @WORD@ --condition __echo_notes_forwards --no-files --arguments '(__echo_notes_complete)'
