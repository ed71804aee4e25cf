import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { gasUsed } from '../../../../src/chain/gas.js';
import { FORMER_KEY_RETENTION_MS } from '../../../../src/features/agents/keys/former-keys.js';
import {
  keyReplacementLimit,
  NONCE_FORM,
  registrationMessage,
  SIGNATURE_VALID_MINUTES,
} from '../../../../src/features/agents/keys/rules.js';
import { HEARTBEAT_NOTICES } from '../../../../src/features/agents/me/me.js';
import { heartbeatLimit } from '../../../../src/features/agents/me/operations.js';
import { NEXT_CHECK } from '../../../../src/features/agents/me/rules.js';
import { AUTHORITY_WORDS, NAME_LENGTH } from '../../../../src/features/agents/rules.js';
import { postLimits } from '../../../../src/features/feed/rules.js';
import { chapterIds, readTexts } from '../../../../src/features/guides/guides.js';
import { limitCell } from '../../../../src/features/guides/tables.js';
import { notificationPage } from '../../../../src/features/notices/operations.js';
import { notificationType } from '../../../../src/features/notices/resource.js';
import { MAX_DEADLINE_SECONDS, MIN_DEADLINE_SECONDS } from '../../../../src/features/trading/prices/quote.js';
import { QUOTE_SLIPPAGE } from '../../../../src/features/trading/prices/resource.js';
import * as events from '../../../../src/live/log.js';
import * as notices from '../../../../src/live/notices.js';
import { SITE_TIMES } from '../../../../src/server/client-address.js';
import { documentLimits, MAX_REQUEST_BYTES, mcpLimits } from '../../../../src/server/document-limits.js';
import { MAX_BYTES, MAX_JSON_DEPTH } from '../../../../src/server/http/body.js';
import { ANSWER_RETENTION_MS, KEY_FORMAT, MAX_ANSWERS_PER_CALLER } from '../../../../src/server/idempotency/keys.js';
import { GLOBAL_PER_IP, GLOBAL_PER_KEY, queryCostLimits, wrongKeyLimit } from '../../../../src/server/rate-limits.js';
import * as pricing from '../../../../src/values/curve.js';
import { formatEth, WEI_PER_ETH } from '../../../../src/values/money.js';
import { DAY_MS, HOUR_MS } from '../../../../src/values/time.js';

const count = (value: number | bigint): string => value.toLocaleString('en-US');
const perMinute = ({ max, seconds }: { max: number; seconds: number }): string => count((max * 60) / seconds);
/** The hours for which rows are shown or stored, from the function that returns the oldest time of such rows. */
const hoursSince = (start: (now: Date) => Date | string): number => -new Date(start(new Date(0))).getTime() / HOUR_MS;

const { DIVISOR, MAX_FEE_BPS, MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE, WITHDRAWAL_COOLDOWN } = pricing;
const { tokens, depth, aliases, fragments, cost } = documentLimits;
const withdrawalGas = JSON.parse(readFileSync('contracts/gas.json', 'utf8'))['withdrawal of agent fees'];
const types = Object.values<string>(notificationType.values).map((type) => `\`${type}\``);
const posts = Object.values(postLimits).map((row) => limitCell({ ...row, per: 'key' }));
// The example in the guides has the placeholders `{{url}}` and `{{chainId}}`.
const message = registrationMessage({
  service: '{{url}}',
  chainId: 84532,
  wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  time: new Date(Date.UTC(2026, 0, 15, 12)),
})
  .replace('84532', '{{chainId}}')
  .replaceAll('\n', ' ');

/**
 * Files of the guides, a pattern that finds constants in them, and the constants of the code. The pattern must find exactly these
 * constants in each of the files, and nothing in any other file.
 */
