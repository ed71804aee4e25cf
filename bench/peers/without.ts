// Module that `node --import` loads into the service. Replaces optimisations by stubs, so that each can be measured
// alone. WITHOUT contains the names of their modules, separated by commas.
import { registerHooks } from 'node:module';

const stubs: Readonly<Record<string, string>> = {
  'engine/compile': 'export class QueryCompiler { find() { return null; } }',
  'engine/direct': 'export const directFields = () => []; export function resolveDirectly() {}',
};

const without = (process.env.WITHOUT ?? '').split(',');

registerHooks({
  load(url, context, nextLoad) {
    const name = without.find((each) => url.endsWith(`/graphql/${each}.js`));
    const source = name === undefined ? undefined : stubs[name];
    return source === undefined ? nextLoad(url, context) : { format: 'module', shortCircuit: true, source };
  },
});
