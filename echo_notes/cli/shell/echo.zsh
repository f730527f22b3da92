# The word @WORD@ at the prompt. Put this line into ~/.zshrc:  eval "$(echo-notes shell-init zsh)"
# Works with zsh 5. Everything that is not typed at a prompt gets the command that @WORD@ was before.
function @WORD@ {
  case ${1-} in
    remember | recall | supersede | synthesize)
      if [[ -o interactive && $ZSH_EVAL_CONTEXT == toplevel:shfunc && -t 1 ]]; then
        command @PROGRAM@ "$@"
        return
      fi
      ;;
  esac
  if (( ${+builtins[@WORD@]} )); then
    builtin @WORD@ "$@"
  else
    command @WORD@ "$@"
  fi
}

# Completion. What the program prints are names out of files: compadd quotes them, nothing is evaluated.
function __echo_notes_complete {
  emulate -L zsh
  local -a typed found literal
  local word=${(Q)PREFIX}
  if [[ $service == @WORD@ ]]; then
    case $CURRENT:${words[2]} in
      2:?*)
        compadd -- remember recall supersede synthesize && return
        _default
        return
        ;;
      <3->:remember | <3->:recall | <3->:supersede | <3->:synthesize) ;;
      *)
        _default
        return
        ;;
    esac
  fi
  typed=("${(@Q)words[2,CURRENT-1]}" "$word")
  found=("${(@f)$(command @PROGRAM@ _complete -- "${typed[@]}" 2>/dev/null)}")
  found=("${(@)found:#}")
  literal=("${(@M)found:#${(b)word}*}")
  if (( ! ${#found} )); then
    _default
  elif (( ${#literal} == ${#found} )); then
    compadd -- "${found[@]}"
  else # found under another spelling (zoe for Zoë): one replaces the word, several are only listed
    compadd -U -- "${found[@]}"
    (( ${#found} == 1 )) || compstate[insert]= compstate[list]='list force'
  fi
}

# `compinit` may run before or after the line in ~/.zshrc, so the completion is registered at the first prompt.
function __echo_notes_register {
  precmd_functions=(${precmd_functions:#__echo_notes_register})
  (( ${+functions[compdef]} )) && compdef __echo_notes_complete echo-notes @WORD@
  return 0
}
if (( ${+functions[compdef]} )); then
  __echo_notes_register
else
  precmd_functions+=(__echo_notes_register)
fi
