import { monitorEventLoopDelay } from 'node:perf_hooks';

// `--import` loads this file into the service under test. On SIGUSR2 it prints the maximum delay of the event loop
// since the last print.

const delay = monitorEventLoopDelay({ resolution: 2 });
delay.enable();
process.on('SIGUSR2', () => {
  process.stderr.write(`event loop blocked for ${(delay.max / 1e6).toFixed(1)} ms\n`);
  delay.reset();
});
