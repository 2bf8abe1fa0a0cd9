interface Submitted<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** Items of one key are done together while others of it are being done: without a timer, and at once when it is idle. */
export class Gathering<Item, Result> {
  /** A key is here for as long as a round of it is under way, with what waits for the next one. */
  private readonly waiting = new Map<string, Submitted<Item, Result>[]>();

  /** `work` gives a result an item, in their order; what it throws fails all of a round. */
  constructor(private readonly work: (key: string, items: Item[]) => Promise<Result[]>) {}

  submit(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const submitted = { item, resolve, reject };
      const next = this.waiting.get(key);
      if (next) next.push(submitted);
      else void this.run(key, [submitted]);
    });
  }

  private async run(key: string, first: Submitted<Item, Result>[]): Promise<void> {
    for (let round = first; round.length > 0; round = this.waiting.get(key) ?? []) {
      this.waiting.set(key, []);
      await this.settle(key, round);
    }
    this.waiting.delete(key);
  }

  private async settle(key: string, round: Submitted<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(
        key,
        round.map(({ item }) => item),
      );
      for (const [index, result] of results.entries()) round[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of round) reject(error);
    }
  }
}
