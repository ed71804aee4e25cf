import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export const p99 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) * 0.99)] ?? 0;

/** Returns the durations of sequential requests that start at least 20 ms apart. */
export async function timesOf(url: string, milliseconds: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    const began = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - began);
    await sleep(Math.max(0, 20 - (times.at(-1) ?? 0)));
  }
  return times;
}

/** A server without work. Its response time measures the load of the machine and of this process. */
export type IdleServer = { readonly url: string; end(): void };

export async function startIdleServer(): Promise<IdleServer> {
  const program = `require('http').createServer((_, res) => res.end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;
  const idle = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(idle.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}/`, end: () => void idle.kill() };
}
