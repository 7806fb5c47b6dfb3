/** Webhooks held back that return at once; the next freed place lets others return. */
const returnAtOnce = 100

/** The order in which webhooks are served, and those held back because their organizations have no place. */
export class Turns {
  readonly #waiting = new Set<string>()
  readonly #heldBack = new Set<string>()

  get size(): number {
    return this.#waiting.size
  }

  /** The webhook gets a turn after the others, unless it waits for one. */
  add(webhookId: string): void {
    this.#waiting.add(webhookId)
  }

  /** The webhooks in their order, with those added meanwhile, while `isOpen`; each gives up its turn. */
  *next(isOpen: () => boolean): Generator<string> {
    for (const webhookId of this.#waiting) {
      if (!isOpen()) return
      this.#waiting.delete(webhookId)
      yield webhookId
    }
  }

  holdBack(webhookId: string): void {
    this.#heldBack.add(webhookId)
  }

  /** Gives turns to some that were held back, while `isOpen` holds for them. */
  readmit(isOpen: (webhookId: string) => boolean): void {
    let count = 0
    for (const webhookId of this.#heldBack) {
      count += 1
      if (count > returnAtOnce || !isOpen(webhookId)) return
      this.#heldBack.delete(webhookId)
      this.#waiting.add(webhookId)
    }
  }
}
