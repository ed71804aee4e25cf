import { randomBytes } from 'node:crypto';

export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;

type Shape = {
  /** Whether the frame is the last fragment of its message. By default it is. */
  readonly fin?: boolean;
  readonly masked?: boolean;
  /** The three reserved bits of the frame, as a number from 0 to 7. */
  readonly reserved?: number;
  /** The payload length that the frame announces. By default the actual length. */
  readonly announced?: bigint;
};

/** Builds a WebSocket frame of a client. It can also build frames that the protocol forbids. */
export function frame(opcode: number, payload: string | Buffer = '', shape: Shape = {}): Buffer {
  const { fin = true, masked = true, reserved = 0 } = shape;
  const data = Buffer.from(payload);
  const length = shape.announced ?? BigInt(data.length);
  const head = Buffer.alloc(length < 126n ? 2 : length < 65_536n ? 4 : 10);
  head[0] = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  const small = length < 126n ? Number(length) : length < 65_536n ? 126 : 127;
  head[1] = (masked ? 0x80 : 0) | small;
  if (small === 126) head.writeUInt16BE(Number(length), 2);
  if (small === 127) head.writeBigUInt64BE(length, 2);
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, data.map((byte, i) => byte ^ (mask[i % 4] as number))]);
}

/** The HTTP request with which a client opens a WebSocket for GraphQL. */
export const handshake = (...headers: string[]): string =>
  [
    'GET /graphql HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Protocol: graphql-transport-ws',
    ...headers,
    '',
    '',
  ].join('\r\n');

/** The code of the first close frame after the handshake in the bytes from a server. undefined if there is none. */
export function closeCode(bytes: Buffer): number | undefined {
  let at = bytes.indexOf('\r\n\r\n') + 4;
  while (at + 2 <= bytes.length) {
    const small = (bytes[at + 1] as number) & 0x7f;
    const size = small === 126 ? bytes.readUInt16BE(at + 2) : small === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : small;
    const start = at + (small === 126 ? 4 : small === 127 ? 10 : 2);
    if (((bytes[at] as number) & 0x0f) === CLOSE && size >= 2) return bytes.readUInt16BE(start);
    at = start + size;
  }
  return undefined;
}
