import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { createProxy } from '../../../scripts/cluster/proxy.js';
import { listen } from '../../support/service/listen.js';

describe('the proxy of a cluster', () => {
  const servers: Server[] = [];
  const opened = (server: Server): Promise<string> => {
    servers.push(server);
    return listen(server);
  };
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  /** Starts a service that answers with its name, what it received, and the address of the client. */
  const echo = (name: string): Promise<string> =>
    opened(
      createServer(async (req, res) => {
        let body = '';
        for await (const chunk of req) body += chunk;
        res.setHeader('x-service', name);
        res.end(JSON.stringify({ url: req.url, body, from: req.headers['x-forwarded-for'] }));
      }),
    );

  it('sends requests to the services in turn, with the address of the client', async () => {
    const urls = [await echo('a'), await echo('b')];
    const proxy = await opened(createProxy(() => urls.map((url) => ({ url, isAlive: true }))));
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await fetch(`${proxy}/p?q=1`, { method: 'POST', body: `body ${i}` }));
    expect(answers.map(({ headers }) => headers.get('x-service'))).to.deep.equal(['a', 'b', 'a', 'b']);
    expect(await answers[3]?.json()).to.deep.equal({ url: '/p?q=1', body: 'body 3', from: '127.0.0.1' });
    const forged = await fetch(proxy, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(((await forged.json()) as { from: string }).from).to.equal('192.0.2.1, 127.0.0.1');
  });
});
