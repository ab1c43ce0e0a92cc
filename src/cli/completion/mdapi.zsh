#compdef mdapi
# Completion of mdapi in zsh: source <(mdapi completion zsh)
_mdapi_words() {
  @LOOK_UP@ "$@"
}
_mdapi() {
  local -a candidates
  candidates=("${(@f)$(_mdapi_words "${(@)words[2,CURRENT-1]}")}")
  if [[ $candidates == FILE ]]; then _files; return; fi
  candidates=("${(@)candidates/$'\t'/:}")
  [[ -z $candidates ]] || _describe -V mdapi candidates
}
if [[ ${funcstack[1]} == _mdapi ]]; then _mdapi "$@"; else compdef _mdapi mdapi; fi
