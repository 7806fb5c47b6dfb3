/** The actors used last, within a bound: a parked actor costs a row, not memory. */
export class RecentlyUsed<Value> {
  readonly #entries = new Map<string, Value>()

  constructor(private readonly sizeMax: number) {}

  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: string, value: Value) {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.sizeMax) return
    const oldest = this.#entries.keys().next().value
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string) {
    this.#entries.delete(key)
  }

  get size() {
    return this.#entries.size
  }
}
