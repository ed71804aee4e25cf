import type { Command } from './command.js';
import { UsageError } from './exit-codes.js';
import { commonOptions } from './help.js';

const optionsOf = ({ options = {} }: Pick<Command, 'options'>): string =>
  Object.keys({ ...options, ...commonOptions })
    .map((name) => `--${name}`)
    .join(' ');

/** Shell scripts that complete commands and options. They are generated from the declarations of the commands. */
const scripts = {
  bash: (commands: Readonly<Record<string, Command>>): string => `_curvet() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words command= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      --url) i=$((i + 1)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  if [ -z "$command" ]; then words="${Object.keys(commands).join(' ')} ${optionsOf({})}"
  else case "$command" in
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

/** The command `completion`. `commands` is a function, because the list of all commands contains this command, too. */
export const completion = (commands: () => Readonly<Record<string, Command>>): Command => ({
  usage: 'bash|zsh|fish',
  summary: 'prints the completion script of a shell',
  args: [1, 1],
  examples: ['curvet completion bash > ~/.local/share/bash-completion/completions/curvet'],
  async run({ args: [shell = ''] }) {
    if (!Object.hasOwn(scripts, shell)) throw new UsageError(`completion takes one of ${Object.keys(scripts).join(', ')}`);
    const script = scripts[shell as keyof typeof scripts](commands());
    return { data: { shell, script }, text: script };
  },
});
