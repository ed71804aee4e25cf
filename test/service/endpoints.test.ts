import { expect } from 'chai';
import type { ZodType } from 'zod';
import { AppError, type ErrorCode } from '../../src/errors/errors.js';
import { isReserved } from '../../src/features/agents/rules.js';
import { fromTexts, metaOf } from '../../src/server/inputs.js';
import { limitsOf } from '../../src/server/openapi/limits.js';
import type { Endpoint } from '../../src/server/operation.js';
import { isProbe } from '../../src/server/rate-limits.js';
import { freshIp, refusal } from '../support/market/agents.js';
import { addListedAgent } from '../support/market/rows.js';
import { faultOfSuccess } from '../support/service/declared.js';
import { declared, EXTRA, examplesOf, nameOf, QUERY, sampleOf, urlOf } from '../support/service/samples.js';
import { useWorld } from '../support/world.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('every endpoint', () => {
  it('has a unique method and path', () => {
    expect(new Set(declared.map(nameOf)).size).to.equal(declared.length);
  });

  it('has a summary, a description and an example', () => {
    const lacking = declared.filter(({ summary, description, example }) => !summary || !description || !example?.response);
    expect(lacking.map(nameOf)).to.deep.equal([]);
  });

  it('needs a key if and only if it acts for an agent or shows private data', () => {
    const publicWrites = ['POST /api/agents', 'POST /api/agents/key', 'POST /api/agents/verify'];
    const isPrivate = (one: Endpoint) =>
      one.method === 'GET'
        ? /^\/api\/(agents\/(me|status)|tickets|notifications|heartbeat)\b/.test(one.path)
        : one.path.startsWith('/api/') && !publicWrites.includes(nameOf(one));
    const withKey = declared.filter(({ auth }) => auth === 'required');
    expect(withKey.map(nameOf)).to.deep.equal(declared.filter(isPrivate).map(nameOf));
  });

  it('has example responses of the declared shape', () => {
    const wrong = declared
      .flatMap((one) =>
        examplesOf(one).map(({ response }) => [
          nameOf(one),
          faultOfSuccess(one, { status: one.status ?? 200, body: { success: true, ...response } }),
        ]),
      )
      .filter(([, fault]) => fault);
    expect(wrong).to.deep.equal([]);
  });

  it('has example requests that its schemas accept', () => {
    const wrong = declared.flatMap((one) =>
      examplesOf(one).flatMap((example) => {
        const { query, body } = sampleOf(one, example.request);
        const unknown = Object.keys(example.request ?? {}).filter(
          (name) => ![one.params, one.query, one.body].some((fields) => name in (fields?.shape ?? {})),
        );
        const faults = [one.query?.safeParse(query).error?.message, one.body?.safeParse(body).error?.message];
        return [...unknown.map((name) => `no field ${name}`), ...faults].filter(Boolean).map((fault) => [nameOf(one), fault]);
      }),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('accepts addresses and transaction hashes in upper case, and converts them to lower case', () => {
    const shapes = declared.flatMap(({ params, query, body }) => [params?.shape, query?.shape, body?.shape]);
    const fields = shapes.flatMap((shape) => Object.values<ZodType>(shape ?? {}));
    for (const [code, digits] of Object.entries({ INVALID_ADDRESS: 40, INVALID_TX_HASH: 64 })) {
      const found = fields.filter((field) => metaOf(field).code === code);
      expect(found).to.have.length.above(2);
      for (const field of found) expect(field.parse(`0x${'A'.repeat(digits)}`)).to.equal(`0x${'a'.repeat(digits)}`);
    }
  });

  it('reserves each fixed segment of its path below /api/agents/, so that no agentId equals one', () => {
    const segments = declared
      .filter(({ path }) => path.startsWith('/api/agents/'))
      .flatMap(({ path }) => path.split('/').slice(3))
      .filter((segment) => !segment.startsWith('{'));
    expect(segments).to.include.members(['me', 'status', 'verify', 'follow', 'claim-info', 'followers', 'following']);
    expect(segments.filter((segment) => !isReserved(segment))).to.deep.equal([]);
  });
});

describe('the service', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  /** The same service with rate limits, for the test of their headers. */
  const limited = useWorld({ ...EXTRA, TRUST_PROXY: '1' });
  let key: string;
  let wallet: string;
  before(async () => {
    ({ key, wallet } = await addListedAgent(world));
  });
  /** The refusal of a value that does not have the form of its field. */
  const invalid = (field: string, schema: ZodType, code: ErrorCode) =>
    `400 ${new AppError(metaOf(schema).code ?? code, { field }).message}`;

  for (const one of declared) {
    const { path, query, body } = sampleOf(one);
    const url = urlOf(path, query);
    const right = () => (one.auth === 'none' ? undefined : key);
    /** Some endpoints ignore parameters unless an agent asks about itself. For these, the path names the agent of the key. */
    const ofOwner = (text: string) => (one.ignored ? text.replace('/scout/', `/${wallet}/`) : text);
    const ask = (given: { method?: string; url?: string; body?: unknown; key?: string | undefined }) =>
      world.ask(given.method ?? one.method, ofOwner(given.url ?? url), {
        headers: freshIp(),
        body: 'body' in given ? given.body : body,
        key: 'key' in given ? given.key : right(),
      });

    describe(`at ${nameOf(one)}`, () => {
      if (one.auth === 'required') {
        it('answers 401 without a key', async () => {
          expect(refusal(await ask({ key: undefined }))).to.equal('401 Missing API key');
        });
      }

      it(isProbe(path) ? 'ignores a wrong key' : 'refuses a wrong key, even if no key is needed', async () => {
        for (const wrong of ['A'.repeat(64), 'x']) {
          const answer = await ask({ key: wrong });
          if (isProbe(path)) expect(answer.status).to.equal(200);
          else expect(refusal(answer)).to.equal('401 Invalid API key');
        }
      });

      it(isProbe(path) ? 'answers a blocked IP address' : 'refuses even a valid key from a blocked IP address', async () => {
        const headers = freshIp();
        // Five wrong keys block an address.
        for (let i = 0; i < 5; i++) await world.ask('GET', '/api/agents/me', { headers, key: 'A'.repeat(64) });
        const answer = await world.ask(one.method, url, { headers, body, key });
        if (isProbe(path)) expect(answer.status).to.equal(200);
        else {
          expect(refusal(answer)).to.equal('429 Too many requests');
          expect(answer.headers.get('ratelimit-policy')).to.equal('"auth";q=5;w=900');
        }
      });

      it('sends the request id, the rate limits and the security headers', async () => {
        const answer = await limited.ask(one.method, url, { headers: freshIp(), body });
        const { headers } = answer;
        expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
        expect(headers.get('x-frame-options')).to.equal('DENY');
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('referrer-policy')).to.equal('strict-origin-when-cross-origin');
        expect(headers.get('content-security-policy')).to.match(/^default-src 'self'/);
        expect(headers.get('content-type')).to.match(/^application\/json/);
        const ipLimits = limitsOf(one).filter(({ per }) => per === 'ip');
        // A request without its required key is refused before the limits of the endpoint are known, but counts against the global
        // limit. A request that is refused for its form or its target counts only against the limit that many paths share:
        // `global`, `outside` or `dev`.
        const isFree = [400, 401, 403, 404, 405, 409].includes(answer.status);
        const rows =
          answer.status === 401
            ? [{ name: 'global', max: 20, seconds: 60 }]
            : ipLimits.filter(({ name }) => !isFree || ['global', 'outside', 'dev'].includes(name));
        expect(rows.length === 0).to.equal(isProbe(path));
        expect(headers.get('ratelimit-policy') ?? '').to.equal(
          rows.map(({ name, max, seconds }) => `"${name}";q=${max};w=${seconds}`).join(', '),
        );
      });

      for (const [name, schema] of Object.entries(one.query?.shape ?? {})) {
        it(`refuses ${name} if it is repeated, malformed, has forbidden characters, or is required and missing`, async () => {
          const twice = `${url}${url.includes('?') ? '&' : '?'}${name}=1&${name}=1`;
          expect(refusal(await ask({ url: twice }))).to.equal(`400 Invalid query parameter: ${name}`);
          const others = Object.fromEntries(Object.entries(query).filter(([other]) => other !== name));
          const given = async (value: string) => refusal(await ask({ url: urlOf(path, { ...others, [name]: value }) }));
          for (const wrong of ['$', '{', '\0']) expect(await given(wrong)).to.equal(`400 ${name} contains invalid characters`);
          if (!schema.safeParse(undefined).success) {
            for (const absent of [others, { ...others, [name]: '' }]) {
              expect(refusal(await ask({ url: urlOf(path, absent) }))).to.equal(`400 Missing required field: ${name}`);
            }
          }
          const wrongs = ['x', '-1', '0', '1.0', '1.5', '1e3', 'BUY'].filter(
            (text) => one.query && !schema.safeParse(fromTexts(one.query, { [name]: text })[name]).success,
          );
          // A free text accepts all these forms. `freeTexts` lists it as `name`, or as `endpoint name` if it is free only there.
          const isFree = [name, `${nameOf(one)} ${name}`].some((text) => QUERY.freeTexts.includes(text));
          expect(wrongs.length > 0, 'whether other forms are refused').to.equal(!isFree);
          for (const wrong of wrongs) expect(await given(wrong), wrong).to.equal(invalid(name, schema, 'INVALID_QUERY'));
        });
      }

      for (const [name, max] of Object.entries({ limit: QUERY.largest[nameOf(one)] ?? 100, page: 100_000 })) {
        if (!(name in (one.query?.shape ?? {}))) continue;
        it(`accepts ${name} only as an integer from 1 to ${max}`, async () => {
          const given = (value: string) => ask({ url: urlOf(path, { ...query, [name]: value }) });
          const { status } = await ask({});
          for (const right of [1, max]) expect((await given(String(right))).status).to.equal(status);
          for (const wrong of ['0', '-1', '1.0', '1.5', '1e1', ' 1', '', 'x', String(max + 1)])
            expect(refusal(await given(wrong)), wrong).to.equal(`400 Invalid query parameter: ${name}`);
        });
      }

      for (const [name, schema] of Object.entries(one.body?.shape ?? {})) {
        it(`refuses ${name} if it has forbidden characters or another type, or is required and missing`, async () => {
          const { [name]: _, ...others } = body ?? {};
          const given = async (value: unknown) => refusal(await ask({ body: { ...others, [name]: value } }));
          for (const wrong of ['$', '{', '\0']) expect(await given(wrong)).to.equal(`400 ${name} contains invalid characters`);
          if (!schema.safeParse(undefined).success) {
            for (const absent of [others, { ...others, [name]: '' }, { ...others, [name]: null }]) {
              expect(refusal(await ask({ body: absent }))).to.equal(`400 Missing required field: ${name}`);
            }
          }
          for (const wrong of [1, true, ['a'], { a: 1 }, 'x'].filter((value) => !schema.safeParse(value).success))
            expect(await given(wrong), JSON.stringify(wrong)).to.equal(invalid(name, schema, 'INVALID_FIELD'));
        });
      }

      for (const name of Object.keys(one.params?.shape ?? {})) {
        it(`refuses forbidden characters in ${name} before it reports errors in the query and the body`, async () => {
          for (const wrong of ['%24', '%7B', '%00']) {
            const inPath = one.path.replace(`{${name}}`, wrong);
            // The service reports an error in the path before errors in the query and in the body.
            for (const given of [{ url: urlOf(inPath, query) }, { url: `${inPath}?limit=1&limit=1`, body: one.body && '{' }]) {
              expect(refusal(await ask(given))).to.equal(`400 ${name} contains invalid characters`);
            }
          }
        });
      }

      if (one.query) {
        it('ignores undeclared query parameters, including names such as __proto__', async () => {
          const expected = await ask({});
          const others = ['unknown', 'constructor', 'toString', '__proto__'].map((name) => `${name}=1`).join('&');
          const { status } = await ask({ url: `${url}${url.includes('?') ? '&' : '?'}${others}` });
          expect(status).to.equal(expected.status);
        });
      }

      if (one.body) {
        it('refuses a body that is no object, is too large or is too deeply nested', async () => {
          for (const wrong of ['{', '[]', '1', 'null']) {
            expect(refusal(await ask({ body: wrong }))).to.equal('400 Invalid JSON body');
          }
          // The text alone has the maximum of 10,240 bytes, so the whole body is larger.
          expect(refusal(await ask({ body: `{"x":"${'x'.repeat(10_240)}"}` }))).to.equal('400 Request body too large');
          // One level too many: a body may have 3 levels, and a JSON-RPC call 6.
          const levels = one.jsonRpc ? 7 : 4;
          const deep = `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
          expect(refusal(await ask({ body: deep }))).to.equal('400 Request body is too deeply nested');
        });
      }

      if (one.method === 'GET') {
        it('answers HEAD like GET, without a body', async () => {
          const get = await ask({});
          const head = await ask({ method: 'HEAD' });
          expect([head.status, head.body]).to.deep.equal([get.status, { text: '' }]);
          for (const name of ['content-length', 'content-type', 'etag', 'cache-control'])
            expect(head.headers.get(name), name).to.equal(get.headers.get(name));
        });
      }

      it('answers 405 to undeclared methods and 204 to OPTIONS, and lists the declared methods', async () => {
        const methods = declared
          .filter((other) => other.path === one.path)
          .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
        const allow = methods.sort().join(', ');
        for (const method of METHODS.filter((name) => !methods.includes(name))) {
          // The request has a key. So if an endpoint with a parameter matched the path, the answer would not be 405.
          const answer = await world.ask(method, url, { headers: freshIp(), key });
          expect([answer.status, answer.headers.get('allow')], method).to.deep.equal([405, allow]);
          if (method === 'HEAD') continue;
          expect(answer.body).to.include({ error: 'Method not allowed', hint: `Use one of: ${allow}.` });
        }
        const { status, headers, body } = await world.ask('OPTIONS', url, { headers: freshIp() });
        expect([status, headers.get('allow'), body.text]).to.deep.equal([204, allow, '']);
        expect(headers.get('x-frame-options')).to.equal('DENY');
      });
    });
  }

  it('answers undeclared methods, OPTIONS and HEAD also at pages, /graphql and unknown paths', async () => {
    for (const [method, path, status, allow] of [
      ['POST', '/claim/CURVET-7K2Q', 405, 'GET, HEAD'],
      ['OPTIONS', '/graphql', 204, 'GET, HEAD, POST'],
      ['OPTIONS', '/api/nothing', 404, null],
      ['HEAD', '/nowhere', 404, null],
    ] as const) {
      const answer = await world.ask(method, path, { headers: freshIp() });
      expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).to.deep.equal([status, allow]);
      const error = { 405: 'Method not allowed', 204: undefined, 404: 'Not found' }[status];
      if (method === 'HEAD') expect(answer.body).to.deep.equal({ text: '' });
      else expect(answer.body.error, `${method} ${path}`).to.equal(error);
    }
  });
});
