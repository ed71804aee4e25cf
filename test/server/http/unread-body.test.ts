import { expect } from 'chai';
import { talk } from '../../support/service/raw-requests.js';
import { useWorld } from '../../support/world.js';

describe('a request whose body is not read', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('gets an answer that closes the connection; other requests do not', async () => {
    const get = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
    for (const path of ['/health', '/api/agents', '/docs']) {
      const endless = await talk(world.url, `${get(path, 'Transfer-Encoding: chunked')}1\r\nx\r\n`);
      expect(endless, path)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.match(/\r\nConnection: close\r\n/);
      // The second answer comes from the cache. The last request asks for the end of the connection.
      const thrice = await talk(world.url, get(path) + get(path) + get(path, 'Connection: close'));
      const closes = thrice.split('HTTP/1.1 200 ').map((answer) => answer.includes('\r\nConnection: close\r\n'));
      expect(closes.slice(1), path).to.deep.equal([false, false, true]);
    }
  });
});
