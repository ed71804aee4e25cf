import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { root } from '../test/support/service/process.js';

type Step = { readonly uses?: string; readonly run?: string };
type Job = {
  readonly uses?: string;
  readonly needs?: readonly string[];
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
};
type Workflow = { readonly permissions: object; readonly jobs: Readonly<Record<string, Job>> };

const directory = join(root, '.github', 'workflows');
const workflows = readdirSync(directory).map((file) => ({
  file,
  workflow: load(readFileSync(join(directory, file), 'utf8')) as Workflow,
}));
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ place: `${file} ${name}`, job })),
);
const steps = jobs.flatMap(({ place, job }) => (job.steps ?? []).map((step) => ({ place, step })));

describe('the workflows', () => {
  it('pin every action by the hash of its commit', () => {
    const floating = steps.filter(({ step: { uses } }) => uses !== undefined && !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses));
    expect(floating).to.deep.equal([]);
    expect(steps.filter(({ step: { uses } }) => uses).length).to.be.above(5);
  });

  it('may only read, unless a job says otherwise, and end after an hour at most', () => {
    for (const { file, workflow } of workflows) expect(workflow.permissions, file).to.deep.equal({ contents: 'read' });
    for (const { place, job } of jobs) {
      // A job that calls another workflow cannot have a timeout. The jobs of the called workflow have one.
      if (job.uses === undefined) expect(job['timeout-minutes'], place).to.be.within(1, 60);
    }
  });

  it('call only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const called = steps.flatMap(({ step: { run = '' } }) =>
      [...run.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map((match) => match[1] as string),
    );
    expect(called).to.include('release:files');
    for (const name of called) expect(scripts).to.have.property(name);
    expect(steps.some(({ step: { run } }) => run === '.ci/run')).to.equal(true);
  });

  it('run no install script where they may sign or publish', () => {
    const installs = steps.filter(({ step: { run } }) => /\bnpm (ci|install)\b/.test(run ?? ''));
    const signing = installs.filter(({ place }) => place.startsWith('release.yml'));
    expect(signing.map(({ step: { run } }) => run)).to.deep.equal(['npm ci --ignore-scripts']);
  });

  it('run each suite of `npm run test:all` at night, and all of them before a release', () => {
    const workflow = (file: string) => workflows.find((each) => each.file === file)?.workflow;
    const listed = spawnSync(join(root, 'bin/node'), [join(root, 'dist/scripts/test-all.js'), '--list']);
    const suites = String(listed.stdout).trim().split('\n');
    expect(workflow('night.yml')?.jobs.suite?.strategy?.matrix.suite).to.deep.equal(suites);
    expect(workflow('release.yml')?.jobs.night?.uses).to.equal('./.github/workflows/night.yml');
    expect(workflow('release.yml')?.jobs.package?.needs).to.include('night');
  });
});
