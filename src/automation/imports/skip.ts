/** The reason why an import skips something, for the person who imports. */
export class Skip extends Error {
  override readonly name = 'Skip'
}

/** A skipped item with its reason. */
export interface Skipped {
  name: string
  reason: string
}

/** The most skipped items that are listed; further ones are only counted. */
const skippedMax = 1_000

/** The skipped items with their reasons. */
export class Left {
  readonly #skipped: Skipped[] = []
  #more = 0

  add(name: string, reason: string): void {
    if (this.#skipped.length < skippedMax) this.#skipped.push({ name: cleanedName(name), reason })
    else this.#more += 1
  }

  /** Calls the function; if it throws `Skip`, the name is skipped. */
  async unless(name: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Skip)) throw error
      this.add(name, error.message)
    }
  }

  list(): Skipped[] {
    if (this.#more === 0) return this.#skipped
    return [...this.#skipped, { name: '…', reason: `${this.#more.toLocaleString('en')} more were skipped.` }]
  }
}

const nameCharactersMax = 200
const cleanedName = (name: string) => name.slice(0, nameCharactersMax).toWellFormed() || '…'
