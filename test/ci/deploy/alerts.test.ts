import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<'summary' | 'runbook_url', string>>;
};
type RuleTest = { readonly alertname: string; readonly exp_alerts: readonly unknown[] };
type Panel = {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
};
type Variable = { readonly type: string; readonly query: { readonly query: string } };

const directory = join(root, 'deploy/prometheus');
const parsed = <T>(file: string): T => load(readFileSync(join(directory, file), 'utf8')) as T;
const rules = parsed<{ groups: { rules: Rule[] }[] }>('alerts.yml').groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/curvet.json'), 'utf8')) as {
  panels: Panel[];
  templating: { list: Variable[] };
};
const variables = dashboard.templating.list.filter(({ type }) => type === 'query').map(({ query }) => query.query);
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** Names of the metrics in a PromQL expression, or in a query of a Grafana variable. */
function metricsIn(expr: string): string[] {
  // Removes what may contain a word that is no metric: `label_values`, strings, label matchers, ranges, grouping labels, variables.
  // A name before `(` is a function, so the last pattern leaves it out.
  const bare = expr
    .replace(/label_values\((.*),\s*\w+\)/, '$1')
    .replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '')
    .replace(/\$\w+/g, '');
  const names = [...bare.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map((match) => match[1] as string);
  return names.filter((name) => !KEYWORDS.has(name.toLowerCase()));
}

describe('the alert rules and the dashboard', () => {
  const world = useWorld();

  /** The names of all series that a replica exports when it has PostgreSQL, Redis and an external chain. */
  async function exportedNames(): Promise<Set<string>> {
    const { config, limits, chain, metrics } = world.deps;
    metrics.rpcCalls.observe({ url: 'rpc.example', method: 'eth_call', result: 'answered' }, 1);
    metrics.queries.observe({ server: 'primary', command: 'SELECT', result: 'done' }, 1);
    await metrics.job('scoring', async () => {});
    // The service measures the usual time between two blocks only from block 100 on, so the head is block 1000.
    const time = world.clock.now();
    Object.assign(world.deps, {
      config: { ...config, chainEmbedded: false },
      chain: { ...chain, head: async () => ({ number: 1000, time }), blockTime: async () => time },
      limits: { ...limits, isUp: async () => true },
      databasePool: { state: { max: 20, used: 0, waiting: 0, refused: 0 }, renew() {} },
    });
    const { body } = await world.ask('GET', '/metrics');
    return new Set([...String(body.text).matchAll(/^(\w+)[{ ]/gm)].map((match) => match[1] as string));
  }

  it('name only metrics that the service exports', async () => {
    // A request that fails, so that the metrics of failures exist.
    await world.ask('GET', '/nowhere');
    const exported = await exportedNames();
    // Prometheus itself records `up` for each target, so the service does not export it.
    exported.add('up');
    const unknown = [
      ...rules.map(({ alert, expr }) => ({ place: alert, expr })),
      ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ place: title, expr }))),
      ...variables.map((expr) => ({ place: 'variables', expr })),
    ].flatMap(({ place, expr }) =>
      metricsIn(expr)
        .filter((name) => !exported.has(name))
        .map((name) => `${place}: ${name}`),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('use every metric of the service', async () => {
    // A histogram exports the three names `_bucket`, `_sum` and `_count`. They count as one metric.
    const metricOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
    const queries = [...rules, ...dashboard.panels.flatMap(({ targets = [] }) => targets)];
    const used = new Set(queries.flatMap(({ expr }) => metricsIn(expr).map(metricOf)));
    const metrics = [...(await exportedNames())].map(metricOf).filter((name) => name.startsWith('curvet_'));
    expect([...new Set(metrics)].filter((name) => !used.has(name))).to.deep.equal([]);
  });

  it('have a query in every panel', () => {
    const empty = dashboard.panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
    expect(empty.map(({ title }) => title)).to.deep.equal([]);
    expect(dashboard.panels.length).to.be.above(15);
  });

  it('have a test for each rule in which it is quiet, and one in which it fires', () => {
    const tests = parsed<{ tests: { alert_rule_test: RuleTest[] }[] }>('alerts.test.yml').tests.flatMap(
      ({ alert_rule_test }) => alert_rule_test,
    );
    for (const { alert } of rules) {
      const counts = tests.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length);
      expect(
        counts.map((count) => count > 0),
        alert,
      )
        .to.include(false)
        .and.to.include(true);
    }
  });

  it('lead to a section for each alert that says what it means, what to look at, what to do, and when it is over', () => {
    const [, ...sections] = readFileSync(join(root, 'docs/alerts.md'), 'utf8').split(/^## /m);
    const parts = (section: string) => [...section.matchAll(/^- \*\*(.+?)\*\*: \S/gm)].map(([, part]) => part);
    expect(sections.map((section) => [section.split('\n')[0], ...parts(section)])).to.deep.equal(
      rules.map(({ alert }) => [alert, 'Means', 'Look at', 'Do', 'Over when']),
    );
    const urls = rules.map(({ alert, annotations }) => [alert.toLowerCase(), annotations.runbook_url]);
    expect(urls).to.deep.equal(urls.map(([name]) => [name, `https://example.com/curvet/docs/alerts.md#${name}`]));
  });

  it('pass the tests of the rules', function () {
    if (!hasPromtool) return void this.skip();
    const output = execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: directory, encoding: 'utf8' });
    expect(output).to.include('SUCCESS');
    execFileSync('promtool', ['check', 'config', 'prometheus.yml'], { cwd: directory });
  });
});
