import { expect } from 'chai';
import type { Ask, World } from '../world.js';

/** Checks that `path` allows `max` requests, refuses the next and allows one again after Retry-After seconds. */
export async function expectLimit(world: World, path: string, max: number, options: Ask): Promise<void> {
  for (let i = 1; i <= max; i++) {
    const { status, body } = await world.ask('GET', path, options);
    expect(status, `request ${i}: ${JSON.stringify(body)}`).to.equal(200);
  }
  const refused = await world.ask('GET', path, options);
  expect(refused.status).to.equal(429);
  expect(refused.body.error).to.equal('Too many requests');
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).to.be.within(1, 60);
  expect(refused.body.retryAfter).to.equal(seconds);
  world.clock.advance(seconds * 1000);
  expect((await world.ask('GET', path, options)).status).to.equal(200);
}
