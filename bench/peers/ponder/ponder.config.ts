import { createConfig } from 'ponder';
import { abi } from './abi';

const { RPC_URL, CONTRACT, START_BLOCK, DATABASE_URL } = process.env;

// Ponder asks one address 20 times a second at first, to be kind to providers. A node of one's own needs no kindness, and
// there is no setting for it: so the node has many addresses.
const addresses = Array.from({ length: 64 }, (_, i) => `${RPC_URL}/?${i}`);

export default createConfig({
  database: { kind: 'postgres', connectionString: DATABASE_URL as string },
  chains: { local: { id: 84532, rpc: addresses } },
  contracts: {
    Market: { chain: 'local', abi, address: CONTRACT as `0x${string}`, startBlock: Number(START_BLOCK) },
  },
});
