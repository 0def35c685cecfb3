# Completion of waymark and `git waymark` for bash: eval "$(waymark completion bash)"

# The words up to the cursor, in the array words. Bash also splits at : and =, so what stands together is joined again.
_waymark_words() {
  local line=$COMP_LINE word at last
  words=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    word=${COMP_WORDS[at]}
    last=$((${#words[@]} - 1))
    if [[ $at -gt 0 && $line != [[:space:]]* && -n $line ]]; then
      words[last]+=$word
    else
      words+=("$word")
    fi
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"$word"}
  done
}

# Asks Waymark (the arguments are the command to ask with) about words and fills COMPREPLY. Nothing is evaluated.
_waymark_offer() {
  local current=${words[${#words[@]} - 1]} mode value text replaced=
  COMPREPLY=()
  # Bash replaces what stands behind the last : or = only.
  [[ $COMP_WORDBREAKS == *=* ]] && replaced=${current%"${current##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && replaced=${current%"${current##*:}"}
  while IFS=$'\t' read -r value text; do
    if [[ -z $mode ]]; then
      mode=$value
    elif [[ $value == "$current"* ]]; then
      COMPREPLY+=("${value#"$replaced"}")
    fi
  done < <("$@" complete -- "${words[@]}" 2> /dev/null < /dev/null)
  [[ $current == --*=* ]] && current=${current#*=}
  case $mode in
    files) _waymark_generate -f "$current" ;;
    folders) _waymark_generate -d "$current" ;;
    commands) _waymark_generate -c "$current" ;;
  esac
  return 0
}

_waymark_generate() {
  local value
  [[ $1 == -c ]] || compopt -o filenames 2> /dev/null
  while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$1" -- "$2")
}

_waymark() {
  local words
  _waymark_words
  words=("${words[@]:1}")
  _waymark_offer command waymark
}

# Git's own completion calls this for `git waymark`, also for `git -C DIR waymark`.
_git_waymark() {
  local words
  _waymark_words
  while [[ ${#words[@]} -gt 1 && ${words[0]} != waymark ]]; do words=("${words[@]:1}"); done
  words=("${words[@]:1}")
  _waymark_offer command git ${__git_C_args[@]+"${__git_C_args[@]}"} waymark
}

complete -F _waymark waymark git-waymark
