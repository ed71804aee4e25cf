import type { Feature } from '../feature.js';
import { thesisDetail, thesisLeaderboard, thesisList } from './lists/operations.js';

export const thesisFeature: Feature = {
  tags: { Theses: 'Reasons of trades, and what became of them' },
  operations: [thesisList, thesisLeaderboard, thesisDetail],
  graphql: [() => import('./lists/graphql.js')],
};
