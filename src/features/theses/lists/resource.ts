import { fieldsOf, object, pick, view } from '../../../server/resources/field.js';
import { int, list, nullable, oneOf, time } from '../../../server/resources/types.js';
import { trade } from '../../trading/resource.js';
import { outcome, thesisEligibility } from '../resource.js';
import type { ThesisRow } from './theses.js';

const { column } = fieldsOf<ThesisRow>();

const own = {
  eligibility: column('eligibility', oneOf(thesisEligibility), 'Whether the thesis is a call that is judged, or why it is not.'),
  confidence: column(
    'confidence',
    nullable(int),
    'Confidence of the author that the trade pays within a day, in percent. Null if none was given.',
  ),
  thesisGivenAt: column('givenAt', time, 'Time when the thesis reached the service.'),
  outcomes: column(
    'outcomes',
    list(object(outcome)),
    'Outcomes of the call after 1 hour, 1 day and 7 days. Empty if it is no call.',
  ),
};

export const thesisView = view({ ...trade.fields, ...own }, 'Thesis', {
  ...pick(trade.fields, 'id', 'type', 'amount', 'price', 'thesis', 'agentAddress', 'agentName', 'createdAt'),
  ...own,
});
