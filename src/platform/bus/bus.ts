/**
 * Messages between servers that share a store. A message is a hint: it may be lost, duplicated or late, and its
 * receiver reads the store.
 */

/** A subscription to one channel. */
export interface Listening {
  /** Resolves once messages are received; at once while the bus is disconnected. Never rejects. */
  ready: Promise<void>
  end(): void
}

export interface Bus {
  /** Whether there may be other servers. */
  readonly isShared: boolean
  /**
   * Sends to all listeners. Resolves with the number of servers that received it, including this one if it listens.
   * Never rejects.
   */
  tell(channel: string, message: unknown): Promise<number>
  /** Calls back with messages of other servers. */
  listen(channel: string, listener: (message: never) => void): Listening
  /** Whether messages of other servers arrive now. */
  isHearing(): boolean
  /** Calls back when messages may have been missed, and the connection works again. */
  onceMore(listener: () => void): () => void
  close(): void
}

const noReceivers = Promise.resolve(0)
const ready = Promise.resolve()

/** The bus of a server that does not share its store. */
export const aloneBus: Bus = {
  isShared: false,
  tell: () => noReceivers,
  listen: () => ({ ready, end() {} }),
  isHearing: () => true,
  onceMore: () => () => {},
  close() {},
}
