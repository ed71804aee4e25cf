import type { Streams } from '../program.js';

const WIDTH = 30;

/** Draws a progress bar on a terminal. Without a terminal, prints a line for every 10 %. */
export function progressBar(out: Streams['stdout']): (done: number) => void {
  let lastStep = -1;
  return (done) => {
    const step = Math.floor(done * (out.isTTY ? 100 : 10));
    if (step === lastStep) return;
    lastStep = step;
    if (!out.isTTY) {
      out.write(`${step * 10} %\n`);
      return;
    }
    const filled = Math.round(done * WIDTH);
    out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${step} %${done < 1 ? '' : '\n'}`);
  };
}
