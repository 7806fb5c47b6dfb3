/**
 * Mailboxes: commands for one address are taken one batch at a time, in the order in which they came; different
 * addresses do not wait for each other. What arrives while an actor is busy is taken together, so that commands that
 * come close behind each other share a unit of work.
 */
export class Mailboxes<Command> {
  readonly #boxes = new Map<string, Command[]>()
  #opened: string[] = []

  /** `take` must not throw; it answers each of its commands itself. */
  constructor(private readonly take: (key: string, batch: Command[]) => Promise<void>) {}

  put(key: string, command: Command) {
    const box = this.#boxes.get(key)
    if (box) {
      box.push(command)
      return
    }
    const opened = [command]
    this.#boxes.set(key, opened)
    this.#opened.push(key)
    if (this.#opened.length === 1) setImmediate(this.#workOpened)
  }

  /** At the end of the turn, so that commands which follow from one another in it are taken in one go. */
  readonly #workOpened = () => {
    const opened = this.#opened
    this.#opened = []
    for (const key of opened) void this.#work(key)
  }

  async #work(key: string) {
    for (;;) {
      const batch = this.#boxes.get(key)
      if (!batch || batch.length === 0) break
      this.#boxes.set(key, [])
      await this.take(key, batch)
    }
    this.#boxes.delete(key)
  }

  /** Addresses that are busy now. */
  get size() {
    return this.#boxes.size
  }
}
