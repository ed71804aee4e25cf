import { expect } from 'chai';
import { print } from '../../support/print.js';
import { describeAbuse, freshAddress } from './support/abused-service.js';
import { closeClients, RawClient } from './support/raw-client.js';

const head = (method: string, path: string, ...lines: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
const JSON_TYPE = 'Content-Type: application/json';

describeAbuse('the service under malformed and endless HTTP', closeClients, (service) => {
  const open = (first: string | Buffer = '', from = freshAddress()): RawClient => new RawClient(service().port, from, first);
  /** Sends the bytes, waits until the service closes the connection or for `maxMs`, and returns the statuses of the answers. */
  const statusesOf = async (bytes: string | Buffer, maxMs = 3000): Promise<number[]> =>
    (await open(bytes).untilClosed(maxMs)).statuses;

  it('ends endless bodies soon, whatever the path reads', async () => {
    // A chunk of 16 KiB. Its size is written in hexadecimal.
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    const requests = [
      head('POST', '/api/agents', JSON_TYPE, 'Transfer-Encoding: chunked'),
      head('POST', '/graphql', JSON_TYPE, 'Transfer-Encoding: chunked'),
      head('POST', '/api/feed', JSON_TYPE, 'Transfer-Encoding: chunked'),
      head('POST', '/mcp', JSON_TYPE, 'Transfer-Encoding: chunked'),
      head('GET', '/health', 'Transfer-Encoding: chunked'),
      head('GET', '/api/agents', 'Transfer-Encoding: chunked'),
      head('GET', '/nothing', 'Transfer-Encoding: chunked'),
      head('POST', '/graphql', JSON_TYPE, `Content-Length: ${2 ** 40}`),
      head('POST', '/mcp', JSON_TYPE, `Content-Length: ${2 ** 40}`),
      head('GET', '/api/agents', `Content-Length: ${2 ** 40}`),
    ];
    const clients = requests.map((request) => open(request));
    // A chunk every 5 ms, for at most 40 s.
    await Promise.all(clients.map((client) => client.repeat(chunk, 5, 40_000)));
    const told = clients.map(({ statuses, lifetime, sentBytes }, i) => ({
      request: requests[i]?.split(' HTTP')[0],
      statuses,
      lifetime,
      sentBytes,
    }));
    // A client that is still sending may get the reset of its connection before it has read
    // the answer. So only most of them must have one.
    const answered = told.filter(({ statuses }) => statuses.length > 0);
    expect(answered.length, JSON.stringify(told)).to.be.greaterThan(told.length / 2);
    for (const { lifetime, sentBytes } of told) {
      expect(lifetime, JSON.stringify(told)).to.be.below(5000);
      expect(sentBytes).to.be.greaterThan(0);
    }
    print(`longest endless body: ${Math.round(Math.max(...told.map(({ lifetime }) => lifetime)))} ms`);
  });

  it('refuses 10,000 headers, oversized headers, and headers that two servers may read differently', async () => {
    const tiny = Array.from({ length: 10_000 }, (_, i) => `h${i}: 1`);
    const bad: Record<string, string> = {
      '10,000 headers': head('GET', '/health', ...tiny),
      'one header of 100 KB': head('GET', '/health', `X: ${'x'.repeat(100_000)}`),
      'a path of 100 KB': head('GET', `/${'x'.repeat(100_000)}`),
      'both lengths': `${head('POST', '/graphql', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      'two lengths': `${head('POST', '/graphql', 'Content-Length: 2', 'Content-Length: 3')}{}x`,
      'an unknown coding': `${head('POST', '/graphql', 'Transfer-Encoding: xchunked')}0\r\n\r\n`,
      'a space before the colon': head('POST', '/graphql', 'Content-Length : 2'),
      'a negative length': head('POST', '/graphql', 'Content-Length: -1'),
      'a length that is no number': head('POST', '/graphql', 'Content-Length: 0x10'),
      'a null byte': head('GET', '/health', 'X: a\0b'),
      'a line feed alone': 'GET /health HTTP/1.1\nHost: x\n\n',
      'a folded header': head('GET', '/health', 'X: a', ' b'),
      'a chunk size that overflows': `${head('POST', '/graphql', JSON_TYPE, 'Transfer-Encoding: chunked')}FFFFFFFFFFFFFFFFFF\r\n`,
      'an endless chunk extension': `${head('POST', '/graphql', JSON_TYPE, 'Transfer-Encoding: chunked')}1;${'a'.repeat(100_000)}`,
      'endless trailers': `${head('POST', '/graphql', JSON_TYPE, 'Transfer-Encoding: chunked')}0\r\n${'T: x\r\n'.repeat(20_000)}`,
      'another protocol': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'a Host header with a space': 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n',
    };
    const got = await Promise.all(Object.entries(bad).map(async ([name, bytes]) => [name, await statusesOf(bytes)] as const));
    const wrong = got.filter(([, statuses]) => statuses.length !== 1 || statuses[0] !== 400);
    expect(wrong).to.deep.equal([]);
  });

  it('answers a hundred small headers, refuses a thousand, and takes special names as plain data', async () => {
    const many = (count: number) => head('GET', '/api/agents', ...Array(count).fill('a:'), 'Connection: close');
    expect(await statusesOf(many(100))).to.deep.equal([200]);
    expect(await statusesOf(many(1000))).to.deep.equal([400]);
    const names = ['__proto__: x', 'constructor: x', 'toString: x', 'X-Api-Key: a', 'X-Api-Key: b', 'Connection: close'];
    expect(await statusesOf(head('GET', '/api/agents', ...names))).to.deep.equal([401]);
  });

  it('uses little memory for clients that pipeline requests and never read the answers', async () => {
    const before_ = await service().measure();
    for (let i = 0; i < 20; i++) open(head('GET', '/docs').repeat(50)).stopReading();
    for (let i = 0; i < 20; i++) open(head('GET', '/openapi.json').repeat(50)).stopReading();
    await service().expectServing();
    const growth = (await service().measure()).memory - before_.memory;
    expect(growth, 'megabytes').to.be.below(120);
    print(`40 clients that read nothing: ${growth.toFixed(1)} MB`);
  });

  it('answers unusual methods, targets and upgrades without a fault', async () => {
    const requests = [
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
      head('TRACE', '/', 'Connection: close'),
      head('OPTIONS', '*', 'Connection: close'),
      head('GET', 'http://elsewhere.example/health', 'Connection: close'),
      head('GET', '//elsewhere.example/health', 'Connection: close'),
      head('GET', '/%', 'Connection: close'),
      head('GET', '/%ff%fe?%ff=%c0', 'Connection: close'),
      head('GET', '/api/agents/%00', 'Connection: close'),
      head('GET', '/health', 'Connection: close', 'Expect: 200-ok'),
      head('GET', '/health', 'Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
      head('GET', '/graphql', 'Connection: Upgrade', 'Upgrade: websocket'),
      head('POST', '/graphql', 'Connection: Upgrade', 'Upgrade: websocket', 'Content-Length: 2', JSON_TYPE),
      head('GET', '/health', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: eA=='),
    ];
    const got = await Promise.all(requests.map(async (request) => [request.split('\r\n')[0], await statusesOf(request)] as const));
    // The service may close a CONNECT without an answer (status 0).
    const wrong = got.filter(([line, [status = 0]]) => status >= 500 || (status === 0 && !line?.startsWith('CONNECT')));
    expect(wrong).to.deep.equal([]);
  });

  it('takes special keys of JSON as plain data', async () => {
    const answer = async (path: string, body: string): Promise<string> => {
      const lines = [JSON_TYPE, `Content-Length: ${body.length}`, 'Connection: close'];
      return (await open(head('POST', path, ...lines) + body).untilClosed(3000)).text;
    };
    const variables = '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"a":"x"}';
    const proto = `{"__proto__":{"query":"{ nothing }"},"query":"query ($a: String!) { nameAvailability(name: $a) { available } }","variables":${variables}}`;
    expect(await answer('/graphql', proto)).to.include('"available":');
    expect(await answer('/graphql', '{"__proto__":{"query":"{ __typename }"}}')).to.include('BAD_REQUEST');
    expect(await answer('/api/agents', '{"__proto__":{"name":"Ada"},"walletAddress":"x"}')).to.include(
      'Missing required field: name',
    );
  });
});
