import type { Feature } from '../feature.js';
import { health, ready } from './operations.js';

export const operatorFeature: Feature = {
  tags: { Operations: 'Health checks for operators' },
  operations: [health, ready],
};
