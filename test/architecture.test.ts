import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { root } from './support/service/process.js';
import { clientSources, demoSources, filesUnder, loadedBy, sources, webSources } from './support/sources.js';

/** The source code with zones. */
const zoned = [...sources, ...demoSources];
const allSources = [...zoned, ...clientSources, ...webSources];

const testFiles = filesUnder(join(root, 'test')).map((file) => relative(root, file));

/** The zones of the source code. A file belongs to the first zone whose pattern matches. */
const zones: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['demo', /^demo\//],
  ['main', /^src\/(main\.ts|cli\/)/],
  ['service', /^src\/service\//],
  ['app', /^src\/(app|features|graphql)\.ts$/],
  ['features', /^src\/features\/([\w-]+\/)?feature\.ts$/],
  ['jobs', /^src\/jobs\//],
  ['tables', /^src\/((features\/|server\/)?[\w-]+\/entit(y|ies)|store\/types)\.ts$/],
  ['graphql', /^src\/features\/[\w-]+\/([\w-]+-)?graphql\.ts$/],
  ['faces', /^src\/features\/[\w-]+\/([\w-]+-)?(operations|resource)\.ts$/],
  // These features are faces as a whole: they show what other features have.
  ['faces', /^src\/features\/(share|dashboard|guides|operator|development)\//],
  ['rules', /^src\/(features\/[\w-]+|index)\/rules\.ts$/],
  ['use cases', /^src\/features\/[\w-]+\/[^/]+\.ts$/],
  ['index', /^src\/index\//],
  ['server of REST', /^src\/server\/(rest\/|openapi\/|health\/operations\.ts)/],
  ['server of GraphQL', /^src\/server\/(graphql|live)\//],
  ['server of MCP', /^src\/server\/mcp\//],
  ['server', /^src\/server\//],
  ['deps', /^src\/(deps|keys|use-case)\.ts$/],
  ['config', /^src\/(config|settings)\.ts$/],
  ['base', /^src\/(freshness|observe\/metrics|store\/cache)\.ts$/],
  ['store', /^src\/store\//],
  ['chain', /^src\/chain\//],
  ['limits', /^src\/limits\//],
  ['tracing', /^src\/tracing\//],
  ['posthost', /^src\/posthost\//],
  ['live log', /^src\/live\/(announce|log)\.ts$/],
  ['live', /^src\/live\//],
  ['base', /^src\/(money|errors(\/advice)?|observe\/.+|time|times|trade)\.ts$/],
];
const technology = ['store', 'chain', 'limits', 'posthost', 'live', 'live log'];
const common = ['rules', 'deps', 'config', 'base'];
const servers = ['server', 'server of REST', 'server of GraphQL', 'server of MCP'];

/** The zones that each zone may import, in addition to itself and to the tables of its own folder. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  demo: ['main', 'service', 'index', 'use cases', ...common, ...technology],
  main: ['service', 'index', 'use cases', 'deps', 'config', 'base', ...technology],
  service: ['app', 'jobs', 'server', 'tracing', 'index', 'use cases', ...common, ...technology],
  app: ['features', 'faces', 'graphql', ...servers, 'use cases', 'deps', 'config', 'base'],
  jobs: ['server', 'index', 'use cases', ...common, ...technology],
  features: ['faces', 'graphql', 'server', 'server of REST', 'server of GraphQL', 'config'],
  faces: ['server', 'server of REST', 'index', 'use cases', 'limits', ...common],
  graphql: ['faces', 'server', 'server of GraphQL', 'use cases', 'live log', 'rules', 'deps', 'base'],
  // An agent's row has columns of several features, so these load it.
  'use cases': ['index', 'rules', 'deps', 'base', 'tables', ...technology],
  index: ['use cases', 'rules', 'deps', 'base', ...technology],
  rules: ['base'],
  server: ['deps', 'config', 'base', 'store', 'limits'],
  'server of REST': ['server', 'deps', 'config', 'base'],
  'server of GraphQL': ['server', 'deps', 'base', 'live log'],
  'server of MCP': ['server', 'deps', 'base'],
  deps: ['config', 'base', ...technology],
  config: ['base'],
  tables: [],
  store: ['base'],
  chain: ['base'],
  limits: ['base'],
  posthost: ['store', 'base'],
  'live log': ['deps', 'store', 'base'],
  live: ['base'],
  tracing: ['config', 'base'],
  base: [],
};

const zoneOf = (path: string): string => zones.find(([, pattern]) => pattern.test(path))?.[0] ?? 'none';

const isRules = (path: string): boolean => zoneOf(path) === 'rules';

const isOwnTable = (path: string, target: string): boolean =>
  zoneOf(target) === 'tables' && dirname(target) === dirname(path);

/** The features in order, and the index among them. Each may import only from those to its left. */
const row = [
  ...['text', 'pricing', 'notices', 'index', 'agents', 'keys', 'market', 'claims', 'follows', 'prices', 'trading'],
  ...['feed', 'seasons', 'registration', 'me', 'moderation', 'subscriptions'],
  ...['share', 'dashboard', 'guides', 'operator', 'development'],
];
const featureOf = (path: string): string | undefined =>
  /^src\/index\//.test(path) ? 'index' : /^src\/features\/([\w-]+)\//.exec(path)?.[1];

/**
 * Whether the value is state: a weak collection is only useful if code writes to it, and a cache or a queue changes
 * when it is used.
 */
const isStateful = (value: string): boolean =>
  /^new (WeakMap|WeakSet|Cache)\b|^(coalescingQueue|serialQueue|statementNames)\(/.test(value);

/** Whether the code assigns to a part of a constant, or calls a method that changes it. */
const isWritten = (code: string, name: string): boolean =>
  new RegExp(
    `(?<![.\\w])${name}(\\.(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse)\\(|(\\.\\w+|\\[[^\\]]+\\])+ *(=(?![=>])|[-+*/|&?]+=|\\+\\+|--))`,
  ).test(code);

describe('the law of imports', () => {
  it('assigns every file to a zone', () => {
    expect(zoned.filter(({ path }) => zoneOf(path) === 'none').map(({ path }) => path)).to.deep.equal([]);
  });

  it('has a file for every zone and every feature of its lists', () => {
    const unused = zones.filter((zone) => !zoned.some(({ path }) => zones.find(([, p]) => p.test(path)) === zone));
    expect(unused.map(([name, pattern]) => `${name}: ${pattern.source}`)).to.deep.equal([]);
    expect(row.filter((feature) => !sources.some(({ path }) => featureOf(path) === feature))).to.deep.equal([]);
  });

  it('lets a zone import only the zones listed for it', () => {
    const wrong = zoned.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(src|demo)\//.test(target))
        .filter((target) => zoneOf(target) !== zoneOf(path) && !mayImport[zoneOf(path)]?.includes(zoneOf(target)))
        .filter((target) => !isOwnTable(path, target))
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('lets a feature import only features to its left', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const feature = featureOf(path);
      if (feature === undefined) return [];
      if (!row.includes(feature)) return [`${path}: unknown feature`];
      // A table may refer to any other: a notification to its agent.
      return imports
        .filter((target) => zoneOf(path) !== 'tables' || zoneOf(target) !== 'tables')
        .filter((target) => row.indexOf(featureOf(target) ?? feature) > row.indexOf(feature))
        .map((target) => `${path} -> ${target}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('lists every feature that serves something', () => {
    const listed = sources.find(({ path }) => path === 'src/features/features.ts')?.imports ?? [];
    const serving = sources.map(({ path }) => path).filter((path) => /^src\/features\/[\w-]+\/feature\.ts$/.test(path));
    expect(listed).to.include.members(serving);
  });

  it('has no import cycle', () => {
    const byPath = new Map(allSources.map((source) => [source.path, source]));
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (state.get(path) === 'open') circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (state.has(path)) return;
      state.set(path, 'open');
      for (const target of byPath.get(path)?.imports ?? []) if (byPath.has(target)) visit(target, [...trail, path]);
      state.set(path, 'done');
    };
    for (const { path } of allSources) visit(path, []);
    expect(circles).to.deep.equal([]);
  });

  it('keeps web servers and schema libraries out of rules, use cases, the index and stored answers and events', () => {
    const foreign = /^(koa|@koa\/|@apollo\/|type-graphql|graphql|zod|pino|ioredis|@modelcontextprotocol\/)/;
    const wrong = sources
      .filter(
        ({ path }) =>
          ['rules', 'use cases', 'index', 'live log'].includes(zoneOf(path)) ||
          path.startsWith('src/server/idempotency/'),
      )
      .flatMap(({ path, imports }) => imports.filter((name) => foreign.test(name)).map((name) => `${path} -> ${name}`));
    expect(wrong).to.deep.equal([]);
  });

  it('imports the SDK of OpenTelemetry only in src/tracing, and loads that only when it is needed', () => {
    const others = sources.filter(({ path }) => zoneOf(path) !== 'tracing');
    expect(others.filter(({ text }) => /@opentelemetry\/(?!api')/.test(text)).map(({ path }) => path)).to.deep.equal(
      [],
    );
    expect(others.filter(({ text }) => /from '[^']*\/tracing\//.test(text)).map(({ path }) => path)).to.deep.equal([]);
    expect(sources.filter(({ text }) => text.includes('@opentelemetry/')).length).to.be.above(2);
  });

  it('loads little before it checks the settings, so that a wrong one is refused at once', () => {
    const loaded = loadedBy('src/main.ts', 'demo/main.ts');
    const packages = [...loaded].filter((name) => !/^(src\/|demo\/|node:)/.test(name));
    // The API of OpenTelemetry takes less than half as long as zod, and the metrics load it anyway.
    expect(packages.sort()).to.deep.equal(['@opentelemetry/api', 'fastest-levenshtein', 'pino', 'zod']);
    expect([...loaded]).to.include.members(['src/config/config.ts', 'src/cli/serve.ts', 'demo/command.ts']);
  });

  it('loads GraphQL and MCP only at their first request', () => {
    const loaded = [...loadedBy('src/service/service.ts')];
    expect(loaded).to.include.members(['src/app.ts', 'src/server/rest/rest.ts', '@koa/router']);
    const late = /^(graphql|type-graphql|@apollo\/|@modelcontextprotocol\/)/;
    expect(loaded.filter((name) => late.test(name))).to.deep.equal([]);
  });

  it('keeps clocks, randomness and async code out of the rules', () => {
    const waits = /\b(await|async|Promise)\b|\.then\(/;
    const clocks = /\bDate(\.now|\(\))|\bnew Date\b(?!\()|\b(performance|process)\./;
    const chance = /(\bimport\b[^;]*\b|\.)random|\bcrypto\./;
    const wrong = sources
      .filter(({ path }) => isRules(path))
      .map(({ path, text }) => ({ path, code: text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }))
      .filter(({ code }) => waits.test(code) || clocks.test(code) || chance.test(code));
    expect(wrong.map(({ path }) => path)).to.deep.equal([]);
  });

  it('lets rules import only what computes', () => {
    const pure = /^(src\/(errors|money|time|trade)\.ts|node:(crypto|net)|ethers)$/;
    const wrong = sources
      .filter(({ path }) => isRules(path))
      .flatMap(({ path, imports }) =>
        imports.filter((name) => !isRules(name) && !pure.test(name)).map((name) => `${path} -> ${name}`),
      );
    expect(wrong).to.deep.equal([]);
  });

  it('reads process.env only in main', () => {
    const readers = zoned.filter(({ text }) => text.includes('process.env')).map(({ path }) => path);
    expect(readers.filter((path) => zoneOf(path) !== 'main')).to.deep.equal([]);
  });

  it('lets the clock of a client multiply all its timeouts', () => {
    const wrong = clientSources.flatMap(({ path, text }) =>
      [...text.matchAll(/AbortSignal\.timeout\((?!timeoutOf\(|this\.#limits\.)/g)].map(() => path),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('keeps every function under 61 lines', () => {
    // Biome puts the end of a function under the beginning of the line that opens it.
    const opens =
      /(\bfunction\b.*|=>|^\s*((async|static|get|set|public|private)\s+)*[#\w]+(<.*>)?\(.*\)(: .+)?|^\s*\)(: .+)?) \{$/;
    const isBlock = /^\s*(\} )?(if|for|while|switch|else|try|catch|finally|do)\b/;
    const long = allSources.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, start) => {
        if (!opens.test(line) || isBlock.test(line)) return [];
        const indent = /^ */.exec(line)?.[0] ?? '';
        const length = lines.slice(start).findIndex((later, i) => i > 0 && later.startsWith(`${indent}}`)) + 1;
        return length > 60 ? [`${path}:${start + 1}: ${length}`] : [];
      });
    });
    expect(long).to.deep.equal([]);
  });

  it('keeps no mutable state in a module', () => {
    const wrong = allSources.flatMap(({ path, text }) => {
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const variables = [...code.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)].map((match) => match[1]);
      const constants = [...code.matchAll(/^(?:export )?const (\w+)[^=]*= *(.*)/gm)]
        .filter(([, name, value]) => isStateful(value ?? '') || isWritten(code, name ?? ''))
        .map((match) => match[1]);
      return [...variables, ...constants].map((name) => `${path}: ${name}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('keeps every file under 300 lines', () => {
    const generated = ['src/chain/abi.ts', 'src/chain/bytecode.ts'];
    // The dashboard has all its texts in one file.
    const exempt = [...generated, 'web/src/texts.ts'];
    const long = [...allSources.map(({ path }) => path), ...testFiles]
      .filter((path) => !exempt.includes(path))
      .filter((path) => readFileSync(join(root, path), 'utf8').split('\n').length > 301);
    expect(long).to.deep.equal([]);
  });

  it('names every file in kebab-case', () => {
    const names = [...allSources.map(({ path }) => path), ...testFiles];
    const kebabCase = /^[a-z0-9-]+(\.(test|fixture|faults|abuse|drill|d))?\.tsx?$/;
    expect(names.filter((path) => !kebabCase.test(basename(path)))).to.deep.equal([]);
  });

  it('keeps at most 15 files in a directory', () => {
    const counts = Map.groupBy([...allSources.map(({ path }) => path), ...testFiles], dirname);
    const full = [...counts].filter(([, files]) => files.length > 15);
    expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).to.deep.equal([]);
  });
});
