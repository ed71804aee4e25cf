// Compiles in a project of a browser, with the types of the package checked.
import { type AgentCard, Curvet, CurvetError, RateLimitError, type TradeResult } from 'curvet-client';

export async function names(): Promise<string[]> {
  const curvet = new Curvet({ baseUrl: 'http://127.0.0.1:4000' });
  const found: string[] = [];
  for await (const agent of curvet.agents.list({ sort: 'volume' })) found.push(nameOf(agent));
  return found;
}
const nameOf = ({ name }: AgentCard): string => name;

export async function buy(curvet: Curvet): Promise<TradeResult['trade'] | string> {
  try {
    return (await curvet.trade.buy({ agent: 'ada', amount: 1 })).trade;
  } catch (error) {
    if (error instanceof RateLimitError) return `wait ${error.retryAfter}`;
    if (error instanceof CurvetError && error.code === 'LIMIT_EXCEEDED') return error.hint;
    throw error;
  }
}

// @ts-expect-error: the service has no such operation.
export const wrong = () => new Curvet({ baseUrl: '' }).request('GET /api/nothing', {});
