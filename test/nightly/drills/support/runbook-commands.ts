import { spawn } from 'node:child_process';
import { RUN } from '../../../support/processes.js';
import { account, postgresPrograms } from '../../../support/servers/postgres.js';
import { root } from '../../../support/service/process.js';
import { drillsOf, RUNBOOK, runbook } from './runbook.js';

export type Output = { readonly code: number | null; readonly out: string; readonly error: string };

/** Runs blocks of commands in the runbook, unchanged, in bash. `run` throws if a command fails; `try` returns the exit code. */
export class Runbook {
  readonly #drills = drillsOf(runbook());

  script(name: string): string {
    const drill = this.#drills.get(name);
    if (drill === undefined) throw new Error(`${RUNBOOK} has no commands named ${name}`);
    return drill.script;
  }

  async run(name: string, variables: Record<string, string>, script = this.script(name)): Promise<string> {
    const { code, out, error } = await this.try(name, variables, script);
    if (code !== 0) throw new Error(`${name} exited with ${code}: ${out.slice(-1000)}\n${error.slice(-2000)}`);
    return out;
  }

  /** Runs a block that assigns settings, and returns these settings. */
  async settings(name: string, variables: Record<string, string>): Promise<Record<string, string>> {
    const script = this.script(name);
    const printed = await this.run(name, variables, `set -o allexport\n${script}\nenv --null`);
    const values = new Map(printed.split('\0').map((line) => line.split(/=(.*)/s) as [string, string]));
    const names = [...script.matchAll(/^([A-Z_]+)=/gm)].map(([, assigned]) => assigned as string);
    return Object.fromEntries(names.map((assigned) => [assigned, values.get(assigned) ?? '']));
  }

  async try(name: string, variables: Record<string, string>, script = this.script(name)): Promise<Output> {
    const asServer = this.#drills.get(name)?.asServer === true;
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      // The user of the server cannot read the directory of the repository.
      cwd: asServer ? '/' : root,
      env: {
        PATH: `${postgresPrograms()}:${process.env.PATH}`,
        HOME: process.env.HOME,
        [RUN]: process.env[RUN],
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(asServer ? account() : undefined),
    });
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      error += chunk;
    });
    // This waits for `exit`, not for `close`: a server that the commands start keeps the pipes open, so `close` would never come.
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => setTimeout(() => resolve({ code, out, error }), 100));
    });
  }
}
