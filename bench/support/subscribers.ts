/** A connection with one graphql-ws subscription. It uses no client library, because the cost of one would be measured as well. */
export type Subscriber = { close(): void };

/**
 * Subscribes. The protocol does not confirm a subscription, so this sends a ping after it, and resolves when the server answers.
 */
export function subscribe(
  url: string,
  query: string,
  variables: Record<string, unknown>,
  heard: (data: unknown) => void,
): Promise<Subscriber> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.addEventListener('open', () => send({ type: 'connection_init' }));
    socket.addEventListener('error', () => reject(new Error('a subscriber lost its connection')));
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { type: string; payload?: { data?: unknown; errors?: unknown } };
      switch (message.type) {
        case 'connection_ack':
          send({ id: '1', type: 'subscribe', payload: { query, variables } });
          return send({ type: 'ping' });
        case 'pong':
          return resolve({ close: () => socket.close() });
        case 'ping':
          return send({ type: 'pong' });
        case 'next':
          if (message.payload?.errors) throw new Error(JSON.stringify(message.payload.errors));
          return heard(message.payload?.data);
        case 'error':
        case 'complete':
          reject(new Error(`the subscription ended: ${data}`));
      }
    });
  });
}
