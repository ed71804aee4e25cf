import { count, shortHex } from '../../format/number.js';
import type { Problem } from '../../graphql/problem.js';
import { useQuery } from '../../graphql/use-query.js';
import { Card } from '../../ui/card.js';
import { Copy } from '../../ui/control/copy.js';
import { ProblemView } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { abiQuery, type Contract } from './queries.js';
import { developerTexts } from './texts.js';

type Props = {
  readonly contract: Contract | undefined;
  readonly problem: Problem | undefined;
  readonly retry: () => void;
};

/** Card with the address of the contract and its ABI. */
export function ContractCard({ contract, problem, retry }: Props) {
  const words = developerTexts.contract;
  const { data } = useQuery(abiQuery, {}, { skip: contract === undefined });
  const abi = data?.contract.abi;
  const entries = abi && (JSON.parse(abi) as readonly unknown[]);
  return (
    <Card title={words.title}>
      {!contract && problem ? (
        <ProblemView problem={problem} retry={retry} />
      ) : (
        <dl class="facts body" aria-busy={contract === undefined}>
          <dt>{words.address}</dt>
          <dd>
            {contract ? (
              <Copy text={contract.address} label={words.copyAddress}>
                <span class="mono">{shortHex(contract.address)}</span>
              </Copy>
            ) : (
              <Bar width={16} />
            )}
          </dd>
          <dt>{words.chain}</dt>
          <dd class="num">{contract ? contract.chainId : <Bar width={6} />}</dd>
          <dt>{words.rpc}</dt>
          <dd class="mono">{contract ? (contract.rpcUrl ?? words.noRpc) : <Bar width={20} />}</dd>
          <dt>{words.startBlock}</dt>
          <dd class="num">
            {contract ? contract.startBlock === null ? words.unknown : count(contract.startBlock) : <Bar width={6} />}
          </dd>
          <dt>{words.abi}</dt>
          <dd>
            {abi && entries ? (
              <Copy text={abi} label={words.copyAbi} tip={words.abiTip}>
                {words.entries(count(entries.length))}
              </Copy>
            ) : (
              <Bar width={12} />
            )}
          </dd>
        </dl>
      )}
    </Card>
  );
}
