import { main } from './commands/moderate.js';
import { runProgram } from './program.js';

await runProgram(main);
