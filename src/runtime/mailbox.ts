/**
 * Mailboxes: commands for one address are processed in order, one batch at a time; addresses do not wait for each
 * other. Commands that arrive while an actor is busy form one batch and share a unit of work.
 */
export class Mailboxes<Command> {
  readonly #boxes = new Map<string, Command[]>()
  #opened: string[] = []

  /** `take` must not throw; it answers each command itself. */
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

  /** Runs at the end of the tick, so that commands sent in it form one batch. */
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

  /** The number of busy addresses. */
  get size() {
    return this.#boxes.size
  }
}
