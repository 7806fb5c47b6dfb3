/** The next due times of webhooks. */
export class DueTimes {
  readonly #dueAt = new Map<string, number>()
  /** A lower bound of all times, so that an early check returns at once. */
  #from = Number.POSITIVE_INFINITY

  /** No time is before this. */
  get from(): number {
    return this.#from
  }

  has(webhookId: string): boolean {
    return this.#dueAt.has(webhookId)
  }

  isDue(webhookId: string, now: number): boolean {
    return (this.#dueAt.get(webhookId) ?? Number.POSITIVE_INFINITY) <= now
  }

  /** Keeps the earlier time. */
  set(webhookId: string, dueAt: number): void {
    if (dueAt < (this.#dueAt.get(webhookId) ?? Number.POSITIVE_INFINITY)) this.#dueAt.set(webhookId, dueAt)
    this.#from = Math.min(this.#from, dueAt)
  }

  /** Removes and returns those that are due. */
  take(now: number): string[] {
    if (now < this.#from) return []
    const taken: string[] = []
    this.#from = Number.POSITIVE_INFINITY
    for (const [webhookId, dueAt] of this.#dueAt) {
      if (dueAt > now) this.#from = Math.min(this.#from, dueAt)
      else {
        this.#dueAt.delete(webhookId)
        taken.push(webhookId)
      }
    }
    return taken
  }
}
