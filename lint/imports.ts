import { dirname } from 'node:path';
import { expect } from 'chai';
import { clientSources, demoSources, loadedBy, sources, webSources } from './sources.js';

/** The source code that the table `zones` covers. */
const zoned = [...sources, ...demoSources];
const allSources = [...zoned, ...clientSources, ...webSources];

/** The zones of the source code. A file belongs to the first zone whose pattern matches. */
const zones: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['demo', /^demo\//],
  ['main', /^src\/(main\.ts|cli\/)/],
  ['service', /^src\/service\//],
  ['app', /^src\/(app|features\/(features|graphql))\.ts$/],
  ['features', /^src\/features\/([\w-]+\/)?feature\.ts$/],
  ['jobs', /^src\/jobs\//],
  ['tables', /^src\/(.+\/entit(y|ies)|store\/types)\.ts$/],
  ['graphql', /^src\/features\/([\w-]+\/)+([\w-]+-)?graphql\.ts$/],
  ['declarations', /^src\/features\/(([\w-]+\/)+([\w-]+-)?(operations|resource|input)|examples)\.ts$/],
  // These files show what other features have, so they may import like declarations
  // although their names are not in the pattern above.
  ['declarations', /^src\/features\/((dashboard|guides|development)\/|operator\/(internal|metrics|webhook)\.ts)/],
  ['rules', /^src\/(features\/([\w-]+\/)+|index\/)rules\.ts$/],
  ['use cases', /^src\/features\/([\w-]+\/)+[^/]+\.ts$/],
  ['index', /^src\/index\//],
  ['server of REST', /^src\/server\/(rest|openapi)\//],
  ['server of GraphQL', /^src\/server\/(graphql|live)\//],
  ['server of MCP', /^src\/server\/mcp\//],
  ['server', /^src\/server\//],
  ['deps', /^src\/(deps|keys|use-case)\.ts$/],
  ['base', /^src\/((cache|errors|observe)\/.+|config\/timeouts|tasks)\.ts$/],
  ['config', /^src\/config\//],
  ['store', /^src\/store\//],
  ['chain', /^src\/chain\//],
  ['limits', /^src\/limits\//],
  ['tracing', /^src\/tracing\//],
  ['posthost', /^src\/posthost\//],
  ['live log', /^src\/live\/(announce|log|notices)\.ts$/],
  ['live', /^src\/live\//],
  ['values', /^src\/values\//],
];
const technology = ['store', 'chain', 'limits', 'posthost', 'live', 'live log'];
const common = ['rules', 'deps', 'config', 'base'];
const servers = ['server', 'server of REST', 'server of GraphQL', 'server of MCP'];

/** The zones that each zone may import. Every zone may also import itself, `values` and the tables of its own folder. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  demo: ['main', 'service', 'index', 'use cases', ...common, ...technology],
  main: ['service', 'index', 'use cases', 'deps', 'config', 'base', ...technology],
  service: ['app', 'jobs', 'declarations', 'server', 'tracing', 'index', 'use cases', 'tables', ...common, ...technology],
  app: ['features', 'declarations', 'graphql', ...servers, 'use cases', 'deps', 'config', 'base'],
  jobs: ['server', 'index', 'use cases', ...common, ...technology],
  features: ['declarations', 'graphql', 'server', 'server of GraphQL', 'config'],
  declarations: ['server', 'server of REST', 'index', 'use cases', 'limits', ...common],
  graphql: ['declarations', 'server', 'server of GraphQL', 'use cases', 'live log', 'rules', 'deps', 'base'],
  // Use cases may import the tables of other features, because the row of an agent has columns of several features.
  'use cases': ['index', 'rules', 'deps', 'base', 'tables', ...technology],
  index: ['rules', 'deps', 'base', ...technology],
  rules: ['base'],
  server: ['deps', 'config', 'base', 'store', 'limits'],
  'server of REST': ['server', 'deps', 'config', 'limits', 'base'],
  'server of GraphQL': ['server', 'deps', 'limits', 'base', 'live log'],
  'server of MCP': ['server', 'deps', 'limits', 'base'],
  deps: ['config', 'base', ...technology],
  config: ['base'],
  tables: ['live log', 'rules'],
  store: ['base'],
  chain: ['base'],
  limits: ['base'],
  posthost: ['store', 'base'],
  'live log': ['store', 'base'],
  live: ['base'],
  tracing: ['config', 'base'],
  base: [],
  values: ['base'],
};

const zoneOf = (path: string): string => zones.find(([, pattern]) => pattern.test(path))?.[0] ?? 'none';

const isRules = (path: string): boolean => ['rules', 'values'].includes(zoneOf(path));

const isOwnTable = (path: string, target: string): boolean => zoneOf(target) === 'tables' && dirname(target) === dirname(path);

/** The rooms of the features in the order of ARCHITECTURE.md. Each may import only itself and the rooms before it. */
const row = [
  'agents',
  'agents/keys',
  'agents/lists',
  'notices',
  'theses',
  'claims',
  'follows',
  'trading/contract',
  'trading/prices',
  'trading',
  'trading/periods',
  'theses/lists',
  'feed',
  'seasons',
  'seasons/links',
  'agents/registration',
  'agents/me',
  'moderation',
  'subscriptions',
  'dashboard/pictures',
  'dashboard',
  'guides',
  'operator',
  'development',
];
/** The room of a file. `feature.ts` has none: it lists what the feature serves, and may import from every room. */
const roomOf = (path: string): string | undefined =>
  /^src\/features\/([\w-]+(?:\/[\w-]+)*)\/(?!feature\.ts)[\w-]+\.ts$/.exec(path)?.[1];

describe('the law of imports', () => {
  it('assigns every file to a zone', () => {
    expect(zoned.filter(({ path }) => zoneOf(path) === 'none').map(({ path }) => path)).to.deep.equal([]);
  });

  it('has a file for every zone and every room of its lists', () => {
    const unused = zones.filter((zone) => !zoned.some(({ path }) => zones.find(([, p]) => p.test(path)) === zone));
    expect(unused.map(([name, pattern]) => `${name}: ${pattern.source}`)).to.deep.equal([]);
    expect(row.filter((room) => !sources.some(({ path }) => roomOf(path) === room))).to.deep.equal([]);
  });

  it('lets a zone import only the zones listed for it', () => {
    const wrong = zoned.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(src|demo)\//.test(target))
        .filter((target) => ![zoneOf(path), 'values'].includes(zoneOf(target)))
        .filter((target) => !mayImport[zoneOf(path)]?.includes(zoneOf(target)))
        .filter((target) => !isOwnTable(path, target))
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('lets a room of a feature import only itself and the rooms before it', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const room = roomOf(path);
      if (room === undefined) return [];
      if (!row.includes(room)) return [`${path}: unknown room`];
      // Imports between tables are exempt: by a foreign key, a table may refer to a table of any room.
      return imports
        .filter((target) => zoneOf(path) !== 'tables' || zoneOf(target) !== 'tables')
        .filter((target) => row.indexOf(roomOf(target) ?? room) > row.indexOf(room))
        .map((target) => `${path} -> ${target}`);
    });
    expect(wrong).to.deep.equal([]);
  });

  it('keeps every feature, with all its parts, in the lists of what is served', () => {
    const listed = sources.find(({ path }) => path === 'src/features/features.ts')?.imports ?? [];
    const serving = sources.map(({ path }) => path).filter((path) => /^src\/features\/[\w-]+\/feature\.ts$/.test(path));
    expect(listed).to.include.members(serving);
    const ofFeatures = new Set(sources.flatMap(({ path, imports }) => (serving.includes(path) ? imports : [])));
    const parts = sources.filter(({ path, text }) => /[/-]operations\.ts$/.test(path) || /^export const resolvers\b/m.test(text));
    expect(parts.length).to.be.above(25);
    expect(parts.map(({ path }) => path).filter((path) => !ofFeatures.has(path))).to.deep.equal([]);
  });

  it('allows no import cycle', () => {
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

  it('gives the folders and files of src/ an order in which each imports only later ones', () => {
    const partOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    // Repeatedly removes the parts that import only removed parts. If parts remain, their imports form a circle.
    const targets = Map.groupBy(sources, ({ path }) => partOf(path));
    const waiting = new Map(
      [...targets].map(([part, files]) => [
        part,
        new Set(files.flatMap(({ imports }) => imports.filter((name) => name.startsWith('src/')).map(partOf))),
      ]),
    );
    const isFree = (part: string): boolean => [...(waiting.get(part) ?? [])].every((to) => to === part || !waiting.has(to));
    for (let free = [...waiting.keys()].filter(isFree); free.length > 0; free = [...waiting.keys()].filter(isFree))
      for (const part of free) waiting.delete(part);
    expect([...waiting.keys()]).to.deep.equal([]);
  });

  it('keeps web servers and schema libraries out of rules, use cases, the index and stored answers and events', () => {
    const foreign = /^(koa|@koa\/|@apollo\/|type-graphql|graphql|zod|pino|ioredis|@modelcontextprotocol\/)/;
    const wrong = sources
      .filter(
        ({ path }) =>
          ['rules', 'use cases', 'index', 'live log'].includes(zoneOf(path)) || path.startsWith('src/server/idempotency/'),
      )
      .flatMap(({ path, imports }) => imports.filter((name) => foreign.test(name)).map((name) => `${path} -> ${name}`));
    expect(wrong).to.deep.equal([]);
  });

  it('lets only src/tracing import the SDK of OpenTelemetry, and other files load it only when needed', () => {
    const others = sources.filter(({ path }) => zoneOf(path) !== 'tracing');
    expect(others.filter(({ text }) => /@opentelemetry\/(?!api')/.test(text)).map(({ path }) => path)).to.deep.equal([]);
    expect(others.filter(({ text }) => /from '[^']*\/tracing\//.test(text)).map(({ path }) => path)).to.deep.equal([]);
    expect(sources.filter(({ text }) => text.includes('@opentelemetry/')).length).to.be.above(2);
  });

  it('lets only the file of the render worker load the library that draws pictures', () => {
    const loaders = sources.filter(({ text }) => text.includes("require('@resvg/"));
    expect(loaders.map(({ path }) => path)).to.deep.equal(['src/features/dashboard/pictures/render-worker.ts']);
  });

  it('lets the programs load only four packages before they check the settings', () => {
    const loaded = loadedBy('src/main.ts', 'demo/main.ts');
    const packages = [...loaded].filter((name) => !/^(src\/|demo\/|node:)/.test(name));
    // `@opentelemetry/api` is acceptable: it loads in less than half the time of zod, and the metrics need it anyway.
    expect(packages.sort()).to.deep.equal(['@opentelemetry/api', 'fastest-levenshtein', 'pino', 'zod']);
    expect([...loaded]).to.include.members(['src/config/config.ts', 'src/cli/serve.ts', 'demo/command.ts']);
  });

  it('keeps GraphQL and MCP out of what the service loads at its start', () => {
    const loaded = [...loadedBy('src/service/service.ts')];
    expect(loaded).to.include.members(['src/app.ts', 'src/server/rest/rest.ts', '@koa/router']);
    const late = /^(graphql|type-graphql|@apollo\/|@modelcontextprotocol\/)/;
    expect(loaded.filter((name) => late.test(name))).to.deep.equal([]);
  });

  it('keeps clocks, randomness and async code out of the rules', () => {
    const waits = /\b(await|async|Promise)\b|\.then\(/;
    // `new Date(time)` reads no clock, so it is allowed.
    const clocks = /\bDate(\.now|\(\))|\bnew Date\b(?!\()|\b(performance|process)\./;
    const chance = /(\bimport\b[^;]*\b|\.)random|\bcrypto\./;
    const wrong = sources
      .filter(({ path }) => isRules(path))
      .map(({ path, text }) => ({ path, code: text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }))
      .filter(({ code }) => waits.test(code) || clocks.test(code) || chance.test(code));
    expect(wrong.map(({ path }) => path)).to.deep.equal([]);
  });

  it('lets rules import only what computes', () => {
    const pure = /^(src\/errors\/errors\.ts|node:(crypto|net)|ethers)$/;
    const wrong = sources
      .filter(({ path }) => isRules(path))
      .flatMap(({ path, imports }) =>
        imports.filter((name) => !isRules(name) && !pure.test(name)).map((name) => `${path} -> ${name}`),
      );
    expect(wrong).to.deep.equal([]);
  });

  it('lets only main read process.env', () => {
    const readers = zoned.filter(({ text }) => text.includes('process.env')).map(({ path }) => path);
    expect(readers.filter((path) => zoneOf(path) !== 'main')).to.deep.equal([]);
  });
});
