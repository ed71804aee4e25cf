import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshDirectory, type Running } from '../../../support/service/process.js';

/** The clock of one process of the service, which reads it from a file (`moved-clock.ts`). A test can move it. */
export class ClockFile {
  readonly #file = join(freshDirectory(), 'clock');
  #jumps = 0;

  /** `offset` is the number of milliseconds by which the clock is ahead. */
  constructor(offset = 0) {
    this.#write(offset);
  }

  /** The environment variables that give this clock to a process. */
  get env(): Record<string, string> {
    const program = pathToFileURL(join(import.meta.dirname, 'moved-clock.js'));
    return { CLOCK_FILE: this.#file, NODE_OPTIONS: `--import ${program}` };
  }

  /** Changes the offset of the clock of a running process, and waits until the process uses it. */
  async jump(service: Running, offset: number): Promise<void> {
    this.#jumps++;
    this.#write(offset);
    service.kill('SIGUSR2');
    const told = `clock jump ${this.#jumps}\n`;
    await service.until(() => service.stderr.includes(told), 'the clock does not jump');
  }

  #write(offset: number): void {
    writeFileSync(this.#file, `${offset} ${this.#jumps}`);
  }
}
