/** Polls until the answer satisfies `holds`; throws with the last answer when the time limit passes. */
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
