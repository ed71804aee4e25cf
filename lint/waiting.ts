import { expect } from 'chai';
import { dailyTests } from './sources.js';

describe('the tests of `npm test` and `.ci/run`', () => {
  /** The places where the pattern matches in the daily tests, as path, line and text. A match may have several lines. */
  const matching = (pattern: RegExp, exempt: readonly string[] = []): string[] =>
    dailyTests
      .filter(({ path }) => path !== 'lint/waiting.ts' && !exempt.includes(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(pattern)].map(({ index, 0: match }) => {
          const line = text.slice(0, index).split('\n').length;
          return `${path}:${line}: ${match}`;
        }),
      );
  /** The file with `eventually`, which waits for conditions by polling, with HANG_MS as the limit. */
  const polling = 'test/support/service/process.ts';
  /** These proxies delay or freeze connections on purpose. */
  const proxies = ['test/support/chain/relay.ts', 'test/support/chain/faulty-line.ts'];

  it('have no timeout but HANG_MS', () => {
    // The exempt file tests the timeouts of the server, so it sets them.
    const exempt = ['test/unit/server/http/connections.test.ts'];
    const pattern = /\.timeout\((?!HANG_MS)|\b\w*[tT]imeout(Ms|Millis)?: (?!HANG_MS|number\b)/g;
    expect(matching(pattern, exempt)).to.deep.equal([]);
  });

  it('do not run with the timeouts of a fast machine', () => {
    expect(matching(/(\btimes: |[(,]\s*)TIMES\b(?!\.)|TIMEOUT_FACTOR( =|:) '/g)).to.deep.equal([]);
  });

  it('give every client a clock with longer timeouts', () => {
    expect(matching(/\bnew Curvet\((?![^;)]*\b(clock|options|service(?!\.))\b)/g)).to.deep.equal([]);
    const exempt = ['test/support/client/scripted.ts'];
    expect(matching(/\bsystemClock\b[^;]*client\/src\/http\/clock/g, exempt)).to.deep.equal([]);
  });

  it('measure no time', () => {
    const pattern = /performance\.\w+\(|process\.(hrtime|cpuUsage)|Date\.now\(\)\s*-|-\s*Date\.now\(\)/g;
    expect(matching(pattern, [polling])).to.deep.equal([]);
  });

  it('wait for what happens, not for a time', () => {
    const timer = /\bset(Timeout|Interval)\(|\bwaitForTimeout\(/;
    const timers = /\bimport\b(?! \{ setImmediate as \w+ \} from)[^;]*'(node:)?timers(\/promises)?'/;
    const pattern = new RegExp(`${timer.source}|${timers.source}`, 'g');
    expect(matching(pattern, [polling, ...proxies])).to.deep.equal([]);
  });

  it('choose nothing by chance', () => {
    const pattern = /Math\.random|\brandom(Int|Bytes|UUID|FillSync)\(|getRandomValues|\.createRandom\(/g;
    // The names of shared resources must differ between processes, even in two runs with the same seed. So these files use chance.
    const shared = ['processes', 'database', 'world'].map((name) => `test/support/${name}.ts`);
    expect(matching(pattern, ['test/support/seed.ts', ...shared])).to.deep.equal([]);
  });

  it('start processes with the mark of the run', () => {
    const pattern = /\b(spawn|spawnSync|fork|execFile|execFileSync|StdioClientTransport)\([^;]*?\benv: \{/g;
    expect(matching(pattern)).to.deep.equal([]);
  });
});
