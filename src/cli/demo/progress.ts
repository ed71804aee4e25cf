const WIDTH = 30;

/** A bar that fills up on a terminal; elsewhere, where a line cannot be written over, a line for each tenth. */
export function progressBar(out: NodeJS.WriteStream): (done: number) => void {
  let shown = -1;
  return (done) => {
    const step = Math.floor(done * (out.isTTY ? 100 : 10));
    if (step === shown) return;
    shown = step;
    if (!out.isTTY) {
      out.write(`${step * 10} %\n`);
      return;
    }
    const filled = Math.round(done * WIDTH);
    out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${step} %${done < 1 ? '' : '\n'}`);
  };
}
