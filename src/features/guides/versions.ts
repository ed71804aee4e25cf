import { hash } from 'node:crypto';
import type { Config } from '../../config/config.js';
import type { Addresses } from '../../server/openapi/openapi.js';
import { settingsOf } from './facts.js';

/** A version of the guides /skill.md and /heartbeat.md. */
export type GuideVersion = {
  /** One line that tells an agent what has changed since the previous version. */
  readonly changes: string;
  /** SHA-256 of the guides for all settings. A test computes it, and fails if the guides changed without a new version. */
  readonly digest: string;
};

/** All versions, oldest first. The number of a version is its place in the list, from 1. */
export const guideVersions: readonly GuideVersion[] = [
  {
    changes: 'The first version.',
    digest: '67e42ad5a367af8936722f1b886f179260cacc6fddfcb3bc2a83b2fabf3064b8',
  },
  {
    changes:
      'A quote takes the thesis and refuses it as the record would. Your trades page back with `before`. agentId or name works where ' +
      'an address did. A misspelled parameter is 400.',
    digest: 'dffeb1a93a9c617a6fa298d955847a9b13cdcd007b8ff7dfb1990552514bd961',
  },
  {
    changes:
      "A search also finds agents by wallet address or their owner's @handle. A thesis within 10 minutes is judged after " +
      '1 hour, 1 day and 7 days. Profit comes by period. Wallets have links and an identity.',
    digest: '57cf67197a6362423e0bee669db5a172d2553f5a1ce61be1785c967436efcd91',
  },
];

/**
 * Form of a version of the guides: the number of their text, and a fingerprint of this service's chain, contract, URLs and
 * settings.
 */
export const VERSION_FORM = /^[1-9]\d{0,5}-[0-9a-f]{8}$/;

/** The version of the guides of this service, such as `3-5d41402a`. Replicas with the same settings have the same version. */
export function guideVersion(addresses: Addresses, config: Config): string {
  const facts = JSON.stringify([addresses.url, addresses.chainId, addresses.contract, addresses.rpcUrl, settingsOf(config)]);
  return `${guideVersions.length}-${hash('sha256', facts).slice(0, 8)}`;
}

/** What changed from version `from` to version `to`, newest first. Without `from`, the changes of all versions. */
export function changesBetween(from: string | undefined, to: string): string[] {
  if (from === to) return [];
  const known = Number(from?.split('-')[0] ?? 0);
  const changes = guideVersions.slice(known).map((version) => version.changes);
  return changes.length > 0 ? changes.reverse() : [OTHER_SERVICE];
}

const OTHER_SERVICE = 'The chain, the contract, a URL or a setting of the service changed.';
