// Renders SVG text to PNG in a worker thread. Each picture gets a new thread, so a crash or a memory leak of the renderer ends
// with that thread. The renderer is WebAssembly, which can reach neither files nor the network.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

import resvg = require('@resvg/resvg-wasm');

import { FONT } from './drawing.js';

/** What a thread gets: the compiled renderer, and the SVG text of the picture. */
export type Task = { readonly program: WebAssembly.Module; readonly svg: string };

const { resolve } = createRequire(import.meta.url);
const font = (weight: string) => readFile(resolve(`@expo-google-fonts/manrope/${weight}/${FONT}_${weight}.ttf`));

const { program, svg } = workerData as Task;
await resvg.initWasm(program);
const fontBuffers = await Promise.all(['500Medium', '700Bold'].map(font));
const drawing = new resvg.Resvg(svg, { font: { fontBuffers, loadSystemFonts: false, defaultFontFamily: FONT } });
parentPort?.postMessage(drawing.render().asPng());
