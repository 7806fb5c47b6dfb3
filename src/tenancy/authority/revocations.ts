/**
 * Changes of authority: a revoked key, a changed role, a deleted grant. A change is announced after its commit and before its
 * answer, so that it applies to the next request in every process. Source: requirement 5.2; design 6.
 */

/** The credentials whose authority changed: those that match the given ids; without ids, all. */
export interface Change {
  organizationId?: string
  userId?: string
  credentialId?: string
  /** A resource of the organization was removed, so streams may have lost their subject. */
  removed?: boolean
}

export interface Revocations {
  /** Resolves when no process relies on the old state any more. Never rejects. */
  announce(change: Change): Promise<void>
  /** Calls the listener for every change, and with `{}` if changes may have been missed. */
  listen(listener: (change: Change) => void): void
  /** Whether changes by other processes are received now. */
  isHearing(): boolean
  close(): Promise<void>
}

/** For a process that has its store to itself. */
export class EmbeddedRevocations implements Revocations {
  readonly #listeners: ((change: Change) => void)[] = []

  async announce(change: Change): Promise<void> {
    for (const listener of this.#listeners) listener(change)
  }

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener)
  }

  isHearing(): boolean {
    return true
  }

  async close(): Promise<void> {}
}
