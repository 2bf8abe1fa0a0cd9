/** Runs `work` with an empty list, to which it adds the programs that it starts. They are stopped, last first, at its end or when `signal` aborts. */
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
