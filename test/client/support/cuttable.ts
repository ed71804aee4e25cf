/**
 * A fetch whose streams the test can cut. After `cut`, requests wait until `mend`. `opened` counts the streams that the service
 * has accepted, and `processed` the chunks of the last one that the client has processed: it asks for the next chunk after that.
 */
export function cuttable() {
  let cut = () => {};
  let mended = Promise.withResolvers<void>();
  mended.resolve();
  let [opened, asked] = [0, 0];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    await mended.promise;
    const response = await globalThis.fetch(input, init);
    const reader = response.body?.getReader();
    opened++;
    asked = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          cut = () => {
            mended = Promise.withResolvers();
            controller.error(new Error('cut'));
          };
        },
        async pull(controller) {
          asked++;
          const { value, done } = (await reader?.read()) ?? { done: true };
          if (done) controller.close();
          else controller.enqueue(value as Uint8Array);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, response);
  };
  return { fetch, cut: () => cut(), mend: () => mended.resolve(), opened: () => opened, processed: () => asked - 1 };
}
