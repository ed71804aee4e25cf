import { interruption, runProgram } from './cli/program.js';
import { serviceUntil } from './cli/serve.js';

await runProgram(serviceUntil(interruption()));
