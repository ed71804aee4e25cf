import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

/**
 * `bin/tool` runs a program of `tools/package.json`, such as the conformance runner. It installs the programs if they are missing.
 */
const tool = join(root, 'bin', 'tool');

/** Scenarios that need no fixtures in the server, by revision. The others call tools and prompts that only a test server has. */
const scenarios = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
  ],
} as const;

/** Checks of the scenarios above that the server cannot pass. The runner fails if one of them passes. */
const failing = `server:
  # These four need fixture tools.
  - server-stateless:sep-2575-server-rejects-undeclared-capability
  - server-stateless:sep-2575-missing-capability-http-400
  - server-stateless:sep-2575-http-server-no-independent-requests-on-stream
  - server-stateless:sep-2575-server-no-log-without-loglevel
  # The server opens no streams.
  - server-stateless:sep-2575-server-sends-subscription-ack
  - server-stateless:sep-2575-server-tags-subscription-id
`;

describe('the MCP server', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let folder: string;
  before(() => {
    execFileSync(tool, ['true'], { stdio: 'ignore' });
    folder = mkdtempSync(join(tmpdir(), 'curvet-conformance-'));
    writeFileSync(join(folder, 'failing.yml'), failing);
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  const run = (scenario: string, revision: string): Promise<{ readonly code: number; readonly output: string }> =>
    new Promise((resolve) => {
      const options = ['--url', `${world.url}/mcp`, '--scenario', scenario, '--expected-failures', 'failing.yml'];
      const version = scenario.includes('skills') ? [] : ['--spec-version', revision];
      execFile(tool, ['conformance', 'server', ...options, ...version], { cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
      );
    });

  for (const [revision, names] of Object.entries(scenarios)) {
    for (const scenario of names) {
      it(`passes ${scenario} of the conformance runner in revision ${revision}`, async () => {
        const { code, output } = await run(scenario, revision);
        expect(code, output).to.equal(0);
        // The runner skips a scenario that does not apply and reports no failure, so this also expects a passed check.
        expect(Number(/Passed: (\d+)\//.exec(output)?.[1] ?? 0), output).to.be.at.least(1);
      });
    }
  }
});
