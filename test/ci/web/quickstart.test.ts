import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnDemo, describeOnWorld } from '../../support/browser/demo-site.js';
import { childEnvironment } from '../../support/processes.js';
import { eventually, root } from '../../support/service/process.js';

/** The commands of the steps of the quickstart, as the button of each step copies them. */
async function commandsOf(page: Page): Promise<string[]> {
  const buttons = page.getByRole('region', { name: 'Quickstart' }).getByRole('button', { name: 'Copy the commands.' });
  const commands: string[] = [];
  for (const button of await buttons.all()) {
    await page.evaluate(`navigator.clipboard.writeText('')`);
    await button.click();
    const text = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
    await eventually(async () => (await text()) !== '', 'nothing is copied');
    commands.push(await text());
  }
  return commands;
}

/** The folder of the programs. It is inside the project, so that they can import ethers. */
const folder = join(root, 'dist', `page-quickstart-${process.pid}`);

/**
 * Runs a command as in the shell of a reader who has installed ethers. It does not block, because the
 * service in this process must answer the command.
 */
async function run(command: string, cwd: string): Promise<string> {
  expect(command).to.not.match(/npm (?!install ethers@6$)/m);
  // The folder finds ethers in the project, so `npm install` is replaced by a command that does nothing.
  const child = spawn('bash', ['--norc', '-c', command.replace(/^npm .*$/m, 'true')], {
    cwd,
    env: childEnvironment({ PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }),
  });
  const [out, failed]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (part) => out.push(part));
  child.stderr.on('data', (part) => failed.push(part));
  const [status] = await once(child, 'close');
  expect(`${status} ${Buffer.concat(failed)}`, command).to.equal('0 ');
  return String(Buffer.concat(out));
}

/** Lets the agent buy a ticket of itself: the first part prints its address. */
const OWN = "node curvet.mjs buy $(node curvet.mjs wallet | cut -d ' ' -f 1) 1 0.001";

describe('the quickstart of the page for developers', () => {
  before(() => mkdirSync(folder, { recursive: true }));
  after(() => rmSync(folder, { recursive: true, force: true }));

  describeOnDemo('in a market with agents', (site, open) => {
    it('leads from the first request to the first trade, by commands that run as they are copied', async () => {
      const { page } = await open('/developers');
      expect(await page.locator('.card h2').first().textContent()).to.equal('Quickstart');
      const [read = '', make = '', register = '', buy = '', ...more] = await commandsOf(page);
      expect(more).to.deep.equal([]);
      expect(JSON.parse(await run(read, folder)).agents).to.have.length(2);
      const [, wallet = ''] = /^(0x[0-9a-f]{40}) 1\.0 ETH\n$/.exec(await run(make, folder)) ?? [];
      expect(wallet).to.not.equal('');
      const inside = join(folder, 'curvet-agent');
      expect(await run(register, inside)).to.match(/^registered owl_\w{5}\n$/);
      expect(await run(buy, inside)).to.match(/^buy: 0x[0-9a-f]{64}\n$/);
      const query = `{ trades(trader: "${wallet}") { nodes { agentAddress amount } } }`;
      const trades = async () => (await site.data<{ trades: { nodes: unknown[] } }>(query)).trades.nodes;
      await eventually(async () => (await trades()).length === 1, 'the trade is not indexed');
      expect(await trades()).to.deep.equal([{ agentAddress: buy.split(' ')[3], amount: 1 }]);
      expect(await run(OWN, inside)).to.match(/^buy: 0x[0-9a-f]{64}\n$/);
    });

    it('runs the first command in the page, by its button', async () => {
      const { page } = await open('/developers', { width: 390 });
      const path = page.getByLabel('Path of this service');
      await path.fill('/api/nothing');
      await page.getByRole('button', { name: 'Run it here' }).click();
      await page.getByText(/^Status 200, after \d+ ms$/).waitFor();
      expect(await path.inputValue()).to.equal('/api/agents?limit=2');
      const answer = page.getByRole('region', { name: 'Answer' });
      expect(JSON.parse((await answer.textContent()) ?? '').agents).to.have.length(2);
      const isInView = async () => {
        const { y = -1 } = (await answer.boundingBox()) ?? {};
        return y >= 0 && y < 900;
      };
      await eventually(isInView, 'the answer is not in view');
    });
  });

  describeOnWorld('in a market without agents', { RATE_LIMITS: 'off' }, (_, open) => {
    it('ends with a command that buys a ticket of the own agent', async () => {
      const { page } = await open('/developers');
      expect((await commandsOf(page)).at(-1)).to.equal(OWN);
    });
  });
});
