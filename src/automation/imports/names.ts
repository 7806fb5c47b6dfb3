/** Names of operations and of their inputs, made from other texts. Source: contract 3, names of operations. */
const charactersMax = 64

/** Gives each text a unique name of letters, digits, `_` and `-`. */
export class Names {
  readonly #taken = new Set<string>()
  /** By text: the number of its next duplicate. A document may have the same text a hundred thousand times. */
  readonly #next = new Map<string, number>()

  /** Duplicate names are numbered: `list_2`. */
  of(text: string): string {
    const clean = cleaned(text)
    for (let number = this.#next.get(clean) ?? 1; ; number += 1) {
      const name = number === 1 ? clean : numbered(clean, number)
      if (this.#taken.has(name)) continue
      this.#taken.add(name)
      this.#next.set(clean, number + 1)
      return name
    }
  }
}

function numbered(clean: string, number: number): string {
  const end = `_${number}`
  return clean.slice(0, charactersMax - end.length) + end
}

/** The text with `_` in place of characters that a name may not contain. */
export const cleaned = (text: string): string =>
  text
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    // looks at each run of them once
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, charactersMax) || 'unnamed'
