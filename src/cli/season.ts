import { seasonCommand } from './commands/season.js';
import { runProgram } from './program.js';

await runProgram(seasonCommand);
