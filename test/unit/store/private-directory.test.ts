import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { lockDirectory, makePrivate } from '../../../src/store/data-directory.js';

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

describe('the protection of a data directory', () => {
  let place: string;
  let data: string;
  const add = (path: string, mode: number): string => {
    const file = join(data, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'content');
    chmodSync(file, mode);
    return file;
  };
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'curvet-private-'));
    data = join(place, 'data');
    mkdirSync(data, { mode: 0o700 });
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  it('removes the permissions of other users from the directory and the files of the service', () => {
    const wide: (readonly [path: string, mode: number, after: number])[] = [
      ['database/base/1/2', 0o644, 0o600],
      ['database/PG_VERSION', 0o640, 0o600],
      ['chain/state.json', 0o666, 0o600],
      ['chain/run', 0o755, 0o700],
      ['keys.json', 0o604, 0o600],
      ['mark', 0o440, 0o400],
      ...['', 'database', 'database/base', 'database/base/1', 'chain'].map((path) => [path, 0o755, 0o700] as const),
    ];
    for (const [path, mode] of wide) existsSync(join(data, path)) ? chmodSync(join(data, path), mode) : add(path, mode);
    const unchanged = add('lock', 0o600);
    const { ctimeMs } = lstatSync(unchanged);
    // The caller has to name these files. `makePrivate` knows the database and the chain, and leaves all other files alone.
    const own = ['keys.json', 'mark'];
    expect(makePrivate(data, own)).to.deep.equal({ corrected: wide.length, uncorrected: 0 });
    for (const [path, , after] of wide) expect(modeOf(join(data, path)), path).to.equal(after);
    expect(lstatSync(unchanged).ctimeMs).to.equal(ctimeMs);
    expect(makePrivate(data, own)).to.deep.equal({ corrected: 0, uncorrected: 0 });
  });

  it('does not follow symbolic links or change files of other programs', () => {
    const outside = join(place, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), '');
    for (const path of [outside, join(outside, 'file')]) chmodSync(path, 0o777);
    mkdirSync(join(data, 'chain'), { mode: 0o700 });
    symlinkSync(outside, join(data, 'database'));
    symlinkSync(join(outside, 'file'), join(data, 'chain', 'file'));
    symlinkSync(data, join(data, 'chain', 'loop'));
    const foreign = add('holiday.jpg', 0o644);
    expect(makePrivate(data)).to.deep.equal({ corrected: 0, uncorrected: 0 });
    for (const path of [outside, join(outside, 'file')]) expect(modeOf(path)).to.equal(0o777);
    expect(modeOf(foreign)).to.equal(0o644);
  });

  it('changes the target of DATA_DIR when it is a link, but not a shared directory with a sticky bit', () => {
    const link = join(place, 'link');
    symlinkSync(data, link);
    chmodSync(data, 0o755);
    expect(makePrivate(link)).to.deep.equal({ corrected: 1, uncorrected: 0 });
    expect(modeOf(data)).to.equal(0o700);
    chmodSync(data, 0o1777);
    const state = add('chain/state.json', 0o644);
    expect(makePrivate(data).corrected).to.be.above(0);
    expect([modeOf(data), modeOf(state)]).to.deep.equal([0o1777, 0o600]);
  });

  it('does not block on a named pipe', () => {
    mkdirSync(join(data, 'chain'), { mode: 0o700 });
    const pipe = join(data, 'chain', 'pipe');
    execFileSync('mkfifo', ['-m', '666', pipe]);
    expect(makePrivate(data)).to.deep.equal({ corrected: 1, uncorrected: 0 });
    expect(modeOf(pipe)).to.equal(0o600);
  });

  it('logs one line when it corrects permissions, and makes files private that are written later', () => {
    const before = process.umask(0);
    const lines: unknown[][] = [];
    const log = { warn: (...line: unknown[]) => lines.push(line) };
    try {
      add('chain/state.json', 0o644);
      chmodSync(join(data, 'chain'), 0o755);
      lockDirectory(data, log)();
      const text = 'DATA_DIR: 2 files and directories were open to other users of this machine; 2 of them are private now';
      expect(lines).to.deep.equal([[{ directory: data, corrected: 2, uncorrected: 0 }, text]]);
      lockDirectory(data, log)();
      expect(lines).to.have.length(1);
      const made = join(place, 'new', 'data');
      lockDirectory(made, log)();
      for (const path of [join(place, 'new'), made]) expect(modeOf(path)).to.equal(0o700);
      expect(modeOf(join(made, 'lock'))).to.equal(0o600);
      writeFileSync(join(made, 'later'), '');
      expect(modeOf(join(made, 'later'))).to.equal(0o600);
      execFileSync('touch', [join(made, 'of-a-child')]);
      expect(modeOf(join(made, 'of-a-child'))).to.equal(0o600);
      expect(lines).to.have.length(1);
      expect(readFileSync(join(data, 'chain', 'state.json'), 'utf8')).to.equal('content');
    } finally {
      process.umask(before);
    }
  });
});
