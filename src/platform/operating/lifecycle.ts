/** Whether the server accepts new work. Source: contract 9, "SIGTERM". */
export class Lifecycle {
  #draining = false

  /** True from the start of the shutdown: new work is refused, reads continue. */
  get draining(): boolean {
    return this.#draining
  }

  /** Refuses new work from now on. */
  drain(): void {
    this.#draining = true
  }
}
