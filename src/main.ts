import { fail } from './cli/fail.js';
import { interruption, logOf, serve } from './cli/serve.js';
import { readConfig } from './config.js';

try {
  const config = readConfig(process.env);
  await serve(config, logOf(config), interruption(config));
} catch (error) {
  fail(error);
}
