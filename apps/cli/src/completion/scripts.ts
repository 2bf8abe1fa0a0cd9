/** The hidden command that writes the words which can complete a line; the scripts call it, so that they need no change for a new release. */
export const COMPLETE_COMMAND = '_complete';

const BASH = `_batuta() {
  local IFS=$'\\n'
  COMPREPLY=($(batuta ${COMPLETE_COMMAND} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _batuta batuta
`;

const ZSH = `#compdef batuta
_batuta() {
  local -a candidates
  candidates=("\${(@f)$(batuta ${COMPLETE_COMMAND} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[*]}" ]]; then compadd -- $candidates; else _files; fi
}
if [[ "\${funcstack[1]}" == _batuta ]]; then _batuta "$@"; else compdef _batuta batuta; fi
`;

const FISH = `function __batuta_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    batuta ${COMPLETE_COMMAND} -- $words[2..-1] "$current" 2>/dev/null
end
complete -c batuta -f -n 'test (count (__batuta_complete)) -gt 0' -a '(__batuta_complete)'
`;

export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };

export type ShellName = keyof typeof COMPLETION_SCRIPTS;
