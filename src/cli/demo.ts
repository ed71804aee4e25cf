import { demoUntil } from './commands/demo.js';
import { interruption, runProgram } from './program.js';

await runProgram(demoUntil(interruption()));