const table: readonly (readonly [files: string, pattern: RegExp, ...constants: (string | number | bigint)[]])[] = [
  ['skill heartbeat authentication', /(\d+) wrong keys/g, wrongKeyLimit.max],
  ['skill authentication', /wrong keys within (\d+) minutes/g, wrongKeyLimit.seconds / 60],
  ['skill', /requests together: (.*?), without a key (.*?)\./g, limitCell(GLOBAL_PER_KEY), limitCell(GLOBAL_PER_IP)],
  ['skill', /Posts: (.*?)\./g, posts.join(', ')],
  ['skill', /together at most (\d+) % of its price/g, Number(MAX_FEE_BPS) / 100],
  ['skill formats', /Names\*{0,2} have (\d+) to (\d+) letters/g, NAME_LENGTH.min, NAME_LENGTH.max],
  ['formats', /words of authority \((.*?) and the service's name\)/g, AUTHORITY_WORDS.slice(0, -1).join(', ')],
  ['formats', /at most ([\d,]+) bytes and (\d+) levels deep/g, count(MAX_BYTES), MAX_JSON_DEPTH],
  ['mcp', /may have ([\d,]+) bytes and (\d+) levels/g, count(mcpLimits.bytes), mcpLimits.depth],
  ['graphql', /may have ([\d,]+) bytes, ([\d,]+) tokens/g, count(MAX_REQUEST_BYTES), count(tokens)],
  ['graphql', /depth of (\d+), (\d+) aliases and (\d+) fragments/g, depth, aliases, fragments],
  ['graphql', /A request may cost ([\d,]+) points/g, count(cost)],
  ['graphql limits', /([\d,]+)(?: points)? per (?:minute and )?IP address/g, perMinute(queryCostLimits.perIp)],
  ['graphql', /without a key, and ([\d,]+) per key/g, perMinute(queryCostLimits.perKey)],
  ['limits', /with (\d+) times each limit/g, SITE_TIMES],
  ['heartbeat', /Do not ask more often: (.*?) is the limit/g, limitCell(heartbeatLimit)],
  ['heartbeat', /seconds: (\d+), (\d+) .*?, (\d+) if/g, NEXT_CHECK.idle, NEXT_CHECK.news, NEXT_CHECK.chainAway],
  ['heartbeat', /of a notification is (.*?);/g, types.join(', ')],
  ['heartbeat', /has the newest (\d+); /g, HEARTBEAT_NOTICES],
  ['heartbeat', /notifications\?limit=(\d+)/g, notificationPage.max],
  ['heartbeat', /deleted after (\d+) hours/g, hoursSince(notices.shownSince)],
  ['live', /those of the (\d+) seconds before/g, events.SETTLED_MS / 1000],
  ['live', /Events are stored for (\d+) hours/g, hoursSince(events.retentionStart)],
  ['retries', /The key is not (\d.*?), bare/g, KEY_FORMAT],
  ['skill retries', /(?:Answers are stored for|again within) (\d+) hours/g, ANSWER_RETENTION_MS / HOUR_MS],
  ['retries', /Only the latest ([\d,]+) answers/g, count(MAX_ANSWERS_PER_CALLER)],
  ['signed', /``` (Curvet .*?) ```/g, message],
  ['signed', /signature is valid for (\d+) minutes/g, SIGNATURE_VALID_MINUTES],
  ['variants', /a nonce of (.*?), such/g, NONCE_FORM.replaceAll('"', '`')],
  ['variants', /its key (\d+) times in (\d+) hours/g, keyReplacementLimit.max, keyReplacementLimit.seconds / 3600],
  ['variants', /as wrong keys for (\d+) days/g, FORMER_KEY_RETENTION_MS / DAY_MS],
  ['skill contract-calls', /(?:1|buys 0) to (\d+) (?:of your own )?tickets/g, MAX_TICKETS_PER_TRADE],
  ['skill heartbeat contract-calls', /at least ([\d.]+) (?:ETH, once|\|)/g, formatEth(pricing.MIN_WITHDRAWAL)],
  ['skill heartbeat contract-calls', /once in (\d+) hours/g, WITHDRAWAL_COOLDOWN / 3600],
  ['contract-calls', /`i \* i \/ (\d+)` ETH/g, DIVISOR],
  ['contract-calls', /a multiple of ([\d,]+)\./g, count(WEI_PER_ETH / DIVISOR)],
  ['contract-calls', /apply (\d+) hours after their proposal/g, pricing.FEE_UPDATE_DELAY / 3600],
  ['contract-calls', /(\d+) days after it at the latest/g, pricing.FEE_UPDATE_GRACE / 86_400],
  ['skill contract-calls', /(?:quote` uses|A quote allows|with the) (\d+ %)/g, QUOTE_SLIPPAGE],
  ['contract-calls', /from 0 to (\d+) with at most/g, MAX_SLIPPAGE_PERCENT],
  ['contract-calls', /`deadlineSeconds` \((\d+) to (\d+)\)/g, MIN_DEADLINE_SECONDS, MAX_DEADLINE_SECONDS],
  ['contract-calls', /\| `registerAgent\([^)]*feeDestination\)[^|]*\|[^|]*\| (.*?) \|/g, count(gasUsed.registerAgent)],
  ['contract-calls', /initialTickets[^|]*\|[^|]*\| ([\d,]+) \|/g, count(gasUsed.registerAgentWithTickets)],
  ['contract-calls', /\| `buyTickets[^|]*\|[^|]*\| (.*?) \|/g, count(gasUsed.buyTickets)],
  ['contract-calls', /\| `sellTickets[^|]*\|[^|]*\| (.*?) \|/g, count(gasUsed.sellTickets)],
  ['contract-calls', /\| `withdrawAgentFees[^|]*\|[^|]*\| (.*?) \|/g, count(withdrawalGas)],
];

const texts = Object.entries({
  ...readTexts('docs', [...chapterIds, 'variants']),
  ...readTexts('.', ['skill', 'heartbeat', 'llms']),
}).map(([file, text]) => [file, text.replace(/\s+/g, ' ')] as const);
/** The texts that the pattern finds in the guides, each with the name of its file. */
const found = (pattern: RegExp): Set<string> => {
  const inFile = (file: string, [, ...parts]: RegExpExecArray) => `${file}: ${parts.join(', ')}`;
  return new Set(texts.flatMap(([file, text]) => [...text.matchAll(pattern)].map((match) => inFile(file, match))));
};

const SIGNATURE = /\w+\((?:\w+ \w+, )+\w+ \w+\)(?: payable)?|withdraw\w+\(\)/g;

describe('the constants in the guides', () => {
  for (const [files, pattern, ...constants] of table) {
    it(`are those of the code at ${pattern.source}`, () => {
      expect([...found(pattern)]).to.have.members(files.split(' ').map((file) => `${file}: ${constants.join(', ')}`));
    });
  }

  it('include exactly the signatures of the contract that an agent calls', () => {
    const declared = ticketMarket
      .format()
      .filter((text) => /^function (registerAgent|buyTickets|sellTickets|withdrawAgentFees)\(/.test(text));
    const signatures = texts.flatMap(([, text]) => text.match(SIGNATURE) ?? []);
    expect([...new Set(signatures)].map((text) => `function ${text}`)).to.have.members(declared);
  });
});
