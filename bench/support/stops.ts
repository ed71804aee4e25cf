/** Stops whatever was started, in reverse, however the work ends. */
export async function stopAll<T>(
  work: (started: <S extends { stop(): unknown }>(server: S) => S) => Promise<T>,
): Promise<T> {
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
