/** Prints a figure of a nightly test below the title of the test. */
export const print = (line: string): void => void process.stdout.write(`      ${line}\n`);
