# Completion of mdapi in bash: source <(mdapi completion bash)
_mdapi_words() {
  @LOOK_UP@ "$@"
}
_mdapi() {
  local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]} found
  found=$(_mdapi_words "${COMP_WORDS[@]:1:COMP_CWORD-1}" | cut -f 1)
  if [[ $found == FILE ]]; then COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$found" -- "$current")); fi
}
complete -F _mdapi mdapi
