/**
 * A bounded cache of recently used values. Two generations approximate the order of use: a used value moves to the younger
 * one, and when that is full the older one is dropped. A map whose entries are reordered at each use gets slower over time.
 */
export class RecentlyUsed<Value> {
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  readonly #generationMax: number
  /** `sizeMax`: the most values that are kept. */
  constructor(sizeMax: number) {
    this.#generationMax = Math.max(1, Math.floor(sizeMax / 2))
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value) {
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: string) {
    this.#young.delete(key)
    this.#old.delete(key)
  }
  /** The number of values; a value in both generations counts twice. */
  get size() {
    return this.#young.size + this.#old.size
  }
}
