/**
 * One message of a stream of Server-Sent Events. A comment, with which the service shows that it is alive, has none of the
 * fields.
 */
export type Message = { readonly id?: string; readonly event?: string; readonly data?: string };

/** Splits the text of a stream into messages. An empty line ends a message. */
export function eventStream(): TransformStream<string, Message> {
  let rest = '';
  return new TransformStream({
    transform(text, controller) {
      rest += text;
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        controller.enqueue(messageIn(rest.slice(0, end)));
        rest = rest.slice(end + 2);
      }
    },
  });
}

/** The fields of a message. The service writes each field in one line, so no two lines have the same field. */
function messageIn(block: string): Message {
  const message: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) message[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
  }
  return message;
}
