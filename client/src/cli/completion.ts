import type { Command } from './command.js';
import { UsageError } from './exit-codes.js';
import { commonOptions } from './help.js';

const optionsOf = ({ options = {} }: Command): string =>
  Object.keys({ ...options, ...commonOptions })
    .map((name) => `--${name}`)
    .join(' ');

/** Completion of commands and options, generated from their declarations. */
const scripts = {
  bash: (commands: Readonly<Record<string, Command>>): string => `_curvet() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${Object.keys(commands).join(' ')}"
  else case "\${COMP_WORDS[1]}" in
${Object.entries(commands)
  .map(([name, command]) => `    ${name}) words="${optionsOf(command)}" ;;`)
  .join('\n')}
    *) words="" ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _curvet curvet`,
  zsh: (commands: Readonly<Record<string, Command>>): string =>
    `autoload -Uz bashcompinit && bashcompinit\n${scripts.bash(commands)}`,
  fish: (commands: Readonly<Record<string, Command>>): string =>
    Object.entries(commands)
      .flatMap(([name, command]) => [
        `complete -c curvet -n __fish_use_subcommand -f -a ${name} -d '${command.summary.replaceAll("'", '')}'`,
        ...Object.entries({ ...command.options, ...commonOptions }).map(
          ([option, { summary }]) =>
            `complete -c curvet -n '__fish_seen_subcommand_from ${name}' -l ${option} -d '${summary.replaceAll("'", '')}'`,
        ),
      ])
      .join('\n'),
};

export const completion = (commands: () => Readonly<Record<string, Command>>): Command => ({
  usage: 'bash|zsh|fish',
  summary: 'prints the completion script of a shell',
  args: [1, 1],
  examples: ['curvet completion bash > ~/.local/share/bash-completion/completions/curvet'],
  async run({ args: [shell = ''] }) {
    if (!(shell in scripts)) throw new UsageError(`completion takes one of ${Object.keys(scripts).join(', ')}`);
    const script = scripts[shell as keyof typeof scripts](commands());
    return { data: { shell, script }, text: script };
  },
});
