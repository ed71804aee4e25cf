import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../support/service/process.js';

export const RUNBOOK = 'docs/operation.md';

/** A block of commands in the runbook. `mark` is the comment before it, which names its drill or says why it has none. */
export type Block = { readonly mark: string | undefined; readonly script: string };

const BLOCK = /(?:<!-- (.*?) -->\n)?```sh\n([\s\S]*?)```/g;

export const blocksOf = (document: string): Block[] =>
  [...document.matchAll(BLOCK)].map(([, mark, script = '']) => ({ mark, script }));

const AS_SERVER = ', as the user of the server';

/** The blocks that a drill runs, by the name in their mark. `asServer` blocks run as the user of the PostgreSQL server. */
export function drillsOf(document: string): Map<string, { readonly script: string; readonly asServer: boolean }> {
  const found = blocksOf(document).flatMap(({ mark, script }) => {
    const name = /^drill: (.*)$/.exec(mark ?? '')?.[1];
    if (name === undefined) return [];
    return [[name.replace(AS_SERVER, ''), { script, asServer: name.endsWith(AS_SERVER) }] as const];
  });
  return new Map(found);
}

export const runbook = (): string => readFileSync(join(root, RUNBOOK), 'utf8');
