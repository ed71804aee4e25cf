import { moderateCommand } from './commands/moderate.js';
import { runProgram } from './program.js';

await runProgram(moderateCommand);
