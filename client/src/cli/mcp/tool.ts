import { CurvetError, isPrivateKey, withoutKeys } from '../../errors.js';
import { UsageError } from '../exit-codes.js';

/** The JSON Schema of an argument. It has only the keywords that these tools use. */
export type ArgumentSchema = {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

export type Arguments = Readonly<Record<string, unknown>>;

/** A tool that runs in this process, unlike the tools of the service. */
export type LocalTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
  /** JSON Schemas of the fields of a result. */
  readonly output: Readonly<Record<string, object>>;
  readonly annotations: Readonly<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint', boolean>>;
  run(args: Arguments): Promise<Outcome>;
};

/** Result of a tool. `sent` runs after the answer has been written to standard output. */
export type Outcome = { readonly data: object; readonly sent?: (() => Promise<void>) | undefined };

/** A tool as `tools/list` shows it. */
export const listed = ({ name, title, description, input, required, output, annotations }: LocalTool) => ({
  name,
  title,
  description,
  inputSchema: { type: 'object' as const, properties: input, required: [...required], additionalProperties: false },
  outputSchema: { type: 'object' as const, properties: output },
  annotations: { ...annotations, openWorldHint: true },
});

/** Throws unless the arguments fit the schemas. The error never contains the value of an argument, because it could be a secret. */
export function checkArguments({ input, required }: LocalTool, args: Arguments): void {
  refuseKeys(args);
  for (const name of required) if (args[name] === undefined) throw new UsageError(`${name} is missing`);
  for (const [name, value] of Object.entries(args)) {
    const schema = Object.hasOwn(input, name) ? input[name] : undefined;
    if (schema === undefined) throw new UsageError(`there is no such argument. The tool takes ${Object.keys(input)}`);
    if (!fits(schema, value)) throw new UsageError(`${name} is not valid: ${schema.description}`);
  }
}

/**
 * Arguments whose value may have the form of a private key: a transaction hash has the same form, and a key of the caller may have
 * it.
 */
const HASHES = ['txHash', 'idempotencyKey'];

/** Refuses an argument that has the form of a private key, because the service would see it, and could publish it. */
export function refuseKeys(args: Arguments): void {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string' || !isPrivateKey(value) || HASHES.includes(name)) continue;
    throw new UsageError('an argument has the form of a private key. No tool needs one');
  }
}

function fits({ type, minLength = 0, maxLength, minimum, maximum }: ArgumentSchema, value: unknown): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'string') {
    return typeof value === 'string' && value.length >= minLength && value.length <= (maxLength ?? value.length);
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || (type === 'integer' && !Number.isInteger(value))) return false;
  return value >= (minimum ?? value) && value <= (maximum ?? value);
}

/** Result of `tools/call`. */
export type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
};

export const success = (data: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: { ...data },
});

/** The id and the hash of the trade, if the error arose after its signature. With the id, the next call continues the trade. */
function signedIn({ details: { id, hash } }: CurvetError): object {
  return typeof hash === 'string' ? { tradeId: id, hash } : {};
}

/** The result of a failed call. It has the hint of the error, so that a model can correct the call. */
export function failure(error: unknown): ToolResult {
  const message = withoutKeys((error as Error).message);
  const body =
    error instanceof CurvetError
      ? {
          success: false,
          error: message,
          code: error.code,
          hint: error.hint,
          retryAfter: error.retryAfter,
          ...signedIn(error),
        }
      : { success: false, error: message, code: error instanceof UsageError ? 'USAGE' : 'UNEXPECTED' };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}
