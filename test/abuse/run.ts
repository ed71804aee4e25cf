import { runSeeded } from '../support/seeded-run.js';

// Usage: npm run test:abuse -- [--seed N] [files]. The tests of sockets mostly wait, so two files run at the same time.

runSeeded('dist/test/abuse/*.abuse.js', 'ABUSE_SEED', ['--parallel', '--jobs', '2']);
