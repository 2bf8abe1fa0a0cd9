/** Asks again until the answer satisfies `holds`; throws with the last answer when the deadline passes. */
export async function until<Answer>(
  ask: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
  { within = 90_000, every = 50 }: { within?: number; every?: number } = {},
): Promise<Answer> {
  const deadline = Date.now() + within;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`What was awaited did not come; last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
