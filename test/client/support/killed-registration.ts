// A process that registers its wallet and kills itself at a step. It prints the key before it closes the registration.
import { stepping } from './steps.js';

const { curvet, exitCode } = stepping();
const { id, apiKey } = await curvet.register({ name: process.env.NAME ?? '', hold: true });
process.stdout.write(`registered ${apiKey}\n`);
await curvet.trade.close(id);
process.exitCode = exitCode();
