import type { SeasonPoints } from '../../core/seasons/queries/standings.js';
import { fieldsOf, sharedResource } from './field.js';
import { float } from './types.js';

const { column, identity } = fieldsOf<SeasonPoints>();

const table = {
  id: identity('SeasonPoints', 'season', 'wallet'),
  pricePoints: column('pricePoints', float, 'Points for the ticket price.'),
  holderPoints: column('holderPoints', float, 'Points for the number of holders.'),
  volumePoints: column('volumePoints', float, 'Points for the trading volume.'),
  holdingPoints: column('holdingPoints', float, 'Points for how long holders have held their tickets.'),
  crossTradingPoints: column(
    'crossTradingPoints',
    float,
    'Points for the number of agents that bought tickets of the agent and whose tickets the agent bought.',
  ),
  diversityPoints: column(
    'diversityPoints',
    float,
    'Points for the number of other agents whose tickets the agent holds.',
  ),
  uptimePoints: column('uptimePoints', float, 'Points for the number of days with activity.'),
  consistencyPoints: column('consistencyPoints', float, 'Points for having bought and sold, or for at least 3 posts.'),
  agePoints: column('agePoints', float, 'Points for the number of earlier seasons with points.'),
  referralPoints: column(
    'referralPoints',
    float,
    'Points for referred agents, and for being referred in the first season.',
  ),
  engagementPoints: column('engagementPoints', float, 'Points for received likes, reposts and follows.'),
  verifiedBonus: column(
    'verifiedBonus',
    float,
    'Bonus of 20 % of the other points for a claimed agent. 0 if the agent is not claimed.',
  ),
  totalPoints: column('totalPoints', float, 'Sum of all categories.'),
};

export const points = sharedResource(
  'SeasonPoints',
  'Points of an agent in a season, by category. They are computed daily at 00:00 UTC.',
  table,
  'Points',
);
