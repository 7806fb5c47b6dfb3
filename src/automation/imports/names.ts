/** Names of operations and of their inputs, made from other texts. Source: contract 3, names of operations. */
const charactersMax = 64

/** Gives each text a unique name of letters, digits, `_` and `-`. */
export class Names {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken)
  }

  /** Duplicate names are numbered: `list_2`. */
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

/** The text with `_` in place of characters that a name may not contain. */
export const cleaned = (text: string): string =>
  text
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    // looks at each run of them once
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, charactersMax) || 'unnamed'
