import type { Compiled } from '../../../scripts/compile.js';
import { committedBuild } from '../../../scripts/deployment/build.js';
import { deployWith } from '../../../scripts/deployment/deploy.js';
import { verifyWith } from '../../../scripts/deployment/verify.js';
import { drawHex } from '../seed.js';

/**
 * Matches the line of stderr after a deployment was sent. Its groups are the hash of the transaction and the address of the
 * contract.
 */
export const announced = /^Sending transaction (0x[0-9a-f]{64}), which deploys the contract at (0x[0-9a-f]{40})\n/;

let compiled: Compiled | undefined;
/** The compiled contract. Compiling takes two seconds, so each process compiles only once. */
const build = (): Compiled => (compiled ??= committedBuild());

/** The program of `npm run deploy:contract`. */
export const deployMain = deployWith(build);
/** The program of `npm run verify:contract`. */
export const verifyMain = verifyWith(build);

/** A salt that no other test uses, so that its contract does not exist yet. */
export const freshSalt = (): string => drawHex(32);
