import { CurvetError, isPrivateKey, withoutKeys } from '../../errors.js';
import { UsageError } from '../exit-codes.js';

/** A JSON Schema of an argument, as far as the tools use it. */
export type ArgumentSchema = {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
};

export type Arguments = Readonly<Record<string, unknown>>;

/** A tool that runs in this process. */
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

/** Result of a tool. `sent` runs when the answer has been written. */
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

/** Throws unless the arguments fit the schemas. An error does not repeat a value: it could be a secret. */
export function checkArguments({ input, required }: LocalTool, args: Arguments): void {
  refuseKeys(args);
  for (const name of required) if (args[name] === undefined) throw new UsageError(`${name} is missing`);
  for (const [name, value] of Object.entries(args)) {
    const schema = Object.hasOwn(input, name) ? input[name] : undefined;
    if (schema === undefined) throw new UsageError(`there is no such argument. The tool takes ${Object.keys(input)}`);
    if (!fits(schema, value)) throw new UsageError(`${name} is not valid: ${schema.description}`);
  }
}

/** Arguments that may have the form of a private key. */
const HASHES = ['txHash', 'idempotencyKey'];

/** Refuses an argument that has the form of a private key. The service would see it, or publish it. */
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

/** The trade of an error that arose after a signature. */
function signedIn({ details: { id, hash } }: CurvetError): object {
  return typeof hash === 'string' ? { tradeId: id, hash } : {};
}

/** A failed call. A model reads the hint and corrects the call. */
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
