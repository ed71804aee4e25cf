import type { Agent } from 'node:http';
import { expect } from 'chai';
import { type GraphQLObjectType, isObjectType } from 'graphql';
import { freshIp } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { seed } from '../../support/seed.js';
import { holdToDeclaration } from '../../support/service/declared.js';
import { useWorld } from '../../support/world.js';
import { Dice } from './support/dice.js';
import { exchange, openConnections, type Reply } from './support/exchange.js';
import { addAnsweredFields, faultOfAnswer } from './support/graphql-answers.js';
import { Documents, type Generated, schema } from './support/graphql-documents.js';
import { Population } from './support/population.js';
import { MALFORMED_HOSTS, openapi, operations, type Request, RestRequests, spoiledJson } from './support/rest-requests.js';
import { Values } from './support/values.js';

const REST = 12_000;
const GRAPHQL = 9_000;
/** Number of requests that are in flight at the same time. */
const AT_ONCE = 8;
/** Number of requests between two checks of which agents still exist. */
const ROUND = 400;
/** Number of faults after which a test ends and shows them. */
const MAX_SHOWN = 5;

const CRON_SECRET = 'abuse-secret-of-the-scheduler';
const WEBHOOK_SIGNING_KEY = 'abuse-signing-key-of-webhooks';

/**
 * Fields that the random requests never reach, so the test does not demand an answer with them. They need an event that is new on
 * the chain: a trade, a registration or a claim.
 */
const UNREACHED =
  /^(RecordedTrade|Position|Registration|Subscription)\.|^(FeedEventChange|NotificationChange|PriceChange|TradeChange)\./;

