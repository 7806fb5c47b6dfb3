/** When to look at which webhook again. */
export class DueTimes {
  readonly #dueAt = new Map<string, number>()
  /** None is earlier; a look that comes before that is over at once. */
  #from = Number.POSITIVE_INFINITY

  /** No wake is before then. */
  get from(): number {
    return this.#from
  }

  has(webhookId: string): boolean {
    return this.#dueAt.has(webhookId)
  }

  /** An earlier one stays. */
  set(webhookId: string, dueAt: number): void {
    if (dueAt < (this.#dueAt.get(webhookId) ?? Number.POSITIVE_INFINITY)) this.#dueAt.set(webhookId, dueAt)
    this.#from = Math.min(this.#from, dueAt)
  }

  /** Takes those whose time has come. */
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
