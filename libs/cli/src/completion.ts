import type { Command } from 'commander';

/** The scripts ask the program, so that they are right for each version of it. */
export const completionScripts = {
  bash: `_inventory() {
  mapfile -t COMPREPLY < <(inventory complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _inventory inventory
`,
  zsh: `#compdef inventory
_inventory() {
  compadd -- \${(f)"$(inventory complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _inventory inventory
`,
  fish: `complete -c inventory -f \\
  -a '(inventory complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const;

/** The commands and options that the last of the words begins. */
export function completionsOf(program: Command, words: readonly string[]): string {
  let at = program;
  for (const word of words.slice(0, -1)) {
    at = at.commands.find((command) => command.name() === word) ?? at;
  }
  const help = at.createHelp();
  const names = help.visibleCommands(at).map((command) => command.name());
  const values = at.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const flags = help.visibleOptions(at).flatMap(({ long }) => long ?? []);
  const begun = words.at(-1) ?? '';
  const found = [...names, ...values, ...flags].filter((word) => word.startsWith(begun));
  return found.map((word) => `${word}\n`).join('');
}
