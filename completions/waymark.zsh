#compdef waymark git-waymark
# Completion of waymark and `git waymark` for zsh: source <(waymark completion zsh), after compinit

_waymark() {
  local -a lines offers
  local mode line value
  lines=("${(@f)$(command waymark complete -- "${(@Q)words[2,CURRENT]}" 2> /dev/null < /dev/null)}")
  mode=$lines[1]
  case $mode in
    files) compset -P '--*='; _files; return ;;
    folders) compset -P '--*='; _files -/; return ;;
    commands) _command_names -e; return ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    value=${line%%$'\t'*}
    # A colon ends the word in the list that _describe takes.
    value=${value//:/\\:}
    if [[ $line == *$'\t'* ]]; then offers+=("$value:${line#*$'\t'}"); else offers+=("$value"); fi
  done
  (( ${#offers} )) && _describe -V waymark offers
}

# Zsh's own completion of git calls this.
_git-waymark() { _waymark "$@" }

if [[ ${funcstack[1]} == _waymark ]]; then
  _waymark "$@"
else
  compdef _waymark waymark git-waymark
fi
