import { registerHooks } from 'node:module';

// `--import` loads this file into a service. It writes the name of each loaded OpenTelemetry package to stderr, except for the API,
// which prom-client needs. With REFUSE_OPENTELEMETRY, the packages cannot be loaded.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@opentelemetry/') && specifier !== '@opentelemetry/api') {
      process.stderr.write(`loads ${specifier}\n`);
      if (process.env.REFUSE_OPENTELEMETRY) throw new Error(`${specifier} is not installed`);
    }
    return next(specifier, context);
  },
});
