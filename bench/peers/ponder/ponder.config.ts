import { createConfig } from 'ponder';
import { abi } from './abi';

const { RPC_URL, CONTRACT, START_BLOCK, DATABASE_URL } = process.env;

// Ponder limits itself to 20 requests per second and URL, and has no setting for it. Many URLs of the same local node
// avoid the limit.
const addresses = Array.from({ length: 64 }, (_, i) => `${RPC_URL}/?${i}`);

export default createConfig({
  database: { kind: 'postgres', connectionString: DATABASE_URL as string },
  chains: { local: { id: 84532, rpc: addresses } },
  contracts: {
    Market: { chain: 'local', abi, address: CONTRACT as `0x${string}`, startBlock: Number(START_BLOCK) },
  },
});
