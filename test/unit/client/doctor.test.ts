import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { curvet } from '../../support/client/command-line.js';
import { inAnswer, type Tamper, useFakeServer, VICTIM } from '../../support/client/fake-service.js';
import { patientClock } from '../../support/client/scripted.js';

type Finding = { readonly check: string; readonly state: string; readonly detail: string };

/**
 * What `curvet doctor` meets: falsified answers, a refusal of every request, or a trade that expires in `expiry` seconds (null:
 * never; undefined: there is no trade).
 */
type Situation = {
  readonly tamper?: Tamper;
  readonly refusal?: readonly [number, string];
  readonly expiry?: number | null;
};
const overload = (error: string) => new RegExp(`^${error}\\. A hint\\. The service has too much load, .* wait 1 seconds`);

describe('curvet doctor', () => {
  let situation: Situation = {};
  const tamper: Tamper = (what, answer, request) => situation.tamper?.(what, answer, request) ?? answer;
  const fake = useFakeServer(tamper, patientClock, (path) => {
    if (!situation.refusal || path === '/rpc') return undefined;
    const [status, error] = situation.refusal;
    const body = { success: false, error, hint: 'A hint.' };
    return Response.json(body, { status, headers: { 'retry-after': '1' } });
  });

  /** The findings of `curvet doctor`, whose client does not wait between its attempts. */
  async function findings(): Promise<Record<string, Finding>> {
    const impatient = { ...patientClock, sleep: async () => {} };
    const { out, error } = await curvet(['doctor', '--json'], fake.environment, impatient);
    expect(error).to.equal('');
    return Object.fromEntries((JSON.parse(out).findings as Finding[]).map((finding) => [finding.check, finding]));
  }
  function writeJournal({ expiry }: Situation): void {
    const deadline = expiry === null ? undefined : Math.floor(Date.now() / 1000) + Number(expiry);
    const entry = {
      id: 'x',
      kind: 'buy',
      terms: '{"agent":"0xa"}',
      wallet: VICTIM.address.toLowerCase(),
      nonce: 0,
      attempts: [],
      atMost: '0',
      signedAt: Date.now(),
      deadline,
      state: 'signed',
      open: true,
    };
    const entries = expiry === undefined ? [] : [entry];
    writeFileSync(join(fake.home, 'journal.json'), JSON.stringify({ version: 1, entries }));
  }

  const cases: Readonly<Record<string, Situation & { readonly finding: readonly [string, string, RegExp] }>> = {
    'how long a trade stays valid': { finding: ['deadline', 'ok', /must be mined within 600 s, or within --deadline/] },
    'that a trade stays valid if the contract has no deadlines': {
      finding: ['deadline', 'ok', /stays valid until it is mined/],
      tamper: inAnswer('/api/contract', { overloads: false }),
    },
    'a signed trade without a deadline': {
      finding: ['deadline', 'problem', /a buy is signed and not finished. It does not expire. Run it again: \{"agent"/],
      expiry: null,
    },
    'a signed trade with a deadline': {
      finding: ['deadline', 'problem', /It expires at 20\d\d-.*Z\. Run it again:/],
      expiry: 86_400,
    },
    'a signed trade that has expired': {
      finding: ['deadline', 'problem', /It expired at 20\d\d-.*Z\. .* if it was not mined, it trades at the price of now:/],
      expiry: -86_400,
    },
    'the public URL of the service': { finding: ['service', 'ok', /./] },
    'another public URL of the service, which a registration would sign': {
      finding: ['service', 'problem', /has the public URL https:\/\/market\.example\. .*Set PUBLIC_URL/],
      tamper: inAnswer('/api', { url: 'https://market.example' }),
    },
    'gas above the limit': {
      finding: ['gas', 'problem', /gas can take 0\.03\d+ ETH now, and the limit is 0\.002 ETH/],
      // A tip of 160 gwei.
      tamper: inAnswer('eth_maxPriorityFeePerGas', { result: '0x2540be4000' }),
    },
    'that the service has too much load': {
      finding: ['service', 'problem', overload('Database busy')],
      refusal: [503, 'Database busy'],
    },
    'that the service limits the caller': {
      finding: ['service', 'problem', overload('Too many requests')],
      refusal: [429, 'Too many requests'],
    },
  };
  for (const [title, { finding, ...met }] of Object.entries(cases)) {
    it(`reports ${title}`, async () => {
      const [check, state, detail] = finding;
      situation = met;
      writeJournal(met);
      const found = (await findings())[check];
      expect(found).to.include({ state });
      expect(found?.detail).to.match(detail);
    });
  }
});
