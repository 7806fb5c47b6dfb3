/** Whether the server accepts new work. Source: contract 9, "SIGTERM". */
export class Lifecycle {
  #leaving = false
  #draining = false

  /** True from the start of the shutdown: proxies are told to send requests to other servers. */
  get leaving(): boolean {
    return this.#leaving || this.#draining
  }

  /** True once the shutdown cannot wait any more: new work is refused, reads continue. */
  get draining(): boolean {
    return this.#draining
  }

  /** Reports not ready from now on, but still serves everything. */
  leave(): void {
    this.#leaving = true
  }

  /** Refuses new work from now on. */
  drain(): void {
    this.#draining = true
  }
}
