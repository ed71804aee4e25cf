import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import type * as ethers from 'ethers';
import type { Wallet } from 'ethers';
import { notConfigured } from './io.js';

/** A text that is encrypted with AES-256-GCM. The key is derived from the password by scrypt. */
export type Sealed = Readonly<Record<'salt' | 'iv' | 'tag' | 'data', string>>;

// scrypt takes 128 MiB of memory (128 · N · r bytes). Node.js allows only 32 MiB unless `maxmem` is higher.
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

const keyOf = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, 32, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });

export async function seal(text: string, password: string): Promise<Sealed> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', await keyOf(password, salt), iv);
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const hex = (bytes: Buffer) => bytes.toString('hex');
  return { salt: hex(salt), iv: hex(iv), tag: hex(cipher.getAuthTag()), data: hex(data) };
}

export async function unseal({ salt, iv, tag, data }: Sealed, password: string): Promise<string> {
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(password, bytes(salt)), bytes(iv));
  decipher.setAuthTag(bytes(tag));
  try {
    return Buffer.concat([decipher.update(bytes(data)), decipher.final()]).toString('utf8');
  } catch {
    throw wrongPassword();
  }
}

const wrongPassword = () => notConfigured('the password is wrong', 'Set CURVET_PASSWORD to the password of the keystore.');

/** Loads the package `ethers`, which signs. It is optional, because a client that only reads does not need it. */
export async function loadEthers(): Promise<typeof ethers> {
  try {
    return await import('ethers');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw notConfigured('a wallet needs the package ethers', 'Run "npm install ethers" beside curvet-client.');
  }
}

/** Encrypts the wallet as a Web3 Secret Storage file, which other wallets can read. */
export const encryptWallet = (wallet: Wallet, password: string): Promise<string> => wallet.encrypt(password);

export async function decryptWallet(json: string, password: string): Promise<Wallet> {
  const { Wallet } = await loadEthers();
  try {
    return (await Wallet.fromEncryptedJson(json, password)) as Wallet;
  } catch (cause) {
    if (String((cause as Error).message).includes('password')) throw wrongPassword();
    throw notConfigured('the keystore cannot be read', 'It must be a Web3 Secret Storage file, version 3.');
  }
}
