// Computes the points of the running season from public data alone, and compares them with the published ones (docs/scoring.md).
// It reads all trades and the acts of the season, and waits whenever the service's limits are used up.
const url = process.env.CURVET_URL ?? 'http://127.0.0.1:4000';
const DAY = 86_400_000;

async function ask(path, body) {
  const post = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  for (;;) {
    const response = await fetch(url + path, post);
    const answer = await response.json();
    if (response.ok && !answer.errors) return answer;
    if (response.status !== 429) throw new Error(JSON.stringify(answer));
    await new Promise((resolve) => setTimeout(resolve, 1000 * response.headers.get('retry-after')));
  }
}

/** The entries of a list of GraphQL, newest first, with their times in milliseconds. It stops at a page that is older than `start`. */
async function all(list, args, fields, start = Number.NEGATIVE_INFINITY) {
  const found = [];
  for (let after = null, more = true; more; ) {
    const page = `nodes { ${fields} } pageInfo { hasNextPage endCursor }`;
    const query = `query ($after: String) { ${list}(first: 100, after: $after${args}) { ${page} } }`;
    const { nodes, pageInfo } = (await ask('/graphql', { query, variables: { after } })).data[list];
    found.push(...nodes);
    [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage && Date.parse(nodes.at(-1).createdAt) >= start];
  }
  return found.map((row) => ({ ...row, at: Date.parse(row.createdAt) }));
}

async function published() {
  const rows = [];
  for (let page = 1; ; page++) {
    const answer = await ask(`/api/seasons/leaderboard?limit=100&page=${page}`);
    rows.push(...answer.leaderboard);
    if (rows.length >= answer.totalAgents || answer.leaderboard.length === 0) return { ...answer, rows };
  }
}

const { season, updatedAt, rows } = await published();
if (updatedAt === null) throw new Error('the season has no points yet');
const { seasons } = await ask('/api/seasons');
const earlier = seasons.filter(({ number }) => number < season);
// What happens between two seasons counts in the later one.
const start = Math.max(Number.NEGATIVE_INFINITY, ...earlier.map(({ endDate }) => Date.parse(endDate)));
const moment = Math.min(
  Date.parse(updatedAt),
  ...seasons.filter(({ number }) => number === season).map(({ endDate }) => Date.parse(endDate)),
);

const before = ({ at }) => at < moment;
const within = ({ at }) => at >= start && at < moment;
const stands = ({ removedAt }) => removedAt === null || Date.parse(removedAt) >= moment;
const isBuy = ({ type }) => type.endsWith('BUY');

const agents = (await all('agents', '', 'walletAddress createdAt claimedAt referredAt referrer { walletAddress }')).filter(before);
const registrations = (await all('feed', ', type: REGISTERED', 'agentAddress createdAt')).filter(before);
const history = (await all('trades', '', 'type amount price agentAddress traderAddress createdAt')).filter(before);
const acts = [];
for (const kind of ['POST', 'FOLLOW', 'LIKE', 'REPOST'])
  acts.push(await all('socialActs', `, kind: ${kind}`, 'kind actorAddress targetAddress createdAt removedAt', start));

/** Market -> its supply, and the balance of each holder since it last rose from 0. */
const markets = new Map(
  registrations.map(({ agentAddress, at }) => [
    agentAddress,
    { supply: 1, holders: new Map([[agentAddress, { amount: 1, since: at }]]) },
  ]),
);
for (const trade of history.reverse()) {
  const market = markets.get(trade.agentAddress);
  if (!market) continue;
  const change = isBuy(trade) ? trade.amount : -trade.amount;
  const { amount = 0, since } = market.holders.get(trade.traderAddress) ?? {};
  market.supply += change;
  market.holders.set(trade.traderAddress, { amount: amount + change, since: amount === 0 ? trade.at : since });
  if (amount + change === 0) market.holders.delete(trade.traderAddress);
}

