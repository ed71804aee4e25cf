import { main } from './commands/season.js';
import { runProgram } from './program.js';

await runProgram(main);
