import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// `--import` loads this file into the service under test. On SIGUSR2 it collects garbage and prints the memory that is
// left.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`measured ${(heapUsed + external) / 2 ** 20}\n`);
});
