/** Names of operations and of their inputs, made from the words of others. Source: contract 3, names of operations. */
const charactersMax = 64

/** Gives each text a name of letters, digits, `_` and `-` that no earlier one has. */
export class Names {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** Texts that become the same are numbered: `list_2`. */
  of(text: string): string {
    const clean = cleaned(text)
    let name = clean
    for (let number = 2; this.#taken.has(name); number += 1) {
      const end = `_${number}`
      name = clean.slice(0, charactersMax - end.length) + end
    }
    this.#taken.add(name)
    return name
  }
}

/** The text with `_` for whatever a name may not have. */
export const cleaned = (text: string): string =>
  text
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, charactersMax) || 'unnamed'
