import { messages } from './generated/messages.js';

/** Codes of the service's errors, and `UNKNOWN` for an error that this version of the client does not know. */
export type ServiceErrorCode = keyof typeof messages | 'UNKNOWN';
/** Codes of the errors that arise in the client. */
export type ClientErrorCode =
  | 'CONNECTION'
  | 'INVALID_ANSWER'
  | 'NOT_CONFIGURED'
  | 'LIMIT_EXCEEDED'
  | 'INSUFFICIENT_FUNDS'
  | 'UNTRUSTED_ANSWER'
  | 'JOURNAL_BUSY'
  | 'TRADE_ID_REUSED'
  | 'TRADE_REVERTED'
  | 'TRADE_PENDING'
  | 'TRADE_REPLACED'
  | 'GONE'
  | 'RPC';
export type ErrorCode = ServiceErrorCode | ClientErrorCode;

export type ErrorDetails = {
  /** HTTP status. 0 if there was no answer. */
  readonly status?: number;
  /** Next step, in English. */
  readonly hint?: string;
  /** Seconds to wait before the next attempt. */
  readonly retryAfter?: number | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId?: string | undefined;
  /** Body of the answer, or further facts about the error. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
};

/** Whether a text has the form of a private key. That is also the form of a transaction hash. */
export const isPrivateKey = (text: string): boolean => /^\s*(?:0x)?[0-9a-f]{64}\s*$/i.test(text);

/** Hides what may be a private key in a text: 64 or more hexadecimal digits. */
export const withoutKeys = (text: string): string => text.replace(/(?:0x)?[0-9a-f]{64,}/gi, '[secret]');

/** Every error of the client. Compare `code`, not the message. */
export class CurvetError extends Error {
  readonly status: number;
  readonly hint: string;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { status = 0, hint = '', retryAfter, requestId, details = {}, cause }: ErrorDetails = {},
  ) {
    super(withoutKeys(message), { cause });
    this.name = new.target.name;
    this.status = status;
    this.hint = withoutKeys(hint);
    this.retryAfter = retryAfter;
    this.requestId = requestId;
    this.details = details;
  }
}

/** 400: the request is wrong. */
export class InputError extends CurvetError {}
/** 401: the API key is missing or wrong. */
export class AuthenticationError extends CurvetError {}
/** 403: the API key has no permission for this request. */
export class PermissionError extends CurvetError {}
/** 404 or 410: the thing does not exist, or no longer exists. */
export class NotFoundError extends CurvetError {}
/** 409: the request contradicts the present state. */
export class ConflictError extends CurvetError {}
/** 422: the request is well-formed, but the facts do not support it. */
export class UnprocessableError extends CurvetError {}
/** 429: wait `retryAfter` seconds. */
export class RateLimitError extends CurvetError {}
/** 5xx: the service failed. */
export class ServiceError extends CurvetError {}
/** No answer arrived, or not a complete one. */
export class ConnectionError extends CurvetError {}
/** The client refuses to sign a trade, or the chain did not accept it. */
export class TradeError extends CurvetError {}

const classes: Readonly<Record<number, typeof CurvetError>> = {
  400: InputError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** Creates the error of an answer of the service. An error inside a live stream has no headers: `body.retryAfter` is its wait. */
export function serviceError(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers?: { get(name: string): string | null },
): CurvetError {
  const message = typeof body.error === 'string' ? body.error : `HTTP status ${status}`;
  const wait = Number(headers?.get('retry-after') ?? body.retryAfter);
  const Class = classes[status] ?? (status >= 500 ? ServiceError : CurvetError);
  return new Class(codeOf(body.code, message), message, {
    status,
    hint: typeof body.hint === 'string' ? body.hint : '',
    retryAfter: wait > 0 ? wait : undefined,
    requestId: headers?.get('x-request-id') ?? undefined,
    details: body,
  });
}

/**
 * The code of an answer. A service of an earlier version sends no code, so its message is looked up in `messages`: it must equal a
 * text, or match a text with placeholders such as `<name>`.
 */
function codeOf(code: unknown, message: string): ServiceErrorCode {
  if (typeof code === 'string' && Object.hasOwn(messages, code)) return code as keyof typeof messages;
  const rows = Object.entries(messages) as [keyof typeof messages, string][];
  const found =
    rows.find(([, text]) => text === message) ??
    rows.find(([, text]) => text.includes('<') && new RegExp(`^${text.replace(/<\w+>/g, '.+')}$`).test(message));
  return found?.[0] ?? 'UNKNOWN';
}
