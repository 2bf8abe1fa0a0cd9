/**
 * Runs `work`, which adds the programs that it starts to the list that it gets. At the end of `work`, also of a failed one, or when `signal`
 * aborts, their `stop` is called and awaited, that of the last program first.
 */
export async function withRunningPrograms(signal, work) {
  const running = [];
  const stopAll = async () => {
    for (const part of running.splice(0).toReversed()) await part.stop();
  };
  signal.addEventListener('abort', () => void stopAll());
  try {
    return await work(running);
  } finally {
    await stopAll();
  }
}
