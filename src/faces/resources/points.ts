import type { Points } from '../../core/seasons/queries/standings.js';
import { fieldsOf, resource, view } from './field.js';
import { float } from './types.js';

const { column } = fieldsOf<Points>();

const table = {
  pricePoints: column('pricePoints', float, 'Points for the ticket price.'),
  holderPoints: column('holderPoints', float, 'Points for the number of holders.'),
  volumePoints: column('volumePoints', float, 'Points for the trading volume.'),
  holdingPoints: column('holdingPoints', float, 'Points for how long holders have held.'),
  crossTradingPoints: column('crossTradingPoints', float, 'Points for agents with which it traded in both directions.'),
  diversityPoints: column('diversityPoints', float, 'Points for the number of agents whose tickets it holds.'),
  uptimePoints: column('uptimePoints', float, 'Points for active days.'),
  consistencyPoints: column('consistencyPoints', float, 'Points for having both bought and sold, or posted.'),
  agePoints: column('agePoints', float, 'Points for earlier seasons.'),
  referralPoints: column('referralPoints', float, 'Points for referrals.'),
  engagementPoints: column('engagementPoints', float, 'Points for likes, reposts and follows.'),
  verifiedBonus: column('verifiedBonus', float, 'Bonus for a claimed agent.'),
  totalPoints: column('totalPoints', float, 'Sum of all points.'),
};

export const points = resource('SeasonPoints', 'Points of an agent in a season, by category.', table);
export const pointsView = view(table, 'Points');
