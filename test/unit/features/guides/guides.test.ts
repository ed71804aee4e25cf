import { expect } from 'chai';
import { readConfig } from '../../../../src/config/config.js';
import { errorTable } from '../../../../src/errors/errors.js';
import { endpoints } from '../../../../src/features/features.js';
import { fill } from '../../../../src/features/guides/guides.js';
import { changesBetween, guideVersion, guideVersions, VERSION_FORM } from '../../../../src/features/guides/versions.js';
import { frontMatter, guideEnvironments, guidesDigest, guidesFor } from '../../../support/service/guides.js';

/** Counts more tokens than common tokenizers do: words in pieces of six letters, digits in threes, each other sign alone. */
const tokens = (text: string): number => text.match(/[A-Za-z]{1,6}|\d{1,3}|[^\sA-Za-z\d]|\n/g)?.length ?? 0;

for (const environment of guideEnvironments) {
  const { TICKET_CALLBACKS, REGISTRATION_SIGNATURE, KEY_REPLACEMENT } = environment;
  const chain = 'RPC_URL' in environment ? 'an outside' : 'the embedded';
  const settings = `callbacks ${TICKET_CALLBACKS}, signatures ${REGISTRATION_SIGNATURE}, new keys ${KEY_REPLACEMENT}`;
  describe(`the guides with ${settings} and ${chain} chain`, () => {
    const { skill, heartbeat, llms, chapters } = guidesFor(environment);

    it('have no open placeholder, and no heading of the first level in a chapter', () => {
      for (const text of [skill, heartbeat, llms, ...chapters.map(({ text }) => text)])
        expect(text).not.to.match(/\{\{|undefined|NaN|\[object/);
      for (const { id, title, text } of chapters) {
        expect(title, id).to.match(/^[A-Z][\w, ]+$/);
        expect(text, id).not.to.match(/^# /m);
      }
    });

    it('have the front matter of Agent Skills, with metadata of strings', () => {
      for (const text of [skill, heartbeat]) {
        const { name, description, compatibility = 'none', metadata } = frontMatter(text);
        expect(name).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(String(name).length).to.be.at.most(64);
        expect(description).to.be.a('string').with.length.within(1, 1024);
        expect(compatibility).to.be.a('string').with.length.within(1, 500);
        for (const value of Object.values(metadata)) expect(value).to.be.a('string');
        expect(metadata.version).to.match(VERSION_FORM);
      }
    });

    it('fit into the context of an agent', () => {
      // Agent Skills recommends these limits for a skill. An agent reads the heartbeat often, so it must be much shorter.
      expect(skill.split('\n').length).to.be.below(500);
      expect(tokens(skill)).to.be.below(5000);
      expect(heartbeat.split('\n').length).to.be.below(60);
      expect(tokens(heartbeat)).to.be.below(1000);
    });

    it('name developer endpoints only with the embedded chain, and never the RPC of the operator', () => {
      if ('RPC_URL' in environment) expect(skill).not.to.match(/\/dev\/|127\.0\.0\.1/);
      else expect(skill).to.contain('/dev/faucet');
    });
  });
}

describe('a placeholder of the guides', () => {
  it('is replaced by a value as it is, also one that looks like a pattern or a placeholder', () => {
    const value = "$& $1 $$ {{b}} <b> `x` | '";
    expect(fill({ text: '{{a}} `{ "a": { "b": {} }}`' }, { a: value }).text).to.equal(`${value} \`{ "a": { "b": {} }}\``);
  });
});

describe('the skill', () => {
  const { skill } = guidesFor({});
  const declared = endpoints(readConfig({})).filter(({ path }) => path.startsWith('/api/'));

  it('names every endpoint once, with /me possibly written as /{address}', () => {
    const rows = [...skill.matchAll(/^\| `([A-Z]+ \/api[^`]*)`/gm)].map(([, row]) => row);
    expect(new Set(rows).size).to.equal(rows.length);
    for (const { method, path } of declared) {
      const names = [`${method} ${path}`, `${method} ${path.replace('/me', '/{address}')}`];
      expect(
        rows.some((row) => names.includes(row ?? '')),
        names[0],
      ).to.equal(true);
    }
  });

  it('has the summary, the key and the limits that an endpoint declares', () => {
    expect(skill).to.contain(
      '| `POST /api/agents/follow` targetAddress, following | Follow an agent, or stop following it | yes | 10 per min and key |',
    );
    expect(skill).to.contain('15 per h and key');
  });

  it('shows an error with the status, message and hint of the error table', () => {
    const [status, message, hint] = errorTable.NOT_REGISTERED_ON_CHAIN;
    expect(skill).to.contain(`| ${status} | \`${message}\` | ${hint} |`);
  });

  it('tells the costs and the risks, when the key is shown, and that nothing must be done', () => {
    for (const text of ['at most 10 %', 'once, when you register', 'A trade is final', 'No trade, post, follow']) {
      expect(skill).to.contain(text);
    }
  });
});

describe('the versions of the guides', () => {
  it('have an entry for the present text', () => {
    const digest = guidesDigest();
    expect(
      guideVersions.at(-1)?.digest,
      'The guides changed: their text, or an endpoint, limit or error in them. If the last version in ' +
        'src/features/guides/versions.ts is released, add a version that says in one line what changed for an agent. ' +
        `Otherwise complete its line. Its digest is now ${digest}`,
    ).to.equal(digest);
  });

  it('say in one plain line what changed', () => {
    for (const { changes } of guideVersions) expect(changes).to.match(/^[A-Z][^\n]{5,200}\.$/);
    expect(new Set(guideVersions.map(({ digest }) => digest)).size).to.equal(guideVersions.length);
  });

  const addresses = { url: 'https://a.example', chainId: 1, contract: '0x1' };
  const version = guideVersion(addresses, readConfig({}));
  const [number, print] = version.split('-');

  it('number the text, and distinguish services by chain, contract, URLs and settings', () => {
    expect(version).to.match(VERSION_FORM);
    expect(number).to.equal(String(guideVersions.length));
    expect(guideVersion({ ...addresses }, readConfig({ PORT: '1' }))).to.equal(version);
    const others = [
      guideVersion({ ...addresses, url: 'https://b.example' }, readConfig({})),
      guideVersion({ ...addresses, chainId: 2 }, readConfig({})),
      guideVersion({ ...addresses, contract: '0x2' }, readConfig({})),
      guideVersion({ ...addresses, rpcUrl: 'https://rpc.example' }, readConfig({})),
      guideVersion(addresses, readConfig({ TICKET_CALLBACKS: 'retired' })),
      guideVersion(addresses, readConfig({ REGISTRATION_SIGNATURE: 'required' })),
    ];
    expect(new Set([version, ...others]).size).to.equal(7);
  });

  it('know what changed since another version', () => {
    const all = guideVersions.map(({ changes }) => changes).reverse();
    const facts = ['The chain, the contract, a URL or a setting of the service changed.'];
    for (const [from, to, expected] of [
      [version, version, []],
      [undefined, version, all],
      [`1-${print}`, `${Number(number) + 1}-${print}`, guideVersions.length > 1 ? all.slice(0, -1) : facts],
      // The expected answer is `facts` if only the fingerprint differs, or if the version is newer than the service.
      [`${number}-00000000`, version, facts],
      [`99-${print}`, version, facts],
    ] as const) {
      expect(changesBetween(from, to), from).to.deep.equal(expected);
    }
  });
});