describe(`generated requests with seed ${seed}`, function () {
  this.timeout(900_000);
  const world = useWorld({
    KEY_REPLACEMENT: 'on',
    TRUST_PROXY: '1',
    RATE_LIMITS: 'off',
    CRON_SECRET,
    WEBHOOK_SIGNING_KEY,
  });
  let population: Population;
  let agent: Agent;
  const faults: string[] = [];

  before(async () => {
    population = await Population.create(world, 12);
    // From the start, there is a deleted agent whose key the requests can try.
    await population.remove(population.members.at(-1) as Population['members'][number]);
    agent = openConnections(AT_ONCE);
  });
  after(() => agent?.destroy());
  beforeEach(() => faults.splice(0));

  /** Sends `count` requests, `AT_ONCE` of them at a time, and checks every answer with `faultOf` and `faultOfAny`. */
  async function sendAll(count: number, next: () => Request, faultOf: (sent: Request, got: Reply) => string | undefined) {
    for (let sent = 0; sent < count && faults.length < MAX_SHOWN; sent += ROUND) {
      const requests = Array.from({ length: Math.min(ROUND, count - sent) }, next);
      const queue = requests.values();
      const sender = async () => {
        for (const request of queue) {
          const got = await exchange(agent, world.url, request);
          const fault = faultOf(request, got) ?? faultOfAny(request, got);
          if (fault) faults.push(`${textOf(request)}: ${fault}; answered ${got.status} ${got.text.slice(0, 300)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      await population.refresh();
    }
    expect(faults.slice(0, MAX_SHOWN)).to.deep.equal([]);
  }

  /** Checks what holds for every answer: no fault of the service, and no secret that the caller must not see. */
  function faultOfAny({ path, headers, body, caller }: Request, { status, text }: Reply): string | undefined {
    if (status >= 500) return 'a fault of the service';
    const sent = `${path} ${JSON.stringify(headers)} ${body ?? ''}`;
    const secret = population.secrets.foundIn(text, caller, sent);
    return secret && `the answer contains the ${secret}`;
  }

  it(`over REST get declared answers ${REST} times, and at least two statuses from each operation`, async () => {
    const requests = new RestRequests(new Dice(1), population);
    const statuses = new Map<string, Set<number>>();
    await sendAll(
      REST,
      () => requests.next(),
      (sent, { status, type, text }) => {
        const seen = statuses.get(sent.operation) ?? new Set();
        statuses.set(sent.operation, seen.add(status));
        if (status === 304) return undefined;
        if (!type.startsWith('application/json')) return `of type ${type}`;
        const answer = { status, body: JSON.parse(text) };
        // The service refuses a malformed Host header before it finds the endpoint, so
        // the declaration of the endpoint does not apply.
        if (MALFORMED_HOSTS.includes(sent.headers.host ?? '')) {
          return answer.body.error === 'Malformed request' ? undefined : 'a malformed Host header was accepted';
        }
        try {
          holdToDeclaration(world.deps.config, sent.method, sent.path, answer);
        } catch (error) {
          return (error as Error).message;
        }
        return undefined;
      },
    );
    const never = operations()
      .filter(({ method, path }) => method === 'GET' && !path.startsWith('/dev'))
      .filter(({ method, path }) => ![200, 304].some((status) => statuses.get(`${method} ${path}`)?.has(status)));
    expect(never.map(({ path }) => path)).to.deep.equal([]);
    const single = [...statuses].filter(([, seen]) => seen.size < 2).map(([name]) => name);
    // The probes take no input and ignore the key, so they always answer with the same status.
    expect(single.filter((name) => !/^GET \/(health|ready)$/.test(name))).to.deep.equal([]);
    const counts = [...statuses.values()].flatMap((seen) => [...seen]);
    print(`${REST} requests, ${statuses.size} operations, statuses ${[...new Set(counts)].sort().join(', ')}`);
  });

  it(`over GraphQL get declared answers ${GRAPHQL} times, and almost every field in them`, async () => {
    const dice = new Dice(2);
    const values = new Values(dice, population, openapi.components.schemas);
    const documents = new Documents(dice, values);
    const sentDocuments = new Map<Request, Generated>();
    const answered = new Set<string>();
    let withData = 0;
    const next = (): Request => {
      const kind = dice.chance(0.75) ? 'query' : dice.chance(0.9) ? 'mutation' : 'subscription';
      const members = kind === 'mutation' ? population.others : population.members;
      const member = dice.chance(0.7) ? dice.pick(members) : undefined;
      const isDeleted = dice.chance(0.02) && population.deleted.length > 0;
      const caller = isDeleted ? dice.pick(population.deleted) : member;
      values.caller = member;
      const generated = documents.next(kind);
      const text = JSON.stringify(generated);
      const spoiled = dice.chance(0.05);
      const request: Request = {
        operation: kind,
        method: 'POST',
        path: '/graphql',
        caller: caller?.wallet,
        headers: {
          ...freshIp(),
          ...(caller && { 'x-api-key': caller.key }),
          ...(dice.chance(0.1) && { accept: 'application/graphql-response+json' }),
        },
        body: spoiled ? spoiledJson(text, dice) : text,
      };
      if (!spoiled) sentDocuments.set(request, generated);
      return request;
    };
    await sendAll(GRAPHQL, next, (sent, { status, type, text }) => {
      if (!/^application\/(json|graphql-response\+json); charset=utf-8$/.test(type)) return `of type ${type}`;
      const body = JSON.parse(text);
      // A spoiled body may be no document, so only the form of its answer is checked. `{ __typename }` stands for it.
      const generated = sentDocuments.get(sent) ?? { query: '{ __typename }', variables: {} };
      sentDocuments.delete(sent);
      const isSpoiled = generated.query === '{ __typename }';
      const fault = faultOfAnswer(generated, status, isSpoiled ? { ...body, data: body.data && {} } : body);
      if (fault !== undefined && !isSpoiled) return fault;
      if (body.data && !isSpoiled) {
        withData++;
        addAnsweredFields(generated, body.data, answered);
      }
      return undefined;
    });
    const declared = Object.values(schema.getTypeMap())
      .filter((type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'))
      .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
    const missing = declared.filter((field) => !answered.has(field) && !UNREACHED.test(field));
    print(`${GRAPHQL} documents, ${withData} with data, ${answered.size} of ${declared.length} fields answered`);
    print(`not answered: ${missing.join(', ')}`);
    expect(withData).to.be.greaterThan(GRAPHQL / 4);
    expect(missing.length).to.be.lessThan(declared.length / 10);
  });

  it('leave no unexpected error and no secret in the log, and change no prototype', () => {
    const unexpected = world.logged.filter(({ level }) => Number(level) >= 50);
    expect(unexpected.slice(0, 3)).to.deep.equal([]);
    const leaked = world.logged.flatMap((line) => {
      const secret = population.secrets.foundIn(JSON.stringify({ ...line, stack: undefined }), undefined);
      // The log may contain internals of the program, such as SQL, but no secret.
      return secret?.startsWith('internals') === false ? [`${secret} in ${JSON.stringify(line)}`] : [];
    });
    expect(leaked.slice(0, 3)).to.deep.equal([]);
    expect(Object.keys(Object.prototype)).to.deep.equal([]);
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  });
});

const textOf = ({ method, path, headers, body }: Request): string =>
  `${method} ${path.slice(0, 400)} ${JSON.stringify(headers).slice(0, 300)} ${String(body ?? '').slice(0, 1500)}`;
