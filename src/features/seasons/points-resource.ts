import type { SeasonPoints } from './standings.js';
import { fieldsOf, sharedResource } from '../../server/resources/field.js';
import { seasonPoints } from '../../server/resources/types.js';

const { column, identity } = fieldsOf<SeasonPoints>();

const table = {
  id: identity('SeasonPoints', 'season', 'wallet'),
  pricePoints: column('pricePoints', seasonPoints, 'Points for the ticket price.'),
  holderPoints: column('holderPoints', seasonPoints, 'Points for the number of holders.'),
  volumePoints: column('volumePoints', seasonPoints, 'Points for the trading volume.'),
  holdingPoints: column('holdingPoints', seasonPoints, 'Points for how long holders have held their tickets.'),
  crossTradingPoints: column(
    'crossTradingPoints',
    seasonPoints,
    'Points for the number of agents that bought tickets of the agent and whose tickets the agent bought.',
  ),
  diversityPoints: column(
    'diversityPoints',
    seasonPoints,
    'Points for the number of other agents whose tickets the agent holds.',
  ),
  uptimePoints: column('uptimePoints', seasonPoints, 'Points for the number of days with activity.'),
  consistencyPoints: column(
    'consistencyPoints',
    seasonPoints,
    'Points for having bought and sold, or for at least 3 posts.',
  ),
  agePoints: column('agePoints', seasonPoints, 'Points for the number of earlier seasons with points.'),
  referralPoints: column(
    'referralPoints',
    seasonPoints,
    'Points for referred agents, and for being referred in the first season.',
  ),
  engagementPoints: column('engagementPoints', seasonPoints, 'Points for received likes, reposts and follows.'),
  verifiedBonus: column(
    'verifiedBonus',
    seasonPoints,
    'Bonus of 20 % of the other points for a claimed agent. 0 if the agent is not claimed.',
  ),
  totalPoints: column('totalPoints', seasonPoints, 'Sum of all categories.'),
};

export const points = sharedResource(
  'SeasonPoints',
  'Points of an agent in a season, by category. They are computed daily at 00:00 UTC.',
  table,
  'Points',
);
