import type { Config } from '../../config.js';
import type { Endpoint } from './endpoint.js';
import { notifications } from './notifications.js';
import { operations } from './operations.js';

/** Every endpoint of the service. Fixed segments stand before parameters of the same place: the first match serves. */
export function endpoints(_config: Config): readonly Endpoint[] {
  return [...operations, ...notifications];
}
