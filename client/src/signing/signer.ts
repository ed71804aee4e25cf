/** A complete transaction (EIP-1559). `gas` and `gasLimit` are equal: ethers reads one, viem the other. */
export type Transaction = {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  /** In wei. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
};

/** A wallet that signs. Wallets of ethers and local accounts of viem have this interface already. */
export type Signer = {
  readonly address: string;
  /** Returns the signed transaction in hexadecimal, ready to send. */
  signTransaction(transaction: Transaction): Promise<string>;
} & (
  | { signMessage(message: string): Promise<string> }
  | { readonly type: 'local'; signMessage(input: { readonly message: string }): Promise<string> }
);

/** Signs a text. An account of viem takes an object with the text, a wallet of ethers takes the text. */
export const signText = (signer: Signer, message: string): Promise<string> =>
  'type' in signer && signer.type === 'local'
    ? signer.signMessage({ message })
    : (signer as { signMessage(message: string): Promise<string> }).signMessage(message);
