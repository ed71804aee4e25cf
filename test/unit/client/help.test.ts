import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { exitCodes, exitOf } from '../../../client/src/cli/exit-codes.js';
import { commands } from '../../../client/src/cli/run.js';
import { CurvetError, serviceError } from '../../../client/src/errors.js';
import { errorTable } from '../../../src/errors/errors.js';
import { curvet, type Outcome, pipes, runOn, textOf } from '../../support/client/command-line.js';
import { root } from '../../support/service/process.js';

const printed = (...argv: string[]): Promise<Outcome> => curvet(argv, { CURVET_HOME: '/nonexistent' });

describe('the command line of the client', () => {
  it('names every command and exit code in its help, as the documentation does', async () => {
    const { out } = await printed('help');
    const readme = readFileSync(join(root, 'client/README.md'), 'utf8');
    for (const [name, { summary }] of Object.entries(commands)) {
      expect(out).to.include(name).and.include(summary);
      expect(readme).to.include(`\`${name}`);
    }
    for (const [code, meaning] of Object.values(exitCodes)) {
      expect(out).to.include(meaning);
      expect(readme).to.include(`| ${code} | ${meaning} |`);
    }
  });

  for (const [name, { examples, options = {} }] of Object.entries(commands)) {
    it(`shows the usage and the options of ${name}, which has examples`, async () => {
      const { code, out } = await printed(name, '--help');
      expect(code).to.equal(0);
      expect(out).to.match(new RegExp(`^Usage: curvet ${name}`));
      for (const option of Object.keys(options)) expect(out).to.include(`--${option}`);
      expect(examples.length).to.be.above(0);
      for (const example of examples) expect(example).to.include(`curvet ${name}`);
      expect((await printed('help', name)).out).to.equal(out);
    });
  }

  it('names the rules of a thesis in the help of buy and sell', async () => {
    for (const side of ['buy', 'sell']) {
      expect((await printed(side, '--help')).out).to.include('no `$`, no `{`, no URL, at most 140 characters; write USD');
    }
  });

  it('takes common options before the command, too', async () => {
    const settings = ['--json', '--url', 'http://127.0.0.1:1'];
    const after = await printed('status', ...settings);
    expect(after.code).to.equal(3);
    expect(JSON.parse(after.error)).to.have.nested.property('error.code', 'NOT_CONFIGURED');
    for (const [before, behind] of [
      [settings, []],
      [settings.slice(1), ['--json']],
      [['--json'], settings.slice(1)],
    ] as const)
      expect(await printed(...before, 'status', ...behind)).to.deep.equal(after);
    expect((await printed('--help', 'buy')).out).to.equal((await printed('buy', '--help')).out);
    expect((await printed('--json', '--version')).out).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(await printed('--version', 'buy')).to.deep.equal(await printed('--version'));
    expect(JSON.parse((await printed('--json', 'nonsense')).error)).to.have.nested.property('error.code', 'USAGE');
    expect((await printed('--nonsense')).error).to.equal(
      'curvet: there is no option --nonsense. "curvet help" lists the options\n',
    );
  });

  for (const [mistyped, advice] of [
    ['by', 'Did you mean buy?'],
    ['sel', 'Did you mean sell?'],
    ['regsiter', 'Did you mean register?'],
    ['stattus', 'Did you mean status?'],
    ['watcher', 'Did you mean watch?'],
    ['STATUS', 'Did you mean status?'],
    ['me', '"curvet help" lists the commands'],
    ['nonsense', '"curvet help" lists the commands'],
    ['constructor', '"curvet help" lists the commands'],
  ] as const) {
    it(`answers the unknown command ${mistyped} with the advice: ${advice}`, async () => {
      const { code, error } = await printed(mistyped);
      expect([code, error]).to.deep.equal([2, `curvet: there is no command ${mistyped}. ${advice}\n`]);
    });
  }

  for (const [line, message] of [
    ['buy scout 1 --max-slipage 1', 'there is no option --max-slipage. Did you mean --max-slippage?'],
    ['buy scout 1 --slippage 1', 'there is no option --slippage. Did you mean --max-slippage?'],
    ['buy scout 1 --id=', '--id needs a value: --id=ID'],
    ['buy scout 1 --confidence 70', '--confidence needs a thesis'],
    ['buy scout 1 --thesis= --confidence 70', '--confidence needs a thesis'],
    ['sell scout 1 --thesis x --confidence 0', '--confidence is a whole number from 1 to 99'],
    ['sell scout 1 --thesis x --confidence 7.5', '--confidence is a whole number from 1 to 99'],
    ['feed --nonsense', 'there is no option --nonsense. "curvet feed --help" lists the options'],
    ['feed --limit', '--limit needs a value: --limit=N'],
    ['feed --limit --json', '--limit needs a value: --limit=N'],
    ['list --verified=yes', '--verified takes no value'],
    ['status -h', 'there is no option -h. "curvet status --help" lists the options'],
  ] as const) {
    it(`says what is wrong with the options of "${line}"`, async () => {
      const { code, error } = await printed(...line.split(' '));
      const text = line.includes('--json') ? JSON.parse(error).error.message : error.trim().replace('curvet: ', '');
      expect([code, text]).to.deep.equal([2, message]);
    });
  }

  it('ends without a stack if the reader of its output has closed it', async () => {
    const streams = pipes();
    const error = textOf(streams.stderr);
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(closed) });
    expect([await runOn({ ...streams, stdout }, ['help'], {}), error()]).to.deep.equal([1, '']);
  });

  it('completes commands and options in the shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { out } = await printed('completion', shell);
      for (const name of Object.keys(commands)) expect(out).to.include(name);
      expect(out).to.include('max-slippage');
    }
    const { out } = await printed('completion', 'bash');
    const complete = (words: string) => {
      const asked = `COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _curvet; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', `${out}\n${asked}`], { encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('curvet sel')).to.equal('sell');
    expect(complete('curvet buy --max')).to.equal('--max-slippage');
    expect(complete('curvet trades --c')).to.equal('--csv');
    expect(complete('curvet --json --url http://x sel')).to.equal('sell');
    expect(complete('curvet --json buy --max')).to.equal('--max-slippage');
    expect(complete('curvet --js')).to.equal('--json');
    for (const shell of ['tcsh', 'toString']) expect((await printed('completion', shell)).code).to.equal(2);
  });

  it('maps every error of the service to an exit code', () => {
    for (const [status, message] of Object.values(errorTable)) {
      const exit = exitOf(serviceError(status, { error: message }));
      expect(exit, message).to.not.equal('unexpected');
      if (status === 429) expect(exit).to.equal('rateLimited');
      if (status >= 500) expect(exit).to.equal('unavailable');
    }
    expect(exitOf(new CurvetError('LIMIT_EXCEEDED', ''))).to.equal('limits');
    expect(exitOf(new Error('a bug'))).to.equal('unexpected');
  });
});
