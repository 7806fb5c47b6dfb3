/** A text that grows: its view receives each addition, and nothing is drawn anew. */
export class GrowingText {
  #text = ''
  readonly #watchers = new Set<(added: string) => void>()

  get text(): string {
    return this.#text
  }

  append(added: string): void {
    this.#text += added
    for (const tell of this.#watchers) tell(added)
  }

  /** Tells what is added from now on. */
  watch(tell: (added: string) => void): () => void {
    this.#watchers.add(tell)
    return () => this.#watchers.delete(tell)
  }
}
