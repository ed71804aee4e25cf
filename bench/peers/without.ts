// Preloaded into the service with `node --import`: replaces optimisations by stubs, so that each can be measured alone.
// WITHOUT names their modules, separated by commas.
import { registerHooks } from 'node:module';

const stubs: Readonly<Record<string, string>> = {
  compile: 'export class QueryCompiler { find() { return null; } }',
};

const without = (process.env.WITHOUT ?? '').split(',');

registerHooks({
  load(url, context, nextLoad) {
    const name = without.find((each) => url.endsWith(`/graphql/engine/${each}.js`));
    const source = name === undefined ? undefined : stubs[name];
    return source === undefined ? nextLoad(url, context) : { format: 'module', shortCircuit: true, source };
  },
});
