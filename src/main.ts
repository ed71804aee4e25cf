import { fail } from './cli/fail.js';
import { interruption, logOf, serve } from './cli/serve.js';
import { type Config, readConfig } from './config.js';

let config: Config;
try {
  config = readConfig(process.env);
} catch (error) {
  fail(error);
}
await serve(config, logOf(config), interruption());
