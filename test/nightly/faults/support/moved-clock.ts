import { readFileSync } from 'node:fs';

// `--import` loads this file into the service under test. It moves the clock of that process by the milliseconds in the file
// CLOCK_FILE. On SIGUSR2, it reads the file again, so the clock jumps. Timers are not affected, as on a real machine. The second
// number in the file is the number of the jump, which is printed after the jump.

const RealDate = Date;
const now = RealDate.now.bind(RealDate);
const read = (): number[] =>
  readFileSync(process.env.CLOCK_FILE ?? '', 'utf8')
    .split(' ')
    .map(Number);
let [offset = 0] = read();
process.on('SIGUSR2', () => {
  const [milliseconds = 0, jump] = read();
  offset = milliseconds;
  process.stderr.write(`clock jump ${jump}\n`);
});

const MovedDate = new Proxy(RealDate, {
  construct: (target, values, newTarget) => Reflect.construct(target, values.length > 0 ? values : [now() + offset], newTarget),
  apply: () => new RealDate(now() + offset).toString(),
  get: (target, name) => (name === 'now' ? () => now() + offset : Reflect.get(target, name)),
});
RealDate.prototype.constructor = MovedDate;
globalThis.Date = MovedDate;
