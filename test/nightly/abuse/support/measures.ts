import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// `--import` loads this file into the service under test. On SIGUSR2, the service collects garbage, and prints the
// memory in use and the number of open connections.

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  // Twice, because some objects are only freed by the second collection.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  process.stderr.write(`measured ${JSON.stringify({ memory: (heapUsed + external) / 2 ** 20, sockets })}\n`);
});
