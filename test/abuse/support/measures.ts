import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// `--import` loads this file into the service under test. On SIGUSR2 it collects garbage and prints the memory that is
// left, and the maximum delay of the event loop since the last print.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const delay = monitorEventLoopDelay({ resolution: 2 });
delay.enable();
process.on('SIGUSR2', () => {
  const blocked = delay.max / 1e6;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  delay.reset();
  process.stderr.write(`measured ${JSON.stringify({ memory: (heapUsed + external) / 2 ** 20, blocked })}\n`);
});
