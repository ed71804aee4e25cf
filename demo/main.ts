import { interruption, runProgram } from '../src/cli/program.js';
import { demoUntil } from './command.js';

await runProgram(demoUntil(interruption()));
