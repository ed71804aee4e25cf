import { graphql } from '../../graphql/document.js';
import { texts } from '../../texts.js';

/** Points of an agent in a season, by category. */
export const seasonPoints = graphql(`
  fragment seasonPoints on SeasonPoints {
    pricePoints
    holderPoints
    volumePoints
    holdingPoints
    crossTradingPoints
    diversityPoints
    uptimePoints
    consistencyPoints
    agePoints
    referralPoints
    engagementPoints
    verifiedBonus
  }
`);

export type Category = keyof typeof texts.points;
export const categories = Object.keys(texts.points) as readonly Category[];
