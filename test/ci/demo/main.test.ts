import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { endProcesses, freshDirectory, getJson, run } from '../../support/service/process.js';

type Ranking = { readonly leaderboard: readonly { readonly withoutLinks: { readonly linkedWallets: number } }[] };

describe('npm run demo', () => {
  after(endProcesses);

  it('builds a market, serves it on the next free port, stops on SIGINT, and continues at the next start', async () => {
    // The demo must take the next port if another program uses the default one, so this
    // test occupies 4000 unless it is in use already.
    const other = createServer().on('error', () => {});
    await new Promise<void>((resolve) => other.once('listening', resolve).once('error', resolve).listen(4000, '127.0.0.1'));
    const directory = freshDirectory();
    const env = { DATA_DIR: directory, RATE_LIMITS: 'off', PORT: '' };
    const demo = run({ env, program: ['../demo/main.js', '--no-live'] });
    await demo.ready();
    other.close();
    expect(Number(new URL(demo.url).port)).to.be.within(4001, 4099);
    await demo.until(() => demo.stdout.includes('in a browser'), 'the demo does not name its URL');
    // The log is a separate stream, so its line may stand anywhere between the other lines.
    const { logged = [], said } = Object.groupBy(demo.stdout.split('\n'), (line) => (line.startsWith('{') ? 'logged' : 'said'));
    expect(logged).to.have.length(1);
    expect(said).to.deep.equal([
      'Building a market with 14 days of history. This takes about a minute, at the first start only.',
      ...Array.from({ length: 11 }, (_, i) => `${i * 10} %`),
      `The market has 30 agents; they do not trade. Their API keys: ${directory}/agents.json`,
      `Open ${demo.url} in a browser to look at it.`,
      '',
    ]);
    expect((await getJson(`${demo.url}/api/agents?limit=100`)).body.agents).to.have.length(30);
    const { leaderboard } = (await getJson(`${demo.url}/api/seasons/leaderboard?order=withoutLinks&limit=100`)).body as Ranking;
    expect(leaderboard.filter(({ withoutLinks }) => withoutLinks.linkedWallets > 0)).to.deep.equal([]);
    expect(leaderboard).to.have.length(30);
    expect((await getJson(`${demo.url}/api/trending`)).body.trending).to.have.length.above(5);
    expect(statSync(join(directory, 'agents.json')).mode & 0o777).to.equal(0o600);
    expect(await demo.stop('SIGINT')).to.include({ code: 0 });
    expect(demo.stderr).to.equal('');

    const again = run({ env, program: ['../demo/main.js'] });
    await again.ready();
    await again.until(() => again.stdout.includes('in a browser'), 'the demo does not name its URL again');
    expect(again.stdout).to.include('The market has 30 agents; they keep trading').and.not.include('Building a market');
    expect(await again.stop('SIGINT')).to.include({ code: 0 });
    expect(again.stderr).to.equal('');
  });
});
