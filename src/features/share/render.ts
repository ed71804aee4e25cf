import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { type Deps, serialQueue } from '../../deps.js';
import { AppError } from '../../errors.js';
import { once } from '../../server/http/assets.js';
import { type Bytes, bytesOf } from '../../server/http/public-answer.js';
import type { Times } from '../../times.js';
import type { Task } from './render-worker.js';

/** Number of pictures that may wait: twice as many as an address may ask for in a minute. The last waits for a few seconds. */
const MAX_WAITING = 40;

const WORKER = new URL('render-worker.js', import.meta.url);
const PROGRAM = createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm');

/** Returns a function that renders SVG to PNG, one picture at a time, so that pictures take one processor at most. */
export function renderer({ caches, times }: Pick<Deps, 'caches' | 'times'>): (svg: string) => Promise<Bytes> {
  const queue = serialQueue();
  // Threads share the compiled program and what V8 has optimised in it. Each would otherwise take three times as long.
  const compiled = once(async () => WebAssembly.compile(await readFile(PROGRAM)));
  let waiting = 0;
  const enqueue = async (svg: string): Promise<Bytes> => {
    if (waiting >= MAX_WAITING) throw new AppError('PICTURES_BUSY');
    waiting++;
    try {
      return bytesOf(await queue(async () => render({ program: await compiled(), svg }, times)));
    } finally {
      waiting--;
    }
  };
  // The key is the drawing itself, so a cached picture is never out of date.
  return (svg) =>
    caches.pictures.get(
      svg,
      () => enqueue(svg),
      ({ bytes }) => bytes.length + svg.length,
    );
}

function render(task: Task, times: Times): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task });
    const cancel = times.after(times.picture, () => void worker.terminate());
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      cancel();
      // The time was up. After a picture or an error this does nothing.
      reject(new AppError('PICTURES_BUSY'));
    });
  });
}
