import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../print.js';

/** Enough for the data directory of a service or of PostgreSQL, and quickly filled. */
const DISK_MB = 160;

/** A small file system in memory, which a test fills. */
export class SmallDisk {
  private constructor(readonly directory: string) {}

  /** Mounts a small disk. undefined if this user may not mount, so that the test can be skipped. */
  static mount(): SmallDisk | undefined {
    const directory = mkdtempSync(join(tmpdir(), 'curvet-disk-'));
    const options = ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=0700`, 'curvet-faults', directory];
    if (process.getuid?.() === 0 && spawnSync('mount', options).status === 0) return new SmallDisk(directory);
    rmSync(directory, { recursive: true, force: true });
    print('skipped: a small file system needs root and the right to mount it');
    return undefined;
  }

  /** Fills the disk to its last page. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (let size = 1024 * 1024; size >= 4096; ) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch {
          size /= 4;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  /** Deletes the file of `fill`, so that the disk has room again. */
  free(): void {
    rmSync(this.#filler);
  }

  remount(mode: 'ro' | 'rw'): number | null {
    return spawnSync('mount', ['-o', `remount,${mode}`, this.directory]).status;
  }

  unmount(): void {
    // `-l` also unmounts while a process still has a file open.
    spawnSync('umount', ['-l', this.directory]);
    rmSync(this.directory, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.directory, 'filler');
  }
}
