/** Whether the server takes new work. Source: contract 9, "SIGTERM". */
export class Lifecycle {
  #draining = false

  /** True from the first moment of the shutdown: nothing new is admitted, reads go on. */
  get draining(): boolean {
    return this.#draining
  }

  /** Closes the gate for good. */
  drain(): void {
    this.#draining = true
  }
}
