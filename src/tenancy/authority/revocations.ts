/**
 * Changes of authority: a key revoked, a role changed, a grant taken away. Whoever makes one announces it once it is
 * committed, and answers only when everybody has heard: it counts on the very next request, in every process.
 * Source: requirement 5.2; design 6.
 */

/** Whose authority has changed: that of all credentials that fit what is named. Nothing named: of all. */
export interface Change {
  organizationId?: string
  userId?: string
  credentialId?: string
  /** Something of the organization is gone: what was to be seen may not be there any more. */
  removed?: boolean
}

export interface Revocations {
  /** Resolves when every process has heard of the change, or can no longer act on what it knew before. Never rejects. */
  announce(change: Change): Promise<void>
  /** Calls the listener on every change, and with `{}` when changes may have been missed. */
  listen(listener: (change: Change) => void): void
  /** Whether changes made by other processes are heard of now. */
  isHearing(): boolean
  close(): Promise<void>
}

/** For a process that has its store for itself. */
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
