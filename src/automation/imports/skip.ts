/** Why something is left out of an import, in words for the person who imports it. */
export class Skip extends Error {
  override readonly name = 'Skip'
}

/** What is left out, and why. */
export interface Skipped {
  name: string
  reason: string
}

/** Of a document that has more, the others are only counted. */
const skippedMax = 1_000

/** What is left out, with the reasons. */
export class Left {
  readonly #skipped: Skipped[] = []
  #more = 0

  add(name: string, reason: string): void {
    if (this.#skipped.length < skippedMax) this.#skipped.push({ name: cleanedName(name), reason })
    else this.#more += 1
  }

  /** Does the work; where it throws `Skip`, the name is left out. */
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
    return [...this.#skipped, { name: '…', reason: `${this.#more.toLocaleString('en')} more were left out.` }]
  }
}

const nameCharactersMax = 200
const cleanedName = (name: string) => name.slice(0, nameCharactersMax).toWellFormed() || '…'
