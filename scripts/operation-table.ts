import { globSync, readFileSync } from 'node:fs';
import type { Config } from '../src/config/config.js';
import { endpoints, toolsFor } from '../src/features/features.js';
import type { Endpoint, Operation } from '../src/server/operation.js';

/** Matches the route or the name of the tool in the declaration of an operation. Either may be a template string. */
const DECLARED = /^\s+(?:rest|name): ['`](.*)['`],$/gm;

/** Table of all operations: method and path, tool, field of GraphQL, and the file that declares the operation. */
export function operationTable(root: string, config: Config): string {
  const declarations = globSync('src/{features,server}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(DECLARED)].map(([, text = '']) => ({
      file,
      // A placeholder such as `${side}` matches any word. The braces of path parameters are escaped.
      form: new RegExp(
        `^${text
          .replaceAll(/\$\{\w+\}/g, '*')
          .replaceAll(/[{}]/g, '\\$&')
          .replaceAll('*', '\\w+')}$`,
      ),
    })),
  );
  const fileOf = (name: string): string => declarations.find(({ form }) => form.test(name))?.file ?? '';
  const rowOf = ({ rest, tool, samples }: Operation): string[] => {
    const [field = ''] = samples?.graphql?.match(/(?<=^(mutation )?\{ )\w+/) ?? [];
    const name = rest ?? tool?.name ?? '';
    // An endpoint with `/me` may be derived from the declaration of the one with `/{address}`.
    const file = fileOf(name) || fileOf(name.replace(/\/me\b/, '/{address}'));
    return [rest ?? '', tool?.name ?? '', field, file];
  };
  const routed: readonly Endpoint[] = endpoints(config);
  const unrouted = toolsFor(config).filter(({ rest }) => rest === undefined);
  const rows = [['route', 'tool', 'field', 'file'], ...[...routed, ...unrouted].map(rowOf)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}\n`).join('');
}
