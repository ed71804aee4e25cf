import type { Row } from '../support/result.js';
import { backfill } from './backfill.js';
import { chainCall } from './chain-call.js';
import { firstPaint } from './first-paint.js';
import { graphql } from './graphql.js';
import { lists } from './lists.js';
import { live } from './live.js';
import { pnl } from './pnl.js';
import { processes } from './processes.js';
import { profits } from './profits.js';
import { restCached } from './rest-cached.js';
import { restList } from './rest-list.js';
import { scoring } from './scoring.js';
import { sell } from './sell.js';
import { soak } from './soak.js';
import { start } from './start.js';
import { theses } from './theses.js';

/** All benchmarks, in the order in which the results list them. */
export const rows: readonly Row[] = [
  restList,
  restCached,
  graphql,
  backfill,
  sell,
  scoring,
  start,
  soak,
  pnl,
  lists,
  live,
  processes,
  firstPaint,
  chainCall,
  theses,
  profits,
];
