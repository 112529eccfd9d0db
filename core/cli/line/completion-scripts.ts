/*
 * Scripts with which a shell calls `trivet completion candidates`, passing the line up to the cursor. No space follows a candidate that
 * ends with `=` or `:`, because a value follows.
 */

/**
 * Bash also splits words at `=` and `:` and replaces only the last part, so the earlier parts are removed from the candidates. It does not
 * split inside an open quote.
 */
const bash = `# Add to ~/.bashrc: source <(trivet completion bash)
_trivet() {
  local line="\${COMP_LINE:0:COMP_POINT}" current="\${COMP_WORDS[COMP_CWORD]}" candidate token
  COMPREPLY=()
  [[ $current == [=:] ]] && current=
  current="\${current#[\\"\\']}"
  while IFS= read -r candidate; do
    token="\${token-$(_trivet_token "$line")}"
    [[ $current != "$token" ]] && candidate="\${candidate#"\${token%"$current"}"}"
    COMPREPLY+=("$candidate")
  done < <(trivet completion candidates "--line=$line" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi
}
# The word under the cursor, with what bash takes for separators.
_trivet_token() {
  local token="\${1##*[[:space:]]}"
  [[ $1 == *[\\"\\']* ]] && token="\${1##*[\\"\\']}"
  printf %s "$token"
}
complete -F _trivet trivet
`;

const zsh = `#compdef trivet
# Write to a file _trivet in a directory of $fpath, or: source <(trivet completion zsh)
_trivet() {
  local -a all more
  all=("\${(@f)$(trivet completion candidates "--line=\${BUFFER[1,CURSOR]}" 2>/dev/null)}")
  all=("\${(@)all:#}")
  more=("\${(@M)all:#*[=:]}")
  (( \${#more} )) && compadd -Q -S '' -- "\${(@)more}"
  all=("\${(@)all:#*[=:]}")
  (( \${#all} )) && compadd -- "\${(@)all}"
}
compdef _trivet trivet 2>/dev/null
`;

const fish = `# Write to ~/.config/fish/completions/trivet.fish
complete -c trivet -f -a '(trivet completion candidates --line=(commandline -cp | string collect) 2>/dev/null)'
`;

/** By the name of the shell. */
export const scripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish }));
