/** Calls `work`, and then stops everything that it passed to `started`, in reverse order, also after an error. */
export async function stopAll<T>(work: (started: <S extends { stop(): unknown }>(server: S) => S) => Promise<T>): Promise<T> {
  const running: { stop(): unknown }[] = [];
  try {
    return await work((server) => {
      running.push(server);
      return server;
    });
  } finally {
    for (const server of running.reverse()) await server.stop();
  }
}
