/**
 * Asks every `every` milliseconds until the answer satisfies `holds`, and returns that answer. Throws with the last answer after `within`
 * milliseconds, and at once when `ask` rejects.
 */
export async function until<Answer>(
  ask: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
  { within = 90_000, every = 50 }: { within?: number; every?: number } = {},
): Promise<Answer> {
  const deadline = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`The condition was not met in time; the last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
