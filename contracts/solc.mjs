// Gives solc-js the two faces of the solc command that forge uses: --version, and standard JSON from stdin to stdout.
import { readFileSync, writeSync } from 'node:fs';
import solc from 'solc';

function print(text) {
  // A pipe takes a large output in parts, and may refuse for a moment while it is full.
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

if (process.argv.includes('--version')) {
  // forge reads the name of a platform that it knows.
  print(`solc, the solidity compiler\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}\n`);
} else {
  print(solc.compile(readFileSync(0, 'utf8')));
}
