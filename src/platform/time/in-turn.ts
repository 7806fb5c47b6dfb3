/** Work on the same thing, such as an organization, one piece after another; work on others goes on beside it. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when the earlier work on the same thing has ended, and answers or throws as it does. */
  async take<Done>(thing: string, work: () => Promise<Done>): Promise<Done> {
    const before = this.#last.get(thing)
    const turn = before ? before.then(work, work) : work()
    this.#last.set(thing, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(thing) === turn) this.#last.delete(thing)
    }
  }
}
