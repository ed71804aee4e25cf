// A solc command for forge, based on solc-js. Supports what forge uses: --version, and standard JSON from stdin to
// stdout.
import { readFileSync, writeSync } from 'node:fs';
import solc from 'solc';

function print(text) {
  // A pipe accepts a large output in parts. While it is full, a write fails with EAGAIN.
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

if (process.argv.includes('--version')) {
  // forge expects the name of a platform that it supports.
  print(`solc, the solidity compiler\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}\n`);
} else {
  print(solc.compile(readFileSync(0, 'utf8')));
}
