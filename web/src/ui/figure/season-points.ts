import { graphql } from '../../graphql/document.js';
import { texts } from '../../texts.js';

/** The points of an agent in a season, by category. Queries include this fragment. */
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
