/** Runs `work`, which adds the programs that it starts to a list. At the end of `work`, or when `signal` aborts, they are stopped, last first. */
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
