import { type Config, ConfigError } from '../../config.js';

export type ServiceRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Whether the endpoint needs no secret. */
  readonly open?: boolean;
};

/** Calls the running service that holds the data directory. `lockError` is the reason that errors state. */
export async function callService(
  config: Config,
  { method, path, body, open = false }: ServiceRequest,
  lockError: Error,
): Promise<unknown> {
  const base = (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/$/, '');
  const secret = config.CRON_SECRET?.[0];
  if (secret === undefined && !open) {
    throw new ConfigError(`${lockError.message}: stop the service, or set CRON_SECRET to its value`);
  }
  const response = await fetch(base + path, {
    method,
    headers: { ...(secret && { authorization: `Bearer ${secret}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: Error) => {
    throw new ConfigError(`${lockError.message}, and no service answers at ${base}`, { cause });
  });
  const { success, error, hint, ...answer } = (await response.json()) as Record<string, unknown>;
  if (success !== true) throw new ConfigError(`${error}. ${hint}`);
  return answer;
}
