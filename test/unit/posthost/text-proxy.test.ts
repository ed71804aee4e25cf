import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { PostHostUnavailable } from '../../../src/posthost/post-host.js';
import { type TextProxyOptions, textProxy } from '../../../src/posthost/text-proxy.js';
import { thrownBy } from '../../support/refused.js';
import { listen } from '../../support/service/listen.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes, testTimes } from '../../support/times.js';

const POST = 'https://x.com/alice/status/123';
const CODE = 'CURVET-AB12';

describe('the text proxy', () => {
  let server: Server;
  let url: string;
  let handle: RequestListener;
  let requests: string[];

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      handle(request, response);
    });
    url = await listen(server);
  });
  beforeEach(() => {
    requests = [];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const proxy = (options: Partial<TextProxyOptions> = {}) =>
    textProxy({ template: `${url}/read?url={url}`, plain: false, times: testTimes, ...options });
  const typed = (type: string, body: string, status = 200) => {
    handle = (_, response) => response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
  };
  const untyped = (body: string) => typed('', body);
  const answer = (body: unknown, status?: number) => typed('application/json; charset=utf-8', JSON.stringify(body), status);
  const unavailable = async (reading: Promise<unknown>) => {
    expect(await thrownBy(reading)).to.be.instanceOf(PostHostUnavailable);
  };

  it('requests the encoded URL of the post once', async () => {
    answer({ author: 'alice', text: 'x' });
    await proxy().read(POST);
    expect(requests).to.deep.equal(['/read?url=https%3A%2F%2Fx.com%2Falice%2Fstatus%2F123']);
  });

  describe('with an oEmbed answer', () => {
    // `author_url` has priority over `author`, and `author_name` is not read: anybody can choose this display name.
    const authors: [answer: object, author: string][] = [
      [{ author_url: 'https://x.com/Alice' }, 'Alice'],
      [{ author_url: 'https://twitter.com/alice/?ref=1#top' }, 'alice'],
      [{ author_url: 'https://x.com/@alice' }, 'alice'],
      [{ author: 'alice' }, 'alice'],
      [{ author: '@alice' }, 'alice'],
      [{ author_url: 'https://x.com/alice', author: 'mallory', author_name: 'Mallory' }, 'alice'],
      [{ author_url: null, author: 'alice' }, 'alice'],
    ];
    for (const [fields, author] of authors) {
      it(`returns the author ${author} from ${JSON.stringify(fields)}`, async () => {
        answer({ ...fields, text: CODE });
        expect(await proxy().read(POST)).to.deep.equal({ author, text: CODE });
      });
    }

    it('converts the HTML to text, but prefers the text', async () => {
      answer({ author: 'alice', html: '<p>html</p>' });
      expect((await proxy().read(POST))?.text).to.equal('\nhtml\n');
      answer({ author: 'alice', html: '<p>html</p>', text: 'text' });
      expect((await proxy().read(POST))?.text).to.equal('text');
    });

    it('accepts an answer without a content type', async () => {
      untyped(JSON.stringify({ author: 'alice', text: CODE }));
      expect(await proxy().read(POST)).to.deep.equal({ author: 'alice', text: CODE });
    });
  });

  describe('with an answer without an author', () => {
    // A plain answer has no author, even if its text is JSON that names one.
    const code = JSON.stringify({ author: 'alice', text: CODE });
    for (const [what, give, text] of [
      ['plain text', () => typed('text/plain', code), code],
      ['a text without a type', () => untyped(CODE), CODE],
      ['JSON', () => answer({ text: CODE }), CODE],
      ['JSON of empty names', () => answer({ author_url: '', author: '@', text: CODE }), CODE],
    ] as const) {
      it(`is unavailable by default, and reads ${what} when plain answers are allowed`, async () => {
        give();
        await unavailable(proxy().read(POST));
        expect(await proxy({ plain: true }).read(POST)).to.deep.equal({ author: null, text });
      });
    }
  });

  it('returns null for a missing post', async () => {
    for (const status of [404, 410]) {
      answer({ author: 'alice', text: CODE }, status);
      expect(await proxy().read(POST), String(status)).to.equal(null);
    }
  });

  describe('is unavailable', () => {
    for (const status of [204, 304, 400, 401, 403, 429, 500, 503]) {
      it(`when the proxy answers ${status} with any body`, async () => {
        answer({ author: 'alice', text: CODE }, status);
        await unavailable(proxy().read(POST));
      });
    }

    for (const [type, ...bodies] of [
      ['application/json', '', 'nonsense', 'null', '[]', '"text"', '{}', '{"author":"alice","text":1}'],
      ['text/html', `<p>${CODE}</p>`],
    ] as const) {
      for (const body of bodies) {
        it(`when an answer of type ${type} has the body '${body}'`, async () => {
          typed(type, body);
          await unavailable(proxy({ plain: true }).read(POST));
        });
      }
    }

    it('when the connection is refused', () => unavailable(proxy({ template: 'http://127.0.0.1:1/{url}' }).read(POST)));

    it('when the connection breaks', async () => {
      handle = (request) => request.socket.destroy();
      await unavailable(proxy().read(POST));
    });
  });

  describe('is unavailable after the timeout', () => {
    const timedOut = async (reading: Promise<unknown>) => {
      const error = await thrownBy(reading);
      expect(error).to.be.instanceOf(PostHostUnavailable).with.nested.property('cause.message', 'no answer in time');
    };

    it('when no headers arrive', async () => {
      const times = manualTimes();
      handle = () => undefined;
      const reading = proxy({ times }).read(POST);
      await eventually(() => requests.length === 1, 'no request arrived');
      expect(times.waiting).to.deep.equal([times.textProxy]);
      times.advance(times.textProxy);
      await timedOut(reading);
    });

    it('when the body is incomplete although data keeps arriving', async () => {
      const times = manualTimes();
      const sent = Promise.withResolvers<ServerResponse>();
      handle = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
        sent.resolve(response);
      };
      let arrived = 0;
      // Each part of the body takes a second. The server sends the next part when this one has arrived.
      const dripping: typeof fetch = async (...asked) => {
        const { body, headers } = await fetch(...asked);
        const server = await sent.promise;
        const drip = new TransformStream({
          transform(chunk, controller) {
            arrived++;
            times.advance(1000);
            controller.enqueue(chunk);
            server.write(' ');
          },
        });
        return new Response(body?.pipeThrough(drip), { headers });
      };
      await timedOut(proxy({ times, fetch: dripping }).read(POST));
      expect(arrived).to.equal(times.textProxy / 1000);
    });

    it('when the redirects together take too long', async () => {
      const times = manualTimes();
      handle = (_, response) => {
        // The timeout is 5 seconds for all requests together, so it ends the third one.
        times.advance(2000);
        response.writeHead(302, { location: `/${requests.length}` }).end();
      };
      await timedOut(proxy({ times }).read(POST));
      expect(requests).to.have.length(3);
    });
  });

  describe('with a limit of 256 KB', () => {
    const sized = (bytes: number) => JSON.stringify({ author: 'alice', text: CODE }).padEnd(bytes);

    it('accepts exactly 256 KB and no more', async () => {
      untyped(sized(256 * 1024));
      expect((await proxy().read(POST))?.text).to.equal(CODE);
      untyped(sized(256 * 1024 + 1));
      await unavailable(proxy().read(POST));
    });

    it('closes the connection of an endless body', async () => {
      let closed: Promise<unknown> | undefined;
      handle = (_, response) => {
        closed = once(response, 'close');
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
        };
        response.on('drain', more);
        more();
      };
      await unavailable(proxy().read(POST));
      await closed;
    });
  });

  describe('with redirects', () => {
    /** Redirects the requests to these targets in turn, and then answers. */
    const redirect = (...targets: readonly string[]) => {
      handle = (_, response) => {
        const location = targets[requests.length - 1];
        response.writeHead(location === undefined ? 200 : 302, location === undefined ? {} : { location });
        response.end(JSON.stringify({ author: 'alice', text: CODE }));
      };
    };

    it('follows three redirects on the same host, to paths and to whole URLs', async () => {
      redirect('/1', `${url}/2`, '/3');
      expect((await proxy().read(POST))?.text).to.equal(CODE);
      expect(requests.slice(1)).to.deep.equal(['/1', '/2', '/3']);
    });

    it('does not follow a fourth redirect', async () => {
      redirect('/1', '/2', '/3', '/4');
      await unavailable(proxy().read(POST));
      expect(requests).to.have.length(4);
    });

    const elsewhere: [string, () => string][] = [
      ['another host', () => `http://localhost:${new URL(url).port}/`],
      ['another host without a scheme', () => `//localhost:${new URL(url).port}/`],
      ['another port', () => `http://127.0.0.1:${Number(new URL(url).port) + 1}/`],
      ['another scheme', () => url.replace('http', 'ftp')],
      ['an invalid URL', () => 'http://['],
    ];
    for (const [name, target] of elsewhere) {
      it(`does not follow a redirect to ${name}`, async () => {
        redirect(target());
        await unavailable(proxy().read(POST));
        expect(requests).to.have.length(1);
      });
    }

    it('follows a redirect from http to https, but not back', async () => {
      const asked: string[] = [];
      const [http, https] = ['http://proxy.example/', 'https://proxy.example/'];
      /** Reads a post through a proxy at `template` that redirects to `location`. */
      const reading = (template: string, location: string) => {
        const scripted: typeof fetch = async (input) => {
          asked.push(String(input));
          if (String(input) === location) return Response.json({ author: 'alice', text: CODE });
          return new Response(null, { status: 301, headers: { location } });
        };
        return proxy({ template, fetch: scripted }).read(POST);
      };
      expect((await reading(http, https))?.text).to.equal(CODE);
      await unavailable(reading(https, http));
      expect(asked).to.deep.equal([http, https, https]);
    });
  });
});
