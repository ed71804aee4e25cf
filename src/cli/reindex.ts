import { reindexUntil } from './commands/reindex.js';
import { interruption, runProgram } from './program.js';

await runProgram(reindexUntil(interruption()));
