import { once } from 'node:events';
import { expect } from 'chai';
import WebSocket from 'ws';
import { readConfig } from '../../../../src/config/config.js';
import { withParts } from '../../../support/parts.js';
import { useWorld, type World } from '../../../support/world.js';

const headers = { 'x-forwarded-for': '203.0.113.9' };

describe('X-Forwarded-For', () => {
  const world = useWorld();
  const untrusting = { config: readConfig({}) };
  const trusting = { config: readConfig({ TRUST_PROXY: '1' }) };
  const warnings = () =>
    world.logged.filter(({ level, msg }) => level === 40 && /X-Forwarded-For.*TRUST_PROXY is 0/.test(String(msg))).length;
  const connect = async ({ url }: World) => {
    const socket = new WebSocket(url.replace('http', 'ws').concat('/graphql'), 'graphql-transport-ws', { headers });
    await once(socket, 'open');
    socket.terminate();
  };

  afterEach(() => world.logged.splice(0));

  it('causes one warning if no proxy is trusted, however many requests carry it', async () => {
    await withParts(world, untrusting, async (other) => {
      await other.ask('GET', '/health');
      expect(warnings()).to.equal(0);
      for (const path of ['/api/agents', '/nowhere', '/health']) await other.ask('GET', path, { headers });
      await connect(other);
      expect(warnings()).to.equal(1);
    });
  });

  it('causes the warning also over WebSocket', async () => {
    await withParts(world, untrusting, async (other) => {
      await connect(other);
      expect(warnings()).to.equal(1);
    });
  });

  it('causes no warning behind a trusted proxy', async () => {
    await withParts(world, trusting, async (other) => {
      await other.ask('GET', '/health', { headers });
      await connect(other);
      expect(warnings()).to.equal(0);
    });
  });
});
