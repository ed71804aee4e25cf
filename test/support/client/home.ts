import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptKeystoreJson } from 'ethers';
import type { Settings } from '../../../client/src/cli/home.js';
import { freshDirectory } from '../service/process.js';

type Account = { readonly address: string; readonly privateKey: string };

/** Creates the home directory of a wallet, as the command line does. The suite deletes it with `endProcesses`. */
export async function homeOf(account: Account, password: string, settings: Settings): Promise<string> {
  const home = freshDirectory();
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings));
  await writeKeystore(home, account, password);
  return home;
}

/** Writes a keystore whose key derivation is fast, because many commands of a test decrypt it. */
export async function writeKeystore(home: string, account: Account, password: string): Promise<void> {
  writeFileSync(join(home, 'keystore.json'), await encryptKeystoreJson(account, password, { scrypt: { N: 1024 } }));
}
