/** Streaming text: the view receives each addition without a render. */
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

  /** Subscribes to additions. */
  watch(tell: (added: string) => void): () => void {
    this.#watchers.add(tell)
    return () => this.#watchers.delete(tell)
  }
}
