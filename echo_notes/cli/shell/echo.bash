# The word @WORD@ at the prompt. Put this line into ~/.bashrc:  eval "$(echo-notes shell-init bash)"
# Works with bash 3.2 and later. Everything that is not typed at a prompt gets the command that @WORD@ was before.
function @WORD@ {
  case ${1-} in
    remember | recall | supersede | synthesize)
      if [[ $- == *i* && ${#FUNCNAME[@]} -eq 1 && -t 1 ]]; then
        command @PROGRAM@ "$@"
        return
      fi
      ;;
  esac
  command @WORD@ "$@"
}

# Completion. What the program prints are names out of files: they are quoted here and never evaluated.
__echo_notes_complete() {
  local index word raw=${COMP_WORDS[COMP_CWORD]-} words
  COMPREPLY=()
  if [[ $1 == @WORD@ ]]; then
    case $COMP_CWORD:${COMP_WORDS[1]-} in
      1:) return ;;
      1:*) COMPREPLY=($(compgen -W 'remember recall supersede synthesize' -- "$raw")) && return ;;
      *:remember | *:recall | *:supersede | *:synthesize) ;;
      *) return ;;
    esac
  fi
  words=()
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]//[\"\'\\]/}
    words[index - 1]=$word
  done
  while IFS= read -r word; do
    case $raw in
      \'*) word=${word//\'/\'\\\'\'} ;;
      \"*)
        word=${word//\\/\\\\}
        word=${word//\"/\\\"}
        word=${word//\$/\\\$}
        word=${word//\`/\\\`}
        ;;
      *) __echo_notes_escape ;;
    esac
    COMPREPLY[${#COMPREPLY[@]}]=$word
  done < <(command @PROGRAM@ _complete -- "${words[@]}" 2>/dev/null)
}

# `printf %q` of bash 3.2 turns 林晓 into octal, so only what the shell would read otherwise gets its backslash.
__echo_notes_escape() {
  local index letter plain=$word
  word=
  for ((index = 0; index < ${#plain}; index++)); do
    letter=${plain:index:1}
    case $letter in
      [\ \	\\\'\"\`\$\&\|\;\<\>\(\)\{\}\[\]\*\?\!\#\~\=\:\@\^\,]) word+=\\$letter ;;
      *) word+=$letter ;;
    esac
  done
}
complete -o bashdefault -o default -F __echo_notes_complete echo-notes @WORD@
