import { graphql, type ResultOf } from '../../../graphql/document.js';
import { agentName } from '../../../ui/agent/agent-link.js';
import { outcome } from '../../../ui/feed/verdict.js';

const thesis = graphql(
  `
  fragment thesis on Trade {
    id
    type
    amount
    total
    thesis
    confidence
    eligibility
    createdAt
    agentAddress
    agent { ...agentName }
    outcomes { ...outcome }
  }
`,
  [agentName, outcome],
);
export type Thesis = ResultOf<typeof thesis>;

const record = graphql(`
  fragment record on ThesisRecord {
    rank
    score
    lowerBound
    calls
    verdicts
    effectiveCalls
    marketCount
    dayCount
    followedPercent
    followedAtLeastPercent
    paidPercent
    paidAtLeastPercent
    fakeCostWei
    beyondLuck
    calibration {
      bins {
        fromPercent
        toPercent
        calls
        confidencePercent
        paidPercent
        paidAtLeastPercent
        paidAtMostPercent
      }
    }
  }
`);
export type ThesisRecord = ResultOf<typeof record>;
export type Calibration = NonNullable<ThesisRecord['calibration']>;

/** Reads one page of the theses of an agent. With `isFirst`, it also reads the record. */
export const thesesQuery = graphql(
  `
  query Theses($agentId: String!, $after: String, $isFirst: Boolean!) {
    marketStats { ethUsd }
    agent(agentId: $agentId) {
      record @include(if: $isFirst) { ...record }
      theses(first: 6, after: $after) {
        pageInfo { endCursor hasNextPage }
        nodes { ...thesis }
      }
    }
  }
`,
  [record, thesis],
);

/** The theses of an agent that are judged, or judged again. */
export const liveOutcomes = graphql(
  `
  subscription LiveOutcomes($agent: AgentRef!) {
    outcome(agent: $agent) {
      sequence
      trade { ...thesis }
    }
  }
`,
  [thesis],
);
