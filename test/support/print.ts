/** Prints a figure of a test of the night below its title. */
export const print = (line: string): void => void process.stdout.write(`      ${line}\n`);
