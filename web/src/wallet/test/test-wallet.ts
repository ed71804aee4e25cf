import { texts } from '../../texts.js';
import { askFaucet, ProviderError, send } from '../embedded-chain.js';
import { DISCONNECTED, hex, type Provider } from '../provider.js';
import { addressOfKey, newKey, signTransaction } from './transaction.js';

/** Sends a JSON-RPC call to the embedded chain, through the service. */
async function call(method: string, params: readonly unknown[]): Promise<unknown> {
  const { result, error } = await send('/dev/rpc', { method, params });
  if (typeof error === 'object') throw new ProviderError(error.message, error.code, error.data);
  return result;
}

type Wanted = { readonly to: string; readonly data: string; readonly value?: string };

/**
 * Opens a wallet for the embedded chain. Without a stored key it makes a new one, and fills it from the faucet. It signs without
 * asking, because its ether has no value. It calls only the embedded chain, and never sends the key. `isOpen` says whether the
 * page is still connected with it.
 */
export async function openTestWallet(
  storedKey: string,
  isOpen: () => boolean,
): Promise<{ readonly key: string; readonly provider: Provider }> {
  const key = storedKey || newKey();
  const account = addressOfKey(key);
  if (storedKey === '') await askFaucet(account);
  const signAndSend = async ({ to, data, value = '0x0' }: Wanted): Promise<unknown> => {
    const [chainId, nonce, gas, block] = await Promise.all([
      call('eth_chainId', []),
      call('eth_getTransactionCount', [account, 'pending']),
      call('eth_estimateGas', [{ from: account, to, data, value }]),
      call('eth_getBlockByNumber', ['latest', false]),
    ]);
    // A priority fee of 0.001 gwei.
    const tip = 1_000_000n;
    const { baseFeePerGas = '0x0' } = block as { readonly baseFeePerGas?: string };
    // The wallet may be disconnected while a trade runs. The trade is then refused, because what it buys would be lost with the
    // key.
    if (!isOpen()) throw new ProviderError(texts.wallet.test.ended, DISCONNECTED);
    const signed = signTransaction(key, {
      chainId: BigInt(chainId as string),
      nonce: BigInt(nonce as string),
      tip,
      // The base fee rises by at most an eighth per block, so twice the base fee is enough for several blocks.
      maxFee: 2n * BigInt(baseFeePerGas) + tip,
      // A quarter more than the estimate, because other trades may change the state before the block.
      gas: (BigInt(gas as string) * 5n) / 4n,
      to,
      value: BigInt(value),
      data,
    });
    return call('eth_sendRawTransaction', [signed]);
  };
  const provider: Provider = {
    async request({ method, params = [] }) {
      if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account];
      if (method === 'eth_sendTransaction') return signAndSend(params[0] as Wanted);
      if (method === 'wallet_switchEthereumChain') {
        const { chainId } = params[0] as { readonly chainId: string };
        if (BigInt(chainId) === BigInt((await call('eth_chainId', [])) as string)) return null;
        // 4200 is the code of EIP-1193 for a method that the wallet does not support.
        throw new ProviderError(`The test wallet has only the embedded chain, not ${hex(BigInt(chainId))}`, 4200);
      }
      return call(method, params);
    },
  };
  return { key, provider };
}