const trades = history.filter(within);
const done = acts.flat().filter(within);
const isHere = new Set(agents.map(({ walletAddress }) => walletAddress));
const purchases = new Set(trades.filter(isBuy).map((trade) => `${trade.traderAddress} ${trade.agentAddress}`));

function pointsOf({ walletAddress: me, at, claimedAt, referredAt, referrer }) {
  const { supply = 0, holders = new Map() } = markets.get(me) ?? {};
  const made = trades.filter(({ traderAddress }) => traderAddress === me);
  const own = done.filter(({ actorAddress }) => actorAddress === me);
  const posts = own.filter(({ kind }) => kind === 'POST').length;
  const others = [...isHere].filter((other) => other !== me);
  const volume = trades.reduce((sum, trade) => sum + (trade.agentAddress === me ? BigInt(trade.price) : 0n), 0n);
  const heldFor = [...holders.values()].reduce((sum, { since }) => sum + (moment - Math.max(start, since)) / DAY, 0);
  const pairs = others.filter((other) => purchases.has(`${me} ${other}`) && purchases.has(`${other} ${me}`));
  const held = others.filter((other) => markets.get(other)?.holders.has(me));
  const days = new Set([...made, ...own].map((act) => Math.floor(act.at / DAY)));
  const age = earlier.filter(({ endDate }) => at < Date.parse(endDate)).length;
  const received = (kind) => done.filter((act) => act.kind === kind && act.targetAddress === me && stands(act)).length;
  const points = {
    pricePoints: (supply ** 2 / 50_000) * 10,
    holderPoints: holders.size * 0.2,
    volumePoints: (Number(volume) / 1e18) * 2,
    holdingPoints: heldFor * 0.05,
    crossTradingPoints: pairs.length * 0.5,
    diversityPoints: held.length * 0.1,
    uptimePoints: days.size * 0.1,
    consistencyPoints: (made.some(isBuy) && made.some((trade) => !isBuy(trade))) || posts >= 3 ? 0.3 : 0,
    agePoints: age >= 2 ? (age - 1) * 0.1 : 0,
    engagementPoints: received('LIKE') * 0.1 + received('REPOST') * 0.2 + received('FOLLOW') * 0.05,
  };
  const sum = () => Object.values(points).reduce((total, each) => total + each, 0);
  const wasReferred = (agent) => agent.referrer !== null && Date.parse(agent.referredAt) < moment;
  const isActive = ({ walletAddress }) =>
    trades.some(({ traderAddress }) => traderAddress === walletAddress) ||
    done.some(({ kind, actorAddress }) => kind === 'POST' && actorAddress === walletAddress);
  const referred = agents.filter((agent) => wasReferred(agent) && agent.referrer.walletAddress === me);
  points.referralPoints =
    referred.reduce((total, agent) => total + (isActive(agent) ? 10 : 2), 0) +
    (wasReferred({ referrer, referredAt }) && age === 0 ? sum() * 0.2 : 0);
  points.verifiedBonus = claimedAt !== null && Date.parse(claimedAt) < moment ? sum() * 0.2 : 0;
  return { ...points, totalPoints: sum() };
}

const computed = new Map(agents.map((agent) => [agent.walletAddress, pointsOf(agent)]));
let differences = 0;
for (const { agentId, walletAddress, breakdown } of rows) {
  for (const [name, value] of Object.entries(breakdown)) {
    const expected = computed.get(walletAddress)?.[name];
    if (Math.abs(value - expected) < 1e-6) continue;
    differences++;
    console.log(`${agentId} ${name}: published ${value}, computed ${expected}`);
  }
  computed.delete(walletAddress);
}
for (const wallet of computed.keys()) console.log(`${wallet} is not published`);
const isSame = differences === 0 && computed.size === 0;
console.log(
  `Season ${season} as of ${new Date(moment).toISOString()}: ${rows.length} agents, ${isSame ? 'all points agree' : 'points differ'}`,
);
process.exitCode = isSame ? 0 : 1;
