/** Work that nobody awaits where it begins, but whoever stops the router does. */
export class UnderWay {
  private readonly works = new Set<Promise<void>>();

  /** `work` must not reject. */
  add(work: Promise<void>): void {
    this.works.add(work);
    void work.finally(() => this.works.delete(work));
  }

  /** Once all that is under way now is done. */
  async settled(): Promise<void> {
    await Promise.all(this.works);
  }
}
