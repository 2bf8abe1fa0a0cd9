/** Runs `work`, which adds what it starts to the list; stops all of it in reverse order at the end or when `signal` aborts. */
export async function withParts(signal, work) {
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
