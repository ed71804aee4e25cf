import { checkConfigCommand } from './commands/check-config.js';
import { runProgram } from './program.js';

await runProgram(checkConfigCommand);
