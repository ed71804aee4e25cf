import { expect } from 'chai';
import { unknownCodeLimit } from '../../../../src/features/claims/operations.js';
import { textProxy } from '../../../../src/posthost/text-proxy.js';
import { windowsOf } from '../../../../src/server/rate-limits.js';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import { replacing, withParts } from '../../../support/parts.js';
import { query } from '../../../support/service/graphql.js';
import { testTimes } from '../../../support/times.js';
import { type Ask, useWorld } from '../../../support/world.js';

describe('the verification of an agent', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  beforeEach(async () => {
    agent = await newAgent(world);
  });

  const publish = (handle: string, text: string) => world.deps.dev?.publish(handle, text) as Promise<string>;
  const verify = (body: unknown, options: Ask = {}) =>
    world.ask('POST', '/api/agents/verify', { headers: freshIp(), ...options, body });
  const info = (code: string, headers = freshIp()) =>
    world.ask('GET', `/api/agents/claim-info?code=${encodeURIComponent(code)}`, { headers });
  /** Looks up a code as the claim page does. Returns the code of the error, or undefined. */
  const look = async (code: string, headers: Record<string, string>) => {
    const text = 'query($code: String!) { claimInfo(code: $code) { status } }';
    return (await query(world, text, { variables: { code }, headers })).errors[0]?.extensions.code;
  };
  const unclaimed = async () => {
    expect(success(await info(agent.code)).claim).to.include({ status: 'pending_claim' });
  };

  it('claims the agent for the handle in the post URL', async () => {
    const tweetUrl = await publish('Some_Owner', `My agent! ${agent.code}.`);
    const written = tweetUrl.replace('https://x.com/Some_Owner', 'https://mobile.twitter.com/some_OWNER');
    const answer = await verify({ verificationCode: agent.code, tweetUrl: `${written}?s=20` });
    expect(answer.status).to.equal(200);
    const { name, agentId, wallet: walletAddress } = agent;
    const claimed = { name, agentId, walletAddress, isClaimed: true, status: 'claimed', socialHandle: 'some_OWNER' };
    expect(answer.body).to.deep.equal({ success: true, agent: claimed });
    const rows = await world.deps.sql('select claimed_at as at from agent where wallet = $1', [agent.wallet]);
    expect(rows).to.deep.equal([{ at: world.clock.now() }]);
  });

  it('shows the agent of a code, before and after the claim', async () => {
    const answer = await info(agent.code);
    expect(answer.status).to.equal(200);
    const { code: verificationCode, name, agentId, wallet: walletAddress } = agent;
    const postTemplate = `I am claiming my agent "${name}" on Curvet. Verification code: ${verificationCode}`;
    const of = { verificationCode, name, agentId, walletAddress, avatarUrl: null };
    const pending = { ...of, status: 'pending_claim', isClaimed: false, postTemplate };
    expect(answer.body).to.deep.equal({ success: true, claim: pending });
    success(await verify({ verificationCode, tweetUrl: await publish('owner', postTemplate) }));
    expect((await info(verificationCode)).body.claim).to.include({ status: 'claimed', isClaimed: true });
  });

  it('refuses a post that is of another author, lacks the code or does not exist', async () => {
    const verificationCode = agent.code;
    const theirs = await publish('somebody', `I saw ${agent.code}`);
    const mine = theirs.replace('somebody', 'owner');
    const without = await publish('owner', `${agent.code}x ${agent.code.toLowerCase()} CURVET`);
    const expected: [string, string][] = [
      [mine, '422 Post author does not match'],
      [without, '422 Verification code not found in tweet'],
      ['https://x.com/owner/status/999999', '422 Verification code not found in tweet'],
      ['https://x.com/owner/status/18446744073709551615', '422 Verification code not found in tweet'],
    ];
    for (const [tweetUrl, error] of expected) {
      expect(refusal(await verify({ verificationCode, tweetUrl })), tweetUrl).to.equal(error);
    }
    await unclaimed();
  });

  it('accepts only the key of the agent, or no key', async () => {
    const other = await newAgent(world);
    const body = { verificationCode: agent.code, tweetUrl: await publish('owner', agent.code) };
    expect(refusal(await verify(body, { key: other.key }))).to.equal('403 Not authorized');
    await unclaimed();
    success(await verify(body, { key: agent.key }));
    expect(refusal(await verify(body, { key: other.key }))).to.equal('403 Not authorized');
    expect(refusal(await verify(body, { key: agent.key }))).to.equal('409 Agent already claimed');
  });

  it('claims once in two concurrent requests for the same agent or the same post', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await newAgent(world);
      const posts = [await publish('a', one.code), await publish('b', one.code)];
      const claims = await Promise.all(posts.map((tweetUrl) => verify({ verificationCode: one.code, tweetUrl })));
      expect(claims.map(({ status }) => status).sort()).to.deep.equal([200, 409]);

      const two = [await newAgent(world), await newAgent(world)];
      const tweetUrl = await publish('owner', two.map(({ code }) => code).join(' '));
      const uses = await Promise.all(two.map(({ code }) => verify({ verificationCode: code, tweetUrl })));
      expect(uses.map(refusal).sort()).to.deep.equal(['200 undefined', '409 Post already used']);
    }
  });

  it('answers 503 and changes nothing while the post cannot be read', async () => {
    const body = { verificationCode: agent.code, tweetUrl: await publish('owner', agent.code) };
    const posts = textProxy({ template: 'http://127.0.0.1:9/?url={url}', plain: false, times: testTimes });
    const answer = await replacing(world, { posts }, () => verify(body));
    expect(refusal(answer)).to.equal('503 Verification service unavailable');
    expect(answer.headers.get('retry-after')).to.equal('60');
    await unclaimed();
    success(await verify(body));
  });

  it('takes the author from the URL when the operator accepts plain text', async () => {
    const plain = async () => new Response(`> ${agent.code} <`, { headers: { 'content-type': 'text/plain' } });
    const posts = textProxy({ template: 'http://proxy/{url}', plain: true, fetch: plain, times: testTimes });
    const body = { verificationCode: agent.code, tweetUrl: 'https://www.x.com/From_Url/status/77777' };
    const answer = await replacing(world, { posts }, () => verify(body));
    expect(success(answer).agent).to.include({ socialHandle: 'From_Url' });
  });

  describe('under its rate limits', () => {
    it('allows 10 unknown codes in 15 minutes per IP address, over all endpoints', async () => {
      const ip = freshIp();
      const guesses = ['CURVET-0000', 'CURVET-00000', 'nonsense', `x${agent.code}`];
      for (const guess of guesses) expect((await info(guess, ip)).status).to.equal(404);
      for (const guess of guesses) {
        const body = { verificationCode: guess, tweetUrl: 'https://x.com/a/status/1' };
        expect((await verify(body, { headers: ip })).status).to.equal(404);
      }
      // Requests with valid codes do not count as guesses.
      for (let n = 0; n < 4; n++) expect((await info(agent.code, ip)).status).to.equal(200);
      for (const guess of guesses.slice(0, 2)) expect(await look(guess, ip)).to.equal('CODE_UNKNOWN');
      const refused = await info('CURVET-0001', ip);
      expect(refusal(refused)).to.equal('429 Too many requests');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).to.be.within(890, 900);
      // A blocked address also gets 429 for valid codes, so it cannot tell them from unknown codes.
      expect((await info(agent.code, ip)).status).to.equal(429);
      const body = { verificationCode: agent.code, tweetUrl: await publish('owner', agent.code) };
      expect((await verify(body, { headers: ip })).status).to.equal(429);
      expect(await look(agent.code, ip)).to.equal('RATE_LIMITED');
      expect((await info(agent.code)).status).to.equal(200);
      world.clock.advance((seconds - 5) * 1000);
      expect((await info(agent.code, ip)).status).to.equal(429);
      world.clock.advance(5000);
      expect((await info(agent.code, ip)).status).to.equal(200);
    });

    const guess = async (ip: ReturnType<typeof freshIp>, code = 'CURVET-0000') => (await info(code, ip)).status;
    const statuses = (status: number, count: number) => Array<number>(count).fill(status);

    it('allows ten times as many unknown codes per IPv6 /48 network', async () => {
      const address = (n: number) => ({ 'x-forwarded-for': `2001:db8:7:${n}::1` });
      const [, site] = windowsOf([unknownCodeLimit], null, address(0)['x-forwarded-for']);
      if (site === undefined) throw new Error('an IPv6 address has no window of its /48 network');
      expect(site.max).to.equal(100);
      await world.deps.limits.take([{ ...site, cost: 99 }], world.clock.now().getTime());
      expect(await guess(address(1))).to.equal(404);
      for (const code of [undefined, agent.code]) expect(await guess(address(2), code)).to.equal(429);
      expect(await guess({ 'x-forwarded-for': '2001:db8:8::1' }, agent.code)).to.equal(200);
    });

    it('allows half as many while all addresses together send more than 100 unknown codes a minute', async () => {
      world.clock.advance(3_600_000);
      const ten = async (ip = freshIp()) => {
        const seen: number[] = [];
        for (let n = 0; n < 10; n++) seen.push(await guess(ip));
        return seen;
      };
      const [calm, last, late] = [freshIp(), freshIp(), freshIp()];
      for (let n = 0; n < 6; n++) expect(await guess(calm)).to.equal(404);
      for (let n = 0; n < 9; n++) expect(await ten()).to.deep.equal(statuses(404, 10));
      for (let n = 0; n < 4; n++) expect(await guess(last)).to.equal(404);
      // The service has now counted 100 unknown codes within a minute. So an address may only send 5 of them instead of 10.
      expect(await ten(late)).to.deep.equal([...statuses(404, 5), ...statuses(429, 5)]);
      expect(await guess(calm)).to.equal(429);
      expect(await guess(calm, agent.code)).to.equal(429);
      expect(await guess(freshIp(), agent.code)).to.equal(200);
      world.clock.advance(61_000);
      expect(await guess(calm, agent.code)).to.equal(200);
      expect(await ten(late)).to.deep.equal([...statuses(404, 5), ...statuses(429, 5)]);
    });

    it('allows no more in concurrent requests', async () => {
      const headers = freshIp();
      const guesses = Array.from({ length: 40 }, (_, n) => look(`CURVET-00${10 + n}`, headers));
      const codes = await Promise.all(guesses);
      expect(codes.filter((code) => code === 'CODE_UNKNOWN')).to.have.length(10);
      expect(codes.filter((code) => code === 'RATE_LIMITED')).to.have.length(30);
    });

    it('has no limit with RATE_LIMITS=off', async () => {
      await withParts(world, { config: { ...world.deps.config, RATE_LIMITS: 'off' } }, async (other) => {
        const headers = freshIp();
        for (let n = 0; n < 30; n++) {
          const { status } = await other.ask('GET', '/api/agents/claim-info?code=CURVET-0000', { headers });
          expect(status).to.equal(404);
        }
      });
    });
  });
});
